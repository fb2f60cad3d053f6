// The fields of leases of coordination.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of leases of coordination.k8s.io/v1. */
export const coordinationSchemas = `
Lease (object): spec+#2 LeaseSpec
LeaseSpec: acquireTime#3 microtime, holderIdentity?#1 string, leaseDurationSeconds?#2 int,
    leaseTransitions?#5 int, preferredHolder?#7 string, renewTime#4 microtime, strategy?#6 string
`;
