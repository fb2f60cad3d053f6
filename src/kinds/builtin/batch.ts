// Kinds of batch/v1: pods that run to completion.
import type { V1CronJob } from "@kubernetes/client-node/dist/gen/models/V1CronJob.js";
import type { V1Job } from "@kubernetes/client-node/dist/gen/models/V1Job.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { NamespacedOf } from "./json-of.ts";

/** A CronJob (batch v1): jobs on a schedule. */
export interface CronJob extends NamespacedOf<V1CronJob> {}
/** The type of {@link CronJob}. */
export const CronJob: ResourceType<CronJob> = builtin("batch/v1", "CronJob", "cronjobs");

/** A Job (batch v1): pods that run to completion. */
export interface Job extends NamespacedOf<V1Job> {}
/** The type of {@link Job}. */
export const Job: ResourceType<Job> = builtin("batch/v1", "Job", "jobs");
