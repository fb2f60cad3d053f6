// The list types of custom types, learned from managedFields: there the server names an element of a keyed list by its keys and a
// member of a set by its value, by the schema of the CRD, and a map that is one value as a whole (a selector) without its fields. So nobody needs to read CRDs, and no author to repeat what they say.
// Lost at a restart; the first object of a type that differs from its intent has the server asked again.
// Format: https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#fieldsv1-v1-meta
import { BoundedMap } from "../../collections/bounded-map.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ListType } from "./list-types.ts";

/** Types, and lists of one type, that are remembered; schemas have a few. */
const rememberedTypes = 1_000;
const rememberedLists = 1_000;

/** What is known of the lists of custom types; one for each controller. */
export class LearnedLists {
  readonly #types = new BoundedMap<string, Map<string, ListType>>(rememberedTypes);

  /** The lists of a type by their path, as far as they are known: the same map grows. */
  of(type: string): ReadonlyMap<string, ListType> {
    const known = this.#types.get(type) ?? new Map<string, ListType>();
    if (known.size === 0) this.#types.set(type, known);
    return known;
  }

  /** Learns from what the server says of an object of a type. */
  learn(type: string, object: KubeObject): void {
    const known = this.#types.get(type);
    if (known === undefined) return;
    const maps = new Map<string, "whole" | "by field">();
    for (const { fieldsV1 } of object.metadata.managedFields ?? []) {
      collect(fieldsV1, "", known);
      collectMaps(fieldsV1, object, "", maps);
    }
    for (const [path, kind] of maps) {
      if (kind === "whole" && known.size < rememberedLists) known.set(path, { type: "atomic" });
      else if (known.get(path)?.type === "atomic") known.delete(path);
    }
  }
}

/** Which maps outside of lists are owned as one value: one that was set empty is owned so too, until somebody owns a field of it. */
function collectMaps(
  set: unknown,
  value: unknown,
  path: string,
  maps: Map<string, "whole" | "by field">,
): void {
  if (!isFields(set) || !isFields(value)) return;
  for (const [name, inner] of Object.entries(set)) {
    if (!name.startsWith("f:") || !isFields(inner)) continue;
    const field = name.slice(2);
    const fields = value[field];
    if (!isFields(fields) || Object.keys(fields).length === 0) continue;
    const at = path === "" ? field : `${path}.${field}`;
    if (Object.keys(inner).length > 0) maps.set(at, "by field");
    else if (!maps.has(at)) maps.set(at, "whole");
    collectMaps(inner, fields, at, maps);
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function collect(set: unknown, path: string, known: Map<string, ListType>): void {
  if (typeof set !== "object" || set === null) return;
  for (const [name, inner] of Object.entries(set)) {
    if (name.startsWith("f:")) {
      const field = name.slice(2);
      collect(inner, path === "" ? field : `${path}.${field}`, known);
      continue;
    }
    const type = typeBy(name);
    if (type === undefined) continue;
    if (known.has(path) || known.size < rememberedLists) known.set(path, type);
    collect(inner, `${path}.*`, known);
  }
}

/** The type of a list of which an element is named like that. */
function typeBy(element: string): ListType | undefined {
  if (element.startsWith("v:")) return { type: "set" };
  if (!element.startsWith("k:")) return undefined;
  return { type: "map", keys: Object.keys(JSON.parse(element.slice(2)) as object), ordered: false };
}
