// The OpenAPI v2 document: all types in one. kubectl asks for it before it sends what it does not find in the v3 documents, and for
// `explain --output=plaintext-openapiv2`; Terraform and other tools know types by it alone. The types of other servers are in it, too.
import { isEqualJson } from "../../../meta/changed-paths.ts";
import { isFields, type Fields } from "../api-object.ts";
import type { TypeRegistry } from "../type-registry.ts";
import { writtenPaths, type ApiOperation, type ApiParameter } from "./open-api-paths.ts";
import { OpenApiSchemas, referenceTo } from "./open-api-schemas.ts";
import { encodeOpenApiV2, openApiV2ProtobufType } from "./open-api-v2-protobuf.ts";
import { reasons } from "./open-api.ts";
import { serverVersion } from "./server-version.ts";

/** What a server adds to the document. */
export interface OpenApiV2Part {
  readonly paths: Fields;
  readonly definitions: Fields;
}

/** The document in one of its forms. */
export interface OpenApiV2Answer {
  readonly text: string | Buffer;
  readonly contentType: string;
}

interface Known extends OpenApiV2Part {
  readonly revision: number;
}

const known = new WeakMap<TypeRegistry, Known>();

/** The document in the form that an Accept header asks for: JSON unless that names the protobuf form. */
export function openApiV2(
  registry: TypeRegistry,
  accept: string,
  others: readonly OpenApiV2Part[] = [],
): OpenApiV2Answer {
  const document = {
    swagger: "2.0",
    info: { title: "Kubernetes", version: serverVersion.gitVersion },
    ...merged([ownPart(registry), ...others]),
  };
  // Older clients write an @ before the version.
  const isProtobuf = accept.toLowerCase().replaceAll("@", ".").includes(openApiV2ProtobufType);
  return isProtobuf
    ? { text: encodeOpenApiV2(document), contentType: openApiV2ProtobufType }
    : { text: JSON.stringify(document), contentType: "application/json" };
}

function ownPart(registry: TypeRegistry): OpenApiV2Part {
  const former = known.get(registry);
  if (former?.revision === registry.revision) return former;
  const schemas = new OpenApiSchemas("v2", true);
  const paths = writtenPaths(registry.all(), (type) => schemas.add(type), {
    operation: operationOf,
    parameter: parameterOf,
  });
  const made = { revision: registry.revision, paths, definitions: { ...schemas.named } };
  known.set(registry, made);
  return made;
}

function operationOf({ id, action, method, parameters, body, takes, answer, codes }: ApiOperation): Fields {
  const answered = answer === undefined ? {} : { schema: referenceTo(answer, "v2") };
  const sent =
    body === undefined
      ? []
      : [
          {
            name: "body",
            in: "body",
            ...(method === "delete" ? {} : { required: true }),
            schema: referenceTo(body, "v2"),
          },
        ];
  return {
    operationId: id,
    consumes: takes ?? ["*/*"],
    produces: ["application/json", "application/yaml"],
    schemes: ["https"],
    parameters: [...sent, ...parameters.map(parameterOf)],
    responses: {
      ...Object.fromEntries(codes.map((code) => [code, { description: reasons[code], ...answered }])),
      401: { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
  };
}

function parameterOf({ name, in: place, type }: ApiParameter): Fields {
  return { name, in: place, type, ...(place === "path" ? { required: true } : {}), uniqueItems: true };
}

/** The first one to have a path keeps it; a definition of another content gets another name. */
function merged(others: readonly OpenApiV2Part[]): OpenApiV2Part {
  const paths: Fields = {};
  const definitions: Fields = {};
  for (const other of others) {
    const names = newNames(definitions, other.definitions);
    const renamed = names.size === 0 ? other : (withNames(other, names) as OpenApiV2Part);
    for (const [path, operations] of Object.entries(renamed.paths)) paths[path] ??= operations;
    for (const [name, definition] of Object.entries(renamed.definitions)) {
      definitions[names.get(name) ?? name] = definition;
    }
  }
  return { paths, definitions };
}

function newNames(present: Fields, added: Fields): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(added)) {
    if (present[name] === undefined || isEqualJson(present[name], definition)) continue;
    let count = 2;
    while (present[`${name}_v${count}`] !== undefined) count += 1;
    names.set(name, `${name}_v${count}`);
  }
  return names;
}

/** A part of a document that refers to definitions by other names. */
function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => withNames(each, names));
  if (!isFields(value)) return value;
  const prefix = "#/definitions/";
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== "$ref" || typeof each !== "string" || !each.startsWith(prefix)) {
        return [key, withNames(each, names)];
      }
      const name = each.slice(prefix.length);
      return [key, `${prefix}${names.get(name) ?? name}`];
    }),
  );
}
