// Kinds of apps/v1: workloads that keep running.
import type { V1ControllerRevision } from "@kubernetes/client-node/dist/gen/models/V1ControllerRevision.js";
import type { V1DaemonSet } from "@kubernetes/client-node/dist/gen/models/V1DaemonSet.js";
import type { V1Deployment } from "@kubernetes/client-node/dist/gen/models/V1Deployment.js";
import type { V1ReplicaSet } from "@kubernetes/client-node/dist/gen/models/V1ReplicaSet.js";
import type { V1StatefulSet } from "@kubernetes/client-node/dist/gen/models/V1StatefulSet.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { NamespacedOf } from "./json-of.ts";

/** A ControllerRevision (apps v1): one revision of a stateful set or daemon set. */
export interface ControllerRevision extends NamespacedOf<V1ControllerRevision> {}
/** The type of {@link ControllerRevision}. */
export const ControllerRevision: ResourceType<ControllerRevision> = builtin(
  "apps/v1",
  "ControllerRevision",
  "controllerrevisions",
);

/** A DaemonSet (apps v1): one pod on each node. */
export interface DaemonSet extends NamespacedOf<V1DaemonSet> {}
/** The type of {@link DaemonSet}. */
export const DaemonSet: ResourceType<DaemonSet> = builtin("apps/v1", "DaemonSet", "daemonsets");

/** A Deployment (apps v1): interchangeable pods, rolled out through replica sets. */
export interface Deployment extends NamespacedOf<V1Deployment> {}
/** The type of {@link Deployment}. */
export const Deployment: ResourceType<Deployment> = builtin("apps/v1", "Deployment", "deployments");

/** A ReplicaSet (apps v1): one revision of a deployment. */
export interface ReplicaSet extends NamespacedOf<V1ReplicaSet> {}
/** The type of {@link ReplicaSet}. */
export const ReplicaSet: ResourceType<ReplicaSet> = builtin("apps/v1", "ReplicaSet", "replicasets");

/** A StatefulSet (apps v1): pods with an identity and storage of their own. */
export interface StatefulSet extends NamespacedOf<V1StatefulSet> {}
/** The type of {@link StatefulSet}. */
export const StatefulSet: ResourceType<StatefulSet> = builtin("apps/v1", "StatefulSet", "statefulsets");
