// Job: pods that run to completion.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { PodTemplate } from "./pod.ts";
import type { WorkloadCondition } from "./workload-condition.ts";

/** A Job (batch v1). */
export interface Job extends NamespacedObject {
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

/** What is to run. */
export interface JobSpec {
  /** Immutable. Its restart policy must be `OnFailure` or `Never`. */
  readonly template: PodTemplate;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: "NonIndexed" | "Indexed";
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  /** The job is deleted this long after its end. */
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
}

/** How far it is. */
export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly WorkloadCondition[];
}

/** The type of {@link Job}. */
export const Job: ResourceType<Job> = builtin<Job>("batch/v1", "Job", "jobs");
