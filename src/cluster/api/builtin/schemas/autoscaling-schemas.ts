// The fields of the scaling types of autoscaling/v1 and v2, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of the scaling types of autoscaling/v1. */
export const autoscalingSchemas = `
CrossVersionObjectReference (atomic): apiVersion#3 string, kind*#1 string, name*#2 string
HorizontalPodAutoscaler (object): spec*#2 HorizontalPodAutoscalerSpec,
    status+#3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec: maxReplicas*#3 int, minReplicas?#2 int,
    scaleTargetRef*#1 CrossVersionObjectReference, targetCPUUtilizationPercentage?#4 int
HorizontalPodAutoscalerStatus: currentCPUUtilizationPercentage?#5 int, currentReplicas*#3 int,
    desiredReplicas*#4 int, lastScaleTime#2 time, observedGeneration?#1 int64
Scale (object): spec+#2 ScaleSpec, status+#3 ScaleStatus
ScaleSpec: replicas#1 int
ScaleStatus: replicas*#1 int, selector#2 string
`;

/** Type table of the autoscaler of autoscaling/v2. */
export const autoscalingV2Schemas = `
ContainerResourceMetricSource: container*#3 string, name*#1 string, target*#2 MetricTarget
ContainerResourceMetricStatus: container*#3 string, current*#2 MetricValueStatus, name*#1 string
CrossVersionObjectReference: apiVersion#3 string, kind*#1 string, name*#2 string
ExternalMetricSource: metric*#1 MetricIdentifier, target*#2 MetricTarget
ExternalMetricStatus: current*#2 MetricValueStatus, metric*#1 MetricIdentifier
HPAScalingPolicy: periodSeconds*#3 int, type*#1 string, value*#2 int
HPAScalingRules: policies#2 [HPAScalingPolicy], selectPolicy?#1 string, stabilizationWindowSeconds?#3@0 int,
    tolerance#4 quantity
HorizontalPodAutoscaler (object): spec*#2 HorizontalPodAutoscalerSpec,
    status+#3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior: scaleDown#2 HPAScalingRules, scaleUp#1 HPAScalingRules
HorizontalPodAutoscalerCondition: lastTransitionTime#3 time, message#5 string, reason#4 string,
    status*#2 string, type*#1 string
HorizontalPodAutoscalerSpec: behavior#5 HorizontalPodAutoscalerBehavior, maxReplicas*#3 int,
    metrics#4 [MetricSpec], minReplicas?#2 int, scaleTargetRef*#1 CrossVersionObjectReference
HorizontalPodAutoscalerStatus: conditions#6 [HorizontalPodAutoscalerCondition] map(type) merge(type),
    currentMetrics+#5 [MetricStatus], currentReplicas#3 int, desiredReplicas*#4 int, lastScaleTime#2 time,
    observedGeneration?#1 int64
MetricIdentifier: name*#1 string, selector#2 LabelSelector
MetricSpec: containerResource#7 ContainerResourceMetricSource, external#5@7 ExternalMetricSource,
    object#2 ObjectMetricSource, pods#3 PodsMetricSource, resource#4 ResourceMetricSource, type*#1 string
MetricStatus: containerResource#7 ContainerResourceMetricStatus, external#5@7 ExternalMetricStatus,
    object#2 ObjectMetricStatus, pods#3 PodsMetricStatus, resource#4 ResourceMetricStatus, type*#1 string
MetricTarget: averageUtilization?#4 int, averageValue#3 quantity, type*#1 string, value#2 quantity
MetricValueStatus: averageUtilization?#3 int, averageValue#2 quantity, value#1 quantity
ObjectMetricSource: describedObject*#1 CrossVersionObjectReference, metric*#3 MetricIdentifier,
    target*#2 MetricTarget
ObjectMetricStatus: current*#2 MetricValueStatus, describedObject*#3 CrossVersionObjectReference,
    metric*#1 MetricIdentifier
PodsMetricSource: metric*#1 MetricIdentifier, target*#2 MetricTarget
PodsMetricStatus: current*#2 MetricValueStatus, metric*#1 MetricIdentifier
ResourceMetricSource: name*#1 string, target*#2 MetricTarget
ResourceMetricStatus: current*#2 MetricValueStatus, name*#1 string
`;
