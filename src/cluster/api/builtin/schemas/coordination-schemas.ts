// The fields of leases of coordination.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of leases of coordination.k8s.io/v1. */
export const coordinationSchemas = `
Lease (object): spec LeaseSpec
LeaseSpec: acquireTime microtime, holderIdentity string, leaseDurationSeconds int, leaseTransitions int,
    preferredHolder string, renewTime microtime, strategy string
`;
