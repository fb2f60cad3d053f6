// What the sources of volumes must be that pods and PersistentVolumes have in common, and how one of several is named.
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFaults, subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import { all, fields, filled, isEmpty, keys, oneOf, optional, required, text, type Rule } from "./rule.ts";

/** A source of volumes: its field, and what it must be. */
export interface VolumeSource {
  readonly name: string;
  readonly rule: Rule;
  /** The field that its faults name, where the real server names another one. */
  readonly shownAs?: string;
  /** The field that is named where there is another source already, if it is another one. */
  readonly forbiddenAs?: string;
  /** Whether it may be there beside others. Default false. */
  readonly isBeside?: boolean;
}

/** Exactly one of several sources, in the order in which the real server looks at them; the first one is looked into. */
export function oneSource(sources: readonly VolumeSource[]): Rule {
  return (value, at, parent) => {
    const volume = fieldsOf(value);
    const given = sources.filter(({ name }) => volume[name] !== undefined);
    if (given.length === 0) return [requiredValue(at, "must specify a volume type")];
    return given.flatMap(({ name, rule, shownAs = name, forbiddenAs = name, isBeside = false }, index) =>
      index === 0 || isBeside
        ? rule(volume[name], `${at}.${shownAs}`, parent)
        : [forbiddenValue(`${at}.${forbiddenAs}`, "may not specify more than 1 volume type")],
    );
  };
}

/** A path without steps back. */
export const withoutDots: Rule = (value, at) =>
  textOf(value).split("/").includes("..") ? [invalidValue(at, value, "must not contain '..'")] : [];

/** A path below where it is used. */
export const descending: Rule = all(
  (value, at) => (textOf(value).startsWith("/") ? [invalidValue(at, value, "must be a relative path")] : []),
  withoutDots,
);

/** A path below where it is used, which the server keeps for nothing of its own. */
export const localPath: Rule = all(descending, (value, at) =>
  /^\.\.(?!\/)./.test(textOf(value)) ? [invalidValue(at, value, "must not start with '..'")] : [],
);

/** The bits of a file's mode. */
export const fileMode: Rule = optional((value, at) =>
  Number(value) >= 0 && Number(value) <= 511
    ? []
    : [invalidValue(at, value, "must be a number between 0 and 0777 (octal), both inclusive")],
);

/** The number of something, `shown` where it is outside its range. */
function numberUpTo255(shown: string): Rule {
  return optional((value, at) =>
    Number(value) >= 0 && Number(value) <= 255 ? [] : [invalidValue(at, value, shown)],
  );
}
const partition = numberUpTo255("must be between 1 and 255, inclusive");
const lun = numberUpTo255("must be between 0 and 255, inclusive");

/** A reference by name, and by namespace where the source is of the whole cluster. */
export function secretReference(...names: readonly string[]): Rule {
  return optional(fields(Object.fromEntries(names.map((name) => [name, required()]))));
}

const hostPathTypes = " BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket".split(
  " ",
);
const hostPath: Rule = (value, at, parent) =>
  isEmpty(fieldsOf(value)["path"])
    ? [requiredValue(`${at}.path`)]
    : fields({ path: withoutDots, type: optional(oneOf(...hostPathTypes)) })(value, at, parent);

const nfs = fields({
  server: required(),
  path: all(required(), (value, at) =>
    textOf(value).startsWith("/") ? [] : [invalidValue(at, value ?? "", "must be an absolute path")],
  ),
});

const flocker: Rule = (value, at) => {
  const { datasetName, datasetUUID } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (isEmpty(datasetName) && isEmpty(datasetUUID)) {
    causes.push(requiredValue(at, "one of datasetName and datasetUUID is required"));
  }
  if (!isEmpty(datasetName) && !isEmpty(datasetUUID)) {
    const detail = "datasetName and datasetUUID can not be specified simultaneously";
    causes.push(invalidValue(at, "resource", detail));
  }
  if (textOf(datasetName).includes("/")) {
    causes.push(invalidValue(`${at}.datasetName`, datasetName, "must not contain '/'"));
  }
  return causes;
};

const registryFault = "must be a host:port pair or multiple pairs separated by commas";
const quobyte: Rule = (value, at) => {
  const { registry, tenant, volume } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (isEmpty(registry)) causes.push(requiredValue(`${at}.registry`, registryFault));
  else if (textOf(tenant).length >= 65) {
    const detail = "must be a UUID and may not exceed a length of 64 characters";
    causes.push(requiredValue(`${at}.tenant`, detail));
  } else {
    for (const pair of textOf(registry).split(",")) {
      if (!/^(?:[^:[\]]*|\[[^\]]*\]):[^:]*$/.test(pair)) {
        causes.push(invalidValue(`${at}.registry`, registry, registryFault));
      }
    }
  }
  if (isEmpty(volume)) causes.push(requiredValue(`${at}.volume`));
  return causes;
};

const fibreChannel: Rule = (value, at, parent) => {
  const given = fieldsOf(value);
  const [named, wide] = [listOf(given["targetWWNs"]).length > 0, listOf(given["wwids"]).length > 0];
  const causes: StatusCause[] = [];
  if (!named && !wide) {
    const detail = "must specify either targetWWNs or wwids, but not both";
    causes.push(requiredValue(`${at}.targetWWNs`, detail));
  }
  if (named && wide) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    causes.push(invalidValue(`${at}.targetWWNs`, given["targetWWNs"], detail));
  }
  if (!named) return causes;
  if (given["lun"] === undefined) {
    return [...causes, requiredValue(`${at}.lun`, "lun is required if targetWWNs is specified")];
  }
  return [...causes, ...lun(given["lun"], `${at}.lun`, parent)];
};

const azureDisk: Rule = (value, at, parent) => {
  const { kind = "Shared", diskURI } = fieldsOf(value);
  const disk = textOf(diskURI);
  const causes = fields({
    diskName: required(),
    diskURI: required(),
    cachingMode: optional(oneOf("None", "ReadOnly", "ReadWrite")),
    kind: optional(oneOf("Dedicated", "Managed", "Shared")),
  })(value, at, parent);
  const [start, pattern] =
    kind === "Managed"
      ? [
          "/subscriptions/",
          "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
        ]
      : ["https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"];
  return disk.startsWith(start) ? causes : [...causes, unsupportedValue(`${at}.diskURI`, disk, [pattern])];
};

const qualifiedTarget = /iqn\.\d{4}-\d{2}\.([-.A-Za-z0-9]+)(:[^,;*&$|\s]+)$/;
const targetForms: Readonly<Record<string, RegExp>> = {
  iqn: qualifiedTarget,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

/** What is wrong with the name of an iSCSI target or initiator. */
function targetFault(name: string, ofOtherForm: string): string | undefined {
  const form = targetForms[name.slice(0, 3)];
  if (form === undefined) return ofOtherForm;
  return form.test(name) ? undefined : "must be valid format";
}

/** A source of iSCSI; the words for a name of no known form differ between pods and PersistentVolumes. */
export function iscsi(ofOtherForm: string, secretRef: Rule): Rule {
  const named = text((name) => targetFault(name, ofOtherForm));
  return (value, at, parent) => {
    const { chapAuthDiscovery, chapAuthSession, initiatorName } = fieldsOf(value);
    const isSecret = chapAuthDiscovery === true || chapAuthSession === true;
    return [
      ...fields({
        targetPortal: required(),
        iqn: all(required(), filled(named)),
        lun,
        secretRef: isSecret ? all(required(), secretRef) : secretRef,
      })(value, at, parent),
      ...named(initiatorName, `${at}.initiatorname`, parent),
    ];
  };
}

/** The options of a flexible volume; those of Kubernetes are its own. */
export const flexVolume = fields({
  driver: required(),
  options: keys((option) =>
    /\.(?:kubernetes|k8s)\.io$/.test(`.${(option.split("/")[0] ?? "").toLowerCase()}`)
      ? "kubernetes.io and k8s.io namespaces are reserved"
      : undefined,
  ),
});

/** The name of a driver of the Container Storage Interface. */
export const csiDriver: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  const fault = subdomainFault(name.toLowerCase());
  return [
    ...(name.length > 63 ? [tooLong(at, 63)] : []),
    ...(fault === undefined ? [] : [invalidValue(at, name, fault)]),
  ];
};

const label = filled(text(labelNameFaults));

/** What the sources must be that are the same in pods and in PersistentVolumes, but for what `secretRef` must name. */
export function commonSources(secretRef: Rule): Readonly<Record<string, VolumeSource>> {
  const rules: Readonly<Record<string, Rule>> = {
    hostPath,
    nfs,
    flocker,
    quobyte,
    fc: fibreChannel,
    azureDisk,
    flexVolume,
    awsElasticBlockStore: fields({ volumeID: required(), partition }),
    rbd: fields({ monitors: required(), image: required() }),
    cinder: fields({ volumeID: required(), secretRef }),
    vsphereVolume: fields({ volumePath: required() }),
    photonPersistentDisk: fields({ pdID: required() }),
    portworxVolume: fields({ volumeID: required() }),
    scaleIO: fields({ gateway: required(), system: required(), volumeName: required() }),
    storageos: fields({ volumeName: all(required(), label), volumeNamespace: label, secretRef }),
  };
  return {
    ...Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, { name, rule }])),
    gcePersistentDisk: {
      name: "gcePersistentDisk",
      shownAs: "persistentDisk",
      rule: fields({ pdName: required(), partition }),
    },
    cephfs: { name: "cephfs", forbiddenAs: "cephFS", rule: fields({ monitors: required() }) },
  };
}
