// The fields of what metadata, label selectors, conditions and statuses of requests are made of, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of what metadata, label selectors, conditions and statuses of requests are made of. */
export const metaSchemas = `
Condition: lastTransitionTime*#4 time, message*#6 string, observedGeneration#3 int64, reason*#5 string,
    status*#2 string, type*#1 string
DeleteOptions: dryRun#5 [string], gracePeriodSeconds?#1 int64, orphanDependents?#3 bool,
    preconditions#2 Preconditions, propagationPolicy?#4 string
FieldSelectorRequirement: key*#1 string, operator*#2 string, values#3 [string]
LabelSelector (atomic): matchExpressions#2 [LabelSelectorRequirement], matchLabels#1 {string}
LabelSelectorRequirement: key*#1 string, operator*#2 string, values#3 [string]
ListMeta: continue#3 string, remainingItemCount?#4 int64, resourceVersion#2 string, selfLink#1 string
ManagedFieldsEntry: apiVersion#3 string, fieldsType#6 string, fieldsV1#7 any, manager#1 string,
    operation#2 string, subresource#8 string, time#4 time
ObjectMeta: annotations#12 {string}, creationTimestamp#8 time, deletionGracePeriodSeconds?#10 int64,
    deletionTimestamp#9 time, finalizers#14 [string] set merge, generateName#2 string, generation#7 int64,
    labels#11 {string}, managedFields#17 [ManagedFieldsEntry], name#1 string, namespace#3 string,
    ownerReferences#13 [OwnerReference] map(uid) merge(uid), resourceVersion#6 string, selfLink#4 string,
    uid#5 string
OwnerReference (atomic): apiVersion*#5@0 string, blockOwnerDeletion?#7 bool, controller?#6 bool, kind*#1 string,
    name*#3 string, uid*#4 string
Preconditions: resourceVersion?#2 string, uid?#1 string
Status: apiVersion string, code#6 int, details#5 StatusDetails, kind string, message#3 string, metadata#1 ListMeta,
    reason#4 string, status#2 string
StatusCause: field#3 string, message#2 string, reason#1 string
StatusDetails: causes#4 [StatusCause], group#2 string, kind#3 string, name#1 string, retryAfterSeconds#5 int,
    uid#6 string
`;
