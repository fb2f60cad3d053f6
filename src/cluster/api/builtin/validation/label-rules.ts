// What labels and annotations must be, wherever an object holds those of another one.
import { forbiddenValue, invalidValue } from "../../../../schema/status-cause.ts";
import { labelValueFaults, qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, textOf } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import type { Rule } from "./rule.ts";

/** The names of labels, and their values. */
export const labelsRule: Rule = (value, at) =>
  Object.entries(fieldsOf(value)).flatMap(([key, label]) => [
    ...qualifiedNameFaults(key).map((fault) => invalidValue(at, key, fault)),
    ...labelValueFaults(textOf(label)).map((fault) => invalidValue(at, label, fault)),
  ]);

/** The names of annotations, whose case is of no account. */
export const annotationsRule: Rule = (value, at) =>
  Object.keys(fieldsOf(value)).flatMap((key) =>
    qualifiedNameFaults(key.toLowerCase()).map((fault) => invalidValue(at, key, fault)),
  );

/** In the order of the struct, as the server calls them. */
const neverInTemplates =
  "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp " +
  "deletionGracePeriodSeconds ownerReferences finalizers managedFields";

/** The metadata of a template of claims: only what those that are made of it can keep. */
export const metadataOfTemplates: Rule = (value, at, parent) => {
  const metadata = fieldsOf(value);
  return [
    ...annotationsRule(metadata["annotations"], `${at}.annotations`, parent),
    ...labelsRule(metadata["labels"], `${at}.labels`, parent),
    ...neverInTemplates
      .split(" ")
      .filter((name) => {
        const given = metadata[name];
        return (given !== undefined && given !== null && given !== "") || isSentEmpty(metadata, name);
      })
      .map((name) => forbiddenValue(`${at}.${name === "uid" ? "uID" : name}`, "cannot be set")),
  ];
};
