/**
 * What is written and called by whoever makes resources of one's own, or fills in a Kubernetes resource by functions that stand apart.
 *
 * @module xstate-operator/resources
 */

// Resources of one's own
export type {
  BindableResource,
  MutableResource,
  Resource,
  ResourceHealth,
  ResourceReport,
} from "./resource.ts";
export type { Finding, Health } from "../../meta/health.ts";

// The parts of a Kubernetes resource
export type { KubernetesResourceOptions } from "./resource-parts.ts";
export type { Writable } from "./resource-parts.ts";

// The calls of the registry, and what they leave in the results
export type { AddOptions } from "./add-options.ts";
export type { BatchOptions, BatchReport } from "./batch.ts";
export type { Operation } from "../outcome/reconcile-result.ts";
export type { ReconcileResult } from "../outcome/reconcile-result.ts";
