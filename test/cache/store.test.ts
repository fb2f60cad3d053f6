import { describe, expect, it } from "vitest";
import { Store } from "../../src/cache/store.ts";
import type { Widget } from "./scripted-server.ts";

const widget = (name: string, version: number): Widget => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: {
    name,
    namespace: "default",
    uid: `uid-of-${name}`,
    resourceVersion: String(version),
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: { size: version },
});
const listed = (...objects: readonly Widget[]): ReadonlyMap<string, Widget> =>
  new Map(objects.map((object) => [`default/${object.metadata.name}`, object]));

describe("an own write that is ahead of a list", () => {
  function ahead(): Store<Widget> {
    const store = new Store<Widget>();
    store.replace(listed(widget("a", 1)), "5", true);
    store.recordWrite(widget("a", 10));
    // From a server that has not seen it: the list was asked for before the write.
    store.replace(listed(widget("a", 1)), "7", false);
    return store;
  }

  it("is still shown to readers", () => {
    expect(ahead().get("default/a")?.spec.size).toBe(10);
  });

  it("gives way once the watch has passed it, whatever the watch has shown of the object", () => {
    const store = ahead();
    store.apply("DELETED", widget("a", 9));
    expect(store.get("default/a")?.spec.size).toBe(10);
    store.advance("10");
    expect(store.get("default/a")).toBeUndefined();
    expect(store.overlays).toBe(0);
  });
});
