// What HorizontalPodAutoscalers must be.
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, textOf, type Fields } from "../../api-object.ts";
import { labelNameFaults, pathSegmentFaults } from "../../../../meta/name-rules.ts";
import { containerResourceFaults } from "./resource-rules.ts";
import { all, each, fields, filled, optional, required, text, type Rule } from "./rule.ts";

const pathSegment: Rule = all(required(), text(pathSegmentFaults));

const apiVersion =
  (needsGroup: boolean): Rule =>
  (value, at) => {
    const written = textOf(value);
    if (written.split("/").length > 2) {
      return [invalidValue(at, written, `unexpected GroupVersion string: ${written}`)];
    }
    if (!needsGroup || written.includes("/")) return [];
    return [invalidValue(at, written, "apiVersion must specify API group")];
  };

const reference = { kind: pathSegment, name: pathSegment, apiVersion: apiVersion(true) };

const aboveZero: Rule = (value, at) =>
  Number(value ?? 0) > 0 ? [] : [invalidValue(at, value ?? 0, "must be greater than zero")];

const upTo =
  (most: number): Rule =>
  (value, at) =>
    Number(value) <= most ? [] : [invalidValue(at, value, `must be less than or equal to ${most}`)];

const scalingRules: Rule = optional(
  fields({
    stabilizationWindowSeconds: optional(
      (value, at) =>
        Number(value) >= 0 ? [] : [invalidValue(at, value, "must be greater than or equal to zero")],
      upTo(3_600),
    ),
    selectPolicy: optional((value, at) =>
      ["Disabled", "Max", "Min"].includes(textOf(value))
        ? []
        : [unsupportedValue(at, value, ["Disabled", "Max", "Min"])],
    ),
    policies: all(
      required("must specify at least one Policy"),
      each(
        fields({
          type: (value, at) =>
            value === "Pods" || value === "Percent"
              ? []
              : [unsupportedValue(at, value ?? "", ["Percent", "Pods"])],
          value: aboveZero,
          periodSeconds: all(aboveZero, optional(upTo(1_800))),
        }),
      ),
    ),
    tolerance: optional((value, at) =>
      (parseQuantity(textOf(value))?.nano ?? 0n) >= 0n
        ? []
        : [invalidValue(at, value, "must be greater than or equal to 0")],
    ),
  }),
);

const positive: Rule = optional((value, at) =>
  (parseQuantity(textOf(value))?.nano ?? 0n) > 0n ? [] : [invalidValue(at, value, "must be positive")],
);

const target: Rule = fields({
  type: (value, at) => {
    const known = ["Utilization", "Value", "AverageValue"].includes(textOf(value));
    return [
      ...(textOf(value) === "" ? [requiredValue(at, "must specify a metric target type")] : []),
      ...(known ? [] : [invalidValue(at, value ?? "", "must be either Utilization, Value, or AverageValue")]),
    ];
  },
  value: positive,
  averageValue: positive,
  averageUtilization: optional((value, at) =>
    Number(value) >= 1 ? [] : [invalidValue(at, value, "must be greater than 0")],
  ),
});

const metric: Rule = fields({ name: all(required("must specify a metric name"), text(pathSegmentFaults)) });

/** A number per pod or as a share, and not both. */
const rawOrShare: Rule = (source, at) => {
  const { averageUtilization, averageValue } = fieldsOf(fieldsOf(source)["target"]);
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    return [requiredValue(`${at}.target.averageUtilization`, detail)];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  const detail = "may not set both a target raw value and a target utilization";
  return [forbiddenValue(`${at}.target.averageValue`, detail)];
};

const needsValue =
  (detail: string): Rule =>
  (source, at) => {
    const { value, averageValue } = fieldsOf(fieldsOf(source)["target"]);
    return value === undefined && averageValue === undefined
      ? [requiredValue(`${at}.target.averageValue`, detail)]
      : [];
  };

/** The sources of metrics by the field that holds them, in the order in which they are looked at. */
const sources: Readonly<Record<string, { readonly type: string; readonly rule: Rule }>> = {
  object: {
    type: "Object",
    rule: all(
      fields({ describedObject: fields({ ...reference, apiVersion: apiVersion(false) }), metric, target }),
      needsValue("must set either a target value or averageValue"),
    ),
  },
  external: {
    type: "External",
    rule: all(
      fields({ metric, target }),
      needsValue("must set either a target value for metric or a per-pod target"),
      (source, at) => {
        const { value, averageValue } = fieldsOf(fieldsOf(source)["target"]);
        if (value === undefined || averageValue === undefined) return [];
        const detail = "may not set both a target value for metric and a per-pod target";
        return [forbiddenValue(`${at}.target.value`, detail)];
      },
    ),
  },
  pods: {
    type: "Pods",
    rule: all(fields({ metric, target }), (source, at) =>
      fieldsOf(fieldsOf(source)["target"])["averageValue"] === undefined
        ? [requiredValue(`${at}.target.averageValue`, "must specify a positive target averageValue")]
        : [],
    ),
  },
  resource: {
    type: "Resource",
    rule: all(fields({ name: required("must specify a resource name"), target }), rawOrShare),
  },
  containerResource: {
    type: "ContainerResource",
    rule: all(
      fields({
        name: all(
          required("must specify a resource name"),
          filled((value, at) => containerResourceFaults(textOf(value), at)),
        ),
        container: all(required("must specify a container"), filled(text(labelNameFaults))),
        target,
      }),
      rawOrShare,
    ),
  },
};
const sourceTypes = Object.values(sources)
  .map(({ type }) => type)
  .sort();

const metricRule: Rule = (value, at) => {
  const spec = fieldsOf(value);
  const type = textOf(spec["type"]);
  const causes: StatusCause[] = [];
  if (type === "") causes.push(requiredValue(`${at}.type`, "must specify a metric source type"));
  const unsupported = unsupportedValue(`${at}.type`, type, sourceTypes);
  if (!sourceTypes.includes(type)) causes.push(unsupported);
  const present = Object.keys(sources).filter((name) => spec[name] !== undefined);
  const [first] = present;
  if (first !== undefined) causes.push(...(sources[first]?.rule(spec[first], `${at}.${first}`, spec) ?? []));
  const [expected] = Object.entries(sources).find(([, source]) => source.type === type) ?? [];
  if (expected === undefined) causes.push(unsupported);
  else if (spec[expected] === undefined) {
    const detail = "must populate information for the given metric source";
    causes.push(requiredValue(`${at}.${expected}`, detail));
  }
  if (present.length === 1) return causes;
  const others = present.filter((name) => name !== expected);
  const detail = "must populate the given metric source only";
  return [...causes, ...others.map((name) => forbiddenValue(`${at}.${name}`, detail))];
};

const replicas: Rule = (value, at) => {
  const { minReplicas, maxReplicas, metrics } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (Number(minReplicas) < 1) {
    causes.push(invalidValue(`${at}.minReplicas`, minReplicas, "must be greater than or equal to 1"));
  }
  const most = Number(maxReplicas ?? 0);
  if (most === 0) causes.push(requiredValue(`${at}.maxReplicas`, "must be set and greater than 0"));
  else if (most < 0) {
    causes.push(invalidValue(`${at}.maxReplicas`, most, "must be greater than or equal to 1"));
  }
  if (most < Number(minReplicas)) {
    causes.push(invalidValue(`${at}.maxReplicas`, most, "must be greater than or equal to `minReplicas`"));
  }
  causes.push(
    ...fields(reference)(fieldsOf(value)["scaleTargetRef"], `${at}.scaleTargetRef`, fieldsOf(value)),
  );
  causes.push(...each(metricRule)(metrics, `${at}.metrics`, fieldsOf(value)));
  const canBeZero = fieldsList(metrics).some(({ type }: Fields) => type === "Object" || type === "External");
  if (minReplicas === 0 && !canBeZero) {
    const why = "must specify at least one Object or External metric to support scaling to zero replicas";
    causes.push(forbiddenValue(`${at}.metrics`, why));
  }
  return causes;
};

/** `HorizontalPodAutoscaler` of autoscaling/v2. */
export const autoscalerRules: Rule = fields({
  spec: all(
    replicas,
    fields({ behavior: optional(fields({ scaleUp: scalingRules, scaleDown: scalingRules })) }),
  ),
});
