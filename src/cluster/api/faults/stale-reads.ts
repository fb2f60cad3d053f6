// Reads that lag behind: gets and lists are answered from a past revision, as by a server whose cache has not caught up.
import type { Fault, RequestMatch } from "../../cluster-faults.ts";
import type { ApiObject } from "../api-object.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { FaultList } from "./fault-list.ts";
import { seenOf } from "./request-match.ts";

/** What reads need of the storage. */
export type ReadableStore = Pick<ObjectStore, "revision" | "get" | "list" | "listAt">;

/** The stale reads that are there. */
export class StaleReads {
  readonly #pinned = new FaultList<number>();
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** From now on matching reads see what is stored now. */
  pin(match: RequestMatch): Fault {
    return this.#pinned.add(match, this.#store.revision);
  }

  /** What a read sees. */
  storeFor(exchange: Exchange): ReadableStore {
    if (this.#pinned.isEmpty) return this.#store;
    const seen = seenOf(exchange);
    const revision = seen === undefined ? undefined : this.#pinned.strike(seen);
    return revision === undefined ? this.#store : pastOf(this.#store, revision);
  }

  clear(): void {
    this.#pinned.clear();
  }
}

/** The storage as it was at a revision; as it is when that is forgotten. */
function pastOf(store: ObjectStore, revision: number): ReadableStore {
  const list = (space: string): readonly ApiObject[] => {
    const past = store.listAt(space, revision);
    return typeof past === "string" ? store.list(space) : past;
  };
  return {
    revision,
    list,
    listAt: (space, at) => store.listAt(space, Math.min(at, revision)),
    get: (space, namespace, name) =>
      list(space).find(
        ({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === (namespace ?? ""),
      ),
  };
}
