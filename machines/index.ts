/**
 * The statecharts, to draw, test and extend.
 *
 * @module xstate-operator/machines
 */
export { electionMachine, type ElectionEvent } from "./election-machine.ts";
export {
  applicationLifecycle,
  type LifecycleMachine,
  type LifecycleSetup,
  type LifecycleSetupOptions,
  type SetupNamesOf,
} from "./lifecycle-machine.ts";
export type {
  ChangedSpec,
  LifecycleArguments,
  LifecycleContext,
  LifecycleEvent,
  LifecycleFacts,
} from "./lifecycle-events.ts";
export type { InputFunctions, TaskList, TaskTypes } from "./task-inputs.ts";
export type { DrawnLifecycle, LifecycleNames, Named, NamesOfSetup } from "./lifecycle-names.ts";
export type { JournalCause } from "../src/ports/run-journal.ts";
export { managerMachine, type ManagerEvent } from "./manager-machine.ts";
export { reconciliationMachine, type ReconciliationEvent } from "./reconciliation-machine.ts";
export { shardMemberMachine, type ShardMemberEvent } from "./shard-member-machine.ts";
export { watchMachine, type WatchContext, type WatchEvent } from "./watch-machine.ts";
