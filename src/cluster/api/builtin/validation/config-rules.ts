// What ConfigMaps and Secrets must be.
import { invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { fieldsOf } from "../../api-object.ts";
import { all, fields, type Rule } from "./rule.ts";

/** What is wrong with the key of an entry of a ConfigMap or a Secret. */
export function configKeyFaults(key: string): readonly string[] {
  const isPlain = /^[-._a-zA-Z0-9]+$/.test(key);
  const start =
    key === "." || key === ".."
      ? [`must not be '${key}'`]
      : key.startsWith("..")
        ? ["must not start with '..'"]
        : [];
  return [
    ...(key.length > 253 ? ["must be no more than 253 characters"] : []),
    ...(isPlain ? [] : [notPlain]),
    ...start,
  ];
}

const notPlain =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const configKeys: Rule = (value, at) =>
  Object.keys(fieldsOf(value)).flatMap((key) =>
    configKeyFaults(key).map((fault) => invalidValue(`${at}[${key}]`, key, fault)),
  );

/** `ConfigMap` of v1. */
export const configMapRules: Rule = fields({
  data: all(configKeys, (value, at, parent) =>
    Object.keys(fieldsOf(value)).flatMap((key) =>
      Object.hasOwn(fieldsOf(parent["binaryData"]), key)
        ? [invalidValue(`${at}[${key}]`, key, "duplicate of key present in binaryData")]
        : [],
    ),
  ),
  binaryData: configKeys,
});

/** What a secret of a type must hold. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

/** `Secret` of v1. */
export const secretRules: Rule = all(fields({ data: configKeys }), (secret) => {
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
