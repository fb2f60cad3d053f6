// The OpenAPI v3 documents: an index, and one document per group and version with the schemas of its types.
// kubectl reads them for `explain` and to see that server-side validation is offered.
import { createHash } from "node:crypto";
import { preservesUnknown, type StructuralSchema } from "../../../schema/structural-schema.ts";
import { nameOfBuiltinSchema } from "../builtin/builtin-schemas.ts";
import type { ServedType } from "../served-type.ts";
import type { TypeRegistry } from "../type-registry.ts";
import { typedSchemaOf } from "../typed-schema.ts";

/** One document. */
export interface OpenApiDocument {
  readonly body: unknown;
  readonly hash: string;
  /** Where it is served for ever under its hash. */
  readonly url: string;
}

const cache = new WeakMap<TypeRegistry, { revision: number; documents: Map<string, OpenApiDocument> }>();

/** `/openapi/v3`; `others` are the paths in the indexes of other servers. */
export function openApiIndex(
  registry: TypeRegistry,
  others: Iterable<Readonly<Record<string, unknown>>> = [],
): unknown {
  const own = Object.fromEntries(
    groupVersions(registry).map((path) => [
      path,
      { serverRelativeURL: openApiDocument(registry, path)?.url },
    ]),
  );
  return { paths: Object.assign({}, ...others, own) as Record<string, unknown> };
}

/** The document of a path like `apis/apps/v1`; undefined when it is not served. */
export function openApiDocument(registry: TypeRegistry, path: string): OpenApiDocument | undefined {
  let entry = cache.get(registry);
  if (entry === undefined || entry.revision !== registry.revision) {
    entry = { revision: registry.revision, documents: new Map() };
    cache.set(registry, entry);
  }
  const known = entry.documents.get(path);
  if (known !== undefined) return known;
  const types = registry.all().filter((type) => pathOf(type) === path);
  if (types.length === 0) return undefined;
  const body = documentOf(types);
  const hash = createHash("sha512").update(JSON.stringify(body)).digest("hex").toUpperCase();
  const made = { body, hash, url: `/openapi/v3/${path}?hash=${hash}` };
  entry.documents.set(path, made);
  return made;
}

function groupVersions(registry: TypeRegistry): string[] {
  return [...new Set(registry.all().map(pathOf))];
}

function pathOf({ group, version }: ServedType): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function documentOf(types: readonly ServedType[]): unknown {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, unknown> = {};
  const isBuiltin = types.every(({ custom }) => !custom);
  const reference = (schema: StructuralSchema, field: string): unknown => {
    const plain = isBuiltin ? plainOf(schema, field) : undefined;
    if (plain !== undefined) {
      schemas[plain.name] = plain.schema;
      return { $ref: `#/components/schemas/${plain.name}` };
    }
    const name = nameOfBuiltinSchema(schema);
    if (name === undefined) return inline(schema);
    if (!(name in schemas)) {
      schemas[name] = {};
      schemas[name] = inline(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const inline = (schema: StructuralSchema): Record<string, unknown> => {
    const copy: Record<string, unknown> = { ...schema };
    if (schema.properties !== undefined) {
      copy["properties"] = Object.fromEntries(
        Object.entries(schema.properties).map(([name, each]) => [name, wrapped(each, name)]),
      );
    }
    if (schema.items !== undefined) copy["items"] = wrapped(schema.items);
    if (typeof schema.additionalProperties === "object") {
      copy["additionalProperties"] = wrapped(schema.additionalProperties);
    }
    return copy;
  };
  // References stand alone in OpenAPI 3.0, so the real server puts them into a list of one.
  const wrapped = (schema: StructuralSchema, field = ""): unknown => {
    const found = reference(schema, field) as Record<string, unknown>;
    return "$ref" in found ? { allOf: [found], default: {} } : found;
  };
  for (const type of types) {
    const name = schemaNameOf(type);
    const { group, version, kind } = type;
    schemas[name] = {
      ...inline(typedSchemaOf(type).schema),
      "x-kubernetes-group-version-kind": [{ group, version, kind }],
    };
    Object.assign(paths, pathsOf(type, `#/components/schemas/${name}`));
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.1" },
    paths,
    components: { schemas },
  };
}

interface NamedSchema {
  readonly name: string;
  readonly schema: object;
}

/** What the schemas of the built-in types refer to though it has no fields, by its format, or the name of an open object. */
const plainSchemas: ReadonlyMap<string, NamedSchema> = new Map([
  [
    "int-or-string",
    {
      name: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
      schema: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
    },
  ],
  [
    "quantity",
    {
      name: "io.k8s.apimachinery.pkg.api.resource.Quantity",
      schema: { oneOf: [{ type: "string" }, { type: "number" }] },
    },
  ],
  ["fieldsV1", { name: "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", schema: { type: "object" } }],
]);

function plainOf(schema: StructuralSchema, field: string): NamedSchema | undefined {
  return plainSchemas.get(schema.format ?? (preservesUnknown(schema) ? field : ""));
}

function schemaNameOf(type: ServedType): string {
  const builtin = type.custom ? undefined : nameOfBuiltinSchema(type.schema);
  if (builtin !== undefined) return builtin;
  return [...type.group.split(".").reverse(), type.version, type.kind].join(".");
}

/** kubectl looks here for the query parameters that tell what the server can do. */
function pathsOf(type: ServedType, ref: string): Record<string, unknown> {
  const { group, version, kind, plural, namespaced } = type;
  const base = `/${pathOf(type)}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const gvk = { "x-kubernetes-group-version-kind": { group, version, kind } };
  const content = { "application/json": { schema: { $ref: ref } } };
  const parameters = ["dryRun", "fieldManager", "fieldValidation"].map((name) => ({
    name,
    in: "query",
    schema: { type: "string", uniqueItems: true },
  }));
  const answer = { responses: { "200": { description: "OK", content } } };
  const operation = (action: string): Record<string, unknown> => ({
    "x-kubernetes-action": action,
    ...gvk,
    ...answer,
  });
  if (type.review === true) return { [base]: { post: { ...operation("post"), parameters } } };
  return {
    [base]: { get: operation("list"), post: { ...operation("post"), parameters, requestBody: { content } } },
    [`${base}/{name}`]: {
      get: operation("get"),
      put: { ...operation("put"), parameters, requestBody: { content } },
      patch: { ...operation("patch"), parameters },
      delete: operation("delete"),
    },
  };
}
