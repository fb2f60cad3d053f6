import { Subject } from "rxjs";
import { afterEach, describe, expect, it } from "vitest";
import type { Change, Informer } from "../../src/cache/informer.ts";
import type { ChangeNote } from "../../src/controller/changes/change-note.ts";
import { followChanges, type RequestSources } from "../../src/controller/changes/request-sources.ts";
import type { KubeObject, OwnerReference } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";

const memcached: ResourceType = {
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  plural: "memcacheds",
  namespaced: true,
};

function objectOf(
  kind: string,
  name: string,
  extra: object = {},
  owner?: Partial<OwnerReference>,
): KubeObject {
  const reference = {
    apiVersion: "cache.example.com/v1alpha1",
    kind: "Memcached",
    name: "m",
    uid: "u",
    controller: true,
  };
  return {
    apiVersion: "v1",
    kind,
    metadata: {
      name,
      namespace: "ns",
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, ...owner }] }),
    },
    ...extra,
  };
}

type Request = Pick<ChangeNote, "cause" | "priority"> & { readonly key: string };

const problems: string[] = [];
afterEach(() => problems.splice(0));

function fail(): never {
  throw new Error("cannot map");
}

/** What maps of authors return who have no compiler. */
const wrong: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  "a promise": Promise.resolve([]),
  "a key alone": { name: "a" },
  "no name": [{ namespace: "ns" }],
  "an empty name": [{ name: "" }],
  "a number": [{ name: 1 }],
  "a text": ["ns/a"],
  null: [null],
};

function collect(
  act: (streams: Record<"primary" | "owned" | "watched", Subject<Change<KubeObject>>>) => void,
): readonly Request[] {
  const streams = {
    primary: new Subject<Change<KubeObject>>(),
    owned: new Subject<Change<KubeObject>>(),
    watched: new Subject<Change<KubeObject>>(),
  };
  const informer = (changes$: Subject<Change<KubeObject>>): Informer<KubeObject> =>
    ({ changes$, hasSynced: false }) as unknown as Informer<KubeObject>;
  const requests: Request[] = [];
  const sources: RequestSources = {
    primary: [informer(streams.primary)],
    primaryType: memcached,
    onMapError: (error) => problems.push(String(error)),
    echoes: { covers: (_key, change) => change.object.metadata.name === "echo" },
    ownWrites: { explains: (change) => change.object.metadata.name === "own" },
    owned: [informer(streams.owned)],
    watched: [
      {
        informer: informer(streams.watched),
        mapTo: (object) =>
          object.metadata.name === "bad"
            ? fail()
            : Object.hasOwn(wrong, object.metadata.name)
              ? (wrong[object.metadata.name] as never)
              : [{ namespace: "ns", name: `for-${object.metadata.name}` }],
      },
    ],
  };
  followChanges(sources, (key, { cause, priority }) => requests.push({ key, cause, priority }));
  act(streams);
  return requests;
}

describe("request sources", () => {
  it("put a change that nobody acted on while no operator ran among the changes made now", () => {
    const requests = collect(({ primary }) => {
      const live = objectOf("Memcached", "left");
      const left = { ...live, metadata: { ...live.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
      primary.next({ type: "added", object: objectOf("Memcached", "a"), initial: true });
      primary.next({ type: "added", object: left, initial: true });
    });
    expect(requests.map(({ key, priority }) => [key, priority])).toEqual([
      ["ns/a", -100],
      ["ns/left", 0],
    ]);
  });

  it("leave out what a child's own run has seen, and only of children", () => {
    const owner = { name: "a" };
    const requests = collect(({ primary, owned, watched }) => {
      for (const name of ["echo", "other"]) {
        owned.next({ type: "added", object: objectOf("ConfigMap", name, {}, owner), initial: false });
        watched.next({ type: "added", object: objectOf("Secret", name), initial: false });
      }
      primary.next({ type: "added", object: objectOf("Memcached", "echo"), initial: false });
    });
    expect(requests.map(({ key, cause }) => [key, cause.object])).toEqual([
      ["ns/for-echo", "ns/echo"],
      ["ns/a", "ns/other"],
      ["ns/for-other", "ns/other"],
      ["ns/echo", "ns/echo"],
    ]);
  });

  it("put the initial list behind what a user does", () => {
    const requests = collect(({ primary }) => {
      primary.next({ type: "added", object: objectOf("Memcached", "a"), initial: true });
      primary.next({ type: "added", object: objectOf("Memcached", "b"), initial: false });
    });
    expect(requests.map(({ key, priority, cause }) => [key, priority, cause.reason])).toEqual([
      ["ns/a", -100, "initialList"],
      ["ns/b", 0, "added"],
    ]);
  });

  it("leave out what the controller itself has written", () => {
    const requests = collect(({ primary, owned }) => {
      primary.next({
        type: "modified",
        old: objectOf("Memcached", "own"),
        object: objectOf("Memcached", "own"),
      });
      owned.next({
        type: "modified",
        old: objectOf("Deployment", "own", {}, {}),
        object: objectOf("Deployment", "own", {}, {}),
      });
    });
    expect(requests.map(({ key }) => key)).toEqual(["ns/m"]);
  });

  it("say which field changed", () => {
    const [request] = collect(({ primary }) => {
      primary.next({
        type: "modified",
        old: objectOf("Memcached", "a", { spec: { size: 1 } }),
        object: objectOf("Memcached", "a", { spec: { size: 2 } }),
      });
    });
    expect(request?.cause).toEqual({
      reason: "modified",
      kind: "Memcached",
      object: "ns/a",
      detail: "spec.size",
    });
  });

  it("map a child to the owner that controls it, and a foreign child to nothing", () => {
    const requests = collect(({ owned }) => {
      owned.next({ type: "deleted", object: objectOf("Deployment", "d", {}, {}), synthetic: false });
      owned.next({
        type: "added",
        object: objectOf("Deployment", "other-kind", {}, { kind: "Redis" }),
        initial: false,
      });
      owned.next({
        type: "added",
        object: objectOf("Deployment", "other-group", {}, { apiVersion: "x/v1" }),
        initial: false,
      });
      owned.next({
        type: "added",
        object: objectOf("Deployment", "no-controller", {}, { controller: false }),
        initial: false,
      });
      owned.next({ type: "added", object: objectOf("Deployment", "orphan"), initial: false });
    });
    expect(requests.map(({ key, cause }) => [key, cause.kind, cause.object])).toEqual([
      ["ns/m", "Deployment", "ns/d"],
    ]);
  });

  it("run the old and the new owner when a child changes hands (T42)", () => {
    const requests = collect(({ owned }) => {
      owned.next({
        type: "modified",
        old: objectOf("Deployment", "d", {}, { name: "old" }),
        object: objectOf("Deployment", "d", {}, { name: "new" }),
      });
    });
    expect(requests.map(({ key }) => key).sort()).toEqual(["ns/new", "ns/old"]);
  });

  it("ask an author's map for every change of a watched type", () => {
    const requests = collect(({ watched }) => {
      watched.next({ type: "added", object: objectOf("ConfigMap", "c"), initial: true });
    });
    expect(requests.map(({ key }) => key)).toEqual(["ns/for-c"]);
  });

  it("go on after an author's map that throws", () => {
    const requests = collect(({ watched, primary }) => {
      watched.next({ type: "added", object: objectOf("ConfigMap", "bad"), initial: false });
      watched.next({ type: "added", object: objectOf("ConfigMap", "good"), initial: false });
      primary.next({ type: "added", object: objectOf("Memcached", "a"), initial: false });
    });
    expect(requests.map(({ key }) => key)).toEqual(["ns/for-good", "ns/a"]);
    expect(problems).toEqual(["Error: cannot map"]);
  });

  it.each(Object.keys(wrong))("go on after an author's map that returns %s, and say so", (name) => {
    const requests = collect(({ watched }) => {
      watched.next({ type: "added", object: objectOf("ConfigMap", name), initial: false });
      watched.next({ type: "added", object: objectOf("ConfigMap", "good"), initial: false });
    });
    expect(requests.map(({ key }) => key)).toEqual(["ns/for-good"]);
    expect(problems).toEqual([expect.stringMatching(/^TypeError: mapTo must return /)]);
  });
});
