// The fields of endpoint slices of discovery.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of endpoint slices of discovery.k8s.io/v1. */
export const discoverySchemas = `
Endpoint: addresses*#1 [string] set, conditions+#2 EndpointConditions, deprecatedTopology#5 {string},
    hints#8 EndpointHints, hostname?#3 string, nodeName?#6 string, targetRef#4 ObjectReference, zone?#7 string
EndpointConditions: ready?#1 bool, serving?#2 bool, terminating?#3 bool
EndpointHints: forNodes#2 [ForNode], forZones#1 [ForZone]
EndpointPort (atomic): appProtocol?#4 string, name?#1 string, port?#3 int, protocol?#2 string
EndpointSlice (object): addressType*#4@1 string, endpoints+#2 [Endpoint], ports+#3 [EndpointPort]
ForNode: name*#1 string
ForZone: name*#1 string
`;
