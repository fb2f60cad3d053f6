// The type CustomResourceDefinition itself: defaults, checks, and what a deletion starts.
import { equal } from "../../../schema/json-value.ts";
import { invalidValue, requiredValue, type StatusCause } from "../../../schema/status-cause.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  setDefault,
  textOf,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import { createBuiltinType } from "../builtin/builtin-types.ts";
import type { IncomingShape, ServedType, TypeBehaviour } from "../served-type.ts";
import { specDiffers } from "../builtin/behaviours/generation.ts";
import { approvalFaults } from "./api-approval.ts";
import { shapeSchema } from "./shape-schema.ts";
import { validateDefinition } from "./validate-definition.ts";

/** The finalizer that keeps a definition until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

const behaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    const names = ensureFields(spec, "names");
    const kind = textOf(names["kind"]);
    setDefault(names, "singular", kind.toLowerCase());
    if (kind !== "") setDefault(names, "listKind", `${kind}List`);
    const conversion = ensureFields(spec, "conversion");
    setDefault(conversion, "strategy", "None");
    const { service } = fieldsOf(fieldsOf(conversion["webhook"])["clientConfig"]);
    if (isFields(service)) setDefault(service, "port", 443);
  },
  prepare(object, previous) {
    if (previous === undefined) {
      object["status"] = {
        conditions: null,
        acceptedNames: { plural: "", kind: "" },
        storedVersions: storageVersions(object),
      };
      return;
    }
    const status = { ...fieldsOf(object["status"]) };
    const stored = listOf(status["storedVersions"]);
    const added = storageVersions(object).filter((each) => !stored.includes(each));
    if (added.length > 0) object["status"] = { ...status, storedVersions: [...stored, ...added] };
  },
  validate(object, previous) {
    const errors = [
      ...validateDefinition(object),
      ...nameFaults(object),
      ...approvalFaults(object, previous),
    ];
    if (previous !== undefined) errors.push(...immutableFaults(object, previous));
    return errors;
  },
  prepareDeletion(object) {
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(cleanupFinalizer)) return;
    object.metadata = { ...object.metadata, finalizers: [...finalizers, cleanupFinalizer] };
  },
  raisesGeneration: specDiffers,
};

/** The served type of apiextensions.k8s.io/v1. */
export function createDefinitionType(): ServedType {
  const type = createBuiltinType({
    group: "apiextensions.k8s.io",
    version: "v1",
    packageName: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
    row: {
      kind: "CustomResourceDefinition",
      plural: "customresourcedefinitions",
      shortNames: ["crd", "crds"],
      categories: ["api-extensions"],
      clusterScoped: true,
      hasStatus: true,
      behaviour,
    },
  });
  return { ...type, shape: (body) => shapeSchemas(type.shape(body)) };
}

/** Reads the schemas of all versions, too. */
function shapeSchemas(shape: IncomingShape): IncomingShape {
  const unknownFields = [...shape.unknownFields];
  const typeErrors = [...shape.typeErrors];
  const spec = fieldsOf(shape.object["spec"]);
  const versions = fieldsList(spec["versions"])
    .map(withoutZeroPriorities)
    .map((version, index) => {
      const { openAPIV3Schema } = fieldsOf(version["schema"]);
      if (openAPIV3Schema === undefined) return version;
      const read = shapeSchema(openAPIV3Schema, `spec.versions[${index}].schema.openAPIV3Schema`);
      unknownFields.push(...read.unknownFields);
      typeErrors.push(...read.typeErrors);
      return { ...version, schema: { openAPIV3Schema: read.value } };
    });
  if (versions.length === 0) return { ...shape, unknownFields, typeErrors };
  return { object: { ...shape.object, spec: { ...spec, versions } }, unknownFields, typeErrors };
}

/** The priority of a column, unlike that of a pod, falls out where it is zero. */
function withoutZeroPriorities(version: Fields): Fields {
  const { additionalPrinterColumns } = version;
  if (!Array.isArray(additionalPrinterColumns)) return version;
  const columns = fieldsList(additionalPrinterColumns).map(({ priority, ...column }) =>
    priority === undefined || priority === 0 ? column : { ...column, priority },
  );
  return { ...version, additionalPrinterColumns: columns };
}

function storageVersions(object: ApiObject): string[] {
  return fieldsList(fieldsOf(object["spec"])["versions"])
    .filter((version) => version["storage"] === true)
    .map((version) => String(version["name"]));
}

function nameFaults(object: ApiObject): StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  const { name } = object.metadata;
  const plural = textOf(fieldsOf(spec["names"])["plural"]);
  if (name === `${plural}.${String(spec["group"])}`) return [];
  return [invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function immutableFaults(object: ApiObject, previous: ApiObject): StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  const before = fieldsOf(previous["spec"]);
  const errors: StatusCause[] = [];
  for (const field of ["group", "scope"]) {
    if (!equal(spec[field], before[field])) {
      errors.push(invalidValue(`spec.${field}`, spec[field], "field is immutable"));
    }
  }
  for (const field of ["kind", "plural"]) {
    const value = fieldsOf(spec["names"])[field];
    if (value !== fieldsOf(before["names"])[field]) {
      errors.push(invalidValue(`spec.names.${field}`, value, "field is immutable"));
    }
  }
  const names = fieldsList(spec["versions"]).map((version) => version["name"]);
  listOf(fieldsOf(object["status"])["storedVersions"]).forEach((version, index) => {
    if (names.includes(version)) return;
    errors.push(
      invalidValue(
        `status.storedVersions[${index}]`,
        version,
        `missing from spec.versions; ${String(version)} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${String(version)} and removes ${String(version)} from status.storedVersions`,
      ),
    );
  });
  if (names.length === 0) errors.push(requiredValue("spec.versions"));
  return errors;
}
