// The fields of Kubernetes Events of events.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of Kubernetes Events of events.k8s.io/v1. */
export const eventsSchemas = `
Event (object): action#6 string, deprecatedCount#15 int, deprecatedFirstTimestamp+#13 time,
    deprecatedLastTimestamp+#14 time, deprecatedSource+#12 EventSource, eventTime*#2 microtime,
    note#10 string, reason#7 string, regarding+#8 ObjectReference, related#9 ObjectReference,
    reportingController#4 string, reportingInstance#5 string, series#3 EventSeries, type#11 string
EventSeries: count*#1 int, lastObservedTime*#2 microtime
`;
