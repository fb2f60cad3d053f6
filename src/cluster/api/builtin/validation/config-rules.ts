// What ConfigMaps, Secrets and claims must be.
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { equal } from "../../../../schema/json-value.ts";
import { forbiddenValue, invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { claimFormRules } from "./workload-form-rules.ts";
import {
  all,
  each,
  fields,
  invalidStruct,
  keys,
  oneOf,
  optional,
  required,
  type ChangeRule,
  type Rule,
} from "./rule.ts";

/** What is wrong with the key of an entry of a ConfigMap or a Secret, or undefined. */
export function configKeyFault(key: string): string | undefined {
  if (key.length > 253) return "must be no more than 253 characters";
  if (key === ".") return "must not be '.'";
  if (key === "..") return "must not be '..'";
  if (key.startsWith("..")) return "must not start with '..'";
  if (/^[-._a-zA-Z0-9]+$/.test(key)) return undefined;
  return "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
}

/** `ConfigMap` of v1. */
export const configMapRules: Rule = fields({
  data: all(keys(configKeyFault), (value, at, parent) =>
    Object.keys(fieldsOf(value)).flatMap((key) =>
      Object.hasOwn(fieldsOf(parent["binaryData"]), key)
        ? [invalidValue(`${at}[${key}]`, key, "duplicate of key present in binaryData")]
        : [],
    ),
  ),
  binaryData: keys(configKeyFault),
});

/** What a secret of a type must hold. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

/** `Secret` of v1. */
export const secretRules: Rule = all(fields({ data: keys(configKeyFault) }), (secret) => {
  const { type, data, metadata } = fieldsOf(secret);
  const held = fieldsOf(data);
  const missing = (names: readonly string[]): readonly string[] =>
    names.filter((name) => !Object.hasOwn(held, name));
  if (type === "kubernetes.io/service-account-token") {
    const name = "kubernetes.io/service-account.name";
    const { annotations } = fieldsOf(metadata);
    return typeof fieldsOf(annotations)[name] === "string"
      ? []
      : [requiredValue(`metadata.annotations[${name}]`)];
  }
  if (type === "kubernetes.io/basic-auth") {
    const names = ["username", "password"];
    // Either of them will do.
    return missing(names).length < 2 ? [] : names.map((name) => requiredValue(`data[${name}]`));
  }
  const wanted = typeof type === "string" && Object.hasOwn(secretKeys, type) ? secretKeys[type] : [];
  return missing(wanted ?? []).map((name) => requiredValue(`data[${name}]`));
});

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** The spec of a claim, also of one in a template. */
export const claimSpecRules: Rule = all(
  claimFormRules,
  fields({
    accessModes: all(required("at least 1 access mode is required"), (value, at, parent) =>
      listOf(value).flatMap((mode) => oneOf(...accessModes)(mode, at, parent)),
    ),
    resources: (value, at) => {
      const { storage } = fieldsOf(fieldsOf(value)["requests"]);
      if (storage === undefined) return [requiredValue(`${at}[storage]`)];
      const size = parseQuantity(textOf(storage));
      if (size === undefined || size.nano > 0n) return [];
      return [invalidValue(`${at}[storage]`, storage, "must be greater than zero")];
    },
    volumeMode: optional(oneOf("Block", "Filesystem")),
  }),
);

/** `PersistentVolumeClaim` of v1. */
export const claimRules: Rule = all(fields({ spec: claimSpecRules }), (value) => {
  const { dataSource, dataSourceRef } = fieldsOf(fieldsOf(value)["spec"]);
  const isSame = dataSource === undefined || equal(dataSource, dataSourceRef);
  return isSame ? [] : [invalidStruct("spec", {}, "must match dataSourceRef")];
});

/** The status of a claim: nothing of it is below zero. */
export const claimStatusRules: Rule = fields({
  status: fields({
    capacity: (value, at) =>
      Object.entries(fieldsOf(value)).flatMap(([name, amount]) => {
        const { nano = 0n } = parseQuantity(textOf(amount)) ?? {};
        if (nano >= 0n) return [];
        const whole = Number(nano / 1_000_000_000n);
        return [invalidValue(`${at}[${name}]`, whole, "must be a valid resource quantity")];
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
