// What metadata must be: that of an object, and that of resources that are embedded in custom ones.
import { invalidValue, requiredValue, tooLong, type StatusCause } from "../../schema/status-cause.ts";
import { textOf, type ApiMeta, type Fields } from "./api-object.ts";
import { invalidStruct } from "./builtin/validation/rule.ts";
import { labelValueFaults, qualifiedNameFaults } from "../../meta/name-rules.ts";

const annotationLimit = 262_144;

/** Faults of metadata at a place. `validName` says what a name of the type must look like. */
export function validateMetadata(
  metadata: ApiMeta,
  validateName: (name: string) => readonly string[],
  at = "metadata",
): StatusCause[] {
  const {
    name,
    generateName,
    generation = 0,
    labels = {},
    annotations = {},
    ownerReferences = [],
    finalizers = [],
  } = metadata;
  const errors: StatusCause[] = [];
  if (generateName !== undefined && generateName !== "") {
    // Something follows a dash at its end, which the real server looks for one character too early.
    const faults = validateName(generateName.replace(/.-$/s, "a"));
    errors.push(...faults.map((fault) => invalidValue(`${at}.generateName`, generateName, fault)));
  }
  if (name === "") {
    errors.push(requiredValue(`${at}.name`, "name or generateName is required"));
  } else {
    errors.push(...validateName(name).map((fault) => invalidValue(`${at}.name`, name, fault)));
  }
  if (generation < 0) {
    errors.push(invalidValue(`${at}.generation`, generation, "must be greater than or equal to 0"));
  }
  for (const [key, value] of Object.entries(labels)) errors.push(...labelFaults(key, value, `${at}.labels`));
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    const faults = qualifiedNameFaults(key.toLowerCase());
    errors.push(...faults.map((fault) => invalidValue(`${at}.annotations`, key, fault)));
  }
  if (size > annotationLimit) errors.push(tooLong(`${at}.annotations`, annotationLimit));
  for (const finalizer of finalizers) {
    for (const fault of qualifiedNameFaults(finalizer)) {
      errors.push(invalidValue(`${at}.finalizers`, finalizer, fault));
    }
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const fault = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalidValue(`${at}.finalizers`, finalizers, fault));
  }
  return [...errors, ...ownerReferenceFaults(ownerReferences, `${at}.ownerReferences`)];
}

function ownerReferenceFaults(
  references: NonNullable<ApiMeta["ownerReferences"]>,
  at: string,
): StatusCause[] {
  const errors: StatusCause[] = [];
  for (const reference of references) {
    const [apiVersion, kind] = [textOf(reference.apiVersion), textOf(reference.kind)];
    if (!hasVersion(apiVersion)) {
      errors.push(invalidValue(`${at}.apiVersion`, apiVersion, "version must not be empty"));
    }
    for (const field of ["kind", "name", "uid"] as const) {
      const value = reference[field] ?? "";
      if (value === "") errors.push(invalidValue(`${at}.${field}`, value, "must not be empty"));
    }
    if (apiVersion === "v1" && kind === "Event") {
      errors.push(invalidStruct(at, inOrder(reference), "/v1, Kind=Event is disallowed from being an owner"));
    }
  }
  const controllers = references.filter((reference) => reference.controller === true);
  if (controllers.length > 1) {
    const names = controllers.map((each) => `${each.kind}/${each.name}`).join(" and ");
    errors.push(
      invalidStruct(
        at,
        references.map(inOrder),
        `Only one reference can have Controller set to true. Found "true" in references for ${names}`,
      ),
    );
  }
  return errors;
}

/** Whether it is a version, or a group and a version; of more parts the real server reads none. */
function hasVersion(apiVersion: string): boolean {
  const parts = apiVersion.split("/");
  return parts.length <= 2 && parts.at(-1) !== "";
}

/** A reference with its fields in the order in which the real server shows them. */
function inOrder(reference: NonNullable<ApiMeta["ownerReferences"]>[number]): Fields {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}

function labelFaults(key: string, value: string, at: string): StatusCause[] {
  return [
    ...qualifiedNameFaults(key).map((fault) => invalidValue(at, key, fault)),
    ...labelValueFaults(value).map((fault) => invalidValue(at, value, fault)),
  ];
}
