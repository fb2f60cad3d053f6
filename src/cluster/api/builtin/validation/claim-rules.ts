// What claims of volumes must be, and what of them is settled once; also of those in templates.
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { equal } from "../../../../schema/json-value.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import {
  labelNameFaults,
  qualifiedNameFaults,
  subdomainFault,
  subdomainFaults,
} from "../../../../meta/name-rules.ts";
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import {
  all,
  each,
  fields,
  filled,
  invalidStruct,
  isEmpty,
  oneOf,
  optional,
  required,
  text,
  type ChangeRule,
  type Rule,
} from "./rule.ts";
import { labelSelectorRule } from "./webhook-rules.ts";

const known = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** How a volume may be mounted: by one pod only, or else in one of several ways. */
export const accessModes: Rule = (value, at, parent) => {
  const modes = listOf(value);
  const isOfOnePod = modes.includes("ReadWriteOncePod");
  const isOfOthers = modes.some((mode) => mode !== "ReadWriteOncePod" && known.includes(textOf(mode)));
  return [
    ...modes.flatMap((mode) => oneOf(...known)(mode, at, parent)),
    ...(isOfOnePod && isOfOthers
      ? [forbiddenValue(at, "may not use ReadWriteOncePod with other access modes")]
      : []),
  ];
};

const referenceFault = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
const className = filled(text(subdomainFaults));

/** What fills a claim. */
const source: Rule = optional((value, at) => {
  const { name, kind, apiGroup, namespace } = fieldsOf(value);
  const group = isEmpty(apiGroup) ? undefined : subdomainFault(textOf(apiGroup));
  const space = textOf(namespace);
  return [
    ...(isEmpty(name) ? [requiredValue(`${at}.name`)] : []),
    ...(isEmpty(kind) ? [requiredValue(`${at}.kind`)] : []),
    ...(isEmpty(apiGroup) && kind !== "PersistentVolumeClaim"
      ? [invalidValue(at, kind ?? "", referenceFault)]
      : []),
    ...(group === undefined ? [] : [invalidValue(`${at}.apiGroup`, apiGroup, group)]),
    ...(space === "" ? [] : labelNameFaults(space)).map((fault) =>
      invalidValue(`${at}.namespace`, space, fault),
    ),
  ];
});

/** It is said in two fields, which say the same. */
const sameSource: Rule = (value, at): readonly StatusCause[] => {
  const { dataSource, dataSourceRef } = fieldsOf(value);
  if (!isFields(dataSource) || !isFields(dataSourceRef)) return [];
  if (!isEmpty(dataSourceRef["namespace"])) {
    return [invalidStruct(at, {}, "may not be specified when dataSourceRef.namespace is specified")];
  }
  const isSame = ["apiGroup", "kind", "name"].every((name) => dataSource[name] === dataSourceRef[name]);
  return isSame ? [] : [invalidStruct(at, {}, "must match dataSourceRef")];
};

const size: Rule = (value, at) => {
  const { storage } = fieldsOf(fieldsOf(value)["requests"]);
  if (storage === undefined) return [requiredValue(`${at}[storage]`)];
  const amount = parseQuantity(textOf(storage));
  if (amount === undefined || amount.nano > 0n) return [];
  return [invalidValue(`${at}[storage]`, storage, "must be greater than zero")];
};

/** The spec of a claim, also of one in a template. */
export const claimSpecRules: Rule = all(
  fields({
    accessModes: required("at least 1 access mode is required"),
    selector: optional(labelSelectorRule),
  }),
  fields({
    accessModes,
    resources: size,
    storageClassName: className,
    volumeMode: optional(oneOf("Block", "Filesystem")),
    dataSource: source,
    dataSourceRef: source,
  }),
  sameSource,
  fields({ volumeAttributesClassName: className }),
);

/** `PersistentVolumeClaim` of v1. */
export const claimRules: Rule = fields({ spec: claimSpecRules });

/** What is stored of a claim, or was promised to it, by the name of the resource: nothing below zero. */
const amounts: Rule = (value, at) =>
  Object.entries(fieldsOf(value)).flatMap(([name, amount]) => {
    const { nano = 0n } = parseQuantity(textOf(amount)) ?? {};
    if (nano >= 0n) return [];
    const whole = Number(nano / 1_000_000_000n);
    return [invalidValue(`${at}[${name}]`, whole, "must be a valid resource quantity")];
  });

/** Claims ask for storage, and for what Kubernetes knows nothing of. */
function claimedNameFaults(name: string, at: string): readonly StatusCause[] {
  const faults = qualifiedNameFaults(name).map((fault) => invalidValue(at, name, fault));
  if (faults.length > 0) return faults;
  const isOwn = !name.includes("/") || name.includes("kubernetes.io/");
  return isOwn && name !== "storage" ? [unsupportedValue(at, name, ["storage"])] : [];
}

const resizeStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** The status of a claim. */
export const claimStatusRules: Rule = fields({
  status: fields({
    capacity: amounts,
    allocatedResourceStatuses: (value, at) =>
      Object.entries(fieldsOf(value)).flatMap(([name, state]) => [
        ...claimedNameFaults(name, at),
        ...(resizeStates.includes(textOf(state)) ? [] : [unsupportedValue(at, name, resizeStates)]),
      ]),
    allocatedResources: (value, at, parent) =>
      Object.entries(fieldsOf(value)).flatMap(([name, amount]) => {
        const faults = claimedNameFaults(name, at);
        return faults.length > 0 ? faults : amounts({ [name]: amount }, at, parent);
      }),
  }),
});

const claimChange =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/** A claim is bound once, and grows only while it is. */
export const claimChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  const isBound = fieldsOf(previous["status"])["phase"] === "Bound";
  const changed = Object.keys({ ...before, ...spec }).filter((name) => !equal(spec[name], before[name]));
  const allowed = (name: string): boolean =>
    (isBound && (name === "resources" || name === "volumeAttributesClassName")) ||
    // Settled after the claim was made: the volume by whoever binds it, the class by default.
    ((name === "volumeName" || name === "storageClassName") && before[name] === undefined);
  const requested = (claim: Fields): bigint => amountOf(fieldsOf(fieldsOf(claim["resources"])["requests"]));
  const size = requested(spec);
  const isTooSmall =
    size < requested(before) && size <= amountOf(fieldsOf(fieldsOf(previous["status"])["capacity"]));
  return [
    ...(changed.every(allowed) ? [] : [forbiddenValue("spec", claimChange)]),
    ...(isTooSmall
      ? [forbiddenValue("spec.resources.requests.storage", "field can not be less than status.capacity")]
      : []),
    ...(spec["volumeMode"] === before["volumeMode"]
      ? []
      : [invalidValue("volumeMode", spec["volumeMode"] ?? null, "field is immutable")]),
  ];
};

/** Of storage; none is no amount. */
function amountOf({ storage }: Fields): bigint {
  return parseQuantity(textOf(storage))?.nano ?? 0n;
}

/** The templates of claims in a StatefulSet. */
export const claimTemplateRules: Rule = each((template, at, parent: Fields) =>
  claimSpecRules(fieldsOf(template)["spec"], `${at}.spec`, parent),
);
