// Kinds of policy/v1.
import type { V1PodDisruptionBudget } from "@kubernetes/client-node/dist/gen/models/V1PodDisruptionBudget.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { NamespacedOf } from "./json-of.ts";

/** A PodDisruptionBudget (policy v1): how many pods may be evicted at once. */
export interface PodDisruptionBudget extends NamespacedOf<V1PodDisruptionBudget> {}
/** The type of {@link PodDisruptionBudget}. */
export const PodDisruptionBudget: ResourceType<PodDisruptionBudget> = builtin(
  "policy/v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
);
