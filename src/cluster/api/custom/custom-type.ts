// A served type made of one version of a CRD: its schema prunes, defaults and validates, everything else is general.
import { equal, setField } from "../../../schema/json-value.ts";
import { applyDefaults } from "../../../schema/apply-defaults.ts";
import { prune } from "../../../schema/prune.ts";
import { selectable } from "../selectors/selectable-fields.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { validateResource } from "../../../schema/validate-resource.ts";
import { isFields, type ApiObject, type Fields } from "../api-object.ts";
import { metadataSchema } from "../builtin/builtin-schemas.ts";
import { shapeObject } from "../builtin/shape-object.ts";
import type { Random } from "../../../ports/random.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { versionConversion } from "./version-conversion.ts";
import { customColumns } from "./custom-columns.ts";
import type { IncomingShape, ServedType, TypeBehaviour } from "../served-type.ts";
import { embeddedMetadataFaults, noMetadata, readEmbedded } from "./embedded-resources.ts";
import { readDefinition, type CrdDefinition, type CrdVersion } from "./crd-definition.ts";
import { validateScale } from "./validate-scale.ts";

const anything: StructuralSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** The types of all served versions of a definition. */
export function createCustomTypes(
  definition: CrdDefinition,
  source: CustomTypeSource,
): readonly ServedType[] {
  const stored = definition.versions.find((version) => version.storage);
  const since = source.store.revision;
  return definition.versions
    .filter((version) => version.served)
    .map((version) => createCustomType({ definition, version, stored: stored ?? version, source, since }));
}

/** What the conversion between versions looks up. */
export interface CustomTypeSource {
  readonly store: Pick<ObjectStore, "get" | "list" | "revision">;
  readonly random: Random;
}

function createCustomType({
  definition,
  version,
  stored,
  source,
  since,
}: {
  readonly definition: CrdDefinition;
  readonly version: CrdVersion;
  readonly stored: CrdVersion;
  readonly source: CustomTypeSource;
  readonly since: number;
}): ServedType {
  const { group, kind, listKind, plural, singular, shortNames, categories, namespaced } = definition;
  const schema = version.schema ?? anything;
  return {
    group,
    version: version.name,
    kind,
    listKind,
    plural,
    singular,
    shortNames,
    categories,
    namespaced,
    storageKey: definition.name,
    custom: true,
    schema,
    hasStatus: version.hasStatus,
    scale: version.scale,
    behaviour: behaviourOf(schema, version),
    columns: customColumns(version.columns),
    selectable: selectable(version.selectableFields),
    ...(version.deprecation === undefined ? {} : { deprecation: version.deprecation }),
    terminating: definition.isDeleting,
    shape: (body) => shapeCustomObject(schema, body),
    ...versionConversion({
      served: { apiVersion: `${group}/${version.name}`, schema },
      stored: { apiVersion: `${group}/${stored.name}`, schema: stored.schema ?? anything },
      byWebhook: definition.conversionClient !== undefined,
      clientConfig: () => conversionClientNow(definition, source),
      source,
      since,
    }),
  };
}

function conversionClientNow(
  { name, conversionClient }: CrdDefinition,
  { store }: CustomTypeSource,
): unknown {
  const now = store.get("customresourcedefinitions.apiextensions.k8s.io", undefined, name);
  return (now === undefined ? undefined : readDefinition(now).conversionClient) ?? conversionClient;
}

function behaviourOf(schema: StructuralSchema, version: CrdVersion): TypeBehaviour {
  return {
    needsResourceVersion: true,
    setDefaults(object, options) {
      const defaulted = applyDefaults(schema, object, options) as ApiObject;
      for (const name of Object.keys(object)) if (!Object.hasOwn(defaulted, name)) delete object[name];
      for (const [name, value] of Object.entries(defaulted)) setField(object, name, value);
    },
    validate(object, previous, subresource) {
      const statusOnly = subresource === "status";
      const { metadata: _, status, ...content } = object;
      const causes = [
        ...validateResource(schema, object, { old: previous, statusOnly }),
        ...embeddedMetadataFaults(schema, statusOnly ? { status } : { ...content, status }),
      ];
      const { scale } = version;
      return scale === undefined ? causes : [...causes, ...validateScale(scale, object, subresource)];
    },
    raisesGeneration: (object, previous) =>
      !equal(countedPart(object, version.hasStatus), countedPart(previous, version.hasStatus)),
  };
}

/** What the generation counts: everything but the metadata, and the status where it has its own endpoint. */
function countedPart({ metadata: _metadata, ...content }: ApiObject, hasStatus: boolean): Fields {
  if (!hasStatus) return content;
  const { status: _status, ...rest } = content;
  return rest;
}

/** An empty list of owners says nothing here. */
function withOwners(metadata: unknown): unknown {
  const { managedFields, ...rest } = isFields(metadata) ? metadata : {};
  return Array.isArray(managedFields) && managedFields.length > 0 ? metadata : rest;
}

function shapeCustomObject(schema: StructuralSchema, body: Fields): IncomingShape {
  const { metadata, ...content } = body;
  const { value, pruned } = prune(schema, content);
  const embedded = readEmbedded(schema, value);
  // The real server writes it out before it reads it, in the order of the names.
  const sorted = isFields(metadata) ? Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  const unreadable =
    metadata === undefined || metadata === null || isFields(metadata) ? [] : [noMetadata(metadata)];
  const shaped = shapeObject(metadataSchema, Object.fromEntries(sorted));
  const { apiVersion, kind, ...rest } = isFields(value) ? value : {};
  return {
    object: { apiVersion, kind, metadata: withOwners(shaped.value), ...rest } as ApiObject,
    unknownFields: [
      ...shaped.unknownFields.map((path) => `metadata.${path}`),
      ...pruned,
      ...embedded.unknownFields,
    ],
    typeErrors: [...unreadable, ...shaped.typeErrors, ...embedded.typeErrors],
  };
}
