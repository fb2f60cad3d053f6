// The OpenAPI v3 documents: an index, and one document per group and version with the schemas and paths of its types.
// kubectl reads them for `explain` and to see that server-side validation is offered.
import { createHash } from "node:crypto";
import type { Fields } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import type { TypeRegistry } from "../type-registry.ts";
import { rootPathOf, writtenPaths, type ApiOperation, type ApiParameter } from "./open-api-paths.ts";
import { OpenApiSchemas, referenceTo } from "./open-api-schemas.ts";
import { serverVersion } from "./server-version.ts";

/** One document. */
export class OpenApiDocument {
  /** Where it is served for ever under its hash. */
  readonly url: string;
  readonly hash: string;
  /** What it is about. */
  readonly types: readonly ServedType[];
  #body: Fields | undefined;

  constructor(path: string, types: readonly ServedType[]) {
    this.types = types;
    // What is said of types is the same as long as they are; it is read where the document itself is asked for.
    const bare = JSON.stringify(documentOf(types, false));
    this.hash = createHash("sha512").update(bare).digest("hex").toUpperCase();
    this.url = `/openapi/v3/${path}?hash=${this.hash}`;
  }

  get body(): unknown {
    this.#body ??= documentOf(this.types, true);
    return this.#body;
  }
}

interface Known {
  readonly revision: number;
  readonly types: ReadonlyMap<string, readonly ServedType[]>;
  readonly documents: Map<string, OpenApiDocument>;
}

const known = new WeakMap<TypeRegistry, Known>();

/** The types of each path at the registry's revision, and the documents of before. */
function knownOf(registry: TypeRegistry): Known {
  const former = known.get(registry);
  if (former?.revision === registry.revision) return former;
  const { revision } = registry;
  const types = Map.groupBy(registry.all(), rootPathOf);
  const made = { revision, types, documents: former?.documents ?? new Map<string, OpenApiDocument>() };
  known.set(registry, made);
  return made;
}

/** `/openapi/v3`; `others` are the paths in the indexes of other servers. */
export function openApiIndex(
  registry: TypeRegistry,
  others: Iterable<Readonly<Record<string, unknown>>> = [],
): unknown {
  const own = Object.fromEntries(
    [...knownOf(registry).types.keys()].map((path) => [
      path,
      { serverRelativeURL: openApiDocument(registry, path)?.url },
    ]),
  );
  return { paths: Object.assign({}, ...others, own) as Record<string, unknown> };
}

/** The document of a path like `apis/apps/v1`; undefined when it is not served. */
export function openApiDocument(registry: TypeRegistry, path: string): OpenApiDocument | undefined {
  const { types: served, documents } = knownOf(registry);
  const types = served.get(path);
  if (types === undefined) return undefined;
  const former = documents.get(path);
  const isSame =
    former?.types.length === types.length && former.types.every((type, at) => type === types[at]);
  if (isSame) return former;
  const made = new OpenApiDocument(path, types);
  documents.set(path, made);
  return made;
}

function documentOf(types: readonly ServedType[], isDescribed: boolean): Fields {
  const schemas = new OpenApiSchemas("v3", isDescribed);
  const paths = writtenPaths(types, (type) => schemas.add(type), {
    operation: operationOf,
    parameter: parameterOf,
  });
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: serverVersion.gitVersion },
    paths,
    components: { schemas: schemas.named },
  };
}

function operationOf({ id, action, method, parameters, body, takes, answer, codes }: ApiOperation): Fields {
  const contentOf = (name: string, types: readonly string[]): Fields =>
    Object.fromEntries(types.map((type) => [type, { schema: referenceTo(name, "v3") }]));
  const answered = answer === undefined ? {} : { content: contentOf(answer, ["application/json"]) };
  return {
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterOf) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: contentOf(body, takes ?? ["*/*"]),
            ...(method === "delete" ? {} : { required: true }),
          },
        }),
    responses: {
      ...Object.fromEntries(codes.map((code) => [code, { description: reasons[code], ...answered }])),
      401: { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
  };
}

/** What an answer means, by its code. */
export const reasons: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function parameterOf({ name, in: place, type }: ApiParameter): Fields {
  return {
    name,
    in: place,
    ...(place === "path" ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}
