// The OpenAPI v2 document. It names none of this server's types: what it would say is in the v3 documents, and every write is validated
// here. Clients ask for it all the same before they send what they do not find in v3 (kubectl: a file with a `v1 List`, a kind that
// nobody knows), fail without one, and validate nothing by themselves where it does not name a type. The types of other servers are in it.
import { isEqualJson } from "../../../meta/changed-paths.ts";
import { isFields, type Fields } from "../api-object.ts";
import { serverVersion } from "./server-version.ts";

/** Asked for by clients of Kubernetes' own library: the message `Document` of github.com/google/gnostic, openapiv2/OpenAPIv2.proto. */
const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** What another server adds to the document. */
export interface OpenApiV2Part {
  readonly paths: Fields;
  readonly definitions: Fields;
}

/** The document in the form that an Accept header asks for: JSON unless that names the protobuf form, which has no types at all. */
export function openApiV2(
  accept: string,
  others: readonly OpenApiV2Part[] = [],
): { readonly text: string; readonly contentType: string } {
  const info = { title: "Kubernetes", version: serverVersion.gitVersion };
  // Older clients write an @ before the version.
  const isProtobuf = accept.toLowerCase().replaceAll("@", ".").includes(protobufType);
  return isProtobuf
    ? {
        text: text(1, "2.0") + text(2, text(1, info.title) + text(2, info.version)),
        contentType: protobufType,
      }
    : {
        text: JSON.stringify({ swagger: "2.0", info, ...merged(others) }),
        contentType: "application/json",
      };
}

/** A field that is a text or a message, of less than 128 bytes of ASCII. https://protobuf.dev/programming-guides/encoding/ */
function text(field: number, value: string): string {
  return String.fromCharCode((field << 3) | 2, value.length) + value;
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
