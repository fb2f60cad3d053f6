// The fields of jobs and cron jobs of batch/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of jobs and cron jobs of batch/v1. */
export const batchSchemas = `
CronJob (object): spec*#2 CronJobSpec, status+#3 CronJobStatus
CronJobSpec: concurrencyPolicy#3 string, failedJobsHistoryLimit?#7 int, jobTemplate*#5 JobTemplateSpec,
    schedule*#1 string, startingDeadlineSeconds?#2 int64, successfulJobsHistoryLimit?#6 int, suspend?#4 bool,
    timeZone?#8@1 string
CronJobStatus: active#1 [ObjectReference], lastScheduleTime#4 time, lastSuccessfulTime#5 time
Job (object): spec+#2 JobSpec, status+#3 JobStatus
JobCondition: lastProbeTime#3 time, lastTransitionTime#4 time, message#6 string, reason#5 string,
    status*#2 string, type*#1 string
JobSpec: activeDeadlineSeconds?#3 int64, backoffLimit?#7@16 int, backoffLimitPerIndex?#12@7 int,
    completionMode?#9 string, completions?#2 int, managedBy?#15 string, manualSelector?#5 bool,
    maxFailedIndexes?#13@12 int, parallelism?#1 int, podFailurePolicy#11@3 PodFailurePolicy,
    podReplacementPolicy?#14 string, selector#4 LabelSelector, successPolicy#16@11 SuccessPolicy,
    suspend?#10 bool, template*#6 PodTemplateSpec, ttlSecondsAfterFinished?#8 int
JobStatus: active#4 int, completedIndexes#7 string, completionTime#3 time,
    conditions#1 [JobCondition] merge(type), failed#6 int, failedIndexes?#10@7 string, ready?#9 int,
    startTime#2 time, succeeded#5 int, terminating?#11@6 int, uncountedTerminatedPods#8 UncountedTerminatedPods
JobTemplateSpec: metadata+#1 ObjectMeta, spec+#2 JobSpec
PodFailurePolicy: rules*#1 [PodFailurePolicyRule]
PodFailurePolicyOnExitCodesRequirement: containerName?#1 string, operator*#2 string, values*#3 [int] set
PodFailurePolicyOnPodConditionsPattern: status+#2 string, type*#1 string
PodFailurePolicyRule: action*#1 string, onExitCodes#2 PodFailurePolicyOnExitCodesRequirement,
    onPodConditions#3 [PodFailurePolicyOnPodConditionsPattern]
SuccessPolicy: rules*#1 [SuccessPolicyRule]
SuccessPolicyRule: succeededCount?#2 int, succeededIndexes?#1 string
UncountedTerminatedPods: failed#2 [string] set, succeeded#1 [string] set
`;
