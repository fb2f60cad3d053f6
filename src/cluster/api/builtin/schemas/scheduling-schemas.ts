// The fields of priority classes of scheduling.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of priority classes of scheduling.k8s.io/v1. */
export const schedulingSchemas = `
PriorityClass (object): description#4 string, globalDefault#3 bool, preemptionPolicy?#5 string, value+#2 int
`;
