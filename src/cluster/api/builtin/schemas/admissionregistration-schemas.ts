// The fields of webhook configurations of admissionregistration.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of webhook configurations of admissionregistration.k8s.io/v1. */
export const admissionregistrationSchemas = `
MatchCondition: expression*#2 string, name*#1 string
MutatingWebhook: admissionReviewVersions*#8 [string], clientConfig*#2 WebhookClientConfig,
    failurePolicy?#4 string, matchConditions#12 [MatchCondition] map(name) merge(name), matchPolicy?#9@4 string,
    name*#1 string, namespaceSelector#5 LabelSelector, objectSelector#11@5 LabelSelector,
    reinvocationPolicy?#10 string, rules#3 [RuleWithOperations], sideEffects*?#6 string, timeoutSeconds?#7 int
MutatingWebhookConfiguration (object): webhooks#2 [MutatingWebhook] map(name) merge(name)
RuleWithOperations: apiGroups#2.1 [string], apiVersions#2.2 [string], operations#1 [string],
    resources#2.3 [string], scope?#2.4 string
ServiceReference: name*#2 string, namespace*#1 string, path?#3 string, port?#4 int
ValidatingWebhook: admissionReviewVersions*#8 [string], clientConfig*#2 WebhookClientConfig,
    failurePolicy?#4 string, matchConditions#11 [MatchCondition] map(name) merge(name), matchPolicy?#9@4 string,
    name*#1 string, namespaceSelector#5 LabelSelector, objectSelector#10@5 LabelSelector,
    rules#3 [RuleWithOperations], sideEffects*?#6 string, timeoutSeconds?#7 int
ValidatingWebhookConfiguration (object): webhooks#2 [ValidatingWebhook] map(name) merge(name)
WebhookClientConfig: caBundle#2 bytes, service#1 ServiceReference, url?#3@0 string
`;
