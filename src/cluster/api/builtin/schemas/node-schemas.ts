// The fields of runtime classes of node.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of runtime classes of node.k8s.io/v1. */
export const nodeSchemas = `
Overhead: podFixed#1 {quantity}
RuntimeClass (object): handler*#2 string, overhead#3 Overhead, scheduling#4 Scheduling
Scheduling: nodeSelector#1 {string}!, tolerations#2 [Toleration]
`;
