// The fields of the Scale of autoscaling/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of the Scale of autoscaling/v1. */
export const autoscalingSchemas = `
Scale (object): spec ScaleSpec, status ScaleStatus
ScaleSpec: replicas int
ScaleStatus: replicas* int, selector string
`;
