// The lists and maps of custom types: by the schema that the API server publishes of them, asked for once before the first object of a
// type is compared, and by managedFields, where the server names an element of a keyed list by its keys, a member of a set by its value, and a map that is
// one value as a whole (a selector) without its fields. Those are what there is of a type that has no schema, or none that may be read;
// so nobody needs to read CRDs, and no author to repeat what they say.
// Format: https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#fieldsv1-v1-meta
import { BoundedMap } from "../../collections/bounded-map.ts";
import type { KubeObject } from "../../meta/object.ts";
import { typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import type { CustomLists, ListType } from "./list-types.ts";
import { schemaListsOf, type SchemaLists } from "./schema-lists.ts";

/** Types, and lists of one type, that are remembered; schemas have a few. */
const rememberedTypes = 1_000;
const rememberedLists = 1_000;

/** Milliseconds until the server is asked again for a schema that it did not have, or did not give. */
const schemaRecheck = 30_000;

/** What is known of the lists of custom types; one for each controller. */
export class LearnedLists {
  readonly #types = new BoundedMap<string, TypeLists>(rememberedTypes);

  /** The lists of a type, as far as they are known: what is returned learns more. */
  of(type: ResourceType): TypeLists {
    const key = typeKeyOf(type);
    const known = this.#types.get(key) ?? new TypeLists(type);
    this.#types.set(key, known);
    return known;
  }
}

/** Asks the server for its document of a group and version. */
type AskForSchemas = (path: string) => Promise<unknown>;

/** The lists of one type. */
export class TypeLists implements CustomLists {
  readonly #type: ResourceType;
  /** By what managedFields say, by path. */
  readonly #shown = new Map<string, ListType>();
  #schema: SchemaLists | undefined;
  #asking: Promise<void> | undefined;
  /** Monotonic milliseconds. */
  #askAt = -Infinity;

  constructor(type: ResourceType) {
    this.#type = type;
  }

  at(path: string): ListType | undefined {
    return this.#schema?.at(path) ?? this.#shown.get(path);
  }

  get hasWholeMaps(): boolean {
    return this.#schema?.hasWholeMaps === true || this.#shown.size > 0;
  }

  /**
   * Takes the schema from the server, once, whoever needs it; undefined when there is nothing to wait for. `now` is monotonic. Never
   * rejects: without a schema, managedFields have to do.
   */
  learnSchema(ask: AskForSchemas, now: number): Promise<void> | undefined {
    if (this.#schema !== undefined || now < this.#askAt) return undefined;
    this.#asking ??= this.#ask(ask, now);
    return this.#asking;
  }

  async #ask(ask: AskForSchemas, now: number): Promise<void> {
    const { group, version } = this.#type;
    try {
      this.#schema = schemaListsOf(await ask(`/openapi/v3/apis/${group}/${version}`), this.#type);
    } catch {
      // Not allowed, not served, or cut off: the same as no schema.
    }
    this.#askAt = now + schemaRecheck;
    this.#asking = undefined;
  }

  /** Learns from what the server says of an object of the type. */
  learn(object: KubeObject): void {
    const known = this.#shown;
    const maps = new Map<string, "whole" | "by field">();
    for (const { fieldsV1 } of object.metadata.managedFields ?? []) {
      collect(fieldsV1, "", known);
      collectMaps(fieldsV1, object, "", maps);
    }
    if (this.#isOutdatedBy(maps)) {
      this.#schema = undefined;
      this.#askAt = -Infinity;
    }
    for (const [path, kind] of maps) {
      if (kind === "whole" && known.size < rememberedLists) known.set(path, { type: "atomic" });
      else if (known.get(path)?.type === "atomic") known.delete(path);
    }
  }

  /** Whether the schema is another one by now: what it calls one value has fields of several owners, or a list has other elements. */
  #isOutdatedBy(maps: ReadonlyMap<string, "whole" | "by field">): boolean {
    const schema = this.#schema;
    if (schema === undefined) return false;
    const isOther = [...this.#shown].some(([path, { type }]) => {
      const known = schema.at(path);
      return type !== "atomic" && known?.type !== type && !path.startsWith("metadata.");
    });
    return (
      isOther || [...maps].some(([path, kind]) => kind === "by field" && schema.at(path)?.type === "atomic")
    );
  }
}

/** Which maps are owned as one value: one that was set empty is owned so too, until somebody owns a field of it. */
function collectMaps(
  set: unknown,
  value: unknown,
  path: string,
  maps: Map<string, "whole" | "by field">,
): void {
  if (!isFields(set)) return;
  for (const [name, inner] of Object.entries(set)) {
    if (!isFields(inner)) continue;
    if (name.startsWith("k:")) {
      collectMaps(inner, elementNamed(name, value), `${path}.*`, maps);
      continue;
    }
    if (!name.startsWith("f:") || !isFields(value)) continue;
    const field = name.slice(2);
    const fields = value[field];
    const at = path === "" ? field : `${path}.${field}`;
    if (Array.isArray(fields)) collectMaps(inner, fields, at, maps);
    if (!isFields(fields) || Object.keys(fields).length === 0) continue;
    if (Object.keys(inner).length > 0) maps.set(at, "by field");
    else if (!maps.has(at)) maps.set(at, "whole");
    collectMaps(inner, fields, at, maps);
  }
}

/** The element of a keyed list that is named by its keys, `k:{"name":"http"}`. */
function elementNamed(name: string, list: unknown): unknown {
  const keys = Object.entries(JSON.parse(name.slice(2)) as object);
  const elements: readonly unknown[] = Array.isArray(list) ? list : [];
  return elements.find((each) => isFields(each) && keys.every(([key, value]) => each[key] === value));
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
