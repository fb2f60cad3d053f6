// What the sources of a projected volume must be, and the files that tell a pod about itself.
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, textOf, type Fields } from "../../api-object.ts";
import { all, each, fields, isEmpty, required, type Rule } from "./rule.ts";
import { fileMode, localPath } from "./volume-source-rules.ts";

/** The keys of a ConfigMap or a Secret, with the files that they become. */
export const keyFiles: Rule = each(
  fields({ key: required(), path: all(required(), localPath), mode: fileMode }),
);

/** The parts of a pod that a volume can hold. */
const volumeFields = ["annotations", "labels", "name", "namespace", "uid"].map((name) => `metadata.${name}`);
/** The parts of a pod that a variable can hold. */
const variableFields = (
  "metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName " +
  "status.hostIP status.hostIPs status.podIP status.podIPs"
).split(" ");
const knownFields = new Set([...volumeFields, ...variableFields, "spec.restartPolicy", "status.phase"]);

/** A reference to a part of the pod. */
function fieldReference(supported: readonly string[]): Rule {
  return (value, at) => {
    const { apiVersion = "v1", fieldPath } = fieldsOf(value);
    const path = textOf(fieldPath);
    if (path === "") return [requiredValue(`${at}.fieldPath`)];
    const refused = (fault: string): readonly StatusCause[] => [
      invalidValue(`${at}.fieldPath`, path, `error converting fieldPath: ${fault}`),
    ];
    if (apiVersion !== "v1") return refused(`unsupported pod version: ${textOf(apiVersion)}`);
    const [, name, key = ""] = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(path) ?? [];
    if (name !== undefined) {
      const given = name === "metadata.annotations" ? key.toLowerCase() : key;
      return qualifiedNameFaults(given).map((fault) => invalidValue(at, given, fault));
    }
    if (!knownFields.has(path)) return refused(`field label not supported: ${path}`);
    return supported.includes(path) ? [] : [unsupportedValue(`${at}.fieldPath`, path, supported)];
  };
}

/** A reference of a variable to a part of the pod. */
export const variableFieldReference = fieldReference(variableFields);

const amounts = ["limits", "requests"].flatMap((part) =>
  ["cpu", "ephemeral-storage", "memory"].map((name) => `${part}.${name}`),
);
const wholeDivisors = "1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei".split(" ");
const divisors: readonly (readonly [pattern: RegExp, what: string, divisors: readonly string[]])[] = [
  [/^(?:limits|requests)\.cpu$/, "cpu", ["1m", "1"]],
  [/^(?:limits|requests)\.memory$/, "memory", wholeDivisors],
  [/^(?:limits|requests)\.ephemeral-storage$/, "local ephemeral storage", wholeDivisors],
  [/^(?:limits|requests)\.hugepages-/, "hugepages", wholeDivisors],
];

/** A reference to what a container asks for, or may have; in a volume it names the container. */
export function resourceReference(inVolume: boolean): Rule {
  return (value, at) => {
    const { containerName, resource, divisor = "0" } = fieldsOf(value);
    const name = textOf(resource);
    const causes: StatusCause[] = [];
    if (inVolume && isEmpty(containerName)) causes.push(requiredValue(`${at}.containerName`));
    else if (name === "") causes.push(requiredValue(`${at}.resource`));
    else if (!amounts.includes(name) && !/^(?:limits|requests)\.hugepages-/.test(name)) {
      causes.push(unsupportedValue(`${at}.resource`, name, amounts));
    }
    const amount = parseQuantity(String(divisor));
    const row = divisors.find(([pattern]) => pattern.test(name));
    if (amount === undefined || amount.nano === 0n || row === undefined) return causes;
    const [, what, supported] = row;
    if (supported.some((each_) => parseQuantity(each_)?.nano === amount.nano)) return causes;
    const words = what === "cpu" ? "1m and 1" : supported.join(", ");
    const detail = `only divisor's values ${words} are supported with the ${what} resource`;
    return [...causes, invalidValue(`${at}.divisor`, name, detail)];
  };
}

/** A file that holds a part of the pod; faults of its source stand where the files are listed. */
const podFile: Rule = (value, at, parent) => {
  const { fieldRef, resourceFieldRef } = fieldsOf(value);
  const causes: StatusCause[] = [...fields({ path: all(required(), localPath) })(value, at, parent)];
  if (fieldRef !== undefined) {
    causes.push(...fieldReference(volumeFields)(fieldRef, `${at}.fieldRef`, parent));
    if (resourceFieldRef !== undefined) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      causes.push(invalidValue(at, "resource", detail));
    }
  } else if (resourceFieldRef !== undefined) {
    causes.push(...resourceReference(true)(resourceFieldRef, `${at}.resourceFieldRef`, parent));
  } else causes.push(requiredValue(at, "one of fieldRef and resourceFieldRef is required"));
  return [...causes, ...fields({ mode: fileMode })(value, at, parent)];
};

/** Files that tell a pod about itself. */
export const downwardFiles: Rule = (value, at) =>
  fieldsList(fieldsOf(value)["items"]).flatMap((item) => podFile(item, at, item));

const token: Rule = (value, at, parent) => {
  const { expirationSeconds = 3_600 } = fieldsOf(value);
  const seconds = Number(expirationSeconds);
  const detail =
    seconds < 600
      ? "may not specify a duration less than 10 minutes"
      : seconds > 2 ** 32
        ? "may not specify a duration larger than 2^32 seconds"
        : undefined;
  return [
    ...(detail === undefined ? [] : [invalidValue(`${at}.expirationSeconds`, seconds, detail)]),
    // The real server names the file as if it were a field of the volume.
    ...fields({ path: (path, _at, whole) => all(required(), localPath)(path, volumePath(at), whole) })(
      value,
      at,
      parent,
    ),
  ];
};

function volumePath(at: string): string {
  return at.replace(/\.sources\[\d+\]\.serviceAccountToken$/, ".path");
}

const named = fields({ name: required(), items: keyFiles });
const sources: Readonly<Record<string, Rule>> = {
  secret: named,
  configMap: named,
  downwardAPI: downwardFiles,
  serviceAccountToken: token,
};

/** The files of a source of a projected volume, with what names a file that is there already. */
function filesOf(source: Fields): readonly (readonly [path: string, shown: unknown])[] {
  const { secret, configMap, downwardAPI } = source;
  const filesIn = (of: unknown): readonly string[] =>
    fieldsList(fieldsOf(of)["items"]).map(({ path }) => textOf(path));
  return [
    ...[secret, configMap].flatMap((of) =>
      filesIn(of).map((path) => [path, fieldsOf(of)["name"] ?? ""] as const),
    ),
    ...filesIn(downwardAPI).map((path) => [path, path] as const),
  ];
}

/** A volume made of several sources, no two of which write the same file. */
export const projectedVolume: Rule = all(fields({ defaultMode: fileMode }), (value, at) => {
  const taken = new Set<string>();
  return fieldsList(fieldsOf(value)["sources"]).flatMap((source, index) => {
    const field = `${at}.sources[${index}]`;
    const given = Object.keys(sources).filter((name) => source[name] !== undefined);
    const causes = given.flatMap((name) => sources[name]?.(source[name], `${field}.${name}`, source) ?? []);
    for (const [path, shown] of filesOf(source)) {
      if (path !== "" && taken.has(path)) {
        causes.push(invalidValue(at, shown, "conflicting duplicate paths"));
      }
      taken.add(path);
    }
    if (given.length > 1) {
      causes.push(forbiddenValue(field, "may not specify more than 1 volume type per source"));
    }
    return causes;
  });
});
