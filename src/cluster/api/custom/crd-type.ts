// The type CustomResourceDefinition itself: defaults, checks, and what a deletion starts.
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
import { definitionNameFaults, kindNameFaults } from "./definition-names.ts";
import { definitionWarnings } from "./definition-warnings.ts";
import { shapeSchema } from "./shape-schema.ts";
import { validateDefinition } from "./validate-definition.ts";

/** The finalizer that keeps a definition until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

const behaviour: TypeBehaviour = {
  marksOnlyTime: true,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    const names = ensureFields(spec, "names");
    const kind = textOf(names["kind"]);
    setDefault(names, "singular", kind.toLowerCase());
    if (kind !== "") setDefault(names, "listKind", `${kind}List`);
    if (!isFields(spec["conversion"])) spec["conversion"] = { strategy: "None" };
    const { status } = object;
    if (isFields(status)) {
      const accepted = ensureFields(status, "acceptedNames");
      for (const name of ["plural", "kind"]) setDefault(accepted, name, "");
      setDefault(status, "conditions", null);
    }
    const { webhook } = fieldsOf(spec["conversion"]);
    const isSaid = ["clientConfig", "conversionReviewVersions"].some(
      (name) => fieldsOf(webhook)[name] !== undefined,
    );
    if (isFields(webhook) && !isSaid) delete fieldsOf(spec["conversion"])["webhook"];
    const { service } = fieldsOf(fieldsOf(webhook)["clientConfig"]);
    if (isFields(service)) setDefault(service, "port", 443);
  },
  prepare(object, previous, { subresource }) {
    if (previous === undefined) {
      object["status"] = {
        conditions: null,
        acceptedNames: { plural: "", kind: "" },
        storedVersions: storageVersions(object),
      };
      return;
    }
    const unset: Fields = { conditions: null, acceptedNames: { plural: "", kind: "" } };
    const status = { ...unset, ...fieldsOf(object["status"]) };
    const stored = listOf(status["storedVersions"]);
    const added = storageVersions(object).filter((each) => !stored.includes(each));
    // Whoever writes the status says by it that nothing is stored in other versions any more.
    const all = subresource === "status" && stored.length > 0 ? stored : [...stored, ...added];
    object["status"] = all.length === 0 ? status : { ...status, storedVersions: all };
  },
  validate(object, previous, subresource) {
    const acceptedNames = fieldsOf(fieldsOf(object["status"])["acceptedNames"]);
    const ofStatus = kindNameFaults(acceptedNames, "status.acceptedNames");
    if (subresource === "status") return ofStatus;
    return [
      ...(previous === undefined ? definitionNameFaults(object.metadata, fieldsOf(object["spec"])) : []),
      ...validateDefinition(object, previous),
      ...ofStatus,
      ...approvalFaults(object, previous),
    ];
  },
  warnings: definitionWarnings,
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
    .map(withPlainStatus)
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

/** Of the subresource for the status it is only said that there is one. */
function withPlainStatus(version: Fields): Fields {
  const { subresources } = version;
  if (!isFields(subresources) || !isFields(subresources["status"])) return version;
  return { ...version, subresources: { ...subresources, status: {} } };
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

/** The version that is stored; what is left of several is refused. */
function storageVersions(object: ApiObject): string[] {
  const versions = fieldsList(fieldsOf(object["spec"])["versions"]);
  return versions
    .filter((version) => version["storage"] === true)
    .slice(0, 1)
    .map((version) => textOf(version["name"]));
}
