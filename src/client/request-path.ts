// Paths and queries of the Kubernetes API, built from a resource type. Pure.
import type { ObjectKey } from "../meta/object-key.ts";
import { formatKey } from "../meta/object-key.ts";
import { resourceNameOf, type ResourceType } from "../meta/resource-type.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a type's collection: of one namespace, or of all when none is given. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root =
    type.group === ""
      ? `/api/${encodeURIComponent(type.version)}`
      : `/apis/${encodeURIComponent(type.group)}/${encodeURIComponent(type.version)}`;
  const scope =
    type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${scope}/${encodeURIComponent(type.plural)}`;
}

/**
 * The path of one object, or of a subresource of it.
 *
 * **Errors**: `OBJECT_KEY_INVALID` without a name, or without a namespace on a namespaced type: such a request would
 * otherwise reach the whole collection.
 */
export function objectPath(type: ResourceType, key: ObjectKey, subresource?: string): string {
  if (key.name === "") {
    throw new OperatorError(
      "OBJECT_KEY_INVALID",
      `an object of ${resourceNameOf(type)} is asked for without a name`,
      {
        remedy: "Give the object's metadata.name.",
      },
    );
  }
  const path = `${collectionPath(type, namespaceFor(type, key))}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The namespace that a path needs; undefined for a cluster-scoped type. Errors: `OBJECT_KEY_INVALID`. */
export function namespaceFor(type: ResourceType, key: ObjectKey): string | undefined {
  if (!type.namespaced) return undefined;
  if (key.namespace !== undefined && key.namespace !== "") return key.namespace;
  throw new OperatorError(
    "OBJECT_KEY_INVALID",
    `${resourceNameOf(type)} "${formatKey(key)}" has no namespace, but its type is namespaced`,
    { remedy: "Give the object's metadata.namespace." },
  );
}

/** The path with its query string. */
export function withQuery(path: string, query: Query): string {
  let result = path;
  let separator = "?";
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    result += `${separator}${name}=${encodeURIComponent(String(value))}`;
    separator = "&";
  }
  return result;
}

/** A path and query that a URL takes over as they are: no letter that it would escape, no step up. */
const plainPath = /^(?:\/(?![.%])[\w.~:%!$&'()*+,;=@-]*)+(?:\?[\w.~:%!$&()*+,;=@/?-]+)?$/;

/**
 * The path and query of a request below a server's own path, as a URL would have them; most are plain, and no URL is made of
 * those.
 */
export function pathOnWire(basePath: string, path: string): string {
  if (plainPath.test(path)) return `${basePath}${path}`;
  const { pathname, search } = new URL(`http://localhost${basePath}${path}`);
  return `${pathname}${search}`;
}

/** `verb path`, without the query, which may be long. */
export function nameOf(request: { readonly method: string; readonly path: string }): string {
  return `${request.method} ${request.path.split("?")[0]}`;
}
