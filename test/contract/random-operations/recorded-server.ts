// One API server on which random operations are performed, and what it makes of them: its answers, the events of its watches, and
// what it has stored in the end.
import type { Body, RawClient, RawOptions, WatchedLine } from "../api-server/raw-request.ts";
import { GivenOut, keyOf, nameOf, sortedByName } from "./comparable.ts";
import { collectionOf, type Fields, type RandomKind } from "./random-kind.ts";
import { filled, namespaces, type Operation } from "./operation.ts";

/** What an API server has answered, in comparable form. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** An entry of managedFields. */
export interface Owner {
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
}

/** How the object is called that is the last one of its kind. */
const lastName = "zzz-last";
const lastLabels = { app: "a", tier: "front" };
/** The names that operations give. */
const ours = /^(?:one|two)\b/;

/** Performs operations on an API server. */
export class RecordedServer {
  readonly #client: RawClient;
  readonly #given = new GivenOut();
  readonly #watches = new Map<string, Promise<readonly WatchedLine[]>>();
  /** The last version that an object has got, by collection without its version. */
  readonly #latest = new Map<string, number>();

  constructor(client: RawClient) {
    this.#client = client;
  }

  /** Begins to watch a kind: all of its objects, and those with a label, and with a field. */
  async watch(kind: RandomKind): Promise<void> {
    const isLast = ({ object }: WatchedLine): boolean =>
      (object["metadata"] as Body | undefined)?.["name"] === lastName;
    for (const collection of collectionsOf(kind)) {
      const { body } = await this.#client.send("GET", collection);
      const { resourceVersion } = body["metadata"] as { resourceVersion: string };
      for (const selector of watchesOf(kind)) {
        const path = `${collection}?watch=true&resourceVersion=${resourceVersion}${selector}`;
        const watched = this.#client.watch(path, isLast, 3_600_000).then(({ lines }) => lines);
        watched.catch(() => undefined);
        this.#watches.set(`${collection}${selector}`, watched);
      }
    }
  }

  /** Performs an operation: what was answered, the reading before it included. */
  async perform(operation: Operation): Promise<readonly Answer[]> {
    const { method, kind, changes, contentType, accept, userAgent } = operation;
    const path = this.#resolved(operation.path);
    const options = withoutAbsent({ contentType, accept, userAgent });
    let body: unknown = operation.body === undefined ? undefined : this.#resolvedValue(operation.body);
    const answers: Answer[] = [];
    if (changes !== undefined) {
      const read = await this.#client.send("GET", this.#resolved(changes.of));
      if (read.status !== 200) return [this.#answer(kind, read)];
      this.#seeUnlessScale(kind, read.body);
      body = this.#resolvedValue(filled(read.body, changes.fields));
    }
    await this.#awaitCache(kind);
    if (operation.isStream === true) return [await this.#streamed(kind, path, accept)];
    const answer = await this.#client.send(method, path, body, options);
    this.#given.seeRefusedName(body, answer.body);
    answers.push(this.#answer(kind, answer));
    return method === "GET" ? this.#withFurtherPages({ kind, path, options }, answer, answers) : answers;
  }

  /**
   * Waits until the cache from which the real server answers knows the last change: a write begins with what is in it, and on an older
   * state it decides otherwise (a deletion in haste keeps the period of grace that the first look came to; what is stored again depends on it).
   */
  async #awaitCache(kind: RandomKind): Promise<void> {
    const latest = this.#latest.get(keyOf(collectionOf(kind)));
    if (latest === undefined) return;
    await this.#client.send("GET", `${collectionOf(kind, namespaces[0])}/none?resourceVersion=${latest}`);
  }

  /** Removes an object whatever holds it, and forgets it. */
  async remove(object: string): Promise<void> {
    const path = this.#resolved(object);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { status } = await this.#client.send("GET", path);
      if (status === 404) break;
      const unfinished = { metadata: { finalizers: null } };
      await this.#client.send("PATCH", path, unfinished, { contentType: "application/merge-patch+json" });
      await this.#client.send("DELETE", `${path}?gracePeriodSeconds=0`);
    }
    this.#given.forget(path);
  }

  /** Who owns fields of an object. */
  async owners(object: string): Promise<readonly Owner[]> {
    const { body } = await this.#client.send("GET", this.#resolved(object));
    return ((body["metadata"] ?? {}) as { managedFields?: readonly Owner[] }).managedFields ?? [];
  }

  /** All objects of a kind that are there by the operations. */
  async stored(kind: RandomKind): Promise<unknown> {
    const lists = collectionsOf(kind).map(async (collection) => {
      const { body } = await this.#client.send("GET", collection);
      const items = body["items"] as readonly { readonly metadata: { readonly name: string } }[];
      return items
        .filter(({ metadata: { name } }) => ours.test(name))
        .map((item) => this.#given.comparable(collectionOf(kind), item));
    });
    return (await Promise.all(lists)).map(sortedByName);
  }

  /** Everything that the watches of a kind have told, up to an object that is made now. */
  async watched(kind: RandomKind): Promise<Readonly<Record<string, unknown>>> {
    const told: Record<string, unknown> = {};
    for (const collection of collectionsOf(kind)) {
      const { status, text } = await this.#client.send("POST", collection, {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { name: lastName, labels: lastLabels },
        ...sampleFor(kind, collection),
      });
      // It is there already in another version of the kind.
      if (status !== 201 && status !== 409) throw new Error(`the last of ${collection} was refused: ${text}`);
      for (const selector of watchesOf(kind)) {
        const lines = (await this.#watches.get(`${collection}${selector}`)) ?? [];
        const events = lines.map(({ type, object }) => ({
          type,
          object: this.#given.comparable(collectionOf(kind), object) as Body,
        }));
        told[`${collection}${selector}`] = inComparableOrder(events);
      }
    }
    return told;
  }

  #answer(kind: RandomKind, { status, body, text, headers }: Awaited<ReturnType<RawClient["send"]>>): Answer {
    const { warning } = headers;
    // Several fields that are unknown are named in the order of a hash table there.
    const warnings = [warning ?? []]
      .flat()
      .flatMap((each) => each.split(/, (?=299 - )/))
      .toSorted();
    this.#noteLatest(kind, body);
    const value = Object.keys(body).length === 0 ? text : body;
    this.#seeUnlessScale(kind, body);
    return {
      status,
      body: this.#given.comparable(collectionOf(kind), value),
      warnings: this.#given.comparable("", warnings) as readonly string[],
    };
  }

  #noteLatest(kind: RandomKind, { metadata }: Body): void {
    const { uid, resourceVersion } = (metadata ?? {}) as { uid?: unknown; resourceVersion?: unknown };
    const key = keyOf(collectionOf(kind));
    const before = this.#latest.get(key) ?? 0;
    // The version of a list may be that of a change of something else, which no cache of these objects hears of soon.
    if (typeof uid === "string") this.#latest.set(key, Math.max(before, Number(resourceVersion)));
  }

  /** Its metadata is that of the object. */
  #seeUnlessScale(kind: RandomKind, body: Body): void {
    const { metadata } = body as { metadata?: Body };
    if (typeof metadata?.["name"] === "string") this.#given.see(collectionOf(kind), { metadata });
  }

  /** What a list tells as a watch. */
  async #streamed(kind: RandomKind, path: string, accept: string | undefined): Promise<Answer> {
    const isEnd = ({ type }: WatchedLine): boolean => type === "BOOKMARK" || type === "ERROR";
    const { lines } = await this.#client.watch(path, isEnd, 20_000, withoutAbsent({ accept }));
    const events = lines.map(({ type, object }) => ({
      type,
      object: this.#given.comparable(collectionOf(kind), object) as Body,
    }));
    return { status: 200, body: inComparableOrder(events), warnings: [] };
  }

  /** What is in all pages of a list; where they end depends on the names that are completed at random. */
  async #withFurtherPages(
    {
      kind,
      path,
      options,
    }: { readonly kind: RandomKind; readonly path: string; readonly options: RawOptions },
    first: { readonly body: Body },
    answers: readonly Answer[],
  ): Promise<readonly Answer[]> {
    let { continue: token } = (first.body["metadata"] ?? {}) as { continue?: string };
    // Whether a page ends where what is left over is not selected differs.
    const isPaged = first.body["items"] !== undefined && /[?&]limit=[12]\b/.test(path);
    if (!isPaged && (typeof token !== "string" || token === "")) return answers;
    const pages = [...answers];
    while (typeof token === "string" && token !== "" && pages.length < 50) {
      const page = await this.#client.send(
        "GET",
        `${path}&continue=${encodeURIComponent(token)}`,
        undefined,
        options,
      );
      pages.push(this.#answer(kind, page));
      token = ((page.body["metadata"] ?? {}) as { continue?: string }).continue;
    }
    const itemsOf = ({ body }: Answer): readonly unknown[] =>
      (body as { items?: unknown[] | null }).items ?? [];
    return [{ status: 200, body: { items: sortedByName(pages.flatMap(itemsOf)) }, warnings: [] }];
  }

  #resolvedValue(value: unknown): unknown {
    if (typeof value === "string") return this.#resolved(value);
    return JSON.parse(this.#resolved(JSON.stringify(value))) as unknown;
  }

  /** What is named in a text: the names first, since versions are those of objects. */
  #resolved(text: string): string {
    return text
      .replaceAll(/@name\(([^)]*)\)/g, (_, collection: string) => this.#given.generatedName(collection))
      .replaceAll(/@version\(([^,)]*),(\d+)\)/g, (_, object: string, ago: string) =>
        this.#given.version(object, Number(ago)),
      )
      .replaceAll(/@uid\(([^)]*)\)/g, (_, object: string) => this.#given.uid(object));
  }
}

/** In the order in which they were told; those about generated names by themselves, since a deletion of many goes by the names. */
function inComparableOrder(
  events: readonly { readonly type: string; readonly object: Body }[],
): Readonly<Record<string, unknown>> {
  const isGenerated = ({ object }: { readonly object: Body }): boolean =>
    nameOf(object).startsWith("GENERATED");
  return {
    named: events.filter((event) => !isGenerated(event)),
    ...Object.groupBy(events.filter(isGenerated), ({ object }) => nameOf(object)),
  };
}

/** The selectors of the watches of a kind. */
function watchesOf({ watched }: RandomKind): readonly string[] {
  const ofField = watched === undefined ? [] : [`&fieldSelector=${encodeURIComponent(watched)}`];
  return ["", "&labelSelector=app%3Da", ...ofField];
}

/** The sample of a kind for a collection; one that names a namespace names the first. */
function sampleFor({ sample }: RandomKind, collection: string): Fields {
  const namespace = /\/namespaces\/([^/]+)/.exec(collection)?.[1] ?? "";
  const text = JSON.stringify(sample).replaceAll(
    `"namespace":"${namespaces[0]}"`,
    `"namespace":"${namespace}"`,
  );
  return JSON.parse(text) as Fields;
}

/** The collections in which operations are performed. */
function collectionsOf(kind: RandomKind): readonly string[] {
  return kind.isClusterScoped === true
    ? [collectionOf(kind)]
    : namespaces.map((namespace) => collectionOf(kind, namespace));
}

function withoutAbsent(options: {
  readonly [Key in keyof RawOptions]: RawOptions[Key] | undefined;
}): RawOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as RawOptions;
}
