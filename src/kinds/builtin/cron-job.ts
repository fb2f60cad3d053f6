// CronJob: jobs on a schedule.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { JobSpec } from "./job.ts";
import type { ObjectReference } from "./local-reference.ts";

/** A CronJob (batch v1). */
export interface CronJob extends NamespacedObject {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly jobTemplate: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: JobSpec;
    };
    readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
    readonly startingDeadlineSeconds?: number;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly suspend?: boolean;
  };
  readonly status?: {
    readonly active?: readonly ObjectReference[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}

/** The type of {@link CronJob}. */
export const CronJob: ResourceType<CronJob> = builtin<CronJob>("batch/v1", "CronJob", "cronjobs");
