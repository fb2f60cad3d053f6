// What the objects of storage.k8s.io besides its StorageClasses must be: drivers, what nodes have of them, the room that is left,
// attachments, and classes of attributes.
import { equal } from "../../../../schema/json-value.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { qualifiedNameFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf } from "../../api-object.ts";
import { goForm } from "../go-form.ts";
import { provisionerParameters, provisioner } from "./class-rules.ts";
import {
  all,
  atLeast,
  fields,
  filled,
  isEmpty,
  oneOf,
  optional,
  required,
  type ChangeRule,
  type Rule,
  between,
  invalidStruct,
} from "./rule.ts";
import { inlineVolumeRules } from "./persistent-volume-rules.ts";
import { csiDriver } from "./volume-source-rules.ts";
import { labelSelectorRule, shownSelector } from "./webhook-rules.ts";

const leastTokenSeconds = 600;
const mostTokenSeconds = 2 ** 32;

/** Tokens that a driver is handed: each is for another audience. */
const tokenRequests: Rule = (value, at) => {
  const audiences = new Set<string>();
  return fieldsList(value).flatMap(({ audience = "", expirationSeconds }, index): readonly StatusCause[] => {
    const field = `${at}[${index}]`;
    const isTwice = audiences.has(textOf(audience));
    audiences.add(textOf(audience));
    if (isTwice) return [duplicateValue(`${field}.audience`, audience)];
    if (typeof expirationSeconds !== "number") return [];
    const detail =
      expirationSeconds < leastTokenSeconds
        ? "may not specify a duration less than 10 minutes"
        : expirationSeconds > mostTokenSeconds
          ? "may not specify a duration larger than 2^32 seconds"
          : undefined;
    return detail === undefined
      ? []
      : [invalidValue(`${field}.expirationSeconds`, expirationSeconds, detail)];
  });
};

const modes = ["Persistent", "Ephemeral"];

/** `CSIDriver`. */
export const driverRules: Rule = fields({
  spec: fields({
    fsGroupPolicy: optional(oneOf("File", "None", "ReadWriteOnceWithFSType")),
    tokenRequests,
    volumeLifecycleModes: (value, at) =>
      listOf(value)
        .filter((mode) => !modes.includes(textOf(mode)))
        .map((mode) => unsupportedValue(at, mode, modes)),
    serviceAccountTokenInSecrets: optional((value, at, { tokenRequests: requests }) =>
      listOf(requests).length > 0
        ? []
        : [invalidValue(at, value, "serviceAccountTokenInSecrets is set but no tokenRequests are specified")],
    ),
    nodeAllocatableUpdatePeriodSeconds: optional((value, at) =>
      Number(value) >= 10 ? [] : [invalidValue(at, value, "must be greater than or equal to 10 seconds")],
    ),
  }),
});

/** What a driver does with volumes is settled once. */
export const driverChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  return [
    ["attachRequired", "attachedRequired"],
    ["volumeLifecycleModes", "volumeLifecycleModes"],
  ].flatMap(([name = "", shown = ""]) =>
    equal(spec[name], before[name])
      ? []
      : [invalidValue(`spec.${shown}`, spec[name] ?? null, "field is immutable")],
  );
};

const longestNodeId = 256;

const nodeDrivers: Rule = (value, at) => {
  const names = new Set<string>();
  return fieldsList(value).flatMap((driver, index): readonly StatusCause[] => {
    const field = `${at}[${index}]`;
    const { name, nodeID, topologyKeys, allocatable } = driver;
    const causes = [...csiDriver(name, `${field}.name`, driver)];
    if (isEmpty(nodeID)) causes.push(requiredValue(`${field}.nodeID`));
    if (textOf(nodeID).length > longestNodeId) {
      causes.push(invalidValue(`${field}.nodeID`, nodeID, `must be ${longestNodeId} characters or less`));
    }
    causes.push(...atLeast(0)(fieldsOf(allocatable)["count"], `${field}.allocatable.count`, driver));
    if (names.has(textOf(name))) causes.push(duplicateValue(`${field}.name`, name));
    names.add(textOf(name));
    const seen = new Set<unknown>();
    for (const key of listOf(topologyKeys)) {
      if (key === "") causes.push(requiredValue(field));
      if (seen.has(key)) causes.push(duplicateValue(field, key));
      seen.add(key);
      causes.push(...qualifiedNameFaults(textOf(key)).map((fault) => invalidValue(field, key, fault)));
    }
    return causes;
  });
};

/** `CSINode`. */
export const storageNodeRules: Rule = fields({ spec: fields({ drivers: nodeDrivers }) });

/** What a node has of a driver is settled once, but for how many volumes it takes. */
export const storageNodeChanges: ChangeRule = ({ spec }, previous) => {
  const now = fieldsList(fieldsOf(spec)["drivers"]);
  return fieldsList(fieldsOf(previous["spec"])["drivers"]).flatMap(({ allocatable: _before, ...before }) =>
    now
      .filter(({ name }) => name === before["name"])
      .flatMap(({ allocatable: _now, ...driver }) =>
        equal(driver, before)
          ? []
          : [invalidStruct("spec.drivers", goForm(`${types}CSINodeDriver`, driver), "field is immutable")],
      ),
  );
};

/** `CSIStorageCapacity`. */
export const capacityRules: Rule = fields({
  nodeTopology: optional(labelSelectorRule),
  storageClassName: (value, at) => {
    return subdomainFaults(textOf(value)).map((fault) => invalidValue(at, value ?? "", fault));
  },
  capacity: optional((value, at) =>
    (parseQuantity(textOf(value))?.nano ?? 0n) < 0n
      ? [invalidValue(at, value, "must be greater than or equal to 0")]
      : [],
  ),
});

/** Where there is room, and of which class, is settled once. */
export const capacityChanges: ChangeRule = (object, previous) =>
  ["nodeTopology", "storageClassName"].flatMap((name) =>
    equal(object[name], previous[name])
      ? []
      : [
          name === "nodeTopology" && isFields(object[name])
            ? invalidStruct(name, shownSelector(object[name]), "field is immutable")
            : invalidValue(name, object[name] ?? (name === "nodeTopology" ? null : ""), "field is immutable"),
        ],
  );

const types = "io.k8s.api.storage.v1.";

const attachedSource: Rule = (value, at, parent) => {
  const { inlineVolumeSpec, persistentVolumeName } = fieldsOf(value);
  const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!isFields(inlineVolumeSpec) && persistentVolumeName === undefined) return [requiredValue(at, detail)];
  if (isFields(inlineVolumeSpec)) {
    return persistentVolumeName === undefined
      ? inlineVolumeRules(inlineVolumeSpec, `${at}.inlineVolumeSpec`, parent)
      : [forbiddenValue(at, detail)];
  }
  return persistentVolumeName === ""
    ? [requiredValue(`${at}.persistentVolumeName`, "must specify non empty persistentVolumeName")]
    : [];
};

/** `VolumeAttachment`. */
export const attachmentRules: Rule = fields({
  spec: fields({
    attacher: required(),
    source: attachedSource,
    nodeName: (value, at) => {
      return subdomainFaults(textOf(value)).map((fault) => invalidValue(at, value ?? "", fault));
    },
  }),
});

/** What a new attachment names besides. */
export const newAttachmentRules: Rule = fields({
  spec: fields({
    attacher: filled(csiDriver),
    source: fields({
      persistentVolumeName: optional((value, at) => {
        return subdomainFaults(textOf(value)).map((fault) => invalidValue(at, value, fault));
      }),
    }),
  }),
});

/** What is attached where is settled once. */
export const attachmentChanges: ChangeRule = (object, previous) =>
  equal(object["spec"], previous["spec"])
    ? []
    : [
        ...newAttachmentRules(object, "", object),
        invalidStruct("spec", goForm(`${types}VolumeAttachmentSpec`, object["spec"]), "field is immutable"),
      ];

const failure: Rule = optional(fields({ errorCode: optional(between(0, 2_147_483_647)) }));

/** The status of a `VolumeAttachment`. */
export const attachmentStatusRules: Rule = fields({
  status: fields({ attachError: failure, detachError: failure }),
});

/** `VolumeAttributesClass`. */
export const attributesClassRules: Rule = fields({
  driverName: provisioner,
  parameters: all(provisionerParameters, (value, at) =>
    Object.keys(fieldsOf(value)).length === 0
      ? [requiredValue(at, "must contain at least one key/value pair")]
      : [],
  ),
});

/** What a class of attributes says is settled once. */
export const attributesClassChanges: ChangeRule = (object, previous) =>
  ["driverName", "parameters"].flatMap((name) =>
    equal(object[name], previous[name]) ? [] : [forbiddenValue(name, `updates to ${name} are forbidden.`)],
  );
