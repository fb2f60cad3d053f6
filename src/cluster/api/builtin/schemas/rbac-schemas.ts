// The fields of roles and bindings of rbac.authorization.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of roles and bindings of rbac.authorization.k8s.io/v1. */
export const rbacSchemas = `
AggregationRule: clusterRoleSelectors [LabelSelector]
ClusterRole (object): aggregationRule AggregationRule, rules [PolicyRule]
ClusterRoleBinding (object): roleRef* RoleRef, subjects [Subject]
PolicyRule: apiGroups [string], nonResourceURLs [string], resourceNames [string], resources [string],
    verbs* [string]
Role (object): rules [PolicyRule]
RoleBinding (object): roleRef* RoleRef, subjects [Subject]
RoleRef (atomic): apiGroup string, kind* string, name* string
Subject (atomic): apiGroup string, kind* string, name* string, namespace string
`;
