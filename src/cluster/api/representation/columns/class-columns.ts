// The columns of quotas, autoscalers, classes, certificate requests, API services and replication controllers.
import { fromFormerAutoscaler } from "../../former-autoscaler.ts";
import { fieldsList, fieldsOf, isFields, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { formatAge } from "../age.ts";
import {
  age,
  containersOf,
  integer,
  named,
  numberOf,
  orNone,
  specOf,
  statusOf,
  text,
  wide,
} from "./column.ts";

/** The columns of quotas: what is used of what is allowed. */
export const quotaColumns: readonly Column[] = named(
  text("Request", (quota) => usage(quota, false)),
  text("Limit", (quota) => usage(quota, true)),
  age,
);

function usage(quota: ApiObject, isLimit: boolean): string {
  const { hard, used } = statusOf(quota);
  return Object.entries(fieldsOf(hard))
    .filter(([name]) => name.startsWith("limits.") === isLimit)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, most]) => `${name}: ${textOf(fieldsOf(used)[name]) || "0"}/${textOf(most)}`)
    .join(", ");
}

function shown(value: unknown, absent: string): string {
  return typeof value === "number" ? String(value) : textOf(value) || absent;
}

/** The columns of autoscalers, in either of their versions. */
export const autoscalerColumns: readonly Column[] = named(
  text("Reference", (autoscaler) => {
    const { kind, name } = fieldsOf(specOf(autoscaler)["scaleTargetRef"]);
    return `${textOf(kind)}/${textOf(name)}`;
  }),
  text("Targets", targetsOf),
  text("MinPods", (autoscaler) => shown(specOf(autoscaler)["minReplicas"], "<unset>")),
  { ...text("MaxPods", () => ""), cell: (autoscaler) => numberOf(specOf(autoscaler)["maxReplicas"]) },
  { ...text("Replicas", () => ""), cell: (autoscaler) => numberOf(statusOf(autoscaler)["currentReplicas"]) },
  age,
);

const shownMetrics = 2;

function targetsOf(autoscaler: ApiObject): string {
  const stored = autoscaler.apiVersion === "autoscaling/v1" ? fromFormerAutoscaler(autoscaler) : autoscaler;
  const metrics = fieldsList(specOf(stored)["metrics"]);
  const current = fieldsList(statusOf(stored)["currentMetrics"]);
  if (metrics.length === 0) return "<none>";
  const shown = metrics.map((metric, index) => metricText(metric, current[index] ?? {}));
  const rest = shown.length - shownMetrics;
  const first = shown.slice(0, shownMetrics).join(", ");
  return rest > 0 ? `${first} + ${rest} more...` : first;
}

function metricText(metric: Fields, status: Fields): string {
  const field = `${textOf(metric["type"]).charAt(0).toLowerCase()}${textOf(metric["type"]).slice(1)}`;
  const source = fieldsOf(metric[field]);
  const target = fieldsOf(source["target"]);
  const current = fieldsOf(fieldsOf(status[field])["current"]);
  const seen = (value: unknown, unit = ""): string =>
    value === undefined ? "<unknown>" : `${shown(value, "")}${unit}`;
  switch (metric["type"]) {
    case "External":
    case "Object":
      return target["averageValue"] === undefined
        ? `${seen(current["value"])}/${textOf(target["value"])}`
        : `${seen(current["averageValue"])}/${textOf(target["averageValue"])} (avg)`;
    case "Pods":
      return `${seen(current["averageValue"])}/${textOf(target["averageValue"])}`;
    case "Resource":
    case "ContainerResource": {
      const { averageValue, averageUtilization } = target;
      const name = textOf(source["name"]);
      if (averageValue !== undefined) {
        return `${name}: ${seen(current["averageValue"])}/${textOf(averageValue)}`;
      }
      const wanted = averageUtilization === undefined ? "<auto>" : seen(averageUtilization, "%");
      return `${name}: ${seen(current["averageUtilization"], "%")}/${wanted}`;
    }
    default:
      return "<unknown type>";
  }
}

/** The name of a class, marked where it is the default. */
function classNamed(annotations: readonly string[], columns: readonly Column[]): readonly Column[] {
  const [name, ...others] = named(...columns);
  const cell = ({ metadata }: ApiObject): string =>
    annotations.some((each) => metadata.annotations?.[each] === "true")
      ? `${metadata.name} (default)`
      : metadata.name;
  return name === undefined ? others : [{ ...name, cell }, ...others];
}

/** The columns of storage classes. */
export const storageClassColumns: readonly Column[] = classNamed(
  ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"],
  [
    text("Provisioner", (object) => textOf(object["provisioner"])),
    text("ReclaimPolicy", (object) => textOf(object["reclaimPolicy"])),
    text("VolumeBindingMode", (object) => textOf(object["volumeBindingMode"])),
    {
      ...text("AllowVolumeExpansion", () => ""),
      cell: (object) => object["allowVolumeExpansion"] === true,
    },
    age,
  ],
);

/** The columns of priority classes. */
export const priorityClassColumns: readonly Column[] = named(
  integer("Value", (object) => numberOf(object["value"])),
  { name: "Global-Default", type: "boolean", cell: (object) => object["globalDefault"] === true },
  age,
  text("PreemptionPolicy", (object) => textOf(object["preemptionPolicy"])),
);

/** The columns of ingress classes. */
export const ingressClassColumns: readonly Column[] = classNamed(
  ["ingressclass.kubernetes.io/is-default-class"],
  [
    text("Controller", (object) => textOf(specOf(object)["controller"])),
    text("Parameters", (object) => {
      const { parameters } = specOf(object);
      if (!isFields(parameters)) return "<none>";
      const { kind, apiGroup, name } = parameters;
      return `${textOf(kind)}${apiGroup === undefined ? "" : `.${textOf(apiGroup)}`}/${textOf(name)}`;
    }),
    age,
  ],
);

/** The columns of certificate requests. */
export const certificateColumns: readonly Column[] = named(
  age,
  text("SignerName", (object) => orNone(textOf(specOf(object)["signerName"]))),
  text("Requestor", (object) => textOf(specOf(object)["username"])),
  text("RequestedDuration", (object) => {
    const { expirationSeconds } = specOf(object);
    return typeof expirationSeconds === "number" ? formatAge(expirationSeconds * 1_000) : "<none>";
  }),
  text("Condition", (object) => {
    const { conditions, certificate } = statusOf(object);
    const types = fieldsList(conditions).map(({ type }) => type);
    const decision = ["Denied", "Approved"].find((type) => types.includes(type)) ?? "Pending";
    const failed = types.includes("Failed") ? ",Failed" : "";
    return `${decision}${failed}${certificate === undefined ? "" : ",Issued"}`;
  }),
);

/** The columns of API services. */
export const apiServiceColumns: readonly Column[] = named(
  text("Service", (object) => {
    const { service } = specOf(object);
    if (!isFields(service)) return "Local";
    return `${textOf(service["namespace"])}/${textOf(service["name"])}`;
  }),
  text("Available", (object) => {
    const available = fieldsList(statusOf(object)["conditions"]).find(({ type }) => type === "Available");
    if (available === undefined) return "Unknown";
    return available["status"] === "True"
      ? "True"
      : `${textOf(available["status"])} (${textOf(available["reason"])})`;
  }),
  age,
);

/** The columns of replication controllers. */
export const replicationControllerColumns: readonly Column[] = named(
  integer("Desired", (object) => numberOf(specOf(object)["replicas"])),
  integer("Current", (object) => numberOf(statusOf(object)["replicas"])),
  integer("Ready", (object) => numberOf(statusOf(object)["readyReplicas"])),
  age,
  wide("Containers", (object) => containersOf(specOf(object)["template"]).names),
  wide("Images", (object) => containersOf(specOf(object)["template"]).images),
  wide("Selector", (object) =>
    orNone(
      Object.entries(fieldsOf(specOf(object)["selector"]))
        .map(([name, value]) => `${name}=${textOf(value)}`)
        .sort()
        .join(","),
    ),
  ),
);
