// The fields of storage classes of storage.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of storage classes of storage.k8s.io/v1. */
export const storageSchemas = `
StorageClass (object): allowVolumeExpansion#6 bool, allowedTopologies#8 [TopologySelectorTerm],
    mountOptions#5 [string], parameters#3 {string}, provisioner*#2 string, reclaimPolicy#4 string,
    volumeBindingMode#7 string
`;
