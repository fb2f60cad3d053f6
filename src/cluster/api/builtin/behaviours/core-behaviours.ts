// Namespaces, secrets, config maps, events and service accounts: what the server adds and refuses.
import { qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { equal, setField } from "../../../../schema/json-value.ts";
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  listOf,
  setDefault,
  textOf,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { isSentEmpty } from "../../sent-empty.ts";

const dataLimit = 1_048_576;

/** `Namespace` of v1: held by its own finalizer until its content is gone. */
export const namespaceBehaviour: TypeBehaviour = {
  marksOnlyTime: true,
  setDefaults(object) {
    const metadata = { ...object.metadata };
    metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
    object.metadata = metadata;
    ensureFields(object, "spec");
    setDefault(ensureFields(object, "status"), "phase", "Active");
  },
  prepare(object, previous) {
    if (previous !== undefined) return;
    const { finalizers } = fieldsOf(object["spec"]);
    const given = listOf(finalizers);
    object["spec"] = { finalizers: given.includes("kubernetes") ? given : [...given, "kubernetes"] };
    object["status"] = { phase: "Active" };
  },
  validate: ({ spec }, _previous, subresource) =>
    listOf(fieldsOf(spec)["finalizers"]).flatMap((finalizer, index) =>
      finalizerFaults(
        finalizer,
        subresource === "finalize" ? `spec.finalizers[${index}]` : "spec.finalizers",
      ),
    ),
  isHeld: (object) => listOf(fieldsOf(object["spec"])["finalizers"]).length > 0,
  prepareDeletion(object) {
    object["status"] = { ...fieldsOf(object["status"]), phase: "Terminating" };
  },
};

const standardFinalizers: readonly unknown[] = ["kubernetes", "orphan", "foregroundDeletion"];

function finalizerFaults(finalizer: unknown, at: string): readonly StatusCause[] {
  const name = textOf(finalizer);
  const isKnown = name.includes("/") || standardFinalizers.includes(name);
  const unknown = "name is neither a standard finalizer name nor is it fully qualified";
  return [...qualifiedNameFaults(name), ...(isKnown ? [] : [unknown])].map((fault) =>
    invalidValue(at, name, fault),
  );
}

const mountableAnnotation = "kubernetes.io/enforce-mountable-secrets";

/** `ServiceAccount` of v1: its secrets are names. */
export const accountBehaviour: TypeBehaviour = {
  prepare(object) {
    const { secrets } = object;
    if (secrets === undefined) return;
    object["secrets"] = fieldsList(secrets).map(({ name }) => (name === undefined ? {} : { name }));
  },
  warnings({ metadata }, previous) {
    const isMarked = (annotations: Readonly<Record<string, string>> = {}): boolean =>
      Object.hasOwn(annotations, mountableAnnotation);
    if (!isMarked(metadata.annotations) || isMarked(previous?.metadata.annotations)) return [];
    return [
      `metadata.annotations[${mountableAnnotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ];
  },
};

/** `Secret` of v1: `stringData` is written into `data`. */
export const secretBehaviour: TypeBehaviour = {
  setDefaults(object) {
    setDefault(object, "type", "Opaque");
    const { stringData } = object;
    if (stringData === undefined) return;
    const data = { ...fieldsOf(object["data"]) };
    for (const [key, text] of Object.entries(fieldsOf(stringData))) {
      setField(data, key, Buffer.from(String(text)).toString("base64"));
    }
    object["data"] = data;
    delete object["stringData"];
  },
  asRead: (object) => withoutNullBytes(object, "data"),
  warnings: tlsWarnings,
  validate(object, previous) {
    const errors = sizeFaults(object, { data: "base64" });
    if (previous === undefined) return errors;
    if (object["type"] !== previous["type"]) {
      errors.push({
        reason: "FieldValueInvalid",
        message: `Invalid value: ${JSON.stringify(object["type"])}: field is immutable`,
        field: "type",
      });
    }
    return [...errors, ...immutableFaults(object, previous, ["data"])];
  },
};

/** Whether the certificate of a Secret can be read at all; whether the key is that of it is not looked at. */
function tlsWarnings({ type, data }: ApiObject): readonly string[] {
  if (type !== "kubernetes.io/tls") return [];
  const isIn = (name: string): boolean =>
    Buffer.from(textOf(fieldsOf(data)[name]), "base64")
      .toString()
      .includes("-----BEGIN ");
  const missing = isIn("tls.crt") ? (isIn("tls.key") ? undefined : "key") : "certificate";
  return missing === undefined ? [] : [`tls: failed to find any PEM data in ${missing} input`];
}

/** `ConfigMap` of v1. */
export const configMapBehaviour: TypeBehaviour = {
  asRead: (object) => withoutNullBytes(object, "binaryData"),
  validate(object, previous) {
    const errors = sizeFaults(object, { data: "utf8", binaryData: "base64" });
    return previous === undefined
      ? errors
      : [...errors, ...immutableFaults(object, previous, ["data", "binaryData"])];
  },
};

/** `Endpoints` of v1. */
export const endpointsBehaviour: TypeBehaviour = {
  createOnUpdate: true,
  setDefaults(object) {
    for (const subset of fieldsList(object["subsets"])) {
      for (const port of fieldsList(subset["ports"])) setDefault(port, "protocol", "TCP");
    }
  },
};

/** `Event` of v1, whose empty fields the real server writes out. */
export const eventBehaviour: TypeBehaviour = {
  createOnUpdate: true,
  hasNoDependents: true,
  hasPlainMetadata: true,
  prepare(object) {
    setDefault(object, "source", {});
    for (const name of ["reportingComponent", "reportingInstance"]) setDefault(object, name, "");
  },
};

/** `Event` of events.k8s.io/v1. */
export const groupedEventBehaviour: TypeBehaviour = {
  createOnUpdate: true,
  hasNoDependents: true,
  prepare(object) {
    setDefault(object, "deprecatedSource", {});
  },
};

/** Bytes that are null are stored as such, and read as none. */
function withoutNullBytes(object: ApiObject, field: string): ApiObject {
  const bytes = fieldsOf(object[field]);
  if (!Object.values(bytes).includes(null)) return object;
  const read = Object.entries(bytes).map(([key, each]) => [key, each ?? ""]);
  return { ...object, [field]: Object.fromEntries(read) as Fields };
}

function immutableFaults(object: ApiObject, previous: ApiObject, fields: readonly string[]): StatusCause[] {
  if (previous["immutable"] !== true) return [];
  const text = "field is immutable when `immutable` is set";
  // An empty map is another one than none, except for the texts of a ConfigMap.
  const isOther = (field: string): boolean =>
    !equal(object[field], previous[field]) ||
    ((object.kind === "Secret" || field !== "data") && isSentEmpty(object, field));
  return ["immutable", ...fields].flatMap((field) => (isOther(field) ? [forbiddenValue(field, text)] : []));
}

/** Bytes of values alone count, not those of their keys. `fields`: how the values of each are written. */
function sizeFaults(object: ApiObject, fields: Readonly<Record<string, "base64" | "utf8">>): StatusCause[] {
  let size = 0;
  for (const [field, encoding] of Object.entries(fields)) {
    for (const value of Object.values(fieldsOf(object[field]))) {
      size += Buffer.byteLength(String(value), encoding);
    }
  }
  if (size <= dataLimit) return [];
  const message = `Too long: may not be more than ${dataLimit} bytes`;
  return [{ reason: "FieldValueTooLong", message, field: Object.keys(fields).length > 1 ? "[]" : "data" }];
}
