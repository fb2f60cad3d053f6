// The fields of access reviews of authorization.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of access reviews of authorization.k8s.io/v1. */
export const authorizationSchemas = `
FieldSelectorAttributes: rawSelector#1 string, requirements#2 [FieldSelectorRequirement]
LabelSelectorAttributes: rawSelector#1 string, requirements#2 [LabelSelectorRequirement]
LocalSubjectAccessReview (object): spec*#2 SubjectAccessReviewSpec, status+#3 SubjectAccessReviewStatus
NonResourceAttributes: path#1 string, verb#2 string
NonResourceRule: nonResourceURLs#2 [string], verbs*#1 [string]
ResourceAttributes: fieldSelector#8 FieldSelectorAttributes, group#3 string,
    labelSelector#9 LabelSelectorAttributes, name#7 string, namespace#1 string, resource#5 string,
    subresource#6 string, verb#2 string, version#4 string
ResourceRule: apiGroups#2 [string], resourceNames#4 [string], resources#3 [string], verbs*#1 [string]
SelfSubjectAccessReview (object): spec*#2 SelfSubjectAccessReviewSpec, status+#3 SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: nonResourceAttributes#2 NonResourceAttributes,
    resourceAttributes#1 ResourceAttributes
SelfSubjectRulesReview (object): spec*#2 SelfSubjectRulesReviewSpec, status+#3 SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec: namespace#1 string
SubjectAccessReview (object): spec*#2 SubjectAccessReviewSpec, status+#3 SubjectAccessReviewStatus
SubjectAccessReviewSpec: extra#5 {[string]}, groups#4 [string],
    nonResourceAttributes#2 NonResourceAttributes, resourceAttributes#1 ResourceAttributes, uid#6 string,
    user#3 string
SubjectAccessReviewStatus: allowed*#1 bool, denied#4@1 bool, evaluationError#3 string, reason#2 string
SubjectRulesReviewStatus: evaluationError#4 string, incomplete*#3 bool,
    nonResourceRules*#2 [NonResourceRule], resourceRules*#1 [ResourceRule]
`;
