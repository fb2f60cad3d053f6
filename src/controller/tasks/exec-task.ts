// A task that is begun by a command in one of the application's containers, and asked by another how far it is.
import type { ExecOptions, ExecResult } from "../../client/kube-client.ts";
import { Pod } from "../../kinds/builtin/core.ts";
import type { Json, KubeObject } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import {
  taskPolicyShape,
  type CompensationCall,
  type TaskCall,
  type TaskDefinition,
  type TaskObservation,
} from "../../lifecycle/tasks/task-definition.ts";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import { callable, optionsOf, required } from "../../options/option-schemas.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import { reportedPhase } from "./reported-phase.ts";

/** What the functions of an {@link execTask} are given. */
type ExecTaskCall<TCR extends KubeObject, TInput> = HookContext<TCR> & TaskCall<TInput>;

/** A command that a task runs: a list of the program and its arguments, or with more. */
export type ExecTaskCommand =
  readonly string[] | Pick<ExecOptions, "command" | "stdin" | "timeout" | "maxOutput" | "kill">;

/** Options of {@link execTask}. */
export interface ExecTaskOptions<TCR extends KubeObject, TInput = Json | undefined> extends Pick<
  TaskDefinition<never>,
  "timeout" | "retry" | "poll"
> {
  /** Where the commands are run; `container` default the pod's only one. */
  readonly pod: (
    call: ExecTaskCall<TCR, TInput>,
  ) => Promise<ObjectKey & { readonly container?: string }> | (ObjectKey & { readonly container?: string });
  /**
   * Begins the work, within ten seconds: longer work goes on in the background. The task's key is in its environment as
   * `IDEMPOTENCY_KEY`; an exit code that is not 0 fails the attempt. What it prints is the `handle`, decoded where it is JSON.
   */
  readonly start: (call: ExecTaskCall<TCR, TInput>) => Promise<ExecTaskCommand> | ExecTaskCommand;
  /** Says how far the work is. Default: the task is done once `start` has ended. */
  readonly status?: (call: ExecTaskCall<TCR, TInput>) => Promise<ExecTaskCommand> | ExecTaskCommand;
  /** Makes an observation of what `status` came to; default it has printed one: `{"phase": "Running", "progress": 0.4}`. */
  readonly read?: (result: ExecResult, call: ExecTaskCall<TCR, TInput>) => TaskObservation;
  /** Ends the work early. Idempotent. Default no command is run. */
  readonly cancel?: (call: ExecTaskCall<TCR, TInput>) => Promise<ExecTaskCommand> | ExecTaskCommand;
  /** Undoes what it has left behind; see `compensate` of a task. Default nothing is undone. */
  readonly compensate?: (call: ExecTaskCall<TCR, TInput> & CompensationCall<TInput>) => Promise<void> | void;
}

const execTaskOptions = optionsOf<ExecTaskOptions<KubeObject>>()({
  ...taskPolicyShape,
  pod: required(callable, "Write pod: ({ cr }) => ({ namespace: …, name: … })."),
  start: required(callable, 'Write start: ({ key }) => ["begin-backup", key].'),
  status: callable.optional(),
  read: callable.optional(),
  cancel: callable.optional(),
  compensate: callable.optional(),
});

/** Characters of what a command has printed that an error quotes. */
const longestQuote = 300;

/**
 * A task that is done by commands in a container.
 *
 * **Guarantees**: with `status`, work that may have begun is asked for before it is begun again, under the same key.
 * **Caveats**: without `status`, a `start` whose end was not seen is run again: it must bear that.
 * **Errors**: `CONTROLLER_INVALID` for options that are unknown, missing or have a wrong form; in the task those of
 * `KubeClient.exec`, `TASK_COMMAND_FAILED` and `TASK_STATUS_UNREADABLE`.
 * **RBAC**: `get` and `create` on pods/exec.
 *
 * @example
 * tasks: {
 *   vacuum: execTask({
 *     pod: ({ cr }) => ({ namespace: cr.metadata.namespace, name: `${cr.metadata.name}-0`, container: "postgres" }),
 *     start: () => ["vacuumdb", "--all", "--analyze"],
 *   }),
 * }
 */
export function execTask<TCR extends KubeObject, TInput = Json | undefined>(
  options: ExecTaskOptions<TCR, TInput>,
): TaskDefinition<HookContext<TCR>, TInput> {
  refuseWrongOptions(execTaskOptions, options, "execTask", "CONTROLLER_INVALID");
  const { pod, start, status, read, cancel, ...policy } = options;
  type Call = ExecTaskCall<TCR, TInput>;
  const run = async (call: Call, commandOf: ExecTaskOptions<TCR, TInput>["start"]): Promise<ExecResult> => {
    const { container, ...key } = await pod(call);
    const given = await commandOf(call);
    const settings = isList(given) ? { command: given } : given;
    return call.client.exec(key, {
      ...settings,
      command: ["env", `IDEMPOTENCY_KEY=${call.key}`, ...settings.command],
      signal: call.signal,
      ...(container === undefined ? {} : { container }),
    });
  };
  const successful = async (
    call: Call,
    commandOf: ExecTaskOptions<TCR, TInput>["start"],
  ): Promise<ExecResult> => {
    const result = await run(call, commandOf);
    if (result.exitCode === 0) return result;
    const said = result.stderr.toString().trim().slice(-longestQuote);
    throw new OperatorError(
      "TASK_COMMAND_FAILED",
      `the command ended with exit code ${result.exitCode}${said === "" ? "" : `: ${said}`}`,
      { remedy: "Run it by hand with `kubectl exec` to see what it needs." },
    );
  };
  return {
    ...policy,
    permissions: [{ type: Pod, subresource: "exec", verbs: ["get", "create"] }],
    start: async (call) => printed(await successful(call, start)),
    ...(status === undefined
      ? {}
      : {
          observe: async (call): Promise<TaskObservation> => {
            if (read !== undefined) return read(await run(call, status), call);
            return reportedPhase(printed(await successful(call, status)), "the status command");
          },
        }),
    ...(cancel === undefined
      ? {}
      : { cancel: async (call): Promise<void> => void (await successful(call, cancel)) }),
  };
}

function isList(command: ExecTaskCommand): command is readonly string[] {
  return Array.isArray(command);
}

function printed({ stdout }: ExecResult): Json | undefined {
  const text = stdout.toString().trim();
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Not JSON: the text itself.
    return text;
  }
}
