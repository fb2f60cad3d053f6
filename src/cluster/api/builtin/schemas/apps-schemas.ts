// The fields of workloads of apps/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of workloads of apps/v1. */
export const appsSchemas = `
ControllerRevision (object): data#2 raw, revision*#3 int64
DaemonSet (object): spec+#2 DaemonSetSpec, status+#3 DaemonSetStatus
DaemonSetCondition: lastTransitionTime#3 time, message#5 string, reason#4 string, status*#2 string,
    type*#1 string
DaemonSetSpec: minReadySeconds#4 int, revisionHistoryLimit?#6 int, selector*?#1 LabelSelector,
    template*#2 PodTemplateSpec, updateStrategy+#3 DaemonSetUpdateStrategy
DaemonSetStatus: collisionCount?#9 int, conditions#10 [DaemonSetCondition] map(type) merge(type),
    currentNumberScheduled*#1 int, desiredNumberScheduled*#3 int, numberAvailable#7 int,
    numberMisscheduled*#2 int, numberReady*#4 int, numberUnavailable#8 int, observedGeneration#5 int64,
    updatedNumberScheduled#6 int
DaemonSetUpdateStrategy: rollingUpdate#2 RollingUpdateDaemonSet, type#1 string
Deployment (object): spec+#2 DeploymentSpec, status+#3 DeploymentStatus
DeploymentCondition: lastTransitionTime#7 time, lastUpdateTime#6 time, message#5@4 string, reason#4@7 string,
    status*#2 string, type*#1 string
DeploymentSpec: minReadySeconds#5 int, paused#7 bool, progressDeadlineSeconds?#9 int, replicas?#1 int,
    revisionHistoryLimit?#6 int, selector*?#2 LabelSelector, strategy+#4 DeploymentStrategy retain,
    template*#3 PodTemplateSpec
DeploymentStatus: availableReplicas#4 int, collisionCount?#8 int,
    conditions#6 [DeploymentCondition] map(type) merge(type), observedGeneration#1 int64,
    readyReplicas#7@3 int, replicas#2 int, terminatingReplicas?#9@5 int, unavailableReplicas#5 int,
    updatedReplicas#3 int
DeploymentStrategy: rollingUpdate#2 RollingUpdateDeployment, type#1 string
ReplicaSet (object): spec+#2 ReplicaSetSpec, status+#3 ReplicaSetStatus
ReplicaSetCondition: lastTransitionTime#3 time, message#5 string, reason#4 string, status*#2 string,
    type*#1 string
ReplicaSetSpec: minReadySeconds#4@1 int, replicas?#1 int, selector*?#2 LabelSelector, template+#3 PodTemplateSpec
ReplicaSetStatus: availableReplicas#5 int, conditions#6@3 [ReplicaSetCondition] map(type) merge(type),
    fullyLabeledReplicas#2 int, observedGeneration#3@7 int64, readyReplicas#4 int, replicas*#1 int,
    terminatingReplicas?#7 int
RollingUpdateDaemonSet: maxSurge#2 intstr, maxUnavailable#1 intstr
RollingUpdateDeployment: maxSurge#2 intstr, maxUnavailable#1 intstr
RollingUpdateStatefulSetStrategy: maxUnavailable#2 intstr, partition?#1 int
StatefulSet (object): spec+#2 StatefulSetSpec, status+#3 StatefulSetStatus
StatefulSetCondition: lastTransitionTime#3 time, message#5 string, reason#4 string, status*#2 string,
    type*#1 string
StatefulSetOrdinals: start+#1 int
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted#1 string, whenScaled#2 string
StatefulSetSpec: minReadySeconds#9 int, ordinals#11 StatefulSetOrdinals,
    persistentVolumeClaimRetentionPolicy#10 StatefulSetPersistentVolumeClaimRetentionPolicy,
    podManagementPolicy#6 string, replicas?#1 int, revisionHistoryLimit?#8 int, selector*?#2 LabelSelector,
    serviceName+#5 string, template*#3 PodTemplateSpec, updateStrategy+#7 StatefulSetUpdateStrategy,
    volumeClaimTemplates#4 [PersistentVolumeClaim]
StatefulSetStatus: availableReplicas+#11 int, collisionCount?#9 int,
    conditions#10 [StatefulSetCondition] map(type) merge(type), currentReplicas#4 int,
    currentRevision#6 string, observedGeneration#1 int64, readyReplicas#3 int, replicas*#2 int,
    updateRevision#7 string, updatedReplicas#5 int
StatefulSetUpdateStrategy: rollingUpdate#2 RollingUpdateStatefulSetStrategy, type#1 string
`;
