// Answers and watch events in a form in which two API servers can be compared: what a server gives out by itself (versions, uids,
// times, addresses, the ends of generated names) is named by the object that it belongs to and the order in which it came up.
import type { Fields } from "./random-kind.ts";

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const serviceAddress = /\b(?:10|127)\.96\.\d+\.\d+\b/g;
/** A time that is nearer than this is one of now, in milliseconds. */
const now = 3_600_000;

/** What one object has been given so far. */
interface Given {
  readonly versions: string[];
  readonly uids: string[];
}

/** Names what one API server gives out. */
export class GivenOut {
  readonly #objects = new Map<string, Given>();
  readonly #uids = new Map<string, string>();
  /** By collection. */
  readonly #generated = new Map<string, string[]>();
  readonly #refused = new Set<string>();

  /** The version that an object had so many changes ago. */
  version(object: string, ago: number): string {
    return this.#objects.get(keyOf(object))?.versions.at(-1 - ago) ?? "1";
  }

  uid(object: string): string {
    return this.#objects.get(keyOf(object))?.uids.at(-1) ?? "6dcdde8a-0000-4000-8000-0000000000ff";
  }

  /** The name that was completed last in a collection. */
  generatedName(collection: string): string {
    return this.#generated.get(keyOf(collection))?.at(-1) ?? "none";
  }

  /** Begins anew with an object. */
  forget(object: string): void {
    this.#objects.delete(keyOf(object));
  }

  /** Takes in an object that an answer or a watch shows, which is in a collection of all namespaces. */
  see(collection: string, { metadata }: { readonly metadata: Fields }): void {
    const key = objectKey(collection, metadata);
    const given = this.#objects.get(key) ?? { versions: [], uids: [] };
    this.#objects.set(key, given);
    const { uid, resourceVersion, generateName, name } = metadata;
    if (typeof uid === "string" && !given.uids.includes(uid)) {
      given.uids.push(uid);
      this.#uids.set(uid, `uid ${given.uids.length} of ${key}`);
    }
    if (typeof resourceVersion === "string" && !given.versions.includes(resourceVersion)) {
      given.versions.push(resourceVersion);
    }
    const isDrawn =
      typeof name === "string" &&
      (name.search(uuid) === 0 || (typeof generateName === "string" && name.startsWith(generateName)));
    if (isDrawn) {
      const of = keyOf(collection) + spaced(metadata);
      const names = this.#generated.get(of) ?? [];
      this.#generated.set(of, names);
      if (!names.includes(name) && name !== generateName) names.push(name);
    }
  }

  /** Takes in the completed name of an object that was refused. */
  seeRefusedName(sent: unknown, answer: Fields): void {
    const given = isFields(sent) && isFields(sent["metadata"]) ? sent["metadata"] : {};
    const { generateName } = given;
    const name = isFields(answer["details"]) ? answer["details"]["name"] : undefined;
    if (typeof generateName !== "string" || typeof name !== "string" || !name.startsWith(generateName))
      return;
    // A change of an object may be refused, too, whose name is known.
    const isKnown = [...this.#generated.values()].some((names) => names.includes(name));
    if (name.length > generateName.length && !isKnown) this.#refused.add(name);
  }

  /** An answer's or an event's object, or text. */
  comparable(collection: string, value: unknown): unknown {
    if (isFields(value) && isFields(value["metadata"]) && typeof value["metadata"]["name"] === "string") {
      this.see(collection, value as { metadata: Fields });
    }
    return JSON.parse(this.#plainText(JSON.stringify(this.#plain(collection, value) ?? null))) as unknown;
  }

  #plain(collection: string, value: unknown): unknown {
    if (Array.isArray(value)) return (value as unknown[]).map((each) => this.#plain(collection, each));
    if (!isFields(value)) return value;
    const plain: Record<string, unknown> = {};
    const { details, message } = value;
    const isListed = isFields(details) && Array.isArray(details["causes"]) && details["causes"].length > 1;
    for (const [key, each] of Object.entries(value)) {
      if (key === "message" && isListed && typeof message === "string") {
        // The causes say the same.
        plain[key] = message.replace(/\[.*\]$/s, "[CAUSES]");
        continue;
      }
      if (key === "metadata" && isFields(each)) plain[key] = this.#metadata(collection, each);
      else if (key === "items" && (Array.isArray(each) || each === null)) {
        // An empty list is sometimes null there.
        plain[key] = sortedByName(
          ((each ?? []) as unknown[]).map((item) => this.comparable(collection, item)),
        );
      } else if (key === "causes" && Array.isArray(each)) {
        // Some are found twice there, on the way of a change through the object's and its metadata's validation.
        const causes = new Map((each as unknown[]).map((cause) => [JSON.stringify(cause), cause]));
        // The fields of a custom resource, and the managers that an apply conflicts with, are looked at in the order of a hash table.
        plain[key] = [...causes.keys()].toSorted().map((text) => causes.get(text));
      } else if (key === "nodePort" && typeof each === "number" && each > 0) plain[key] = "NODEPORT";
      else plain[key] = this.#plain(collection, each);
    }
    return plain;
  }

  #metadata(collection: string, metadata: Fields): Fields {
    const plain: Record<string, unknown> = { ...metadata };
    const { name, resourceVersion, managedFields } = metadata;
    if (typeof resourceVersion === "string") {
      const given = typeof name === "string" ? this.#objects.get(objectKey(collection, metadata)) : undefined;
      plain["resourceVersion"] =
        given === undefined ? "VERSION" : `version ${given.versions.indexOf(resourceVersion)}`;
    }
    if (typeof metadata["continue"] === "string" && metadata["continue"] !== "") plain["continue"] = "TOKEN";
    // Their order is one of times; and the real server forgets some times.
    if (Array.isArray(managedFields)) {
      plain["managedFields"] = (managedFields as unknown[])
        .map((each) =>
          JSON.stringify(each, isFields(each) ? ["manager", "operation", "apiVersion", "subresource"] : []),
        )
        .map((key, index) => [key, (managedFields as unknown[])[index]] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
        .map(([, each]) => (isFields(each) ? { ...each, time: undefined } : each));
    }
    return plain;
  }

  #plainText(text: string): string {
    let plain = text
      .replaceAll(uuid, (found) => this.#uids.get(found) ?? found)
      .replaceAll(time, (found) => (Math.abs(Date.parse(found) - Date.now()) < now ? "NOW" : found))
      .replaceAll(serviceAddress, "ADDRESS")
      .replaceAll(/(?<=ResourceVersion in (?:precondition|object meta): )\d+/g, "VERSION")
      .replaceAll(/(?<=ResourceVersion in (?:record|the precondition) \()\d+/g, "VERSION");
    for (const name of this.#refused) plain = plain.replaceAll(name, "REFUSED");
    for (const names of this.#generated.values()) {
      names.forEach((name, index) => {
        plain = plain.replaceAll(name, `GENERATED${index}`);
      });
    }
    return plain;
  }
}

/** The name of an object. */
export function nameOf(object: unknown): string {
  const metadata = isFields(object) ? object["metadata"] : undefined;
  return isFields(metadata) ? String(metadata["name"]) : "";
}

/** Objects in the order of their comparable names and namespaces. */
export function sortedByName(objects: readonly unknown[]): readonly unknown[] {
  const key = (object: unknown): string =>
    `${isFields(object) && isFields(object["metadata"]) ? String(object["metadata"]["namespace"]) : ""}/${nameOf(object)}`;
  return objects.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const spaced = ({ namespace }: Fields): string => (typeof namespace === "string" ? `/${namespace}` : "");

function objectKey(collection: string, metadata: Fields): string {
  return `${keyOf(collection)}${spaced(metadata)}/${String(metadata["name"])}`;
}

/** A path of the API without its versions: `configmaps/first/one`, `gadgets.random.example.com/first`. */
export function keyOf(path: string): string {
  const match = /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/?]+)(?:\/([^/?]+))?/.exec(
    path,
  );
  const [, group, namespace, plural = path, name] = match ?? [];
  return [group === undefined ? plural : `${plural}.${group}`, namespace, name]
    .filter((each) => each !== undefined)
    .join("/");
}
