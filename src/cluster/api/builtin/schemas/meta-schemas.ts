// The fields of what metadata, label selectors and conditions are made of, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of what metadata, label selectors and conditions are made of. */
export const metaSchemas = `
Condition: lastTransitionTime* time, message* string, observedGeneration int64, reason* string,
    status* string, type* string
FieldSelectorRequirement: key* string, operator* string, values [string]
LabelSelector (atomic): matchExpressions [LabelSelectorRequirement], matchLabels {string}
LabelSelectorRequirement: key* string, operator* string, values [string]
ManagedFieldsEntry: apiVersion string, fieldsType string, fieldsV1 any, manager string, operation string,
    subresource string, time time
ObjectMeta: annotations {string}, creationTimestamp time, deletionGracePeriodSeconds int64,
    deletionTimestamp time, finalizers [string] set merge, generateName string, generation int64,
    labels {string}, managedFields [ManagedFieldsEntry], name string, namespace string,
    ownerReferences [OwnerReference] map(uid) merge(uid), resourceVersion string, selfLink string,
    uid string
OwnerReference (atomic): apiVersion* string, blockOwnerDeletion bool, controller bool, kind* string,
    name* string, uid* string
`;
