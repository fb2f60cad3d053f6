// The columns of events, config maps, secrets, namespaces, nodes, claims and volumes.
import {
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { formatAgeOf } from "../age.ts";
import { nameColumn } from "../name-column.ts";
import { age, named, numberOf, orNone, orUnset, sortedOnce, specOf, statusOf, text, wide } from "./column.ts";

const sizeOf = (value: unknown): number => Object.keys(fieldsOf(value)).length;

/** The columns of config maps. */
export const configMapColumns: readonly Column[] = named(
  text("Data", (object) => sizeOf(object["data"]) + sizeOf(object["binaryData"])),
  age,
);

/** The columns of secrets. */
export const secretColumns: readonly Column[] = named(
  text("Type", (object) => textOf(object["type"])),
  text("Data", (object) => sizeOf(object["data"])),
  age,
);

/** The columns of namespaces. */
export const namespaceColumns: readonly Column[] = named(
  text("Status", (object) => textOf(statusOf(object)["phase"])),
  age,
);

/** The columns of events, in either of their groups. */
export const eventColumns: readonly Column[] = [
  text("Last Seen", (event, now) => {
    const { series, lastTimestamp, deprecatedLastTimestamp } = event;
    const last = isFields(series) ? series["lastObservedTime"] : (lastTimestamp ?? deprecatedLastTimestamp);
    return formatAgeOf(isFields(series) ? last : (last ?? firstSeen(event)), now);
  }),
  text("Type", (event) => textOf(event["type"])),
  text("Reason", (event) => textOf(event["reason"])),
  text("Object", (event) => {
    const { kind, name } = subjectOf(event);
    const ofKind = textOf(kind).toLowerCase();
    return textOf(name) === "" ? ofKind : `${ofKind}/${textOf(name)}`;
  }),
  wide("Subobject", (event) => textOf(subjectOf(event)["fieldPath"])),
  wide("Source", (event) => {
    const { component, host } = fieldsOf(event["source"] ?? event["deprecatedSource"]);
    const { reportingComponent, reportingController, reportingInstance } = event;
    const source = textOf(component) || textOf(reportingComponent ?? reportingController);
    const instance = textOf(host) || textOf(reportingInstance);
    return instance === "" ? source : `${source}, ${instance}`;
  }),
  text("Message", (event) => textOf(event["message"] ?? event["note"]).trim()),
  wide("First Seen", (event, now) => formatAgeOf(firstSeen(event), now)),
  wide("Count", (event) => {
    const { series, count, deprecatedCount } = event;
    return isFields(series) ? numberOf(series["count"]) : numberOf(count ?? deprecatedCount) || 1;
  }),
  { ...nameColumn, priority: 1 },
];

/** The columns of nodes. */
export const nodeColumns: readonly Column[] = named(
  text("Status", (node) => {
    const condition = fieldsList(statusOf(node)["conditions"]).find((each) => each["type"] === "Ready");
    const isReady = condition?.["status"] === "True";
    const status = condition === undefined ? "Unknown" : isReady ? "Ready" : "NotReady";
    return specOf(node)["unschedulable"] === true ? `${status},SchedulingDisabled` : status;
  }),
  text("Roles", (node) => {
    const prefix = "node-role.kubernetes.io/";
    const labels = Object.entries(node.metadata.labels ?? {});
    const roles = labels.map(([label, value]) => {
      if (label === "kubernetes.io/role") return value;
      return label.startsWith(prefix) ? label.slice(prefix.length) : "";
    });
    return orNone(sortedOnce(roles).join(","));
  }),
  age,
  text("Version", (node) => infoOf(node, "kubeletVersion")),
  wide("Internal-IP", (node) => addressOf(node, "InternalIP")),
  wide("External-IP", (node) => addressOf(node, "ExternalIP")),
  wide("OS-Image", (node) => infoOf(node, "osImage") || "<unknown>"),
  wide("Kernel-Version", (node) => {
    const architecture = infoOf(node, "architecture");
    const version = infoOf(node, "kernelVersion") || "<unknown>";
    return architecture === "" ? version : `${version} (${architecture})`;
  }),
  wide("Container-Runtime", (node) => infoOf(node, "containerRuntimeVersion") || "<unknown>"),
);

/** The columns of persistent volume claims. */
export const claimColumns: readonly Column[] = named(
  text("Status", (claim) =>
    claim.metadata.deletionTimestamp === undefined ? textOf(statusOf(claim)["phase"]) : "Terminating",
  ),
  text("Volume", (claim) => textOf(specOf(claim)["volumeName"])),
  text("Capacity", (claim) => textOf(fieldsOf(statusOf(claim)["capacity"])["storage"])),
  text("Access Modes", (claim) => accessModes(statusOf(claim)["accessModes"])),
  text("StorageClass", (claim) => textOf(specOf(claim)["storageClassName"])),
  text("VolumeAttributesClass", (claim) => orUnset(specOf(claim)["volumeAttributesClassName"])),
  age,
  wide("VolumeMode", (claim) => orUnset(specOf(claim)["volumeMode"])),
);

/** The columns of persistent volumes. */
export const volumeColumns: readonly Column[] = named(
  text("Capacity", (volume) => textOf(fieldsOf(specOf(volume)["capacity"])["storage"])),
  text("Access Modes", (volume) => accessModes(specOf(volume)["accessModes"])),
  text("Reclaim Policy", (volume) => textOf(specOf(volume)["persistentVolumeReclaimPolicy"])),
  text("Status", (volume) =>
    volume.metadata.deletionTimestamp === undefined ? textOf(statusOf(volume)["phase"]) : "Terminating",
  ),
  text("Claim", (volume) => {
    const { namespace, name } = fieldsOf(specOf(volume)["claimRef"]);
    return name === undefined ? "" : `${textOf(namespace)}/${textOf(name)}`;
  }),
  text("StorageClass", (volume) => textOf(specOf(volume)["storageClassName"])),
  text("VolumeAttributesClass", (volume) => orUnset(specOf(volume)["volumeAttributesClassName"])),
  text("Reason", (volume) => textOf(statusOf(volume)["reason"])),
  age,
  wide("VolumeMode", (volume) => orUnset(specOf(volume)["volumeMode"])),
);

function subjectOf(event: ApiObject): Fields {
  return fieldsOf(event["involvedObject"] ?? event["regarding"]);
}

function firstSeen({ firstTimestamp, deprecatedFirstTimestamp, eventTime }: ApiObject): unknown {
  return firstTimestamp ?? deprecatedFirstTimestamp ?? eventTime;
}

function infoOf(node: ApiObject, field: string): string {
  return textOf(fieldsOf(statusOf(node)["nodeInfo"])[field]);
}

function addressOf(node: ApiObject, type: string): string {
  const found = fieldsList(statusOf(node)["addresses"]).find((each) => each["type"] === type);
  return orNone(textOf(found?.["address"]));
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: unknown): string {
  return listOf(modes)
    .map((mode) => shortModes[textOf(mode)] ?? "")
    .join(",");
}
