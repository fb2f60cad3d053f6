// The fields of disruption budgets of policy/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of disruption budgets of policy/v1. */
export const policySchemas = `
Eviction (object): deleteOptions#2 DeleteOptions
PodDisruptionBudget (object): spec+#2 PodDisruptionBudgetSpec, status+#3 PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: maxUnavailable#3 intstr, minAvailable#1 intstr, selector#2 LabelSelector replace,
    unhealthyPodEvictionPolicy?#4 string
PodDisruptionBudgetStatus: conditions#7 [Condition] map(type) merge(type), currentHealthy+#4 int,
    desiredHealthy+#5 int, disruptedPods#2 {time}, disruptionsAllowed+#3 int, expectedPods+#6 int,
    observedGeneration#1 int64
`;
