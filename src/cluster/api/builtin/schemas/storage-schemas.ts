// The fields of the types of storage.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of the types of storage.k8s.io/v1. */
export const storageSchemas = `
CSIDriver (object): spec*#2 CSIDriverSpec
CSIDriverSpec: attachRequired?#1 bool, fsGroupPolicy?#5 string, nodeAllocatableUpdatePeriodSeconds?#9 int64,
    podInfoOnMount?#2 bool, preventPodSchedulingIfMissing?#11 bool, requiresRepublish?#7 bool,
    seLinuxMount?#8 bool, serviceAccountTokenInSecrets?#10 bool, storageCapacity?#4 bool,
    tokenRequests#6 [TokenRequest], volumeLifecycleModes#3 [string] set
CSINode (object): spec*#2 CSINodeSpec
CSINodeDriver: allocatable#4 VolumeNodeResources, name*#1 string, nodeID*#2 string, topologyKeys+#3 [string]
CSINodeSpec: drivers*#1 [CSINodeDriver] map(name) merge(name)
CSIStorageCapacity (object): capacity#4 quantity, maximumVolumeSize#5 quantity,
    nodeTopology#2 LabelSelector, storageClassName*#3 string
StorageClass (object): allowVolumeExpansion?#6 bool, allowedTopologies#8 [TopologySelectorTerm],
    mountOptions#5 [string], parameters#3 {string}, provisioner*#2 string, reclaimPolicy?#4 string,
    volumeBindingMode?#7 string
TokenRequest: audience*#1 string, expirationSeconds?#2 int64
VolumeAttachment (object): spec*#2 VolumeAttachmentSpec, status+#3 VolumeAttachmentStatus
VolumeAttachmentSource: inlineVolumeSpec#2 PersistentVolumeSpec, persistentVolumeName?#1 string
VolumeAttachmentSpec: attacher*#1 string, nodeName*#3 string, source*#2 VolumeAttachmentSource
VolumeAttachmentStatus: attachError#3 VolumeError, attached*#1 bool, attachmentMetadata#2 {string},
    detachError#4 VolumeError
VolumeAttributesClass (object): driverName*#2 string, parameters#3 {string}
VolumeError: errorCode?#3 int, message#2 string, time+#1 time
VolumeNodeResources: count?#1 int
`;
