// What ConfigMaps and Secrets must be.
import { invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { fieldsOf } from "../../api-object.ts";
import { all, fields, keys, type Rule } from "./rule.ts";

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
