// The columns of runtime classes, flow schemas, ranges of addresses, devices and pod templates.
import { fieldsList, fieldsOf, isFields, listOf, textOf, type ApiObject } from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { age, containersOf, named, orNone, specOf, statusOf, text } from "./column.ts";

/** The columns of runtime classes. */
export const runtimeClassColumns: readonly Column[] = named(
  text("Handler", (object) => textOf(object["handler"])),
  age,
);

/** The columns of flow schemas. */
export const flowSchemaColumns: readonly Column[] = named(
  text("PriorityLevel", (object) => textOf(fieldsOf(specOf(object)["priorityLevelConfiguration"])["name"])),
  text("MatchingPrecedence", (object) => Number(specOf(object)["matchingPrecedence"] ?? 0)),
  text("DistinguisherMethod", (object) =>
    orNone(textOf(fieldsOf(specOf(object)["distinguisherMethod"])["type"])),
  ),
  age,
  text("MissingPL", (object) => {
    const dangling = fieldsList(statusOf(object)["conditions"]).find(({ type }) => type === "Dangling");
    return dangling === undefined ? "?" : textOf(dangling["status"]);
  }),
);

function limit(name: string, valueOf: (limited: Record<string, unknown>) => unknown): Column {
  return text(name, (object) => {
    const { limited } = specOf(object);
    const value = isFields(limited) ? valueOf(limited) : undefined;
    return typeof value === "number" ? value : "<none>";
  });
}

const queuing = (name: string): ((limited: Record<string, unknown>) => unknown) => {
  return ({ limitResponse }) => fieldsOf(fieldsOf(limitResponse)["queuing"])[name];
};

/** The columns of priority levels. */
export const priorityLevelColumns: readonly Column[] = named(
  text("Type", (object) => textOf(specOf(object)["type"])),
  limit("NominalConcurrencyShares", ({ nominalConcurrencyShares }) => nominalConcurrencyShares),
  limit("Queues", queuing("queues")),
  limit("HandSize", queuing("handSize")),
  limit("QueueLengthLimit", queuing("queueLengthLimit")),
  age,
);

/** The columns of ranges of addresses. */
export const serviceRangeColumns: readonly Column[] = named(
  text("CIDRs", (object) => listOf(specOf(object)["cidrs"]).map(textOf).join(",")),
  age,
);

/** The columns of addresses. */
export const addressColumns: readonly Column[] = named(
  text("ParentRef", (object) => {
    const { parentRef } = specOf(object);
    if (!isFields(parentRef)) return "<none>";
    const { group, resource, namespace, name } = parentRef;
    const type = [textOf(resource), textOf(group)].filter((part) => part !== "").join(".");
    return [type.toLowerCase(), textOf(namespace), textOf(name)].filter((part) => part !== "").join("/");
  }),
  age,
);

/** The columns of claims of devices. */
export const deviceClaimColumns: readonly Column[] = named(
  text("State", (object: ApiObject) => {
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    const { allocation, reservedFor } = statusOf(object);
    if (!isFields(allocation)) return isDeleted ? "deleted" : "pending";
    const states = isDeleted ? ["deleted", "allocated"] : ["allocated"];
    return [...states, ...(listOf(reservedFor).length > 0 ? ["reserved"] : [])].join(",");
  }),
  age,
);

/** The columns of slices of devices. */
export const deviceSliceColumns: readonly Column[] = named(
  text("Node", (object) => textOf(specOf(object)["nodeName"])),
  text("Driver", (object) => textOf(specOf(object)["driver"])),
  text("Pool", (object) => textOf(fieldsOf(specOf(object)["pool"])["name"])),
  age,
);

/** The columns of pod templates. */
export const podTemplateColumns: readonly Column[] = named(
  text("Containers", ({ template }) => containersOf(template).names),
  text("Images", ({ template }) => containersOf(template).images),
  text("Pod Labels", ({ template }) => {
    const labels = fieldsOf(fieldsOf(fieldsOf(template)["metadata"])["labels"]);
    return orNone(
      Object.entries(labels)
        .map(([name, value]) => `${name}=${textOf(value)}`)
        .sort()
        .join(","),
    );
  }),
);
