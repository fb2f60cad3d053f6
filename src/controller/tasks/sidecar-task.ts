// A task that a sidecar does beside its application.
import type { Json, KubeObject } from "../../meta/object.ts";
import type { TaskCall, TaskDefinition } from "../../lifecycle/tasks/task-definition.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { SidecarClient } from "../../remote/sidecar-client.ts";
import { httpTask, type HttpTaskOptions } from "./http-task.ts";

/** Options of {@link sidecarTask}. */
export interface SidecarTaskOptions<TCR extends KubeObject, TInput = Json | undefined> extends Pick<
  HttpTaskOptions<TCR, TInput>,
  "timeout" | "retry" | "poll" | "compensate"
> {
  /** The client of the sidecars. */
  readonly sidecar: SidecarClient<TCR>;
  /** The task's name in the sidecar's configuration. */
  readonly task: string;
  /** What is sent along: the same for each call with one key, or the sidecar refuses it. Default the invoke's `input`. */
  readonly input?: (call: HookContext<TCR> & TaskCall<TInput>) => Json;
}

/**
 * A task of a sidecar: begun once under the task's key, with what the machine's invoke gives it as input.
 *
 * **Guarantees**: those of the sidecar: a key is begun at most once, whoever crashes. An attempt during which the sidecar was killed
 * has failed; whether there is another one is up to `retry`.
 * **Errors**: as for {@link httpTask}.
 *
 * @example
 * tasks: { backUp: sidecarTask({ sidecar: sidecars, task: "backup", timeout: "2h", retry: { attempts: 3 } }) }
 */
export function sidecarTask<TCR extends KubeObject, TInput extends Json | undefined = Json | undefined>(
  options: SidecarTaskOptions<TCR, TInput>,
): TaskDefinition<HookContext<TCR>, TInput> {
  const { sidecar, task, input: inputOf = ({ input }) => input, ...policy } = options;
  const ofKey = (call: HookContext<TCR> & TaskCall<TInput>) => sidecar.at(call, `/tasks/${call.key}`);
  return httpTask<TCR, TInput>({
    ...policy,
    http: sidecar.http,
    start: (call) => {
      const input: Json | undefined = inputOf(call);
      return { ...sidecar.at(call, `/tasks/${task}`), body: input === undefined ? {} : { input } };
    },
    status: ofKey,
    cancel: ofKey,
  });
}
