// The fields of endpoint slices of discovery.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of endpoint slices of discovery.k8s.io/v1. */
export const discoverySchemas = `
Endpoint: addresses* [string] set, conditions EndpointConditions, deprecatedTopology {string},
    hints EndpointHints, hostname string, nodeName string, targetRef ObjectReference, zone string
EndpointConditions: ready bool, serving bool, terminating bool
EndpointHints: forNodes [ForNode], forZones [ForZone]
EndpointPort (atomic): appProtocol string, name string, port int, protocol string
EndpointSlice (object): addressType* string, endpoints [Endpoint], ports [EndpointPort]
ForNode: name* string
ForZone: name* string
`;
