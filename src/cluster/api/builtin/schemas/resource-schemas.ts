// The fields of claims, classes and slices of devices of resource.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of claims, classes and slices of devices of resource.k8s.io/v1. */
export const resourceSchemas = `
AllocatedDeviceStatus: conditions+#4 [Condition] map(type), data#5 raw, device*#3 string, driver*#1 string,
    networkData#6 NetworkDeviceData, pool*#2 string, shareID?#7@3 string
AllocationResult: allocationTimestamp#5 time, devices+#1 DeviceAllocationResult, nodeSelector#3 NodeSelector
CELDeviceSelector: expression*#1 string
CapacityRequestPolicy: default#1 quantity, validRange#4 CapacityRequestPolicyRange, validValues#3 [quantity]
CapacityRequestPolicyRange: max#2 quantity, min*#1 quantity, step#3 quantity
CapacityRequirements: requests#1 {quantity}
Counter: value*#1 quantity
CounterSet: counters*#2 {Counter}, name*#1 string
Device: allNodes?#7 bool, allowMultipleAllocations?#12 bool, attributes#2 {DeviceAttribute},
    bindingConditions#10 [string], bindingFailureConditions#11 [string], bindsToNode?#9 bool,
    capacity#3 {DeviceCapacity}, consumesCounters#4 [DeviceCounterConsumption], name*#1 string,
    nodeAllocatableResourceMappings#13 {NodeAllocatableResourceMapping}, nodeName?#5 string,
    nodeSelector#6 NodeSelector, taints#8 [DeviceTaint]
DeviceAllocationConfiguration: opaque#3.1 OpaqueDeviceConfiguration, requests#2 [string],
    source*#1 string
DeviceAllocationResult: config#2 [DeviceAllocationConfiguration], results#1 [DeviceRequestAllocationResult]
DeviceAttribute: bool?#3 bool, bools#7 [bool], int?#2 int64, ints#6 [int64], string?#4 string,
    strings#8 [string], version?#5 string, versions#9 [string]
DeviceCapacity: requestPolicy#2 CapacityRequestPolicy, value*#1 quantity
DeviceClaim: config#3 [DeviceClaimConfiguration], constraints#2 [DeviceConstraint],
    requests+#1 [DeviceRequest]
DeviceClaimConfiguration: opaque#2.1 OpaqueDeviceConfiguration, requests#1 [string]
DeviceClass (object): spec*#2 DeviceClassSpec
DeviceClassConfiguration: opaque#1.1 OpaqueDeviceConfiguration
DeviceClassSpec: config#2 [DeviceClassConfiguration], extendedResourceName?#4 string,
    selectors#1 [DeviceSelector]
DeviceConstraint: distinctAttribute?#3 string, matchAttribute?#2 string, requests#1 [string]
DeviceCounterConsumption: counterSet*#1 string, counters*#2 {Counter}
DeviceRequest: exactly#2 ExactDeviceRequest, firstAvailable#3 [DeviceSubRequest], name*#1 string
DeviceRequestAllocationResult: adminAccess?#5 bool, bindingConditions#7 [string],
    bindingFailureConditions#8 [string], consumedCapacity#10 {quantity}, device*#4 string, driver*#2 string,
    pool*#3 string, request*#1 string, shareID?#9 string, tolerations#6 [DeviceToleration]
DeviceSelector: cel#1 CELDeviceSelector
DeviceSubRequest: allocationMode#4 string, capacity#7 CapacityRequirements, count#5 int64,
    deviceClassName*#2 string, name*#1 string, selectors#3 [DeviceSelector],
    tolerations#6 [DeviceToleration]
DeviceTaint: effect*#3 string, key*#1 string, timeAdded#4 time, value#2 string
DeviceToleration: effect#4 string, key#1 string, operator#2 string, tolerationSeconds?#5 int64,
    value#3 string
ExactDeviceRequest: adminAccess?#5 bool, allocationMode#3 string, capacity#7 CapacityRequirements,
    count#4 int64, deviceClassName*#1 string, selectors#2 [DeviceSelector], tolerations#6 [DeviceToleration]
NetworkDeviceData: hardwareAddress#3 string, interfaceName#1 string, ips#2 [string]
NodeAllocatableResourceMapping: allocationMultiplier#2 quantity, capacityKey?#1 string
OpaqueDeviceConfiguration: driver*#1 string, parameters*#2 raw
ResourceClaim (object): spec*#2 ResourceClaimSpec, status+#3 ResourceClaimStatus
ResourceClaimConsumerReference: apiGroup#1 string, name*#4 string, resource*#3 string, uid*#5 string
ResourceClaimSpec: devices+#1 DeviceClaim
ResourceClaimStatus: allocation#1 AllocationResult,
    devices#4 [AllocatedDeviceStatus] map(driver,device,pool,shareID),
    reservedFor#2 [ResourceClaimConsumerReference] map(uid) merge(uid)
ResourceClaimTemplate (object): spec*#2 ResourceClaimTemplateSpec
ResourceClaimTemplateSpec: metadata+#1 ObjectMeta, spec*#2 ResourceClaimSpec
ResourcePool: generation*#2 int64, name*#1 string, resourceSliceCount*#3 int64
ResourceSlice (object): spec*#2 ResourceSliceSpec
ResourceSliceSpec: allNodes?#5 bool, devices#6 [Device], driver*#1 string, nodeName?#3 string,
    nodeSelector#4 NodeSelector, perDeviceNodeSelection?#7 bool, pool*#2 ResourcePool,
    sharedCounters#8 [CounterSet]
`;
