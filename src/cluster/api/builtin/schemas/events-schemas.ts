// The fields of Kubernetes Events of events.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of Kubernetes Events of events.k8s.io/v1. */
export const eventsSchemas = `
Event (object): action string, deprecatedCount int, deprecatedFirstTimestamp time,
    deprecatedLastTimestamp time, deprecatedSource EventSource, eventTime* microtime, note string,
    reason string, regarding ObjectReference, related ObjectReference, reportingController string,
    reportingInstance string, series EventSeries, type string
EventSeries: count* int, lastObservedTime* microtime
`;
