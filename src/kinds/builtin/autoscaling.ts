// Kinds of autoscaling/v2.
import type { V2HorizontalPodAutoscaler } from "@kubernetes/client-node/dist/gen/models/V2HorizontalPodAutoscaler.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { NamespacedOf } from "./json-of.ts";

/** A HorizontalPodAutoscaler (autoscaling v2): sets the replicas of a workload by what is measured. */
export interface HorizontalPodAutoscaler extends NamespacedOf<V2HorizontalPodAutoscaler> {}
/** The type of {@link HorizontalPodAutoscaler}. */
export const HorizontalPodAutoscaler: ResourceType<HorizontalPodAutoscaler> = builtin(
  "autoscaling/v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
);
