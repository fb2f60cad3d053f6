// The fields of the core group besides pods and volumes, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of the core group besides pods and volumes. */
export const coreSchemas = `
AttachedVolume: devicePath* string, name* string
ClientIPConfig: timeoutSeconds int
ConfigMap (object): binaryData {bytes}, data {string}, immutable bool
ConfigMapNodeConfigSource: kubeletConfigKey* string, name* string, namespace* string,
    resourceVersion string, uid string
ContainerImage: names [string], sizeBytes int64
DaemonEndpoint: Port* int
EndpointAddress (atomic): hostname string, ip* string, nodeName string, targetRef ObjectReference
EndpointPort (atomic): appProtocol string, name string, port* int, protocol string
EndpointSubset: addresses [EndpointAddress], notReadyAddresses [EndpointAddress], ports [EndpointPort]
Endpoints (object): subsets [EndpointSubset]
Event (object): action string, count int, eventTime microtime, firstTimestamp time,
    involvedObject* ObjectReference, lastTimestamp time, message string, reason string,
    related ObjectReference, reportingComponent string, reportingInstance string, series EventSeries,
    source EventSource, type string
EventSeries: count int, lastObservedTime microtime
EventSource: component string, host string
LoadBalancerIngress: hostname string, ip string, ipMode string, ports [PortStatus]
LoadBalancerStatus: ingress [LoadBalancerIngress]
LocalObjectReference (atomic): name string
Namespace (object): spec NamespaceSpec, status NamespaceStatus
NamespaceCondition: lastTransitionTime time, message string, reason string, status* string, type* string
NamespaceSpec: finalizers [string]
NamespaceStatus: conditions [NamespaceCondition] map(type) merge(type), phase string
Node (object): spec NodeSpec, status NodeStatus
NodeAddress: address* string, type* string
NodeAllocatableResourceClaimStatus: containers [string] set, resourceClaimName* string,
    resources* {quantity}
NodeCondition: lastHeartbeatTime time, lastTransitionTime time, message string, reason string,
    status* string, type* string
NodeConfigSource: configMap ConfigMapNodeConfigSource
NodeConfigStatus: active NodeConfigSource, assigned NodeConfigSource, error string,
    lastKnownGood NodeConfigSource
NodeDaemonEndpoints: kubeletEndpoint DaemonEndpoint
NodeFeatures: supplementalGroupsPolicy bool
NodeRuntimeHandler: features NodeRuntimeHandlerFeatures, name string
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts bool, userNamespaces bool
NodeSpec: configSource NodeConfigSource, externalID string, podCIDR string, podCIDRs [string] set merge,
    providerID string, taints [Taint], unschedulable bool
NodeStatus: addresses [NodeAddress] map(type) merge(type), allocatable {quantity}, capacity {quantity},
    conditions [NodeCondition] map(type) merge(type), config NodeConfigStatus,
    daemonEndpoints NodeDaemonEndpoints, declaredFeatures [string], features NodeFeatures,
    images [ContainerImage], nodeInfo NodeSystemInfo, phase string, runtimeHandlers [NodeRuntimeHandler],
    volumesAttached [AttachedVolume], volumesInUse [string]
NodeSwapStatus: capacity int64
NodeSystemInfo: architecture* string, bootID* string, containerRuntimeVersion* string,
    kernelVersion* string, kubeProxyVersion* string, kubeletVersion* string, machineID* string,
    operatingSystem* string, osImage* string, swap NodeSwapStatus, systemUUID* string
ObjectReference (atomic): apiVersion string, fieldPath string, kind string, name string, namespace string,
    resourceVersion string, uid string
PortStatus: error string, port* int, protocol* string
Secret (object): data {bytes}, immutable bool, stringData {string}, type string
SecretReference (atomic): name string, namespace string
Service (object): spec ServiceSpec, status ServiceStatus
ServiceAccount (object): automountServiceAccountToken bool, imagePullSecrets [LocalObjectReference],
    secrets [ObjectReference] map(name) merge(name)
ServicePort: appProtocol string, name string, nodePort int, port* int, protocol string=TCP, targetPort intstr
ServiceSpec: allocateLoadBalancerNodePorts bool, clusterIP string, clusterIPs [string],
    externalIPs [string], externalName string, externalTrafficPolicy string, healthCheckNodePort int,
    internalTrafficPolicy string, ipFamilies [string], ipFamilyPolicy string, loadBalancerClass string,
    loadBalancerIP string, loadBalancerSourceRanges [string],
    ports [ServicePort] map(port,protocol) merge(port), publishNotReadyAddresses bool, selector {string},
    sessionAffinity string, sessionAffinityConfig SessionAffinityConfig, trafficDistribution string,
    type string
ServiceStatus: conditions [Condition] map(type) merge(type), loadBalancer LoadBalancerStatus
SessionAffinityConfig: clientIP ClientIPConfig
Taint: effect* string, key* string, timeAdded time, value string
TypedLocalObjectReference (atomic): apiGroup string, kind* string, name* string
`;
