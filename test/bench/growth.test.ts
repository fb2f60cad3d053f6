// Work grows no faster than what there is to work on, and what has not changed costs none. Counted where it can be (characters that are made
// into text); else the CPU of a fourth as much is the measure, taken in turns with it, so that a busy machine does not count.
// What it costs is printed by bench/micro/growth.ts.
import { promiseHooks } from "node:v8";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HotLoopDetector } from "../../src/controller/detectors/hot-loop-detector.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { changedPaths } from "../../src/meta/changed-paths.ts";
import { BoundedMap } from "../../src/collections/bounded-map.ts";
import { FieldFights } from "../../src/reconcile/comparison/field-fights.ts";
import { differencesOf } from "../../src/reconcile/comparison/intent-comparison.ts";
import type { ListRules, ListType } from "../../src/reconcile/comparison/list-types.ts";
import { mergeManifest } from "../../src/reconcile/comparison/manifest-merge.ts";
import { hasUndeclared } from "../../src/reconcile/comparison/undeclared.ts";
import { RegistryEntry } from "../../src/reconcile/resources/batch.ts";
import { inOrder } from "../../src/reconcile/resources/resource-order.ts";
import type { Resource } from "../../src/reconcile/resources/resource.ts";
import { Cache, crKey, Harness } from "../reconcile/support/harness.ts";

afterEach(() => vi.restoreAllMocks());

/** Characters that are made into text meanwhile. */
async function charactersOf(work: () => Promise<unknown>): Promise<number> {
  const { stringify } = JSON;
  let characters = 0;
  vi.spyOn(JSON, "stringify").mockImplementation((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given);
    characters += text?.length ?? 0;
    return text;
  });
  await work();
  vi.restoreAllMocks();
  return characters;
}

/** Promises that are made meanwhile. */
async function promisesOf(work: () => Promise<unknown>): Promise<number> {
  let promises = 0;
  const stop = promiseHooks.onInit(() => void (promises += 1));
  try {
    await work();
  } finally {
    stop();
  }
  return promises;
}

const childOf = (name: string, data: Readonly<Record<string, string>>) =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }) as const;

describe("a run", () => {
  it("makes text of the one child that has changed, and of no other", async () => {
    const count = 1_000;
    const text = "x".repeat(100);
    const children = (): ReturnType<typeof childOf>[] =>
      Array.from({ length: count }, (_, index) => childOf(`child-${index}`, { index: `${index}`, text }));
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(...children()) },
    });
    const first = await charactersOf(() => harness.run());
    await harness.run();
    expect(first).toBeGreaterThan(count * text.length);
    harness.client.edit(ConfigMap, { namespace: "shop", name: "child-7" }, (object) => {
      (object["data"] as Record<string, string>)["text"] = "another";
    });
    const before = harness.client.writes.length;
    expect(await charactersOf(() => harness.run())).toBeLessThan(5_000);
    expect(harness.client.writes.slice(before).map(({ object }) => object)).toEqual(["ConfigMap/child-7"]);
  });

  it("waits for no child that is as it was", async () => {
    const settled = async (count: number): Promise<number> => {
      const children = Array.from({ length: count }, (_, index) => childOf(`child-${index}`, {}));
      const harness = new Harness({
        steps: { ObjectsGetter: ({ registry }) => registry.add(...children) },
      });
      await harness.run();
      await harness.run();
      return promisesOf(() => harness.run());
    };
    const ofOne = await settled(1);
    expect(ofOne).toBeGreaterThan(0);
    expect(ofOne).toBeLessThan(40);
    // What is looked up together is counted by the dozen.
    expect((await settled(1_000)) - ofOne).toBeLessThan(500);
  });

  it("makes no text of a large child that is as it was", async () => {
    const values = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`key-${at}`, "x".repeat(500)]),
    );
    const harness = new Harness({
      steps: { ObjectsGetter: ({ cr, registry }) => registry.add(childOf("large", cr.spec.values ?? {})) },
    });
    harness.setSpec({ values });
    expect(await charactersOf(() => harness.run())).toBeGreaterThan(500_000);
    await harness.run();
    harness.client.edit(Cache, crKey, (cr) => {
      (cr["metadata"] as Record<string, unknown>)["annotations"] = { note: "touched" };
    });
    const before = harness.client.writes.length;
    expect(await charactersOf(() => harness.run())).toBeLessThan(1_000);
    expect(harness.client.writes.length).toBe(before);
  });
});

const keyed: ListType = { type: "map", keys: ["name"], ordered: false };
const listsOf = (type: ListType): ListRules => ({
  builtin: false,
  kind: "Cache",
  learned: { at: () => type, hasWholeMaps: false },
});
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name-${index}`);
const named = (count: number): { readonly name: string; readonly size: number }[] =>
  names(count).map((name, size) => ({ name, size }));
const objectOf = (items: unknown) =>
  ({
    apiVersion: "cache.example.com/v1",
    kind: "Cache",
    metadata: { name: "a", uid: "1", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { items },
  }) as const;
const limits = { runs: 5, within: 600_000, longestDelay: 1_000 };

/** What is done with so many of something. */
const works: Readonly<Record<string, (count: number) => unknown>> = {
  "resources that are registered at once": (count) => {
    const harness = new Harness({
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(...names(count).map((name) => childOf(name, {}))),
        Mutator: () => ({}),
        Updater: () => undefined,
      },
    });
    return harness.run();
  },
  "resources that are written one by one": (count) => {
    const harness = new Harness({
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(...names(count).map((name) => childOf(name, {}))),
        Updater: async ({ registry }) => {
          for (const resource of registry.resources) await registry.createOrUpdate(resource);
        },
      },
    });
    return harness.run();
  },
  "resources of which one comes after all others": (count) => {
    const entries = names(count).map((index) => new RegistryEntry({ index, kindName: index } as Resource));
    const [first, ...others] = entries;
    if (first !== undefined) first.after = others;
    return inOrder(entries);
  },
  "objects that were repaired a while ago": (count) => {
    const fights = new FieldFights();
    for (const round of [1, 2]) {
      for (const object of names(count)) {
        const seen = { owner: "owner", object, index: object, now: round * 1_000 };
        if (round === 1) fights.repaired({ ...seen, name: object, paths: ["data.size"] });
        else fights.calm(seen);
      }
    }
  },
  "keys of which objects change": (count) => {
    const detector = new HotLoopDetector(limits);
    for (const round of names(5)) {
      for (const [now, key] of names(count).entries()) {
        const traces = [{ object: key, fields: [round], own: false }];
        detector.admit(key, { traces, urgent: false, due: false }, now);
      }
    }
  },
  "entries of a full bounded map": (count) => {
    const map = new BoundedMap<string, number>(count);
    for (const round of [1, 2, 3, 4]) for (const name of names(count)) map.set(`${round} ${name}`, round);
  },
  "members of a set that is compared": (count) =>
    differencesOf(objectOf(names(count)), objectOf(names(count).reverse()), listsOf({ type: "set" })),
  "elements of an ordered list that is compared": (count) =>
    differencesOf(objectOf(named(count)), objectOf(named(count)), listsOf({ ...keyed, ordered: true })),
  "elements of a keyed list that is merged": (count) =>
    mergeManifest(objectOf(named(count)), objectOf(named(count).reverse()), listsOf(keyed)),
  "elements of a keyed list that is looked through": (count) =>
    hasUndeclared(objectOf(named(count)), objectOf(named(count).reverse()), listsOf(keyed)),
  "fields of a map that change": (count) =>
    changedPaths(
      { data: Object.fromEntries(names(count).map((name) => [name, "1"])) },
      { data: Object.fromEntries(names(count).map((name) => [name, "2"])) },
      3,
    ),
};

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

describe("the CPU of four times as many", () => {
  it.each(Object.entries(works))("%s is far from sixteen times as much", async (_what, work) => {
    const count = 1_500;
    await work(count / 4);
    let best = Infinity;
    // Collections of garbage may fall into one of two.
    for (let round = 0; round < 5 && best > 6; round += 1) {
      const few = await cpuOf(async () => {
        for (let time = 0; time < 4; time += 1) await work(count);
      });
      const many = await cpuOf(() => work(4 * count));
      best = Math.min(best, (4 * many) / few);
    }
    expect(best).toBeLessThan(9);
  });
});
