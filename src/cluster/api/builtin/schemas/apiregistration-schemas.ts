// The fields of API services of apiregistration.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of API services of apiregistration.k8s.io/v1. */
export const apiregistrationSchemas = `
APIService (object): spec+#2 APIServiceSpec, status+#3 APIServiceStatus
APIServiceCondition: lastTransitionTime#3 time, message#5 string, reason#4 string, status*#2 string,
    type*#1 string
APIServiceSpec: caBundle#5 bytes, group#2 string, groupPriorityMinimum*#7 int, insecureSkipTLSVerify#4 bool,
    service#1 ServiceReference, version#3 string, versionPriority*#8 int
APIServiceStatus: conditions#1 [APIServiceCondition] map(type) merge(type)
ServiceReference: name#2 string, namespace#1 string, port?#3 int
`;
