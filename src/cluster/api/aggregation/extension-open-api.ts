// What another API server says of its types in OpenAPI: the index of its v3 documents, and of its v2 document what is below its group
// and version, with the definitions that this refers to.
import { fieldsOf, isFields, type Fields } from "../api-object.ts";
import type { ExtensionService } from "../discovery/api-services.ts";
import {
  askExtension,
  ExtensionUnreachable,
  type ExtensionAnswer,
  type ExtensionSource,
} from "./ask-extension.ts";
import { documentsUser } from "./remote-user.ts";

const timeout = 60_000;
const definitionPrefix = "#/definitions/";

/** The paths in the index of its v3 documents; undefined: it has none. Errors: {@link ExtensionUnreachable}. */
export async function openApiV3Of(
  source: ExtensionSource,
  service: ExtensionService,
): Promise<Fields | undefined> {
  const found = await documentAt(source, service, "/openapi/v3");
  return found === undefined ? undefined : fieldsOf(found["paths"]);
}

/** The part of its v2 document that is its own; undefined: it has none. Errors: {@link ExtensionUnreachable}. */
export async function openApiV2Of(
  source: ExtensionSource,
  service: ExtensionService,
): Promise<{ readonly paths: Fields; readonly definitions: Fields } | undefined> {
  const found = await documentAt(source, service, "/openapi/v2");
  if (found === undefined) return undefined;
  const prefix = `/apis/${service.group}/${service.version}/`;
  const paths = Object.fromEntries(
    Object.entries(fieldsOf(found["paths"])).filter(([path]) => path.startsWith(prefix)),
  );
  const all = fieldsOf(found["definitions"]);
  const own = definitionsUsed(paths, all);
  const used = definitionsUsed(found["paths"], all);
  // What no path refers to may be anybody's.
  const definitions = Object.fromEntries(
    Object.entries(all).filter(([name]) => own.has(name) || !used.has(name)),
  );
  return { paths, definitions };
}

/** The names of the definitions that a part of a document refers to, and those that these refer to. */
function definitionsUsed(part: unknown, all: Fields): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    if (!isFields(value)) return;
    const { $ref: reference } = value;
    const name =
      typeof reference === "string" && reference.startsWith(definitionPrefix)
        ? reference.slice(definitionPrefix.length)
        : undefined;
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      collect(all[name]);
    }
    Object.values(value).forEach(collect);
  };
  collect(part);
  return names;
}

async function documentAt(
  source: ExtensionSource,
  service: ExtensionService,
  path: string,
): Promise<Fields | undefined> {
  const answer: ExtensionAnswer = await askExtension(source, service, { path, user: documentsUser, timeout });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new ExtensionUnreachable(`${path} was answered with ${answer.status}`);
  return fieldsOf(JSON.parse(answer.text));
}
