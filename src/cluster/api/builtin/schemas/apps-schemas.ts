// The fields of workloads of apps/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of workloads of apps/v1. */
export const appsSchemas = `
ControllerRevision (object): data any, revision* int64
DaemonSet (object): spec DaemonSetSpec, status DaemonSetStatus
DaemonSetCondition: lastTransitionTime time, message string, reason string, status* string, type* string
DaemonSetSpec: minReadySeconds int, revisionHistoryLimit int, selector* LabelSelector,
    template* PodTemplateSpec, updateStrategy DaemonSetUpdateStrategy
DaemonSetStatus: collisionCount int, conditions [DaemonSetCondition] map(type) merge(type),
    currentNumberScheduled* int, desiredNumberScheduled* int, numberAvailable int, numberMisscheduled* int,
    numberReady* int, numberUnavailable int, observedGeneration int64, updatedNumberScheduled int
DaemonSetUpdateStrategy: rollingUpdate RollingUpdateDaemonSet, type string
Deployment (object): spec DeploymentSpec, status DeploymentStatus
DeploymentCondition: lastTransitionTime time, lastUpdateTime time, message string, reason string,
    status* string, type* string
DeploymentSpec: minReadySeconds int, paused bool, progressDeadlineSeconds int, replicas int,
    revisionHistoryLimit int, selector* LabelSelector, strategy DeploymentStrategy retain,
    template* PodTemplateSpec
DeploymentStatus: availableReplicas int, collisionCount int,
    conditions [DeploymentCondition] map(type) merge(type), observedGeneration int64, readyReplicas int,
    replicas int, terminatingReplicas int, unavailableReplicas int, updatedReplicas int
DeploymentStrategy: rollingUpdate RollingUpdateDeployment, type string
ReplicaSet (object): spec ReplicaSetSpec, status ReplicaSetStatus
ReplicaSetCondition: lastTransitionTime time, message string, reason string, status* string, type* string
ReplicaSetSpec: minReadySeconds int, replicas int, selector* LabelSelector, template PodTemplateSpec
ReplicaSetStatus: availableReplicas int, conditions [ReplicaSetCondition] map(type) merge(type),
    fullyLabeledReplicas int, observedGeneration int64, readyReplicas int, replicas* int,
    terminatingReplicas int
RollingUpdateDaemonSet: maxSurge intstr, maxUnavailable intstr
RollingUpdateDeployment: maxSurge intstr, maxUnavailable intstr
RollingUpdateStatefulSetStrategy: maxUnavailable intstr, partition int
StatefulSet (object): spec StatefulSetSpec, status StatefulSetStatus
StatefulSetCondition: lastTransitionTime time, message string, reason string, status* string, type* string
StatefulSetOrdinals: start int
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted string, whenScaled string
StatefulSetSpec: minReadySeconds int, ordinals StatefulSetOrdinals,
    persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy,
    podManagementPolicy string, replicas int, revisionHistoryLimit int, selector* LabelSelector,
    serviceName string, template* PodTemplateSpec, updateStrategy StatefulSetUpdateStrategy,
    volumeClaimTemplates [PersistentVolumeClaim]
StatefulSetStatus: availableReplicas int, collisionCount int,
    conditions [StatefulSetCondition] map(type) merge(type), currentReplicas int, currentRevision string,
    observedGeneration int64, readyReplicas int, replicas* int, updateRevision string, updatedReplicas int
StatefulSetUpdateStrategy: rollingUpdate RollingUpdateStatefulSetStrategy, type string
`;
