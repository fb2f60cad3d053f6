/**
 * What an author's tests need besides an operator.
 *
 * @module xstate-operator/testing
 */
export { createVirtualClock } from "./virtual-clock.ts";
export type { VirtualClock } from "./virtual-clock.ts";
export { lifecycleTests } from "./lifecycle/lifecycle-tests.ts";
export type { LifecycleTest, LifecycleTestOptions, LifecycleTests } from "./lifecycle/lifecycle-tests.ts";
export type { LifecycleOptions } from "../lifecycle/graph/compile-lifecycle.ts";
export type { WalkedTo } from "./lifecycle/run-walk.ts";
export { scenarioTests } from "./scenario/scenario-tests.ts";
export type { ScenarioTestOptions } from "./scenario/scenario-tests.ts";
export type { Scenario, ScenarioContext, ScenarioStep } from "./scenario/scenario.ts";
export { conversionTests } from "./conversion-tests.ts";
export type { ConversionTest, ConversionTestOptions } from "./conversion-tests.ts";
export { startCluster } from "../cluster/start-cluster.ts";
export type { Cluster, ClusterOptions, WriteInterceptor, WriteRequest } from "../cluster/cluster.ts";
