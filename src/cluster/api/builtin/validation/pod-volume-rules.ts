// What the volumes of a pod must be, and how its containers mount them.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { labelNameFaults, subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, textOf, type Fields } from "../../api-object.ts";
import { claimSpecRules } from "./claim-rules.ts";
import { metadataOfTemplates } from "./label-rules.ts";
import { downwardFiles, keyFiles, projectedVolume } from "./projected-volume-rules.ts";
import {
  all,
  fields,
  filled,
  isEmpty,
  notFound,
  oneOf,
  optional,
  required,
  text,
  type Rule,
} from "./rule.ts";
import {
  commonSources,
  csiDriver,
  descending,
  fileMode,
  iscsi,
  oneSource,
  secretReference,
  withoutDots,
  type VolumeSource,
} from "./volume-source-rules.ts";

const secretRef = secretReference("name");

const emptyDir = fields({
  sizeLimit: optional((value, at) => {
    const quantity = parseQuantity(String(value));
    return quantity !== undefined && quantity.nano < 0n
      ? [forbiddenValue(at, "SizeLimit field must be a valid resource quantity")]
      : [];
  }),
});

const csi: Rule = (value, at, parent) => {
  const { driver, nodePublishSecretRef } = fieldsOf(value);
  const causes: StatusCause[] = [...csiDriver(driver, `${at}.driver`, parent)];
  if (nodePublishSecretRef === undefined) return causes;
  const { name } = fieldsOf(nodePublishSecretRef);
  if (isEmpty(name)) return [...causes, requiredValue(`${at}.nodePublishSecretRef.name`)];
  const fault = subdomainFault(textOf(name));
  return fault === undefined ? causes : [...causes, invalidValue(`${at}.name`, name, fault)];
};

const image: Rule = fields({
  pullPolicy: filled(oneOf("Always", "IfNotPresent", "Never")),
});

const common = commonSources(secretRef);
const ofPods: Readonly<Record<string, Rule>> = {
  emptyDir,
  csi,
  image,
  gitRepo: fields({ repository: required(), directory: descending }),
  secret: fields({ secretName: required(), defaultMode: fileMode, items: keyFiles }),
  configMap: fields({ name: required(), defaultMode: fileMode, items: keyFiles }),
  iscsi: iscsi("must be valid format starting with iqn, eui, or naa", () => []),
  glusterfs: fields({ endpoints: required(), path: required() }),
  persistentVolumeClaim: fields({ claimName: required() }),
  azureFile: fields({ secretName: required(), shareName: required() }),
  projected: projectedVolume,
  ephemeral: fields({
    volumeClaimTemplate: (value, at, parent) =>
      isFields(value)
        ? fields({ metadata: metadataOfTemplates, spec: claimSpecRules })(value, at, parent)
        : [requiredValue(at)],
  }),
};

/** In the order in which the real server looks at them. */
const sources: readonly VolumeSource[] = (
  "emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker " +
  "persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile vsphereVolume " +
  "photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi ephemeral image"
)
  .split(" ")
  .map((name): VolumeSource => {
    if (name === "downwardAPI") {
      const rule = all(fields({ defaultMode: fileMode }), downwardFiles);
      return { name, rule, forbiddenAs: "downwarAPI" };
    }
    return common[name] ?? { name, rule: ofPods[name] ?? (() => []) };
  });
const volumeSource = oneSource(sources);

const nameFaults = all(required(), filled(text(labelNameFaults)));

/** The faults of the volumes of a pod, and those that its containers can mount, by name. */
export function volumeFaults(
  spec: Fields,
  at: string,
): { readonly causes: readonly StatusCause[]; readonly volumes: ReadonlyMap<unknown, Fields> } {
  const volumes = new Map<unknown, Fields>();
  const causes: StatusCause[] = [];
  for (const [index, volume] of fieldsList(spec["volumes"]).entries()) {
    const field = `${at}.volumes[${index}]`;
    const { name } = volume;
    const found = [
      ...volumeSource(volume, field, volume),
      ...nameFaults(name, `${field}.name`, volume),
      ...(volumes.has(name) ? [duplicateValue(`${field}.name`, name)] : []),
    ];
    if (found.length === 0) volumes.set(name, volume);
    causes.push(...found);
  }
  return { causes, volumes };
}

/** How far mounts are seen: wider than a container only where it is privileged. */
function propagationFaults(mode: unknown, container: Fields, at: string): readonly StatusCause[] {
  if (mode === undefined) return [];
  const known = ["Bidirectional", "HostToContainer", "None"];
  if (!known.includes(textOf(mode))) return [unsupportedValue(at, mode, known)];
  const { privileged } = fieldsOf(container["securityContext"]);
  if (mode !== "Bidirectional" || privileged === true) return [];
  const detail = "Bidirectional mount propagation is available only to privileged containers";
  return [forbiddenValue(at, detail)];
}

function recursionFaults(mount: Fields, at: string): readonly StatusCause[] {
  const { recursiveReadOnly: mode, readOnly, mountPropagation } = mount;
  if (mode === undefined || mode === "Disabled") return [];
  if (mode !== "Enabled" && mode !== "IfPossible") {
    return [unsupportedValue(at, mode, ["Disabled", "Enabled", "IfPossible"])];
  }
  return [
    ...(readOnly === true ? [] : [forbiddenValue(at, "may only be specified when readOnly is true")]),
    ...(mountPropagation === undefined || mountPropagation === "None"
      ? []
      : [forbiddenValue(at, "may only be specified when mountPropagation is None or not specified")]),
  ];
}

/** The faults of the mounts of a container; those of a part of a mount name no index, as the real server's. */
export function mountFaults(
  container: Fields,
  at: string,
  volumes: ReadonlyMap<unknown, Fields>,
): readonly StatusCause[] {
  const devices = fieldsList(container["volumeDevices"]);
  const taken = new Set<unknown>();
  const list = `${at}.volumeMounts`;
  return fieldsList(container["volumeMounts"]).flatMap((mount, index): readonly StatusCause[] => {
    const field = `${list}[${index}]`;
    const { name, mountPath = "", subPath, subPathExpr } = mount;
    const causes: StatusCause[] = [];
    if (isEmpty(name)) causes.push(requiredValue(`${field}.name`));
    if (!volumes.has(name)) causes.push(notFound(`${field}.name`, name ?? ""));
    if (isEmpty(mountPath)) causes.push(requiredValue(`${field}.mountPath`));
    if (taken.has(mountPath)) causes.push(invalidValue(`${field}.mountPath`, mountPath, "must be unique"));
    taken.add(mountPath);
    if (devices.some((device) => device["name"] === name)) {
      causes.push(invalidValue(`${field}.name`, name, "must not already exist in volumeDevices"));
    }
    if (devices.some((device) => device["devicePath"] === mountPath)) {
      const detail = "must not already exist as a path in volumeDevices";
      causes.push(invalidValue(`${field}.mountPath`, mountPath, detail));
    }
    const parts = Object.entries({ subPath, subPathExpr }).filter(([, part]) => !isEmpty(part));
    for (const [part, given] of parts) {
      if (part === "subPathExpr" && parts.length > 1) {
        const detail = "subPathExpr and subPath are mutually exclusive";
        causes.push(invalidValue(`${field}.subPathExpr`, given, detail));
      }
      causes.push(...descending(given, `${list}.${part}`, mount));
    }
    return [
      ...causes,
      ...propagationFaults(mount["mountPropagation"], container, `${list}.mountPropagation`),
      ...recursionFaults(mount, `${list}.recursiveReadOnly`),
    ];
  });
}

/** The faults of the block devices of a container, which only claims can be. */
export function deviceFaults(
  container: Fields,
  at: string,
  volumes: ReadonlyMap<unknown, Fields>,
): readonly StatusCause[] {
  const mounts = fieldsList(container["volumeMounts"]);
  const [names, paths] = [new Set<unknown>(), new Set<unknown>()];
  return fieldsList(container["volumeDevices"]).flatMap((device, index): readonly StatusCause[] => {
    const field = `${at}.volumeDevices[${index}]`;
    const { name = "", devicePath: path = "" } = device;
    const volume = volumes.get(name);
    const causes: StatusCause[] = [];
    if (isEmpty(name)) causes.push(requiredValue(`${field}.name`));
    if (names.has(name)) causes.push(invalidValue(`${field}.name`, name, "must be unique"));
    if (volume === undefined) causes.push(notFound(`${field}.name`, name));
    else if (volume["persistentVolumeClaim"] === undefined && volume["ephemeral"] === undefined) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      causes.push(invalidValue(`${field}.name`, name, detail));
    }
    if (isEmpty(path)) causes.push(requiredValue(`${field}.devicePath`));
    if (paths.has(path)) causes.push(invalidValue(`${field}.devicePath`, path, "must be unique"));
    if (withoutDots(path, "", device).length > 0) {
      causes.push(invalidValue(`${field}.devicePath`, path, "can not contain backsteps ('..')"));
    } else paths.add(path);
    if (mounts.some((mount) => mount["name"] === name)) {
      causes.push(invalidValue(`${field}.name`, name, "must not already exist in volumeMounts"));
    }
    if (mounts.some((mount) => mount["mountPath"] === path)) {
      const detail = "must not already exist as a path in volumeMounts";
      causes.push(invalidValue(`${field}.devicePath`, path, detail));
    }
    if (!isEmpty(name)) names.add(name);
    return causes;
  });
}
