// The fields of disruption budgets of policy/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of disruption budgets of policy/v1. */
export const policySchemas = `
PodDisruptionBudget (object): spec PodDisruptionBudgetSpec, status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: maxUnavailable intstr, minAvailable intstr, selector LabelSelector,
    unhealthyPodEvictionPolicy string
PodDisruptionBudgetStatus: conditions [Condition] map(type) merge(type), currentHealthy int,
    desiredHealthy int, disruptedPods {time}, disruptionsAllowed int, expectedPods int,
    observedGeneration int64
`;
