// An API server that is a table in memory: all that a request costs but HTTP. For benchmarks of an operator alone.
import { setTimeout as delay } from "node:timers/promises";
import { createSharedCache } from "../../../src/cache/shared-cache.ts";
import type { KubeClient, Patch, WatchReceiver } from "../../../src/client/kube-client.ts";
import { createController } from "../../../src/controller/controller.ts";
import type { ControllerDefinition } from "../../../src/controller/declaration/define-controller.ts";
import type { KubeObject, Manifest } from "../../../src/meta/object.ts";
import { formatKey, type ObjectKey } from "../../../src/meta/object-key.ts";
import type { ResourceType } from "../../../src/meta/resource-type.ts";
import { silentLogger } from "../../../src/ports/logger.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { systemClock } from "../../../src/ports/system-clock.ts";

/** Keeps objects as text, as a server does, and sends each change to who follows. */
export class Table {
  readonly #objects = new Map<string, KubeObject>();
  readonly #followers = new Map<string, WatchReceiver<KubeObject>>();
  #version = 0;
  writes = 0;

  /** The client of this table; what no Widget operator asks for is missing. */
  readonly client = {
    server: "memory:",
    get: async (type: ResourceType, key: ObjectKey) => this.#read(type, key),
    follow: async (type: ResourceType, _options: unknown, receive: WatchReceiver<KubeObject>) => {
      await Promise.resolve();
      for (const object of this.#objects.values()) {
        if (object.kind === type.kind) void receive({ type: "ADDED", object: copied(object) });
      }
      void receive({ type: "BOOKMARK", resourceVersion: String(this.#version), initialEventsEnd: true });
      this.#followers.set(type.kind, receive);
      await new Promise(() => undefined);
    },
    create: async (type: ResourceType, manifest: Manifest) =>
      this.write(type, manifest as unknown as KubeObject),
    apply: async (type: ResourceType, manifest: Manifest) =>
      this.write(type, manifest as unknown as KubeObject),
    patch: async (type: ResourceType, key: ObjectKey, patch: Patch) => {
      const before = this.#read(type, key);
      if (patch.type !== "merge") throw new Error("only merge patches are made here");
      return this.write(type, merged(before, copied(patch.body)) as KubeObject);
    },
    close: () => Promise.resolve(),
  } as unknown as KubeClient;

  write(type: ResourceType, given: KubeObject): KubeObject {
    this.writes += 1;
    const name = nameOf(type, given.metadata);
    const before = this.#objects.get(name);
    const version = String((this.#version += 1));
    const uid = before?.metadata.uid ?? `00000000-0000-0000-0000-${version.padStart(12, "0")}`;
    const metadata = {
      generation: 1,
      ...given.metadata,
      creationTimestamp: "2026-01-01T00:00:00Z",
      uid,
      resourceVersion: version,
    };
    const object = { ...given, metadata };
    this.#objects.set(name, object);
    const event = { type: before === undefined ? "ADDED" : "MODIFIED", object: copied(object) } as const;
    const follower = this.#followers.get(type.kind);
    setImmediate(() => void follower?.(event));
    return copied(object);
  }

  /** Changes an object behind the operator's back. */
  edit(type: ResourceType, key: ObjectKey, change: (object: KubeObject) => void): void {
    const object = this.#read(type, key);
    change(object);
    this.write(type, object);
  }

  /** Deletes an object behind the operator's back. */
  lose(type: ResourceType, key: ObjectKey): void {
    const object = this.#read(type, key);
    this.#objects.delete(nameOf(type, key));
    const version = String((this.#version += 1));
    const lost = { ...object, metadata: { ...object.metadata, resourceVersion: version } };
    setImmediate(() => void this.#followers.get(type.kind)?.({ type: "DELETED", object: lost }));
  }

  has(type: ResourceType, key: ObjectKey): boolean {
    return this.#objects.has(nameOf(type, key));
  }

  isReady(type: ResourceType, name: string): boolean {
    const { status } = this.#read(type, { namespace: "bench", name }) as {
      readonly status?: {
        readonly observedGeneration?: number;
        readonly lifecycle?: { readonly state: string };
      };
    };
    return status?.observedGeneration === 1 && (status.lifecycle?.state ?? "Running") === "Running";
  }

  #read(type: ResourceType, key: ObjectKey): KubeObject {
    const found = this.#objects.get(nameOf(type, key));
    if (found === undefined) throw new Error(`there is no ${nameOf(type, key)}`);
    return copied(found);
  }
}

function nameOf({ kind }: ResourceType, { namespace, name }: ObjectKey): string {
  return `${kind} ${formatKey(namespace === undefined ? { name } : { namespace, name })}`;
}

function copied<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isRecord = typeof target === "object" && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isRecord ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/** Controllers that run on a table. */
export interface RunningOnTable {
  /** Resolves when they have had nothing to do for a while. */
  settle(): Promise<void>;
  /** Has the first one reconcile a key although nothing has changed. */
  look(key: string): void;
  drain(): Promise<void>;
}

/** Runs controllers on a table. */
export async function runOnTable(
  table: Table,
  definitions: readonly ControllerDefinition[],
): Promise<RunningOnTable> {
  const parts = { client: table.client, clock: systemClock, random: systemRandom, log: silentLogger };
  const cache = createSharedCache(parts);
  const controllers = definitions.map((definition) =>
    createController({
      ...parts,
      definition,
      operator: "widget-operator",
      cache,
      events: { record: () => undefined, flush: () => Promise.resolve(), dropped: 0 },
      namespaces: [],
    }),
  );
  cache.start(new AbortController().signal);
  await cache.whenSynced();
  for (const controller of controllers) void controller.run();
  const isBusy = (): boolean => controllers.some(({ queue }) => queue.depth + queue.processing > 0);
  return {
    settle: async () => {
      for (let calm = 0; calm < 3; calm += 1) {
        await delay(20);
        if (isBusy()) calm = 0;
      }
    },
    look: (key) => controllers[0]?.queue.add(key, { cause: { reason: "resync" } }),
    drain: async () => {
      await Promise.all(controllers.map((controller) => controller.drain()));
    },
  };
}
