// Follows one Database and its Kubernetes Events, reports what happens, and lets the script wait for a state of things.
import type { KubeObject, ResourceType } from "xstate-operator";
import type { KubeClient } from "xstate-operator/client";
import { KubernetesEvent } from "xstate-operator/kinds";
import { setTimeout as delay } from "node:timers/promises";
import { Database } from "../database/database.ts";
import { happeningsBetween, type Happening } from "./happening.ts";

/** Options of {@link watchDatabase}. */
export interface WatcherOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Called in the order in which things happened. */
  readonly onHappening: (happening: Happening) => void;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

/** Follows a Database. */
export interface Watcher {
  /** The Database as it was last seen. */
  readonly latest: Database | undefined;
  /**
   * Waits until the Database is as desired.
   * Errors: when that takes longer than `seconds` (saying what was waited for and how things stand), or on an abort.
   */
  until(what: string, seconds: number, test: (database: Database) => boolean): Promise<Database>;
}

/** Starts to follow; what exists already counts as having happened. */
export function watchDatabase(options: WatcherOptions): Watcher {
  const { client, namespace, name, onHappening, signal } = options;
  const listeners = new Set<() => void>();
  let latest: Database | undefined;
  const reported = new Set<string>();

  void follow(client, Database, namespace, signal, (type, database) => {
    if (database.metadata.name !== name) return;
    for (const happening of type === "DELETED" ? [] : happeningsBetween(latest, database)) {
      onHappening(happening);
    }
    latest = type === "DELETED" ? undefined : database;
    for (const listener of listeners) listener();
  });
  void follow(client, KubernetesEvent, namespace, signal, (type, event) => {
    const { uid } = event.metadata;
    if (type === "DELETED" || event.regarding?.name !== name || event.regarding.kind !== "Database") return;
    if (reported.has(uid)) return; // Only the count of a series has changed.
    reported.add(uid);
    onHappening({
      kind: "event",
      type: event.type ?? "Normal",
      reason: event.reason ?? "",
      note: event.note ?? "",
    });
  });

  return {
    get latest() {
      return latest;
    },
    until(what, seconds, test) {
      return new Promise((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          listeners.delete(look);
          signal.removeEventListener("abort", abort);
        };
        const look = (): void => {
          if (latest === undefined || !test(latest)) return;
          end();
          resolve(latest);
        };
        const abort = (): void => {
          end();
          reject(signal.reason as Error);
        };
        const timer = setTimeout(() => {
          end();
          reject(new Error(`${what}: not within ${seconds} s. ${standingOf(latest)}`));
        }, seconds * 1_000);
        signal.addEventListener("abort", abort, { once: true });
        listeners.add(look);
        if (signal.aborted) abort();
        else look();
      });
    },
  };
}

/** How things stand, for a message: the state and the conditions. */
function standingOf(database: Database | undefined): string {
  if (database === undefined) return "There is no such Database.";
  const conditions = (database.status?.conditions ?? []).map(
    ({ type, status, reason, message }) => `${type} is ${status} (${reason}: ${message})`,
  );
  return `It is in state ${database.status?.lifecycle?.state ?? "(none)"}; ${conditions.join("; ") || "no conditions"}.`;
}

/** Watches a type until the signal is aborted; begins again, from what exists, when the server ends the stream. */
async function follow<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  namespace: string,
  signal: AbortSignal,
  onChange: (type: "ADDED" | "MODIFIED" | "DELETED", object: T) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(type, { namespace, signal })) {
        if (event.type !== "BOOKMARK") onChange(event.type, event.object);
      }
    } catch {
      // Either the end was asked for, or the next round tells whether the server is back.
    }
    await delay(200, undefined, { signal }).catch(() => undefined);
  }
}
