// The fields of pods: their spec, containers, probes, scheduling and status, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of pods: their spec, containers, probes, scheduling and status. */
export const podSchemas = `
Affinity: nodeAffinity NodeAffinity, podAffinity PodAffinity, podAntiAffinity PodAntiAffinity
AppArmorProfile: localhostProfile string, type* string
Capabilities: add [string], drop [string]
ConfigMapEnvSource: name string, optional bool
ConfigMapKeySelector (atomic): key* string, name string, optional bool
Container: args [string], command [string], env [EnvVar] map(name) merge(name), envFrom [EnvFromSource],
    image string, imagePullPolicy string, lifecycle Lifecycle, livenessProbe Probe, name* string,
    ports [ContainerPort] map(containerPort,protocol) merge(containerPort), readinessProbe Probe,
    resizePolicy [ContainerResizePolicy], resources ResourceRequirements, restartPolicy string,
    restartPolicyRules [ContainerRestartRule], securityContext SecurityContext, startupProbe Probe,
    stdin bool, stdinOnce bool, terminationMessagePath string, terminationMessagePolicy string, tty bool,
    volumeDevices [VolumeDevice] map(devicePath) merge(devicePath),
    volumeMounts [VolumeMount] map(mountPath) merge(mountPath), workingDir string
ContainerExtendedResourceRequest: containerName* string, requestName* string, resourceName* string
ContainerPort: containerPort* int, hostIP string, hostPort int, name string, protocol string=TCP
ContainerResizePolicy: resourceName* string, restartPolicy* string
ContainerRestartRule: action* string, exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator* string, values [int] set
ContainerState: running ContainerStateRunning, terminated ContainerStateTerminated,
    waiting ContainerStateWaiting
ContainerStateRunning: startedAt time
ContainerStateTerminated: containerID string, exitCode* int, finishedAt time, message string, reason string,
    signal int, startedAt time
ContainerStateWaiting: message string, reason string
ContainerStatus: allocatedResources {quantity},
    allocatedResourcesStatus [ResourceStatus] map(name) merge(name), containerID string, image* string,
    imageID* string, lastState ContainerState, name* string, ready* bool, resources ResourceRequirements,
    restartCount* int, started bool, state ContainerState, stopSignal string, user ContainerUser,
    volumeMounts [VolumeMountStatus] map(mountPath) merge(mountPath)
ContainerUser: linux LinuxContainerUser
EnvFromSource: configMapRef ConfigMapEnvSource, prefix string, secretRef SecretEnvSource
EnvVar: name* string, value string, valueFrom EnvVarSource
EnvVarSource: configMapKeyRef ConfigMapKeySelector, fieldRef ObjectFieldSelector,
    fileKeyRef FileKeySelector, resourceFieldRef ResourceFieldSelector, secretKeyRef SecretKeySelector
EphemeralContainer: args [string], command [string], env [EnvVar] map(name) merge(name),
    envFrom [EnvFromSource], image string, imagePullPolicy string, lifecycle Lifecycle, livenessProbe Probe,
    name* string, ports [ContainerPort] map(containerPort,protocol) merge(containerPort),
    readinessProbe Probe, resizePolicy [ContainerResizePolicy], resources ResourceRequirements,
    restartPolicy string, restartPolicyRules [ContainerRestartRule], securityContext SecurityContext,
    startupProbe Probe, stdin bool, stdinOnce bool, targetContainerName string,
    terminationMessagePath string, terminationMessagePolicy string, tty bool,
    volumeDevices [VolumeDevice] map(devicePath) merge(devicePath),
    volumeMounts [VolumeMount] map(mountPath) merge(mountPath), workingDir string
ExecAction: command [string]
FileKeySelector (atomic): key* string, optional bool, path* string, volumeName* string
GRPCAction: port* int, service string
HTTPGetAction: host string, httpHeaders [HTTPHeader], path string, port* intstr, scheme string
HTTPHeader: name* string, value* string
HostAlias: hostnames [string], ip* string
HostIP: ip* string
ImageVolumeStatus: imageRef* string
Lifecycle: postStart LifecycleHandler, preStop LifecycleHandler, stopSignal string
LifecycleHandler: exec ExecAction, httpGet HTTPGetAction, sleep SleepAction, tcpSocket TCPSocketAction
LinuxContainerUser: gid* int64, supplementalGroups [int64], uid* int64
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution [PreferredSchedulingTerm],
    requiredDuringSchedulingIgnoredDuringExecution NodeSelector
NodeSelector (atomic): nodeSelectorTerms* [NodeSelectorTerm]
NodeSelectorRequirement: key* string, operator* string, values [string]
NodeSelectorTerm (atomic): matchExpressions [NodeSelectorRequirement], matchFields [NodeSelectorRequirement]
ObjectFieldSelector (atomic): apiVersion string, fieldPath* string
Pod (object): spec PodSpec, status PodStatus
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm],
    requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm]
PodAffinityTerm: labelSelector LabelSelector, matchLabelKeys [string], mismatchLabelKeys [string],
    namespaceSelector LabelSelector, namespaces [string], topologyKey* string
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm],
    requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm]
PodCondition: lastProbeTime time, lastTransitionTime time, message string, observedGeneration int64,
    reason string, status* string, type* string
PodDNSConfig: nameservers [string], options [PodDNSConfigOption], searches [string]
PodDNSConfigOption: name string, value string
PodExtendedResourceClaimStatus: requestMappings* [ContainerExtendedResourceRequest],
    resourceClaimName* string
PodIP: ip* string
PodOS: name* string
PodReadinessGate: conditionType* string
PodResourceClaim: name* string, resourceClaimName string, resourceClaimTemplateName string
PodResourceClaimStatus: name* string, resourceClaimName string
PodSchedulingGate: name* string
PodSchedulingGroup: podGroupName string
PodSecurityContext: appArmorProfile AppArmorProfile, fsGroup int64, fsGroupChangePolicy string,
    runAsGroup int64, runAsNonRoot bool, runAsUser int64, seLinuxChangePolicy string,
    seLinuxOptions SELinuxOptions, seccompProfile SeccompProfile, supplementalGroups [int64],
    supplementalGroupsPolicy string, sysctls [Sysctl], windowsOptions WindowsSecurityContextOptions
PodSpec: activeDeadlineSeconds int64, affinity Affinity, automountServiceAccountToken bool,
    containers* [Container] map(name) merge(name), dnsConfig PodDNSConfig, dnsPolicy string,
    enableServiceLinks bool, ephemeralContainers [EphemeralContainer] map(name) merge(name),
    hostAliases [HostAlias] map(ip) merge(ip), hostIPC bool, hostNetwork bool, hostPID bool, hostUsers bool,
    hostname string, hostnameOverride string, imagePullSecrets [LocalObjectReference] map(name) merge(name),
    initContainers [Container] map(name) merge(name), nodeName string, nodeSelector {string}, os PodOS,
    overhead {quantity}, preemptionPolicy string, priority int, priorityClassName string,
    readinessGates [PodReadinessGate], resourceClaims [PodResourceClaim] map(name) merge(name) retain,
    resources ResourceRequirements, restartPolicy string, runtimeClassName string, schedulerName string,
    schedulingGates [PodSchedulingGate] map(name) merge(name), schedulingGroup PodSchedulingGroup,
    securityContext PodSecurityContext, serviceAccount string, serviceAccountName string,
    setHostnameAsFQDN bool, shareProcessNamespace bool, subdomain string,
    terminationGracePeriodSeconds int64, tolerations [Toleration],
    topologySpreadConstraints [TopologySpreadConstraint] map(topologyKey,whenUnsatisfiable) merge(topologyKey),
    volumes [Volume] map(name) merge(name) retain
PodStatus: allocatedResources {quantity}, conditions [PodCondition] map(type) merge(type),
    containerStatuses [ContainerStatus], ephemeralContainerStatuses [ContainerStatus],
    extendedResourceClaimStatus PodExtendedResourceClaimStatus, hostIP string, hostIPs [HostIP] merge(ip),
    initContainerStatuses [ContainerStatus], message string,
    nodeAllocatableResourceClaimStatuses [NodeAllocatableResourceClaimStatus], nominatedNodeName string,
    observedGeneration int64, phase string, podIP string, podIPs [PodIP] map(ip) merge(ip), qosClass string,
    reason string, resize string,
    resourceClaimStatuses [PodResourceClaimStatus] map(name) merge(name) retain,
    resources ResourceRequirements, startTime time
PodTemplateSpec: metadata ObjectMeta, spec PodSpec
PreferredSchedulingTerm: preference* NodeSelectorTerm, weight* int
Probe: exec ExecAction, failureThreshold int, grpc GRPCAction, httpGet HTTPGetAction,
    initialDelaySeconds int, periodSeconds int, successThreshold int, tcpSocket TCPSocketAction,
    terminationGracePeriodSeconds int64, timeoutSeconds int
ResourceClaim: name* string, request string
ResourceFieldSelector (atomic): containerName string, divisor quantity, resource* string
ResourceHealth: health string, message string, resourceID* string
ResourceRequirements: claims [ResourceClaim] map(name), limits {quantity}, requests {quantity}
ResourceStatus: name* string, resources [ResourceHealth] map(resourceID)
SELinuxOptions: level string, role string, type string, user string
SeccompProfile: localhostProfile string, type* string
SecretEnvSource: name string, optional bool
SecretKeySelector (atomic): key* string, name string, optional bool
SecurityContext: allowPrivilegeEscalation bool, appArmorProfile AppArmorProfile, capabilities Capabilities,
    privileged bool, procMount string, readOnlyRootFilesystem bool, runAsGroup int64, runAsNonRoot bool,
    runAsUser int64, seLinuxOptions SELinuxOptions, seccompProfile SeccompProfile,
    windowsOptions WindowsSecurityContextOptions
SleepAction: seconds* int64
Sysctl: name* string, value* string
TCPSocketAction: host string, port* intstr
Toleration: effect string, key string, operator string, tolerationSeconds int64, value string
TopologySpreadConstraint: labelSelector LabelSelector, matchLabelKeys [string], maxSkew* int,
    minDomains int, nodeAffinityPolicy string, nodeTaintsPolicy string, topologyKey* string,
    whenUnsatisfiable* string
VolumeDevice: devicePath* string, name* string
VolumeMount: mountPath* string, mountPropagation string, name* string, readOnly bool,
    recursiveReadOnly string, subPath string, subPathExpr string
VolumeMountStatus: mountPath* string, name* string, readOnly bool, recursiveReadOnly string,
    volumeStatus VolumeStatus
WeightedPodAffinityTerm: podAffinityTerm* PodAffinityTerm, weight* int
WindowsSecurityContextOptions: gmsaCredentialSpec string, gmsaCredentialSpecName string, hostProcess bool,
    runAsUserName string
`;
