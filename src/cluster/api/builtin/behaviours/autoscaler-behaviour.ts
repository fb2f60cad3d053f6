// HorizontalPodAutoscalers: their defaults in both versions.
import { setField } from "../../../../schema/json-value.ts";
import { ensureFields, fieldsList, isFields, setDefault, type Fields } from "../../api-object.ts";
import { keptAnnotation, utilizationOfCpu } from "../../former-autoscaler.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { fillStruct } from "./fill-in.ts";

const defaultUtilization = 80;
const percent = { type: "Percent", value: 100, periodSeconds: 15 };

const metricTypes = {
  containerResource: "ContainerResource",
  external: "External",
  object: "Object",
  pods: "Pods",
  resource: "Resource",
} as const;

/** `HorizontalPodAutoscaler` of autoscaling/v2. */
export const autoscalerBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "minReplicas", 1);
    if (fieldsList(spec["metrics"]).length === 0) spec["metrics"] = [utilizationOfCpu(defaultUtilization)];
    if (isFields(spec["behavior"])) {
      const pods = { type: "Pods", value: 4, periodSeconds: 15 };
      setScalingDefaults(spec["behavior"], "scaleUp", [pods, percent], 0);
      setScalingDefaults(spec["behavior"], "scaleDown", [percent]);
    }
    const status = ensureFields(object, "status");
    setDefault(status, "desiredReplicas", 0);
    status["currentMetrics"] ??= null;
  },
  prepare(object) {
    // Lists that are always written are null where they are empty.
    const status = ensureFields(object, "status");
    const metrics = fieldsList(status["currentMetrics"]);
    if (metrics.length === 0) status["currentMetrics"] = null;
    for (const metric of metrics) {
      for (const [name, type] of Object.entries(metricTypes)) {
        const values = metric[name];
        if (isFields(values)) fillStruct(values, `io.k8s.api.autoscaling.v2.${type}MetricStatus`);
      }
    }
  },
};

/** `HorizontalPodAutoscaler` of autoscaling/v1. */
export const formerAutoscalerBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "minReplicas", 1);
    const { annotations = {} } = object.metadata;
    const hasMetrics = annotations[`${keptAnnotation}metrics`] !== undefined;
    if (!hasMetrics) setDefault(spec, "targetCPUUtilizationPercentage", defaultUtilization);
    const status = ensureFields(object, "status");
    for (const name of ["currentReplicas", "desiredReplicas"]) setDefault(status, name, 0);
  },
};

function setScalingDefaults(
  behavior: Fields,
  name: "scaleUp" | "scaleDown",
  policies: readonly Fields[],
  stabilizationWindowSeconds?: number,
): void {
  const rules = ensureFields(behavior, name);
  if (stabilizationWindowSeconds !== undefined) {
    setDefault(rules, "stabilizationWindowSeconds", stabilizationWindowSeconds);
  }
  setDefault(rules, "selectPolicy", "Max");
  if (rules["policies"] === undefined && !isSentEmpty(rules, "policies")) {
    setField(rules, "policies", structuredClone(policies));
  }
}
