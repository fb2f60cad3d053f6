// The fields of roles and bindings of rbac.authorization.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of roles and bindings of rbac.authorization.k8s.io/v1. */
export const rbacSchemas = `
AggregationRule: clusterRoleSelectors#1 [LabelSelector]
ClusterRole (object): aggregationRule#3 AggregationRule, rules+#2 [PolicyRule]
ClusterRoleBinding (object): roleRef*#3 RoleRef, subjects#2 [Subject]
PolicyRule: apiGroups#2 [string], nonResourceURLs#5 [string], resourceNames#4 [string],
    resources#3 [string], verbs*#1 [string]
Role (object): rules+#2 [PolicyRule]
RoleBinding (object): roleRef*#3 RoleRef, subjects#2 [Subject]
RoleRef (atomic): apiGroup+#1 string, kind*#2 string, name*#3 string
Subject (atomic): apiGroup#2 string, kind*#1 string, name*#3 string, namespace#4 string
`;
