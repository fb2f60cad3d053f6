// The fields of quotas, limit ranges and replication controllers of v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of quotas, limit ranges and replication controllers of v1. */
export const quotaSchemas = `
LimitRange (object): spec+#2 LimitRangeSpec
LimitRangeItem: default#4 {quantity}, defaultRequest#5 {quantity}, max#2 {quantity},
    maxLimitRequestRatio#6 {quantity}, min#3 {quantity}, type*#1 string
LimitRangeSpec: limits*#1 [LimitRangeItem]
ReplicationController (object): spec+#2 ReplicationControllerSpec, status+#3 ReplicationControllerStatus
ReplicationControllerCondition: lastTransitionTime#3 time, message#5 string, reason#4 string,
    status*#2 string, type*#1 string
ReplicationControllerSpec: minReadySeconds#4@1 int, replicas?#1 int, selector#2 {string}!,
    template#3 PodTemplateSpec
ReplicationControllerStatus: availableReplicas#5 int,
    conditions#6 [ReplicationControllerCondition] map(type) merge(type), fullyLabeledReplicas#2 int,
    observedGeneration#3@5 int64, readyReplicas#4 int, replicas*#1 int
ResourceQuota (object): spec+#2 ResourceQuotaSpec, status+#3 ResourceQuotaStatus
ResourceQuotaSpec: hard#1 {quantity}, scopeSelector#3 ScopeSelector, scopes#2 [string]
ResourceQuotaStatus: hard#1 {quantity}, used#2 {quantity}
ScopeSelector (atomic): matchExpressions#1 [ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement: operator*#2 string, scopeName*#1 string, values#3 [string]
TopologySelectorLabelRequirement: key*#1 string, values*#2 [string]
TopologySelectorTerm (atomic): matchLabelExpressions#1 [TopologySelectorLabelRequirement]
`;
