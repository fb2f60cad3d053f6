// The fields of pods: their spec, containers, probes, scheduling and status, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of pods: their spec, containers, probes, scheduling and status. */
export const podSchemas = `
Affinity: nodeAffinity#1 NodeAffinity, podAffinity#2 PodAffinity, podAntiAffinity#3 PodAntiAffinity
AppArmorProfile: localhostProfile?#2 string, type*#1 string
Capabilities: add#1 [string], drop#2 [string]
ConfigMapEnvSource: name#1.1 string, optional?#2 bool
ConfigMapKeySelector (atomic): key*#2 string, name#1.1 string, optional?#3 bool
Container: args#4 [string], command#3 [string], env#7 [EnvVar] map(name) merge(name),
    envFrom#19@6 [EnvFromSource], image#2 string, imagePullPolicy#14 string, lifecycle#12 Lifecycle,
    livenessProbe#10 Probe, name*#1 string,
    ports#6 [ContainerPort] map(containerPort,protocol) merge(containerPort), readinessProbe#11 Probe,
    resizePolicy#23@8 [ContainerResizePolicy], resources+#8 ResourceRequirements, restartPolicy?#24@23 string,
    restartPolicyRules#25@24 [ContainerRestartRule], securityContext#15 SecurityContext, startupProbe#22@11 Probe,
    stdin#16 bool, stdinOnce#17 bool, terminationMessagePath#13 string, terminationMessagePolicy#20@13 string,
    tty#18 bool, volumeDevices#21@9 [VolumeDevice] map(devicePath) merge(devicePath),
    volumeMounts#9 [VolumeMount] map(mountPath) merge(mountPath), workingDir#5 string
ContainerExtendedResourceRequest: containerName*#1 string, requestName*#3 string, resourceName*#2 string
ContainerPort: containerPort*#3 int, hostIP#5 string, hostPort#2 int, name#1 string, protocol#4 string=TCP
ContainerResizePolicy: resourceName*#1 string, restartPolicy*#2 string
ContainerRestartRule: action*#1 string, exitCodes#2 ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator*#1 string, values#2 [int] set
ContainerState: running#2 ContainerStateRunning, terminated#3 ContainerStateTerminated,
    waiting#1 ContainerStateWaiting
ContainerStateRunning: startedAt#1 time
ContainerStateTerminated: containerID#7 string, exitCode*#1 int, finishedAt#6 time, message#4 string,
    reason#3 string, signal#2 int, startedAt#5 time
ContainerStateWaiting: message#2 string, reason#1 string
ContainerStatus: allocatedResources#10 {quantity},
    allocatedResourcesStatus#14 [ResourceStatus] map(name) merge(name), containerID#8 string,
    image*#6 string, imageID*#7 string, lastState+#3 ContainerState, name*#1 string, ready*#4 bool,
    resources#11 ResourceRequirements, restartCount*#5 int, started?#9 bool, state+#2 ContainerState,
    stopSignal?#15 string, user#13 ContainerUser,
    volumeMounts#12 [VolumeMountStatus] map(mountPath) merge(mountPath)
ContainerUser: linux#1 LinuxContainerUser
EnvFromSource: configMapRef#2 ConfigMapEnvSource, prefix#1 string, secretRef#3 SecretEnvSource
EnvVar: name*#1 string, value#2 string, valueFrom#3 EnvVarSource
EnvVarSource: configMapKeyRef#3 ConfigMapKeySelector, fieldRef#1 ObjectFieldSelector,
    fileKeyRef#5 FileKeySelector, resourceFieldRef#2 ResourceFieldSelector, secretKeyRef#4 SecretKeySelector
EphemeralContainer: args#1.4 [string], command#1.3 [string], env#1.7 [EnvVar] map(name) merge(name),
    envFrom#1.19@1.6 [EnvFromSource], image#1.2 string, imagePullPolicy#1.14 string, lifecycle#1.12 Lifecycle,
    livenessProbe#1.10 Probe, name*#1.1 string,
    ports#1.6 [ContainerPort] map(containerPort,protocol) merge(containerPort), readinessProbe#1.11 Probe,
    resizePolicy#1.23@1.8 [ContainerResizePolicy], resources+#1.8 ResourceRequirements,
    restartPolicy?#1.24@1.23 string, restartPolicyRules#1.25@1.24 [ContainerRestartRule],
    securityContext#1.15 SecurityContext, startupProbe#1.22@1.11 Probe, stdin#1.16 bool, stdinOnce#1.17 bool,
    targetContainerName#2 string, terminationMessagePath#1.13 string, terminationMessagePolicy#1.20@1.13 string,
    tty#1.18 bool, volumeDevices#1.21@1.9 [VolumeDevice] map(devicePath) merge(devicePath),
    volumeMounts#1.9 [VolumeMount] map(mountPath) merge(mountPath), workingDir#1.5 string
ExecAction: command#1 [string]
FileKeySelector (atomic): key*#3 string, optional?#4 bool, path*#2 string, volumeName*#1 string
GRPCAction: port*#1 int, service?#2 string
HTTPGetAction: host#3 string, httpHeaders#5 [HTTPHeader], path#1 string, port*#2 intstr, scheme#4 string
HTTPHeader: name*#1 string, value*#2 string
HostAlias: hostnames#2 [string], ip*#1 string
HostIP: ip*#1 string
ImageVolumeStatus: imageRef*#1 string
Lifecycle: postStart#1 LifecycleHandler, preStop#2 LifecycleHandler, stopSignal?#3 string
LifecycleHandler: exec#1 ExecAction, httpGet#2 HTTPGetAction, sleep#4 SleepAction,
    tcpSocket#3 TCPSocketAction
LinuxContainerUser: gid*#2 int64, supplementalGroups#3 [int64], uid*#1 int64
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution#2 [PreferredSchedulingTerm],
    requiredDuringSchedulingIgnoredDuringExecution#1 NodeSelector
NodeSelector (atomic): nodeSelectorTerms*#1 [NodeSelectorTerm]
NodeSelectorRequirement: key*#1 string, operator*#2 string, values#3 [string]
NodeSelectorTerm (atomic): matchExpressions#1 [NodeSelectorRequirement],
    matchFields#2 [NodeSelectorRequirement]
ObjectFieldSelector (atomic): apiVersion#1 string, fieldPath*#2 string
Pod (object): spec+#2 PodSpec, status+#3 PodStatus
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution#2 [WeightedPodAffinityTerm],
    requiredDuringSchedulingIgnoredDuringExecution#1 [PodAffinityTerm]
PodAffinityTerm: labelSelector#1 LabelSelector, matchLabelKeys#5 [string], mismatchLabelKeys#6 [string],
    namespaceSelector#4 LabelSelector, namespaces#2 [string], topologyKey*#3 string
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution#2 [WeightedPodAffinityTerm],
    requiredDuringSchedulingIgnoredDuringExecution#1 [PodAffinityTerm]
PodCondition: lastProbeTime#3 time, lastTransitionTime#4 time, message#6 string, observedGeneration#7@1 int64,
    reason#5 string, status*#2 string, type*#1 string
PodDNSConfig: nameservers#1 [string], options#3 [PodDNSConfigOption], searches#2 [string]
PodDNSConfigOption: name#1 string, value?#2 string
PodExtendedResourceClaimStatus: requestMappings*#1 [ContainerExtendedResourceRequest],
    resourceClaimName*#2 string
PodIP: ip*#1 string
PodOS: name*#1 string
PodReadinessGate: conditionType*#1 string
PodResourceClaim: name*#1 string, resourceClaimName?#3 string, resourceClaimTemplateName?#4 string
PodResourceClaimStatus: name*#1 string, resourceClaimName?#2 string
PodSchedulingGate: name*#1 string
PodSchedulingGroup: podGroupName?#1 string
PodSecurityContext: appArmorProfile#11 AppArmorProfile, fsGroup?#5 int64, fsGroupChangePolicy?#9 string,
    runAsGroup?#6@2 int64, runAsNonRoot?#3 bool, runAsUser?#2 int64, seLinuxChangePolicy?#13 string,
    seLinuxOptions#1 SELinuxOptions, seccompProfile#10 SeccompProfile, supplementalGroups#4 [int64],
    supplementalGroupsPolicy?#12@4 string, sysctls#7 [Sysctl], windowsOptions#8@1 WindowsSecurityContextOptions
PodSpec: activeDeadlineSeconds?#5 int64, affinity#18 Affinity, automountServiceAccountToken?#21@9 bool,
    containers*#2 [Container] map(name) merge(name), dnsConfig#26 PodDNSConfig, dnsPolicy#6 string,
    enableServiceLinks?#30 bool, ephemeralContainers#34@2 [EphemeralContainer] map(name) merge(name),
    hostAliases#23 [HostAlias] map(ip) merge(ip), hostIPC#13 bool, hostNetwork#11 bool, hostPID#12 bool,
    hostUsers?#37 bool, hostname#16 string, hostnameOverride?#41 string,
    imagePullSecrets#15 [LocalObjectReference] map(name) merge(name),
    initContainers#20@1 [Container] map(name) merge(name), nodeName#10 string, nodeSelector#7 {string}!,
    os#36 PodOS, overhead#32 {quantity}, preemptionPolicy?#31 string, priority?#25 int,
    priorityClassName#24 string, readinessGates#28 [PodReadinessGate],
    resourceClaims#39 [PodResourceClaim] map(name) merge(name) retain, resources#40 ResourceRequirements,
    restartPolicy#3 string, runtimeClassName?#29 string, schedulerName#19 string,
    schedulingGates#38 [PodSchedulingGate] map(name) merge(name), schedulingGroup#43 PodSchedulingGroup,
    securityContext#14 PodSecurityContext, serviceAccount#9 string, serviceAccountName#8 string,
    setHostnameAsFQDN?#35 bool, shareProcessNamespace?#27@13 bool, subdomain#17 string,
    terminationGracePeriodSeconds?#4 int64, tolerations#22 [Toleration],
    topologySpreadConstraints#33 [TopologySpreadConstraint] map(topologyKey,whenUnsatisfiable) merge(topologyKey),
    volumes#1 [Volume] map(name) merge(name) retain
PodStatus: allocatedResources#19 {quantity}, conditions#2 [PodCondition] map(type) merge(type),
    containerStatuses#8 [ContainerStatus], ephemeralContainerStatuses#13 [ContainerStatus],
    extendedResourceClaimStatus#18 PodExtendedResourceClaimStatus, hostIP#5 string,
    hostIPs#16@5 [HostIP] merge(ip), initContainerStatuses#10@7 [ContainerStatus], message#3 string,
    nodeAllocatableResourceClaimStatuses#21 [NodeAllocatableResourceClaimStatus],
    nominatedNodeName#11@4 string, observedGeneration#17@0 int64, phase#1 string, podIP#6 string,
    podIPs#12@6 [PodIP] map(ip) merge(ip), qosClass#9 string, reason#4 string, resize#14 string,
    resourceClaimStatuses#15 [PodResourceClaimStatus] map(name) merge(name) retain,
    resources#20 ResourceRequirements, startTime#7 time
PodTemplateSpec: metadata+#1 ObjectMeta, spec+#2 PodSpec
PreferredSchedulingTerm: preference*#2 NodeSelectorTerm, weight*#1 int
Probe: exec#1.1 ExecAction, failureThreshold#6 int, grpc#1.4 GRPCAction, httpGet#1.2 HTTPGetAction,
    initialDelaySeconds#2 int, periodSeconds#4 int, successThreshold#5 int, tcpSocket#1.3 TCPSocketAction,
    terminationGracePeriodSeconds?#7 int64, timeoutSeconds#3 int
ResourceClaim: name*#1 string, request#2 string
ResourceFieldSelector (atomic): containerName#1 string, divisor#3 quantity, resource*#2 string
ResourceHealth: health#2 string, message?#6 string, resourceID*#1 string
ResourceRequirements: claims#3 [ResourceClaim] map(name), limits#1 {quantity}, requests#2 {quantity}
ResourceStatus: name*#1 string, resources#2 [ResourceHealth] map(resourceID)
SELinuxOptions: level#4 string, role#2 string, type#3 string, user#1 string
SeccompProfile: localhostProfile?#2 string, type*#1 string
SecretEnvSource: name#1.1 string, optional?#2 bool
SecretKeySelector (atomic): key*#2 string, name#1.1 string, optional?#3 bool
SecurityContext: allowPrivilegeEscalation?#7 bool, appArmorProfile#12 AppArmorProfile,
    capabilities#1 Capabilities, privileged?#2 bool, procMount?#9 string, readOnlyRootFilesystem?#6 bool,
    runAsGroup?#8@4 int64, runAsNonRoot?#5 bool, runAsUser?#4 int64, seLinuxOptions#3 SELinuxOptions,
    seccompProfile#11 SeccompProfile, windowsOptions#10@3 WindowsSecurityContextOptions
SleepAction: seconds*#1 int64
Sysctl: name*#1 string, value*#2 string
TCPSocketAction: host#2 string, port*#1 intstr
Toleration: effect#4 string, key#1 string, operator#2 string, tolerationSeconds?#5 int64, value#3 string
TopologySpreadConstraint: labelSelector#4 LabelSelector, matchLabelKeys#8 [string], maxSkew*#1 int,
    minDomains?#5 int, nodeAffinityPolicy?#6 string, nodeTaintsPolicy?#7 string, topologyKey*#2 string,
    whenUnsatisfiable*#3 string
VolumeDevice: devicePath*#2 string, name*#1 string
VolumeMount: mountPath*#3 string, mountPropagation?#5 string, name*#1 string, readOnly#2 bool,
    recursiveReadOnly?#7@2 string, subPath#4 string, subPathExpr#6 string
VolumeMountStatus: mountPath*#2 string, name*#1 string, readOnly#3 bool, recursiveReadOnly?#4 string,
    volumeStatus#5 VolumeStatus
WeightedPodAffinityTerm: podAffinityTerm*#2 PodAffinityTerm, weight*#1 int
WindowsSecurityContextOptions: gmsaCredentialSpec?#2 string, gmsaCredentialSpecName?#1 string,
    hostProcess?#4 bool, runAsUserName?#3 string
`;
