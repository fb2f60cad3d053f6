// The fields of the core group besides pods and volumes, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of the core group besides pods and volumes. */
export const coreSchemas = `
AttachedVolume: devicePath*#2 string, name*#1 string
Binding (object): target*#2 ObjectReference
ClientIPConfig: timeoutSeconds?#1 int
ConfigMap (object): binaryData#3 {bytes}, data#2 {string}, immutable?#4@1 bool
ConfigMapNodeConfigSource: kubeletConfigKey*#5 string, name*#2 string, namespace*#1 string,
    resourceVersion#4 string, uid#3 string
ContainerImage: names+#1 [string], sizeBytes#2 int64
DaemonEndpoint: Port*#1 int
EndpointAddress (atomic): hostname#3 string, ip*#1 string, nodeName?#4 string, targetRef#2@4 ObjectReference
EndpointPort (atomic): appProtocol?#4 string, name#1 string, port*#2 int, protocol#3 string
EndpointSubset: addresses#1 [EndpointAddress], notReadyAddresses#2 [EndpointAddress], ports#3 [EndpointPort]
Endpoints (object): subsets#2 [EndpointSubset]
Event (object): action#12 string, count#8 int, eventTime+#10 microtime, firstTimestamp+#6 time,
    involvedObject*#2 ObjectReference, lastTimestamp+#7 time, message#4 string, reason#3 string,
    related#13 ObjectReference, reportingComponent+#14 string, reportingInstance+#15 string,
    series#11 EventSeries, source+#5 EventSource, type#9 string
EventSeries: count#1 int, lastObservedTime+#2 microtime
EventSource: component#1 string, host#2 string
LoadBalancerIngress: hostname#2 string, ip#1 string, ipMode?#3 string, ports#4 [PortStatus]
LoadBalancerStatus: ingress#1 [LoadBalancerIngress]
LocalObjectReference (atomic): name#1 string
Namespace (object): spec+#2 NamespaceSpec, status+#3 NamespaceStatus
NamespaceCondition: lastTransitionTime#4 time, message#6 string, reason#5 string, status*#2 string,
    type*#1 string
NamespaceSpec: finalizers#1 [string]
NamespaceStatus: conditions#2 [NamespaceCondition] map(type) merge(type), phase#1 string
Node (object): spec+#2 NodeSpec, status+#3 NodeStatus
NodeAddress: address*#2 string, type*#1 string
NodeAllocatableResourceClaimStatus: containers#2 [string] set, resourceClaimName*#1 string,
    resources* {quantity}
NodeCondition: lastHeartbeatTime#3 time, lastTransitionTime#4 time, message#6 string, reason#5 string,
    status*#2 string, type*#1 string
NodeConfigSource: configMap#2 ConfigMapNodeConfigSource
NodeConfigStatus: active#2 NodeConfigSource, assigned#1 NodeConfigSource, error#4 string,
    lastKnownGood#3 NodeConfigSource
NodeDaemonEndpoints: kubeletEndpoint+#1 DaemonEndpoint
NodeFeatures: supplementalGroupsPolicy?#1 bool
NodeRuntimeHandler: features#2 NodeRuntimeHandlerFeatures, name+#1 string
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts?#1 bool, userNamespaces?#2 bool
NodeSpec: configSource#6 NodeConfigSource, externalID#2@6 string, podCIDR#1 string,
    podCIDRs#7@1 [string] set merge, providerID#3 string, taints#5 [Taint], unschedulable#4 bool
NodeStatus: addresses#5 [NodeAddress] map(type) merge(type), allocatable#2 {quantity},
    capacity#1 {quantity}, conditions#4 [NodeCondition] map(type) merge(type), config#11 NodeConfigStatus,
    daemonEndpoints+#6 NodeDaemonEndpoints, declaredFeatures#14 [string], features#13 NodeFeatures,
    images#8 [ContainerImage], nodeInfo+#7 NodeSystemInfo, phase#3 string,
    runtimeHandlers#12 [NodeRuntimeHandler], volumesAttached#10 [AttachedVolume], volumesInUse#9 [string]
NodeSwapStatus: capacity?#1 int64
NodeSystemInfo: architecture*#10 string, bootID*#3 string, containerRuntimeVersion*#6 string,
    kernelVersion*#4 string, kubeProxyVersion*#8 string, kubeletVersion*#7 string, machineID*#1 string,
    operatingSystem*#9 string, osImage*#5 string, swap#11 NodeSwapStatus, systemUUID*#2 string
ObjectReference (atomic): apiVersion#5 string, fieldPath#7 string, kind#1 string, name#3 string,
    namespace#2 string, resourceVersion#6 string, uid#4 string
PortStatus: error?#3 string, port*#1 int, protocol*#2 string
Secret (object): data#2 {bytes}, immutable?#5@1 bool, stringData#4 {string}, type#3@4 string
SecretReference (atomic): name#1 string, namespace#2 string
Service (object): spec+#2 ServiceSpec, status+#3 ServiceStatus
ServiceAccount (object): automountServiceAccountToken?#4 bool, imagePullSecrets#3 [LocalObjectReference],
    secrets#2 [ObjectReference] map(name) merge(name)
ServicePort: appProtocol?#6@2 string, name#1 string, nodePort#5 int, port*#3 int, protocol#2 string=TCP,
    targetPort#4 intstr
ServiceSpec: allocateLoadBalancerNodePorts?#20 bool, clusterIP#3 string, clusterIPs#18@3 [string],
    externalIPs#5 [string], externalName#10 string, externalTrafficPolicy#11 string,
    healthCheckNodePort#12 int, internalTrafficPolicy?#22 string, ipFamilies#19 [string],
    ipFamilyPolicy?#17@19 string, loadBalancerClass?#21 string, loadBalancerIP#8 string,
    loadBalancerSourceRanges#9 [string], ports#1 [ServicePort] map(port,protocol) merge(port),
    publishNotReadyAddresses#13 bool, selector#2 {string}!, sessionAffinity#7 string,
    sessionAffinityConfig#14 SessionAffinityConfig, trafficDistribution?#23 string, type#4 string
ServiceStatus: conditions#2 [Condition] map(type) merge(type), loadBalancer+#1 LoadBalancerStatus
SessionAffinityConfig: clientIP#1 ClientIPConfig
Taint: effect*#3 string, key*#1 string, timeAdded#4 time, value#2 string
TypedLocalObjectReference (atomic): apiGroup?+#1 string, kind*#2 string, name*#3 string
PodTemplate (object): template+#2 PodTemplateSpec
`;
