// The fields of volumes of a pod, persistent volumes and claims, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of volumes of a pod, persistent volumes and claims. */
export const volumeSchemas = `
AWSElasticBlockStoreVolumeSource: fsType string, partition int, readOnly bool, volumeID* string
AzureDiskVolumeSource: cachingMode string, diskName* string, diskURI* string, fsType string, kind string,
    readOnly bool
AzureFilePersistentVolumeSource: readOnly bool, secretName* string, secretNamespace string,
    shareName* string
AzureFileVolumeSource: readOnly bool, secretName* string, shareName* string
CSIPersistentVolumeSource: controllerExpandSecretRef SecretReference,
    controllerPublishSecretRef SecretReference, driver* string, fsType string,
    nodeExpandSecretRef SecretReference, nodePublishSecretRef SecretReference,
    nodeStageSecretRef SecretReference, readOnly bool, volumeAttributes {string}, volumeHandle* string
CSIVolumeSource: driver* string, fsType string, nodePublishSecretRef LocalObjectReference, readOnly bool,
    volumeAttributes {string}
CephFSPersistentVolumeSource: monitors* [string], path string, readOnly bool, secretFile string,
    secretRef SecretReference, user string
CephFSVolumeSource: monitors* [string], path string, readOnly bool, secretFile string,
    secretRef LocalObjectReference, user string
CinderPersistentVolumeSource: fsType string, readOnly bool, secretRef SecretReference, volumeID* string
CinderVolumeSource: fsType string, readOnly bool, secretRef LocalObjectReference, volumeID* string
ClusterTrustBundleProjection: labelSelector LabelSelector, name string, optional bool, path* string,
    signerName string
ConfigMapProjection: items [KeyToPath], name string, optional bool
ConfigMapVolumeSource: defaultMode int, items [KeyToPath], name string, optional bool
DownwardAPIProjection: items [DownwardAPIVolumeFile]
DownwardAPIVolumeFile: fieldRef ObjectFieldSelector, mode int, path* string,
    resourceFieldRef ResourceFieldSelector
DownwardAPIVolumeSource: defaultMode int, items [DownwardAPIVolumeFile]
EmptyDirVolumeSource: medium string, sizeLimit quantity
EphemeralVolumeSource: volumeClaimTemplate PersistentVolumeClaimTemplate
FCVolumeSource: fsType string, lun int, readOnly bool, targetWWNs [string], wwids [string]
FlexPersistentVolumeSource: driver* string, fsType string, options {string}, readOnly bool,
    secretRef SecretReference
FlexVolumeSource: driver* string, fsType string, options {string}, readOnly bool,
    secretRef LocalObjectReference
FlockerVolumeSource: datasetName string, datasetUUID string
GCEPersistentDiskVolumeSource: fsType string, partition int, pdName* string, readOnly bool
GitRepoVolumeSource: directory string, repository* string, revision string
GlusterfsPersistentVolumeSource: endpoints* string, endpointsNamespace string, path* string, readOnly bool
GlusterfsVolumeSource: endpoints* string, path* string, readOnly bool
HostPathVolumeSource: path* string, type string
ISCSIPersistentVolumeSource: chapAuthDiscovery bool, chapAuthSession bool, fsType string,
    initiatorName string, iqn* string, iscsiInterface string, lun* int, portals [string], readOnly bool,
    secretRef SecretReference, targetPortal* string
ISCSIVolumeSource: chapAuthDiscovery bool, chapAuthSession bool, fsType string, initiatorName string,
    iqn* string, iscsiInterface string, lun* int, portals [string], readOnly bool,
    secretRef LocalObjectReference, targetPortal* string
ImageVolumeSource: pullPolicy string, reference string
KeyToPath: key* string, mode int, path* string
LocalVolumeSource: fsType string, path* string
ModifyVolumeStatus: status* string, targetVolumeAttributesClassName string
NFSVolumeSource: path* string, readOnly bool, server* string
PersistentVolume (object): spec PersistentVolumeSpec, status PersistentVolumeStatus
PersistentVolumeClaim (object): spec PersistentVolumeClaimSpec, status PersistentVolumeClaimStatus
PersistentVolumeClaimCondition: lastProbeTime time, lastTransitionTime time, message string, reason string,
    status* string, type* string
PersistentVolumeClaimSpec: accessModes [string], dataSource TypedLocalObjectReference,
    dataSourceRef TypedObjectReference, resources VolumeResourceRequirements, selector LabelSelector,
    storageClassName string, volumeAttributesClassName string, volumeMode string, volumeName string
PersistentVolumeClaimStatus: accessModes [string], allocatedResourceStatuses {string},
    allocatedResources {quantity}, capacity {quantity},
    conditions [PersistentVolumeClaimCondition] map(type) merge(type),
    currentVolumeAttributesClassName string, modifyVolumeStatus ModifyVolumeStatus, phase string
PersistentVolumeClaimTemplate: metadata ObjectMeta, spec* PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName* string, readOnly bool
PersistentVolumeSpec: accessModes [string], awsElasticBlockStore AWSElasticBlockStoreVolumeSource,
    azureDisk AzureDiskVolumeSource, azureFile AzureFilePersistentVolumeSource, capacity {quantity},
    cephfs CephFSPersistentVolumeSource, cinder CinderPersistentVolumeSource, claimRef ObjectReference,
    csi CSIPersistentVolumeSource, fc FCVolumeSource, flexVolume FlexPersistentVolumeSource,
    flocker FlockerVolumeSource, gcePersistentDisk GCEPersistentDiskVolumeSource,
    glusterfs GlusterfsPersistentVolumeSource, hostPath HostPathVolumeSource,
    iscsi ISCSIPersistentVolumeSource, local LocalVolumeSource, mountOptions [string], nfs NFSVolumeSource,
    nodeAffinity VolumeNodeAffinity, persistentVolumeReclaimPolicy string,
    photonPersistentDisk PhotonPersistentDiskVolumeSource, portworxVolume PortworxVolumeSource,
    quobyte QuobyteVolumeSource, rbd RBDPersistentVolumeSource, scaleIO ScaleIOPersistentVolumeSource,
    storageClassName string, storageos StorageOSPersistentVolumeSource, volumeAttributesClassName string,
    volumeMode string, vsphereVolume VsphereVirtualDiskVolumeSource
PersistentVolumeStatus: lastPhaseTransitionTime time, message string, phase string, reason string
PhotonPersistentDiskVolumeSource: fsType string, pdID* string
PodCertificateProjection: certificateChainPath string, credentialBundlePath string, keyPath string,
    keyType* string, maxExpirationSeconds int, signerName* string, userAnnotations {string}
PortworxVolumeSource: fsType string, readOnly bool, volumeID* string
ProjectedVolumeSource: defaultMode int, sources [VolumeProjection]
QuobyteVolumeSource: group string, readOnly bool, registry* string, tenant string, user string,
    volume* string
RBDPersistentVolumeSource: fsType string, image* string, keyring string, monitors* [string], pool string,
    readOnly bool, secretRef SecretReference, user string
RBDVolumeSource: fsType string, image* string, keyring string, monitors* [string], pool string,
    readOnly bool, secretRef LocalObjectReference, user string
ScaleIOPersistentVolumeSource: fsType string, gateway* string, protectionDomain string, readOnly bool,
    secretRef* SecretReference, sslEnabled bool, storageMode string, storagePool string, system* string,
    volumeName string
ScaleIOVolumeSource: fsType string, gateway* string, protectionDomain string, readOnly bool,
    secretRef* LocalObjectReference, sslEnabled bool, storageMode string, storagePool string,
    system* string, volumeName string
SecretProjection: items [KeyToPath], name string, optional bool
SecretVolumeSource: defaultMode int, items [KeyToPath], optional bool, secretName string
ServiceAccountTokenProjection: audience string, expirationSeconds int64, path* string
StorageOSPersistentVolumeSource: fsType string, readOnly bool, secretRef ObjectReference, volumeName string,
    volumeNamespace string
StorageOSVolumeSource: fsType string, readOnly bool, secretRef LocalObjectReference, volumeName string,
    volumeNamespace string
TypedObjectReference: apiGroup string, kind* string, name* string, namespace string
Volume: awsElasticBlockStore AWSElasticBlockStoreVolumeSource, azureDisk AzureDiskVolumeSource,
    azureFile AzureFileVolumeSource, cephfs CephFSVolumeSource, cinder CinderVolumeSource,
    configMap ConfigMapVolumeSource, csi CSIVolumeSource, downwardAPI DownwardAPIVolumeSource,
    emptyDir EmptyDirVolumeSource, ephemeral EphemeralVolumeSource, fc FCVolumeSource,
    flexVolume FlexVolumeSource, flocker FlockerVolumeSource,
    gcePersistentDisk GCEPersistentDiskVolumeSource, gitRepo GitRepoVolumeSource,
    glusterfs GlusterfsVolumeSource, hostPath HostPathVolumeSource, image ImageVolumeSource,
    iscsi ISCSIVolumeSource, name* string, nfs NFSVolumeSource,
    persistentVolumeClaim PersistentVolumeClaimVolumeSource,
    photonPersistentDisk PhotonPersistentDiskVolumeSource, portworxVolume PortworxVolumeSource,
    projected ProjectedVolumeSource, quobyte QuobyteVolumeSource, rbd RBDVolumeSource,
    scaleIO ScaleIOVolumeSource, secret SecretVolumeSource, storageos StorageOSVolumeSource,
    vsphereVolume VsphereVirtualDiskVolumeSource
VolumeNodeAffinity: required NodeSelector
VolumeProjection: clusterTrustBundle ClusterTrustBundleProjection, configMap ConfigMapProjection,
    downwardAPI DownwardAPIProjection, podCertificate PodCertificateProjection, secret SecretProjection,
    serviceAccountToken ServiceAccountTokenProjection
VolumeResourceRequirements: limits {quantity}, requests {quantity}
VolumeStatus: image ImageVolumeStatus
VsphereVirtualDiskVolumeSource: fsType string, storagePolicyID string, storagePolicyName string,
    volumePath* string
`;
