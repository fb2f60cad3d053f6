// Runs one operator in this process: an actor of the manager machine, the root of the process's actors, decides what comes
// next, the stages of a run do it, and nothing is reconciled before every cache is complete.
import { managerMachine, type ManagerEvent } from "../../machines/manager-machine.ts";
import { watchLogic } from "../cache/reflector.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { electionLogic } from "../election/leader-elector.ts";
import { messageOf } from "../ports/operator-error.ts";
import { systemClock } from "../ports/system-clock.ts";
import { shardMemberLogic } from "../sharding/shard-member.ts";
import { beginActor, driven } from "../statechart/drive.ts";
import { refuseNoOperator, refuseRunOptions } from "./check-run-options.ts";
import { OperatorRun } from "./operator-run.ts";
import type { RunOptions } from "./run-options.ts";

const managerLogic = driven(
  managerMachine.provide({
    actors: { election: electionLogic, shardMember: shardMemberLogic, watch: watchLogic },
  }),
);

/** What ends a stage. */
type StageEnd =
  | Extract<ManagerEvent, { type: "stage.done" | "stop.requested" | "stage.failed" }>
  | { readonly type: "leadership.lost"; readonly error: Error };

/**
 * Runs the operator until the signal is aborted; resolves when it has drained.
 *
 * **Errors**: rejects with what kept it from starting (`OPERATOR_INVALID`, `RUN_OPTIONS_INVALID`, `BIND_FAILED`,
 * `KUBECONFIG_*`, `CONNECTION_FAILED`, `CRD_MISSING`, `CRD_OUTDATED`, `ApiError`), always as a sentence that says what to
 * do. Once it runs, nothing on the cluster ends it, but for `LEADERSHIP_LOST` with leader election: another process may
 * work now, and this one has stopped writing. `DRAIN_TIMEOUT` when reconciles under way did not end in time and were cut
 * off.
 */
export async function runOperator(definition: OperatorDefinition, options: RunOptions): Promise<void> {
  refuseNoOperator(definition);
  refuseRunOptions(definition.name, options);
  const run = new OperatorRun(definition, options);
  options.onStart?.(() => run.health(), run.streams);
  const stop = new Promise<StageEnd>((resolve) => {
    const requested = (): void => resolve({ type: "stop.requested" });
    if (options.signal.aborted) requested();
    options.signal.addEventListener("abort", requested, { once: true });
  });
  let failure: Error | undefined;
  const lost = run.lost.then((error): StageEnd => ({ type: "leadership.lost", error }));
  /** Only what ends a stage decides: one that was left may still fail, of the very stop that it was left for. */
  const stage =
    (work: () => Promise<void>, endedBy: readonly Promise<StageEnd>[] = [lost, stop]) =>
    async (): Promise<ManagerEvent> => {
      if (endedBy.includes(stop) && options.signal.aborted) return stop;
      const outcome = work().then(
        (): StageEnd => ({ type: "stage.done" }),
        (error: unknown): StageEnd => ({ type: "stage.failed", error }),
      );
      const end = await Promise.race([...endedBy, outcome]);
      if (end.type === "leadership.lost") failure = end.error;
      else if (end.type === "stage.failed")
        failure ??= end.error instanceof Error ? end.error : new Error(messageOf(end.error));
      return end;
    };
  const manager = beginActor(
    managerLogic,
    {
      onState: (state) => {
        run.enter(state);
        options.log.debug({ state }, "manager");
      },
      workers: {
        Connecting: stage(() => run.connect()),
        Preparing: stage(() => run.prepare()),
        Syncing: stage(() => run.sync()),
        Standby: stage(() => run.standBy()),
        CatchingUp: stage(() => run.catchUp()),
        Running: stage(() => run.work()),
        Draining: stage(() => run.drain(), [lost]),
        Yielding: stage(() => run.yield(), []),
      },
    },
    {
      id: "manager",
      clock: options.clock ?? systemClock,
      ...(options.inspector === undefined ? {} : { inspector: options.inspector }),
      introduce: () => ({ name: `manager of ${definition.name}` }),
    },
  );
  run.beginChild = manager.beginChild;
  try {
    await manager.ended;
  } finally {
    await run.close();
  }
  if (failure !== undefined) throw failure;
}
