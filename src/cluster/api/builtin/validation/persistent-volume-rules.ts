// What PersistentVolumes must be, and what of them is settled once.
import { equal } from "../../../../schema/json-value.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFaults, subdomainFault, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { goForm } from "../go-form.ts";
import { nodeSelectorRule } from "./affinity-rules.ts";
import { accessModes } from "./claim-rules.ts";
import {
  all,
  fields,
  filled,
  forbidden,
  invalidStruct,
  isEmpty,
  oneOf,
  optional,
  required,
  text,
  type ChangeRule,
  type Rule,
} from "./rule.ts";
import {
  commonSources,
  csiDriver,
  iscsi,
  oneSource,
  secretReference,
  withoutDots,
  type VolumeSource,
} from "./volume-source-rules.ts";

const capacity: Rule = (value, at, parent) => {
  const names = Object.keys(fieldsOf(value));
  const causes: StatusCause[] = names.length === 0 ? [requiredValue(at)] : [];
  if (names.length !== 1 || names[0] !== "storage") {
    const shown = isFields(value) || isSentEmpty(parent, "capacity") ? fieldsOf(value) : null;
    causes.push(unsupportedValue(at, shown, ["storage"]));
  }
  for (const [name, amount] of Object.entries(fieldsOf(value))) {
    const quantity = parseQuantity(textOf(amount));
    if (quantity === undefined || quantity.nano > 0n) continue;
    const field = `${at}[${name}]`;
    if (quantity.nano < 0n) {
      const whole = Number(quantity.nano / 1_000_000_000n);
      causes.push(invalidValue(field, whole, "must be a valid resource quantity"));
    }
    causes.push(invalidValue(field, amount, "must be greater than zero"));
  }
  return causes;
};

/** A Secret of another namespace. */
const secretOf: Rule = optional(
  fields({
    name: all(required(), filled(text(subdomainFaults))),
    namespace: all(required(), filled(text(labelNameFaults))),
  }),
);

const csi: Rule = fields({
  driver: csiDriver,
  volumeHandle: required(),
  controllerPublishSecretRef: secretOf,
  controllerExpandSecretRef: secretOf,
  nodePublishSecretRef: secretOf,
  nodeExpandSecretRef: secretOf,
});

const local: Rule = (value, at, parent) => [
  ...fields({ path: all(required(), withoutDots) })(value, at, parent),
  ...(isFields(parent["nodeAffinity"])
    ? []
    : [requiredValue(at.replace(/local$/, "nodeAffinity"), "Local volume requires node affinity")]),
];

const glusterfs = fields({
  endpoints: required(),
  path: required(),
  endpointsNamespace: optional((value, at) => {
    if (value === "") {
      const detail = "if the endpointnamespace is set, it must be a valid namespace name";
      return [invalidValue(at, value, detail)];
    }
    return labelNameFaults(textOf(value)).map((fault) => invalidValue(at, value, fault));
  }),
});

const common = commonSources(secretReference("name", "namespace"));
const ofVolumes: Readonly<Record<string, Rule>> = {
  csi,
  local,
  glusterfs,
  iscsi: iscsi("must be valid format", secretReference("name")),
  azureFile: fields({
    secretName: required(),
    shareName: required(),
    secretNamespace: optional(required()),
  }),
};

/** In the order in which the real server looks at them. */
const sourceNames = (
  "hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc " +
  "flexVolume azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi"
).split(" ");
const source = oneSource(
  sourceNames.map((name): VolumeSource => {
    const source = common[name] ?? { name, rule: () => [] };
    // Of these the real server does not ask whether there is another source already.
    return { ...source, rule: ofVolumes[name] ?? source.rule, isBeside: name === "flexVolume" };
  }),
);

const nodeAffinity: Rule = optional((value, at, parent) => {
  const { required: terms } = fieldsOf(value);
  return terms === undefined
    ? [requiredValue(`${at}.required`, "must specify required node constraints")]
    : nodeSelectorRule(terms, `${at}.required`, parent);
});

const recycledRoot: Rule = (value, at) => {
  const { hostPath, persistentVolumeReclaimPolicy } = fieldsOf(value);
  const isRoot = /^\/[./]*$/.test(textOf(fieldsOf(hostPath)["path"]));
  if (!isRoot || persistentVolumeReclaimPolicy !== "Recycle") return [];
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  return [forbiddenValue(`${at}.persistentVolumeReclaimPolicy`, detail)];
};

const attributesClass: Rule = optional((value, at, parent) => {
  const fault = subdomainFault(textOf(value));
  return [
    ...(value === ""
      ? [requiredValue(at, "an empty string is disallowed")]
      : fault === undefined
        ? []
        : [invalidValue(at, value, fault)]),
    ...(parent["csi"] === undefined
      ? [
          requiredValue(
            at.replace(/volumeAttributesClassName$/, "csi"),
            "has to be specified when using volumeAttributesClassName",
          ),
        ]
      : []),
  ];
});

/** `PersistentVolume` of v1. */
export const volumeRules: Rule = fields({
  spec: all(
    fields({
      accessModes: all(required(), accessModes),
      capacity,
      persistentVolumeReclaimPolicy: filled(oneOf("Delete", "Recycle", "Retain")),
      nodeAffinity,
    }),
    (value, at) => source(value, at, fieldsOf(value)),
    recycledRoot,
    fields({
      storageClassName: filled(text(subdomainFaults)),
      volumeMode: optional(oneOf("Block", "Filesystem")),
      volumeAttributesClassName: attributesClass,
    }),
  ),
});

const inline = "in the context of inline volumes";
const neverInline = forbidden(`may not be specified ${inline}`);

/** A volume that an attachment describes itself, which is one of a driver. */
export const inlineVolumeRules: Rule = all(
  fields({
    claimRef: neverInline,
    capacity: neverInline,
    csi: (value, at) => (isFields(value) ? [] : [requiredValue(at, `has to be specified ${inline}`)]),
    accessModes: all(required(), accessModes),
    persistentVolumeReclaimPolicy: filled((value, at) =>
      value === "Retain" ? [] : [forbiddenValue(at, `may only be Retain ${inline}`)],
    ),
    nodeAffinity: neverInline,
  }),
  (value, at) => source(value, at, fieldsOf(value)),
  recycledRoot,
  fields({
    storageClassName: neverInline,
    volumeMode: optional((value, at) =>
      value === "Filesystem"
        ? []
        : [forbiddenValue(at, `may not specify volumeMode other than Filesystem ${inline}`)],
    ),
  }),
);

function sourceOf(spec: Fields): Fields {
  return Object.fromEntries(sourceNames.map((name) => [name, spec[name] ?? null]));
}

/** Where a volume is, is settled once; a Secret for its growth may be named later. */
export const volumeChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  // The real server looks at a changed volume twice.
  const causes: StatusCause[] = [...volumeRules(object, "", object)];
  const withoutExpansion = (of: Fields): Fields => {
    const { controllerExpandSecretRef: _, ...rest } = fieldsOf(of["csi"]);
    return { ...of, csi: rest };
  };
  const isNamed =
    isFields(before["csi"]) && isFields(spec["csi"]) && isEmpty(before["csi"]["controllerExpandSecretRef"]);
  const [now, then] = isNamed ? [withoutExpansion(spec), withoutExpansion(before)] : [spec, before];
  if (!equal(sourceOf(now), sourceOf(then))) {
    const detail = "spec.persistentvolumesource is immutable after creation\n";
    causes.push(forbiddenValue("spec.persistentvolumesource", detail));
  }
  if (!equal(spec["volumeMode"], before["volumeMode"])) {
    causes.push(invalidValue("volumeMode", spec["volumeMode"] ?? null, "field is immutable"));
  }
  if (before["nodeAffinity"] !== undefined && !equal(spec["nodeAffinity"], before["nodeAffinity"])) {
    const detail = "field is immutable, except for updating from beta label to GA";
    const affinity = spec["nodeAffinity"];
    causes.push(
      isFields(affinity)
        ? invalidStruct("nodeAffinity", goForm("io.k8s.api.core.v1.VolumeNodeAffinity", affinity), detail)
        : invalidValue("nodeAffinity", null, detail),
    );
  }
  if (before["volumeAttributesClassName"] !== undefined && spec["volumeAttributesClassName"] === undefined) {
    const detail = "update from non-nil value to nil is forbidden";
    causes.push(forbiddenValue("spec.volumeAttributesClassName", detail));
  }
  return causes;
};
