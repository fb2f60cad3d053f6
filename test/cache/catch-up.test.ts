import { Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { catchUp } from "../../src/cache/catch-up.ts";
import type { Change, Lister } from "../../src/cache/informer.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { formatKey } from "../../src/meta/object-key.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

const object = (name: string, resourceVersion: number): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, uid: name, resourceVersion: String(resourceVersion), creationTimestamp: "" },
});

/** A cache that holds something, and a server that has something else. */
function world(held: readonly KubeObject[], listed: readonly KubeObject[], version = 10) {
  const clock = createVirtualClock();
  const store = new Map(held.map((each) => [each.metadata.name, each]));
  const changes = new Subject<Change<KubeObject>>();
  const lister = {
    get: (key) => store.get(formatKey(key)),
    list: () => [...store.values()],
  } as Partial<Lister<KubeObject>> as Lister<KubeObject>;
  const answer = Promise.withResolvers<void>();
  let lists = 0;
  const requests: unknown[] = [];
  const client = {
    list: async (_: unknown, options: { signal?: AbortSignal }) => {
      const { signal: __, ...request } = options;
      lists += 1;
      requests.push(request);
      await answer.promise;
      return { metadata: { resourceVersion: String(version) }, items: listed };
    },
  } as unknown as KubeClient;
  const abort = new AbortController();
  let end: string | undefined;
  catchUp({
    client,
    informer: { type: ConfigMap, lister, changes$: changes },
    scope: { namespace: "team" },
    clock,
    signal: abort.signal,
  }).then(
    () => (end = "current"),
    (error: unknown) => (end = String(error)),
  );
  return {
    clock,
    abort,
    requests,
    lists: () => lists,
    end: () => end,
    answer: async () => {
      answer.resolve();
      await clock.settle();
    },
    see: async (next: KubeObject) => {
      const old = store.get(next.metadata.name);
      store.set(next.metadata.name, next);
      changes.next(
        old === undefined
          ? { type: "added", object: next, initial: false }
          : { type: "modified", object: next, old },
      );
      await clock.settle();
    },
    remove: async (gone: KubeObject) => {
      store.delete(gone.metadata.name);
      changes.next({ type: "deleted", object: gone, synthetic: false });
      await clock.settle();
    },
  };
}

describe("catching up with the server", () => {
  it("is done at once when the cache has all that the server has, by one consistent list", async () => {
    const { answer, end, requests } = world([object("a", 5), object("b", 12)], [object("a", 5)]);
    await answer();
    // "b" came after the list.
    expect(end()).toBe("current");
    expect(requests).toEqual([{ namespace: "team", limit: 500 }]);
  });

  it("waits for a change that the watch has not told yet", async () => {
    const { answer, end, see } = world([object("a", 5)], [object("a", 9)]);
    await answer();
    expect(end()).toBeUndefined();
    await see(object("a", 7));
    expect(end()).toBeUndefined();
    await see(object("a", 9));
    expect(end()).toBe("current");
  });

  it("waits for an object that it has not heard of, and for one to go", async () => {
    const { answer, end, see, remove } = world([object("old", 3)], [object("new", 8)]);
    await answer();
    await see(object("new", 8));
    expect(end()).toBeUndefined();
    await remove(object("old", 9));
    expect(end()).toBe("current");
  });

  it("knows what was deleted while the list was on its way", async () => {
    const { answer, end, remove } = world([object("a", 5)], [object("a", 5)]);
    await remove(object("a", 11));
    await answer();
    expect(end()).toBe("current");
  });

  it("asks again when the watch never shows what the list did", async () => {
    const { answer, clock, end, lists, see } = world([object("a", 5)], [object("a", 9)]);
    await answer();
    await clock.advance(10_000);
    expect(lists()).toBe(2);
    await see(object("a", 12));
    expect(end()).toBe("current");
    expect(clock.pendingTimers).toBe(0);
  });

  it("ends with its signal, and leaves nothing behind", async () => {
    const { abort, answer, clock, end } = world([object("a", 5)], [object("a", 9)]);
    await answer();
    abort.abort(new Error("stop"));
    await clock.settle();
    expect(end()).toBe("Error: stop");
    expect(clock.pendingTimers).toBe(0);
  });
});
