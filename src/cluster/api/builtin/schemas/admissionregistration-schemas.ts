// The fields of webhook configurations of admissionregistration.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of webhook configurations of admissionregistration.k8s.io/v1. */
export const admissionregistrationSchemas = `
MatchCondition: expression* string, name* string
MutatingWebhook: admissionReviewVersions* [string], clientConfig* WebhookClientConfig, failurePolicy string,
    matchConditions [MatchCondition] map(name) merge(name), matchPolicy string, name* string,
    namespaceSelector LabelSelector, objectSelector LabelSelector, reinvocationPolicy string,
    rules [RuleWithOperations], sideEffects* string, timeoutSeconds int
MutatingWebhookConfiguration (object): webhooks [MutatingWebhook] map(name) merge(name)
RuleWithOperations: apiGroups [string], apiVersions [string], operations [string], resources [string],
    scope string
ServiceReference: name* string, namespace* string, path string, port int
ValidatingWebhook: admissionReviewVersions* [string], clientConfig* WebhookClientConfig,
    failurePolicy string, matchConditions [MatchCondition] map(name) merge(name), matchPolicy string,
    name* string, namespaceSelector LabelSelector, objectSelector LabelSelector, rules [RuleWithOperations],
    sideEffects* string, timeoutSeconds int
ValidatingWebhookConfiguration (object): webhooks [ValidatingWebhook] map(name) merge(name)
WebhookClientConfig: caBundle bytes, service ServiceReference, url string
`;
