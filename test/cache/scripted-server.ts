// An API server for one kind, without sockets and on a virtual clock: a history of changes that lists and watches are
// answered from, with faults at will and a count of everything that is open.
import { ApiError } from "../../src/client/api-error.ts";
import type {
  KubeClient,
  ListOptions,
  ObjectList,
  WatchEvent,
  WatchOptions,
  WatchReceiver,
} from "../../src/client/kube-client.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";

export interface Widget extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly phase: string };
}

export const widgets: ResourceType<Widget> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

type Entry = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Widget };
type Request =
  | { readonly verb: "list"; readonly at: number; readonly options: ListOptions }
  | { readonly verb: "watch"; readonly at: number; readonly options: WatchOptions };

export const apiError = (status: number, reason: string, retryAfter?: number) =>
  new ApiError(`${status} ${reason}`, { status, reason, details: {}, retryAfter, request: "scripted" });

export const connectionReset = () => new OperatorError("CONNECTION_FAILED", "the connection was reset");

export class ScriptedServer {
  readonly requests: Request[] = [];
  /** `endless`: never says that the initial events are all; `refused`: as an old server does. */
  streaming: "served" | "refused" | "endless" = "served";
  /** Called before a list or watch is answered; throws to fail it, may wait. */
  onList: (options: ListOptions) => Promise<void> | void = () => undefined;
  onWatch: (options: WatchOptions) => Promise<void> | void = () => undefined;
  /** While true, changes happen but are not told to watches. */
  held = false;
  openWatches = 0;
  mostOpenWatches = 0;
  #revision = 100;
  #compacted = 0;
  #uid = 0;
  readonly #history: Entry[] = [];
  readonly #objects = new Map<string, Widget>();
  readonly #wakeUps = new Set<() => void>();
  #cut: { readonly generation: number; readonly error: Error | undefined } = {
    generation: 0,
    error: undefined,
  };
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get revision(): string {
    return String(this.#revision);
  }

  get objects(): Widget[] {
    return [...this.#objects.values()];
  }

  lists(): ListOptions[] {
    return this.requests.flatMap((request) => (request.verb === "list" ? [request.options] : []));
  }

  watches(): WatchOptions[] {
    return this.requests.flatMap((request) => (request.verb === "watch" ? [request.options] : []));
  }

  /** Creates or edits; unchanged content is a no-op that answers the object as it is, as a real server does. */
  put(
    name: string,
    fields: { size?: number; phase?: string; labels?: Record<string, string>; deleting?: true } = {},
  ): Widget {
    const before = this.#objects.get(`default/${name}`);
    const phase = fields.phase ?? before?.status?.phase;
    const labels = fields.labels ?? before?.metadata.labels;
    const deletionTimestamp =
      fields.deleting === true ? "2026-01-01T00:00:01Z" : before?.metadata.deletionTimestamp;
    const object = (resourceVersion: string, uid: string): Widget => ({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: {
        name,
        namespace: "default",
        uid,
        resourceVersion,
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: [{ manager: "somebody", operation: "Update" }],
        ...(labels === undefined ? {} : { labels }),
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      },
      spec: { size: fields.size ?? before?.spec.size ?? 1 },
      ...(phase === undefined ? {} : { status: { phase } }),
    });
    if (before !== undefined) {
      const { resourceVersion, uid } = before.metadata;
      const same = object(resourceVersion, uid);
      if (JSON.stringify(same) === JSON.stringify(before)) return same;
    }
    this.#revision += 1;
    const after = object(this.revision, before?.metadata.uid ?? `uid-${(this.#uid += 1)}`);
    this.#objects.set(`default/${name}`, after);
    this.#record({ type: before === undefined ? "ADDED" : "MODIFIED", object: after });
    return structuredClone(after);
  }

  remove(name: string): Widget | undefined {
    const before = this.#objects.get(`default/${name}`);
    if (before === undefined) return undefined;
    this.#objects.delete(`default/${name}`);
    this.#revision += 1;
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(this.#revision) } };
    this.#record({ type: "DELETED", object });
    return structuredClone(object);
  }

  /** Forgets the history: older watches and continue tokens answer 410. */
  compact(): void {
    this.#revision += 1;
    this.#compacted = this.#revision;
  }

  /** What it holds now, to be restored later. */
  backUp(): () => void {
    const [revision, objects] = [this.#revision, new Map(this.#objects)];
    const written = this.#history.length;
    return () => {
      this.#revision = revision;
      this.#objects.clear();
      for (const [key, object] of objects) this.#objects.set(key, object);
      this.#history.length = written;
    };
  }

  /** Ends every open watch: cleanly, or with an error. */
  cutWatches(error?: Error): void {
    this.#cut = { generation: this.#cut.generation + 1, error };
    this.#wake();
  }

  /** Tells watches what was held back. */
  release(): void {
    this.held = false;
    this.#wake();
  }

  bookmark(): void {
    this.#revision += 1;
    this.#wake();
  }

  #record(entry: Entry): void {
    this.#history.push(entry);
    this.#wake();
  }

  #wake(): void {
    for (const wakeUp of this.#wakeUps) wakeUp();
  }

  async list(options: ListOptions): Promise<ObjectList<Widget>> {
    this.requests.push({ verb: "list", at: this.#clock.now(), options });
    await this.onList(options);
    options.signal?.throwIfAborted();
    const [version, start] = options.continue?.split(":").map(Number) ?? [this.#revision, 0];
    if ((version ?? 0) < this.#compacted) throw apiError(410, "Expired");
    const end = (start ?? 0) + (options.limit ?? Infinity);
    const items = this.objects.slice(start, end).map((object) => structuredClone(object));
    return {
      metadata: {
        resourceVersion: String(version),
        ...(end < this.#objects.size ? { continue: `${version}:${end}` } : {}),
      },
      items,
    };
  }

  async *watch(options: WatchOptions): AsyncGenerator<WatchEvent<Widget>, void, undefined> {
    this.requests.push({ verb: "watch", at: this.#clock.now(), options });
    await this.onWatch(options);
    options.signal.throwIfAborted();
    if (options.sendInitialEvents === true && this.streaming === "refused") throw apiError(422, "Invalid");
    options.onOpen?.();
    this.openWatches += 1;
    this.mostOpenWatches = Math.max(this.mostOpenWatches, this.openWatches);
    const cut = this.#cut.generation;
    try {
      let position = this.#history.length;
      let told = this.#revision;
      if (options.sendInitialEvents === true) {
        for (const object of this.objects) yield { type: "ADDED", object: structuredClone(object) };
        if (this.streaming === "served")
          yield { type: "BOOKMARK", resourceVersion: String(told), initialEventsEnd: true };
      } else {
        told = Number(options.resourceVersion);
        if (told < this.#compacted) throw apiError(410, "Expired");
        position = this.#history.findIndex((entry) => Number(entry.object.metadata.resourceVersion) > told);
        if (position < 0) position = this.#history.length;
      }
      for (;;) {
        if (this.#cut.generation !== cut) {
          if (this.#cut.error !== undefined) throw this.#cut.error;
          return;
        }
        const entry = this.held ? undefined : this.#history[position];
        if (entry !== undefined) {
          position += 1;
          told = Number(entry.object.metadata.resourceVersion);
          yield { type: entry.type, object: structuredClone(entry.object) };
        } else if (
          !this.held &&
          told < this.#revision &&
          options.allowWatchBookmarks === true &&
          this.streaming !== "endless"
        ) {
          told = this.#revision;
          yield { type: "BOOKMARK", resourceVersion: String(told), initialEventsEnd: false };
        } else {
          await this.#news(options);
        }
      }
    } finally {
      this.openWatches -= 1;
    }
  }

  /** Waits for a change, at most the client's idle time. */
  #news({ signal, idleTimeout }: WatchOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#wakeUps.delete(wakeUp);
        signal.removeEventListener("abort", aborted);
        if (timer !== undefined) this.#clock.clearTimeout(timer);
        act();
      };
      const wakeUp = (): void => settle(resolve);
      const aborted = (): void => settle(() => reject(signal.reason));
      const timer =
        idleTimeout === undefined
          ? undefined
          : this.#clock.setTimeout(
              () => settle(() => reject(new OperatorError("WATCH_IDLE", "silent"))),
              idleTimeout,
            );
      this.#wakeUps.add(wakeUp);
      if (signal.aborted) aborted();
      else signal.addEventListener("abort", aborted);
    });
  }
}

/** A client of scripted servers, by plural. Only list and watch are there. */
export function clientOf(servers: Readonly<Record<string, ScriptedServer>>): KubeClient {
  const serverOf = (type: ResourceType): ScriptedServer => {
    const server = servers[type.plural];
    if (server === undefined) throw new Error(`no server for ${type.plural}`);
    return server;
  };
  const partial: Pick<KubeClient, "server" | "list" | "follow"> = {
    server: "scripted:",
    list: <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}) =>
      serverOf(type).list(options) as unknown as Promise<ObjectList<T>>,
    follow: async <T extends KubeObject>(
      type: ResourceType<T>,
      options: WatchOptions,
      receive: WatchReceiver<T>,
    ) => {
      const events = serverOf(type).watch(options) as unknown as AsyncIterable<WatchEvent<T>>;
      for await (const event of events) await receive(event);
    },
  };
  return partial as KubeClient;
}
