// The fields of flow schemas and priority levels of flowcontrol.apiserver.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of flow schemas and priority levels of flowcontrol.apiserver.k8s.io/v1. */
export const flowcontrolSchemas = `
ExemptPriorityLevelConfiguration: lendablePercent?#2 int, nominalConcurrencyShares?#1 int
FlowDistinguisherMethod: type*#1 string
FlowSchema (object): spec+#2 FlowSchemaSpec, status+#3 FlowSchemaStatus
FlowSchemaCondition: lastTransitionTime#3 time, message#5 string, reason#4 string, status#2 string,
    type#1 string
FlowSchemaSpec: distinguisherMethod#3 FlowDistinguisherMethod, matchingPrecedence+#2 int,
    priorityLevelConfiguration*#1 PriorityLevelConfigurationReference, rules#4 [PolicyRulesWithSubjects]
FlowSchemaStatus: conditions#1 [FlowSchemaCondition] map(type) merge(type)
GroupSubject: name*#1 string
LimitResponse: queuing#2 QueuingConfiguration, type*#1 string
LimitedPriorityLevelConfiguration: borrowingLimitPercent?#4 int, lendablePercent?#3 int,
    limitResponse+#2 LimitResponse, nominalConcurrencyShares?#1 int
NonResourcePolicyRule: nonResourceURLs*#6 [string] set, verbs*#1 [string] set
PolicyRulesWithSubjects: nonResourceRules#3 [NonResourcePolicyRule], resourceRules#2 [ResourcePolicyRule],
    subjects*#1 [Subject]
PriorityLevelConfiguration (object): spec+#2 PriorityLevelConfigurationSpec,
    status+#3 PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition: lastTransitionTime#3 time, message#5 string, reason#4 string,
    status#2 string, type#1 string
PriorityLevelConfigurationReference: name*#1 string
PriorityLevelConfigurationSpec: exempt#3 ExemptPriorityLevelConfiguration,
    limited#2 LimitedPriorityLevelConfiguration, type*#1 string
PriorityLevelConfigurationStatus: conditions#1 [PriorityLevelConfigurationCondition] map(type) merge(type)
QueuingConfiguration: handSize+#2 int, queueLengthLimit+#3 int, queues+#1 int
ResourcePolicyRule: apiGroups*#2 [string] set, clusterScope#4 bool, namespaces+#5 [string] set,
    resources*#3 [string] set, verbs*#1 [string] set
ServiceAccountSubject: name*#2 string, namespace*#1 string
Subject: group#3 GroupSubject, kind*#1 string, serviceAccount#4 ServiceAccountSubject, user#2 UserSubject
UserSubject: name*#1 string
`;
