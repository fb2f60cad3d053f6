// The fields of the Scale of autoscaling/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of the Scale of autoscaling/v1. */
export const autoscalingSchemas = `
Scale (object): spec#2 ScaleSpec, status#3 ScaleStatus
ScaleSpec: replicas#1 int
ScaleStatus: replicas*#1 int, selector#2 string
`;
