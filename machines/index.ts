// The public entry `xstate-operator/machines`: the statecharts, to draw, test and extend.
export { electionMachine, type ElectionEvent } from "./election-machine.ts";
export {
  applicationLifecycle,
  setupLifecycle,
  type LifecycleMachine,
  type LifecycleSetup,
  type LifecycleSetupOptions,
} from "./lifecycle-machine.ts";
export type { LifecycleArguments, LifecycleContext, LifecycleEvent } from "./lifecycle-events.ts";
export type { DrawnLifecycle, LifecycleNames } from "./lifecycle-names.ts";
export { managerMachine, type ManagerEvent } from "./manager-machine.ts";
export { reconciliationMachine, type ReconciliationEvent } from "./reconciliation-machine.ts";
export { shardMemberMachine, type ShardMemberEvent } from "./shard-member-machine.ts";
export { watchMachine, type WatchContext, type WatchEvent } from "./watch-machine.ts";
