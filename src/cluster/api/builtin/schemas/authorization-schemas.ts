// The fields of access reviews of authorization.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of access reviews of authorization.k8s.io/v1. */
export const authorizationSchemas = `
FieldSelectorAttributes: rawSelector string, requirements [FieldSelectorRequirement]
LabelSelectorAttributes: rawSelector string, requirements [LabelSelectorRequirement]
NonResourceAttributes: path string, verb string
ResourceAttributes: fieldSelector FieldSelectorAttributes, group string,
    labelSelector LabelSelectorAttributes, name string, namespace string, resource string,
    subresource string, verb string, version string
SelfSubjectAccessReview (object): spec* SelfSubjectAccessReviewSpec, status SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: nonResourceAttributes NonResourceAttributes,
    resourceAttributes ResourceAttributes
SubjectAccessReview (object): spec* SubjectAccessReviewSpec, status SubjectAccessReviewStatus
SubjectAccessReviewSpec: extra {[string]}, groups [string], nonResourceAttributes NonResourceAttributes,
    resourceAttributes ResourceAttributes, uid string, user string
SubjectAccessReviewStatus: allowed* bool, denied bool, evaluationError string, reason string
`;
