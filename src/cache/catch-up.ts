// Whether an informer includes everything that was written before a moment: a consistent list is compared with what it
// holds, by resourceVersion, and what is missing is awaited from its own watch. Used by a process that takes over from another
// process; a watch alone never says how old it is until its next bookmark, about a minute later.
import { Subscription } from "rxjs";
import type { KubeClient, ListScope } from "../client/kube-client.ts";
import { listPages } from "../client/paging.ts";
import type { KubeObject } from "../meta/object.ts";
import { formatKey, keyOf, parseKey } from "../meta/object-key.ts";
import { sleep, type Clock } from "../ports/clock.ts";
import type { Informer } from "./informer.ts";
import { compareResourceVersions } from "./resource-version.ts";

/** Options of {@link catchUp}. */
export interface CatchUpOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly informer: Pick<Informer<T>, "type" | "lister" | "changes$">;
  readonly scope: ListScope;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds after which the list is read again, in case the watch skips over a state that it showed. */
const patience = 10_000;

/**
 * Resolves when the informer holds, of every object, the state that the server had when this was called, or a newer one.
 *
 * **Caveats**: costs one list of the type; of it, keys and versions are kept in memory for as long as it takes.
 * **Errors**: what the list rejects with; the signal's reason.
 * **RBAC**: `list`.
 */
export async function catchUp<T extends KubeObject>(options: CatchUpOptions<T>): Promise<void> {
  const { client, informer, scope, clock, signal } = options;
  const { lister, type } = informer;
  for (;;) {
    signal.throwIfAborted();
    /** Deleted since the list was asked for: the informer is ahead of it. */
    const deleted = new Set<string>();
    const awaited = new Map<string, () => boolean>();
    const done = new AbortController();
    const look = (key: string): void => {
      if (awaited.get(key)?.() === true) awaited.delete(key);
    };
    const subscription = new Subscription();
    subscription.add(
      informer.changes$.subscribe((change) => {
        const key = formatKey(keyOf(change.object));
        if (change.type === "deleted") deleted.add(key);
        look(key);
        if (listed && awaited.size === 0) done.abort();
      }),
    );
    let listed = false;
    try {
      const versions = new Map<string, string>();
      let reached = "";
      for await (const page of listPages(client, type, { ...scope, signal })) {
        if (page.first) versions.clear();
        reached = page.metadata.resourceVersion;
        for (const { metadata } of page.items) versions.set(formatKey(metadata), metadata.resourceVersion);
      }
      for (const [key, version] of versions) {
        awaited.set(key, () => {
          const held = lister.get(parseKey(key))?.metadata.resourceVersion;
          return held === undefined ? deleted.has(key) : compareResourceVersions(held, version) >= 0;
        });
      }
      for (const object of lister.list()) {
        const key = formatKey(keyOf(object));
        if (versions.has(key)) continue;
        // Gone on the server, unless it came after the list.
        awaited.set(key, () => {
          const held = lister.get(parseKey(key))?.metadata.resourceVersion;
          return held === undefined || compareResourceVersions(held, reached) > 0;
        });
      }
      for (const key of awaited.keys()) look(key);
      listed = true;
      if (awaited.size === 0) return;
      const stop = AbortSignal.any([done.signal, signal]);
      await sleep(clock, patience, stop);
      if (done.signal.aborted) return;
    } finally {
      subscription.unsubscribe();
    }
  }
}
