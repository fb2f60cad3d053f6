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
  const stop = new Promise<ManagerEvent>((resolve) => {
    const requested = (): void => resolve({ type: "stop.requested" });
    if (options.signal.aborted) requested();
    options.signal.addEventListener("abort", requested, { once: true });
  });
  let failure: Error | undefined;
  const lost = run.lost.then((error): ManagerEvent => {
    failure = error;
    return { type: "leadership.lost" };
  });
  const stage =
    (work: () => Promise<void>, endedBy: readonly Promise<ManagerEvent>[] = [lost, stop]) =>
    async (): Promise<ManagerEvent> => {
      const outcome = work().then(
        (): ManagerEvent => ({ type: "stage.done" }),
        (error: unknown): ManagerEvent => {
          failure ??= error instanceof Error ? error : new Error(messageOf(error));
          return { type: "stage.failed", error };
        },
      );
      return Promise.race([...endedBy, outcome]);
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
