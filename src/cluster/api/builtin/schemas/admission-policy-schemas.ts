// The fields of admission policies of admissionregistration.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of admission policies of admissionregistration.k8s.io/v1. */
export const admissionPolicySchemas = `
ApplyConfiguration: expression#1 string
AuditAnnotation: key*#1 string, valueExpression*#2 string
ExpressionWarning: fieldRef*#2 string, warning*#3 string
JSONPatch: expression#1 string
MatchResources (atomic): excludeResourceRules#4 [NamedRuleWithOperations], matchPolicy?#7 string,
    namespaceSelector#1 LabelSelector, objectSelector#2 LabelSelector,
    resourceRules#3 [NamedRuleWithOperations]
MutatingAdmissionPolicy (object): spec+#2 MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding (object): spec+#2 MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingSpec: matchResources#3 MatchResources, paramRef#2 ParamRef,
    policyName#1 string
MutatingAdmissionPolicySpec: failurePolicy?#5 string,
    matchConditions#6 [MatchCondition] map(name) merge(name), matchConstraints#2 MatchResources,
    mutations#4 [Mutation], paramKind#1 ParamKind, reinvocationPolicy#7 string,
    variables#3 [Variable]
Mutation: applyConfiguration#3 ApplyConfiguration, jsonPatch#4 JSONPatch, patchType*#2 string
NamedRuleWithOperations (atomic): apiGroups#2.2.1 [string], apiVersions#2.2.2 [string],
    operations#2.1 [string], resourceNames#1 [string], resources#2.2.3 [string], scope?#2.2.4 string
ParamKind (atomic): apiVersion#1 string, kind#2 string
ParamRef (atomic): name#1 string, namespace#2 string, parameterNotFoundAction?#4 string,
    selector#3 LabelSelector
TypeChecking: expressionWarnings#1 [ExpressionWarning]
ValidatingAdmissionPolicy (object): spec+#2 ValidatingAdmissionPolicySpec,
    status+#3 ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding (object): spec*#2 ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec: matchResources#3 MatchResources, paramRef#2 ParamRef,
    policyName*#1 string, validationActions*#4 [string] set
ValidatingAdmissionPolicySpec: auditAnnotations#5 [AuditAnnotation], failurePolicy?#4 string,
    matchConditions#6 [MatchCondition] map(name) merge(name), matchConstraints#2 MatchResources,
    paramKind#1 ParamKind, validations#3 [Validation], variables#7 [Variable] map(name) merge(name)
ValidatingAdmissionPolicyStatus: conditions#3 [Condition] map(type), observedGeneration#1 int64,
    typeChecking#2 TypeChecking
Validation: expression*#1 string, message#2 string, messageExpression#4 string, reason?#3 string
Variable (atomic): expression*#2 string, name*#1 string
`;
