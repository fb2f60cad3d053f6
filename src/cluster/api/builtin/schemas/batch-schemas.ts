// The fields of jobs and cron jobs of batch/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of jobs and cron jobs of batch/v1. */
export const batchSchemas = `
CronJob (object): spec* CronJobSpec, status CronJobStatus
CronJobSpec: concurrencyPolicy string, failedJobsHistoryLimit int, jobTemplate* JobTemplateSpec,
    schedule* string, startingDeadlineSeconds int64, successfulJobsHistoryLimit int, suspend bool,
    timeZone string
CronJobStatus: active [ObjectReference], lastScheduleTime time, lastSuccessfulTime time
Job (object): spec JobSpec, status JobStatus
JobCondition: lastProbeTime time, lastTransitionTime time, message string, reason string, status* string,
    type* string
JobSpec: activeDeadlineSeconds int64, backoffLimit int, backoffLimitPerIndex int, completionMode string,
    completions int, managedBy string, manualSelector bool, maxFailedIndexes int, parallelism int,
    podFailurePolicy PodFailurePolicy, podReplacementPolicy string, selector LabelSelector,
    successPolicy SuccessPolicy, suspend bool, template* PodTemplateSpec, ttlSecondsAfterFinished int
JobStatus: active int, completedIndexes string, completionTime time, conditions [JobCondition] merge(type),
    failed int, failedIndexes string, ready int, startTime time, succeeded int, terminating int,
    uncountedTerminatedPods UncountedTerminatedPods
JobTemplateSpec: metadata ObjectMeta, spec JobSpec
PodFailurePolicy: rules* [PodFailurePolicyRule]
PodFailurePolicyOnExitCodesRequirement: containerName string, operator* string, values* [int] set
PodFailurePolicyOnPodConditionsPattern: status string, type* string
PodFailurePolicyRule: action* string, onExitCodes PodFailurePolicyOnExitCodesRequirement,
    onPodConditions [PodFailurePolicyOnPodConditionsPattern]
SuccessPolicy: rules* [SuccessPolicyRule]
SuccessPolicyRule: succeededCount int, succeededIndexes string
UncountedTerminatedPods: failed [string] set, succeeded [string] set
`;
