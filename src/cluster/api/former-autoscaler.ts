// How autoscalers, which are stored as autoscaling/v2, are served as autoscaling/v1, which keeps in annotations what it has no
// fields for. Read by builtin/ and representation/.
import { fieldsList, fieldsOf, isFields, type ApiObject, type Fields } from "./api-object.ts";

/** What the annotations begin with that keep the rest of an autoscaler. */
export const keptAnnotation = "autoscaling.alpha.kubernetes.io/";

/** A stored autoscaler as autoscaling/v1. */
export function toFormerAutoscaler(object: ApiObject): ApiObject {
  const { metrics, behavior, ...spec } = fieldsOf(object["spec"]);
  const { currentMetrics, conditions, ...status } = fieldsOf(object["status"]);
  const [utilization, otherMetrics] = withoutCpu(metrics, "target");
  const [current, otherStatuses] = withoutCpu(currentMetrics, "current");
  const kept: Record<string, string> = { ...object.metadata.annotations };
  const keep = (name: string, value: unknown): void => {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) {
      kept[`${keptAnnotation}${name}`] = JSON.stringify(value);
    }
  };
  keep("metrics", otherMetrics);
  keep("current-metrics", otherStatuses);
  keep("behavior", behavior);
  keep("conditions", conditions);
  return {
    kind: object.kind,
    apiVersion: "autoscaling/v1",
    metadata: withAnnotations(object, kept),
    spec: { ...spec, ...(utilization === undefined ? {} : { targetCPUUtilizationPercentage: utilization }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  };
}

/** An autoscaler of autoscaling/v1 as it is stored. */
export function fromFormerAutoscaler(object: ApiObject): ApiObject {
  const { targetCPUUtilizationPercentage, ...spec } = fieldsOf(object["spec"]);
  const { currentCPUUtilizationPercentage, ...status } = fieldsOf(object["status"]);
  const kept: Record<string, string> = { ...object.metadata.annotations };
  const take = (name: string): unknown => {
    const text = kept[`${keptAnnotation}${name}`];
    delete kept[`${keptAnnotation}${name}`];
    return text === undefined ? undefined : parsed(text);
  };
  const cpu =
    targetCPUUtilizationPercentage === undefined ? [] : [utilizationOfCpu(targetCPUUtilizationPercentage)];
  const metrics = [...fieldsList(take("metrics")), ...cpu];
  const currentCpu =
    currentCPUUtilizationPercentage === undefined
      ? []
      : [
          {
            type: "Resource",
            resource: { name: "cpu", current: { averageUtilization: currentCPUUtilizationPercentage } },
          },
        ];
  const currentMetrics = [...fieldsList(take("current-metrics")), ...currentCpu];
  const behavior = take("behavior");
  const conditions = take("conditions");
  return {
    kind: object.kind,
    apiVersion: "autoscaling/v2",
    metadata: withAnnotations(object, kept),
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(isFields(behavior) ? { behavior } : {}),
    },
    status: {
      ...status,
      currentMetrics: currentMetrics.length === 0 ? null : currentMetrics,
      ...(Array.isArray(conditions) ? { conditions } : {}),
    },
  };
}

/** A metric: the use of the processor, in percent of what is asked for. */
export function utilizationOfCpu(averageUtilization: unknown): Fields {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

/** The utilization of the processor in a list of metrics, and the others. */
function withoutCpu(metrics: unknown, field: "target" | "current"): readonly [unknown, readonly Fields[]] {
  const isCpu = ({ type, resource }: Fields): boolean =>
    type === "Resource" &&
    fieldsOf(resource)["name"] === "cpu" &&
    fieldsOf(fieldsOf(resource)[field])["averageUtilization"] !== undefined;
  const all = fieldsList(metrics);
  const cpu = all.find(isCpu);
  const utilization = fieldsOf(fieldsOf(cpu?.["resource"])[field])["averageUtilization"];
  return [utilization, all.filter((each) => each !== cpu)];
}

function withAnnotations(object: ApiObject, annotations: Record<string, string>): ApiObject["metadata"] {
  const { annotations: _, ...metadata } = object.metadata;
  return Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
