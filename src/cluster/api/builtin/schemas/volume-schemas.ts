// The fields of volumes of a pod, persistent volumes and claims, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of volumes of a pod, persistent volumes and claims. */
export const volumeSchemas = `
AWSElasticBlockStoreVolumeSource: fsType#2 string, partition#3 int, readOnly#4 bool, volumeID*#1 string
AzureDiskVolumeSource: cachingMode?#3 string, diskName*#1 string, diskURI*#2 string, fsType?#4 string,
    kind?#6 string, readOnly?#5 bool
AzureFilePersistentVolumeSource: readOnly#3 bool, secretName*#1 string, secretNamespace?#4 string,
    shareName*#2 string
AzureFileVolumeSource: readOnly#3 bool, secretName*#1 string, shareName*#2 string
CSIPersistentVolumeSource: controllerExpandSecretRef#9 SecretReference,
    controllerPublishSecretRef#6 SecretReference, driver*#1 string, fsType#4 string,
    nodeExpandSecretRef#10 SecretReference, nodePublishSecretRef#8 SecretReference,
    nodeStageSecretRef#7 SecretReference, readOnly#3 bool, volumeAttributes#5 {string},
    volumeHandle*#2 string
CSIVolumeSource: driver*#1 string, fsType?#3 string, nodePublishSecretRef#5 LocalObjectReference,
    readOnly?#2 bool, volumeAttributes#4 {string}
CephFSPersistentVolumeSource: monitors*#1 [string], path#2 string, readOnly#6 bool, secretFile#4 string,
    secretRef#5 SecretReference, user#3 string
CephFSVolumeSource: monitors*#1 [string], path#2 string, readOnly#6 bool, secretFile#4 string,
    secretRef#5 LocalObjectReference, user#3 string
CinderPersistentVolumeSource: fsType#2 string, readOnly#3 bool, secretRef#4 SecretReference,
    volumeID*#1 string
CinderVolumeSource: fsType#2 string, readOnly#3 bool, secretRef#4 LocalObjectReference, volumeID*#1 string
ClusterTrustBundleProjection: labelSelector#3 LabelSelector, name?#1 string, optional?#5 bool, path*#4@5 string,
    signerName?#2 string
ConfigMapProjection: items#2 [KeyToPath], name#1.1 string, optional?#4 bool
ConfigMapVolumeSource: defaultMode?#3 int, items#2 [KeyToPath], name#1.1 string, optional?#4 bool
DownwardAPIProjection: items#1 [DownwardAPIVolumeFile]
DownwardAPIVolumeFile: fieldRef#2 ObjectFieldSelector, mode?#4 int, path*#1 string,
    resourceFieldRef#3 ResourceFieldSelector
DownwardAPIVolumeSource: defaultMode?#2 int, items#1 [DownwardAPIVolumeFile]
EmptyDirVolumeSource: medium#1 string, sizeLimit#2 quantity
EphemeralVolumeSource: volumeClaimTemplate#1 PersistentVolumeClaimTemplate
FCVolumeSource: fsType#3 string, lun?#2 int, readOnly#4 bool, targetWWNs#1 [string], wwids#5 [string]
FlexPersistentVolumeSource: driver*#1 string, fsType#2 string, options#5 {string}, readOnly#4 bool,
    secretRef#3 SecretReference
FlexVolumeSource: driver*#1 string, fsType#2 string, options#5 {string}, readOnly#4 bool,
    secretRef#3 LocalObjectReference
FlockerVolumeSource: datasetName#1 string, datasetUUID#2 string
GCEPersistentDiskVolumeSource: fsType#2 string, partition#3 int, pdName*#1 string, readOnly#4 bool
GitRepoVolumeSource: directory#3 string, repository*#1 string, revision#2 string
GlusterfsPersistentVolumeSource: endpoints*#1 string, endpointsNamespace?#4 string, path*#2 string,
    readOnly#3 bool
GlusterfsVolumeSource: endpoints*#1 string, path*#2 string, readOnly#3 bool
HostPathVolumeSource: path*#1 string, type?#2 string
ISCSIPersistentVolumeSource: chapAuthDiscovery#8 bool, chapAuthSession#11 bool, fsType#5 string,
    initiatorName?#12 string, iqn*#2 string, iscsiInterface#4 string, lun*#3 int, portals#7 [string],
    readOnly#6 bool, secretRef#10@11 SecretReference, targetPortal*#1 string
ISCSIVolumeSource: chapAuthDiscovery#8 bool, chapAuthSession#11 bool, fsType#5 string,
    initiatorName?#12 string, iqn*#2 string, iscsiInterface#4 string, lun*#3 int, portals#7 [string],
    readOnly#6 bool, secretRef#10@11 LocalObjectReference, targetPortal*#1 string
ImageVolumeSource: pullPolicy#2 string, reference#1 string
KeyToPath: key*#1 string, mode?#3 int, path*#2 string
LocalVolumeSource: fsType?#2 string, path*#1 string
ModifyVolumeStatus: status*#2 string, targetVolumeAttributesClassName#1 string
NFSVolumeSource: path*#2 string, readOnly#3 bool, server*#1 string
PersistentVolume (object): spec+#2 PersistentVolumeSpec, status+#3 PersistentVolumeStatus
PersistentVolumeClaim (object): spec+#2 PersistentVolumeClaimSpec, status+#3 PersistentVolumeClaimStatus
PersistentVolumeClaimCondition: lastProbeTime#3 time, lastTransitionTime#4 time, message#6 string,
    reason#5 string, status*#2 string, type*#1 string
PersistentVolumeClaimSpec: accessModes#1 [string], dataSource#7 TypedLocalObjectReference,
    dataSourceRef#8 TypedObjectReference, resources+#2 VolumeResourceRequirements, selector#4@1 LabelSelector,
    storageClassName?#5 string, volumeAttributesClassName?#9 string, volumeMode?#6 string, volumeName#3 string
PersistentVolumeClaimStatus: accessModes#2 [string], allocatedResourceStatuses#7 {string},
    allocatedResources#5 {quantity}, capacity#3 {quantity},
    conditions#4 [PersistentVolumeClaimCondition] map(type) merge(type),
    currentVolumeAttributesClassName?#8 string, modifyVolumeStatus#9 ModifyVolumeStatus, phase#1 string
PersistentVolumeClaimTemplate: metadata+#1 ObjectMeta, spec*#2 PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName*#1 string, readOnly#2 bool
PersistentVolumeSpec: accessModes#3 [string], awsElasticBlockStore#2.2 AWSElasticBlockStoreVolumeSource,
    azureDisk#2.16 AzureDiskVolumeSource, azureFile#2.13 AzureFilePersistentVolumeSource,
    capacity#1 {quantity}, cephfs#2.9 CephFSPersistentVolumeSource, cinder#2.8 CinderPersistentVolumeSource,
    claimRef#4 ObjectReference, csi#2.22 CSIPersistentVolumeSource, fc#2.10 FCVolumeSource,
    flexVolume#2.12 FlexPersistentVolumeSource, flocker#2.11 FlockerVolumeSource,
    gcePersistentDisk#2.1 GCEPersistentDiskVolumeSource, glusterfs#2.4 GlusterfsPersistentVolumeSource,
    hostPath#2.3 HostPathVolumeSource, iscsi#2.7 ISCSIPersistentVolumeSource, local#2.20 LocalVolumeSource,
    mountOptions#7 [string], nfs#2.5 NFSVolumeSource, nodeAffinity#9 VolumeNodeAffinity,
    persistentVolumeReclaimPolicy#5 string, photonPersistentDisk#2.17 PhotonPersistentDiskVolumeSource,
    portworxVolume#2.18 PortworxVolumeSource, quobyte#2.15 QuobyteVolumeSource,
    rbd#2.6 RBDPersistentVolumeSource, scaleIO#2.19 ScaleIOPersistentVolumeSource,
    storageClassName#6 string, storageos#2.21 StorageOSPersistentVolumeSource,
    volumeAttributesClassName?#10 string, volumeMode?#8 string,
    vsphereVolume#2.14 VsphereVirtualDiskVolumeSource
PersistentVolumeStatus: lastPhaseTransitionTime#4 time, message#2 string, phase#1 string, reason#3 string
PhotonPersistentDiskVolumeSource: fsType#2 string, pdID*#1 string
PodCertificateProjection: certificateChainPath#6 string, credentialBundlePath#4 string, keyPath#5 string,
    keyType*#2 string, maxExpirationSeconds?#3 int, signerName*#1 string, userAnnotations#7 {string}
PortworxVolumeSource: fsType#2 string, readOnly#3 bool, volumeID*#1 string
ProjectedVolumeSource: defaultMode?#2 int, sources+#1 [VolumeProjection]
QuobyteVolumeSource: group#5 string, readOnly#3 bool, registry*#1 string, tenant#6 string, user#4 string,
    volume*#2 string
RBDPersistentVolumeSource: fsType#3 string, image*#2 string, keyring#6 string, monitors*#1 [string],
    pool#4 string, readOnly#8 bool, secretRef#7 SecretReference, user#5 string
RBDVolumeSource: fsType#3 string, image*#2 string, keyring#6 string, monitors*#1 [string], pool#4 string,
    readOnly#8 bool, secretRef#7 LocalObjectReference, user#5 string
ScaleIOPersistentVolumeSource: fsType#9 string, gateway*#1 string, protectionDomain#5 string,
    readOnly#10 bool, secretRef*?#3 SecretReference, sslEnabled#4 bool, storageMode#7 string,
    storagePool#6 string, system*#2 string, volumeName#8 string
ScaleIOVolumeSource: fsType#9 string, gateway*#1 string, protectionDomain#5 string, readOnly#10 bool,
    secretRef*?#3 LocalObjectReference, sslEnabled#4 bool, storageMode#7 string, storagePool#6 string,
    system*#2 string, volumeName#8 string
SecretProjection: items#2 [KeyToPath], name#1.1 string, optional?#4 bool
SecretVolumeSource: defaultMode?#3 int, items#2 [KeyToPath], optional?#4 bool, secretName#1 string
ServiceAccountTokenProjection: audience#1 string, expirationSeconds?#2 int64, path*#3 string
StorageOSPersistentVolumeSource: fsType#3 string, readOnly#4 bool, secretRef#5 ObjectReference,
    volumeName#1 string, volumeNamespace#2 string
StorageOSVolumeSource: fsType#3 string, readOnly#4 bool, secretRef#5 LocalObjectReference,
    volumeName#1 string, volumeNamespace#2 string
TypedObjectReference: apiGroup?+#1 string, kind*#2 string, name*#3 string, namespace?#4 string
Volume: awsElasticBlockStore#2.4 AWSElasticBlockStoreVolumeSource, azureDisk#2.22 AzureDiskVolumeSource,
    azureFile#2.18 AzureFileVolumeSource, cephfs#2.14 CephFSVolumeSource, cinder#2.13 CinderVolumeSource,
    configMap#2.19 ConfigMapVolumeSource, csi#2.28 CSIVolumeSource,
    downwardAPI#2.16 DownwardAPIVolumeSource, emptyDir#2.2 EmptyDirVolumeSource,
    ephemeral#2.29 EphemeralVolumeSource, fc#2.17 FCVolumeSource, flexVolume#2.12 FlexVolumeSource,
    flocker#2.15 FlockerVolumeSource, gcePersistentDisk#2.3 GCEPersistentDiskVolumeSource,
    gitRepo#2.5 GitRepoVolumeSource, glusterfs#2.9 GlusterfsVolumeSource, hostPath#2.1 HostPathVolumeSource,
    image#2.30 ImageVolumeSource, iscsi#2.8 ISCSIVolumeSource, name*#1 string, nfs#2.7 NFSVolumeSource,
    persistentVolumeClaim#2.10 PersistentVolumeClaimVolumeSource,
    photonPersistentDisk#2.23 PhotonPersistentDiskVolumeSource, portworxVolume#2.24 PortworxVolumeSource,
    projected#2.26@2.23 ProjectedVolumeSource, quobyte#2.21 QuobyteVolumeSource, rbd#2.11 RBDVolumeSource,
    scaleIO#2.25 ScaleIOVolumeSource, secret#2.6 SecretVolumeSource, storageos#2.27 StorageOSVolumeSource,
    vsphereVolume#2.20 VsphereVirtualDiskVolumeSource
VolumeNodeAffinity: required#1 NodeSelector
VolumeProjection: clusterTrustBundle#5 ClusterTrustBundleProjection, configMap#3 ConfigMapProjection,
    downwardAPI#2 DownwardAPIProjection, podCertificate#6 PodCertificateProjection,
    secret#1 SecretProjection, serviceAccountToken#4 ServiceAccountTokenProjection
VolumeResourceRequirements: limits#1 {quantity}, requests#2 {quantity}
VolumeStatus: image#1 ImageVolumeStatus
VsphereVirtualDiskVolumeSource: fsType#2 string, storagePolicyID#4 string, storagePolicyName#3 string,
    volumePath*#1 string
`;
