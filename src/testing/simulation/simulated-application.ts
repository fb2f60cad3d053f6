// An application that a test controls: what it looks like, and what becomes of its tasks. It outlives every process of
// its operator, and notes whatever is done to it.
import type { Observation } from "../../lifecycle/observation.ts";
import type { TaskDefinition, TaskObservation } from "../../lifecycle/tasks/task-definition.ts";
import type { ApplicationOptions } from "../../controller/declaration/controller-options.ts";
import type { KubeObject } from "../../meta/object.ts";
import { never } from "./mortal-client.ts";
import type { Liveness } from "./operator-process.ts";

/** How a task is tried: the policy of a task definition without its functions; of `compensate` only whether there is one. */
export type TaskPolicyOptions = Pick<TaskDefinition<never>, "timeout" | "retry" | "poll" | "compensate">;

/** A call of a task's `start`. */
export interface TaskStart {
  readonly src: string;
  readonly key: string;
}

/** The application of one resource. */
export class SimulatedApplication {
  /** What a look at it shows. */
  observation: Observation = {};
  /** What really runs, by key. */
  readonly running = new Map<string, TaskObservation>();
  /** Every start of a task, also of one that was there already. */
  readonly starts: TaskStart[] = [];
  readonly cancels: string[] = [];
  /** The keys for which `compensate` was called, where a task has one. */
  readonly compensations: string[] = [];
  /** The keys of all attempts that were undone so. */
  readonly undone = new Set<string>();
  /** What `start` throws, while it is to fail, and how often it did. */
  startError: string | undefined;
  refusedStarts = 0;
  /** What `compensate` throws, while it is to fail. */
  compensateError: string | undefined;
  /** Names of the effects that were carried out. */
  readonly effects: string[] = [];

  /** How a process of the operator looks at and acts on the application. */
  options(
    process: Liveness,
    tasks: Readonly<Record<string, TaskPolicyOptions>>,
    effects: readonly string[],
  ): ApplicationOptions<KubeObject> {
    const alive = <T>(act: () => T): T | Promise<never> => (process.isAlive() ? act() : never());
    const definitions = Object.entries(tasks).map(([src, { compensate, ...policy }]) => {
      const definition: TaskDefinition<object> = {
        ...policy,
        start: ({ key }) =>
          alive(() => {
            if (this.startError !== undefined) {
              this.refusedStarts += 1;
              throw new Error(this.startError);
            }
            this.starts.push({ src, key });
            if (!this.running.has(key)) this.running.set(key, { phase: "Running" });
          }),
        observe: ({ key }) => alive(() => this.running.get(key) ?? { phase: "NotFound" as const }),
        cancel: ({ key }) =>
          alive(() => {
            this.cancels.push(key);
            this.running.delete(key);
          }),
        ...(compensate === undefined
          ? {}
          : {
              compensate: ({ key, keys }) =>
                alive(() => {
                  if (this.compensateError !== undefined) throw new Error(this.compensateError);
                  this.compensations.push(key);
                  for (const each of keys) this.undone.add(each);
                }),
            }),
      };
      return [src, definition] as const;
    });
    return {
      observe: () => alive(() => this.observation),
      tasks: Object.fromEntries(definitions),
      actions: Object.fromEntries(
        effects.map((name) => [name, () => alive(() => void this.effects.push(name))] as const),
      ),
      poll: "1m",
    };
  }

  /** Tasks that were started more than once under one key: one intent must start one task. */
  startedTwice(): readonly TaskStart[] {
    return this.starts.filter(({ key }, at) => this.starts.findIndex((other) => other.key === key) !== at);
  }
}
