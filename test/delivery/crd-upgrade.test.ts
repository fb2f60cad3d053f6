// What speaks against a new definition of a kind, by what its resources have.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { upgradeProblems, type StoredCrd } from "../../src/delivery/crd-upgrade.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind, type Kind } from "../../src/kinds/define-kind.ts";
import type { AnyObject, KubeObject } from "../../src/meta/object.ts";

const names = { group: "kitchen.example.com", version: "v1", kind: "Oven" } as const;

const machine = (state: string) =>
  setupLifecycle().createMachine({
    id: "oven",
    version: "2",
    initial: "Start",
    states: {
      Start: { on: { "observed.Hot": state } },
      [state]: { tags: "stable", on: { "observed.Cold": "Start" } },
    },
  });

const oven = (name: string, spec: object, status: object = {}): AnyObject =>
  ({
    ...names,
    apiVersion: "kitchen.example.com/v1",
    metadata: { name, namespace: "kitchen" },
    spec,
    status,
  }) as never;

function problemsOf(
  kind: unknown,
  resources: readonly AnyObject[],
  stored: Partial<StoredCrd["status"]> = {},
): readonly string[] {
  const next = kind as Kind<KubeObject>;
  const crd = crdOf(next);
  return upgradeProblems(
    next,
    crd,
    { spec: crd.spec, status: { storedVersions: ["v1"], ...stored } },
    new Map([["v1", resources]]),
  );
}

describe("a new definition", () => {
  const spec = z.object({
    mode: z.enum(["fan", "grill"]).optional(),
    heat: z.int().default(180),
    shelves: z.array(z.object({ name: z.string() })).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    door: z.string(),
  });
  const Oven = defineKind({ ...names, spec });

  it.each([
    [
      "what fits",
      { door: "left", mode: "fan", heat: 200, shelves: [{ name: "top" }], labels: { a: "b" } },
      [],
    ],
    [
      "a value that is no longer accepted",
      { door: "left", mode: "steam" },
      ['spec.mode no longer accepts "steam"'],
    ],
    ["a field that is removed", { door: "left", clock: true }, ["the field spec.clock is removed"]],
    [
      "a field that is removed within a list",
      { door: "left", shelves: [{ name: "top", color: "red" }] },
      ["the field spec.shelves[].color is removed"],
    ],
    ["another type", { door: "left", heat: "hot" }, ["spec.heat becomes an integer"]],
    ["another type in a map", { door: "left", labels: { a: 1 } }, ["spec.labels.* becomes a string"]],
    ["a field that becomes required", {}, ["the field spec.door becomes required, and is missing"]],
  ])("is compared with %s", (_name, written, lines) => {
    expect(problemsOf(Oven, [oven("one", written)])).toEqual(
      lines.map((line) => `ovens.kitchen.example.com: ${line}, but kitchen/one has it`),
    );
  });

  it("names a few resources and counts the others", () => {
    const resources = ["a", "b", "c", "d", "e"].map((name) => oven(name, { door: "left", mode: "steam" }));
    expect(problemsOf(Oven, resources)).toEqual([
      'ovens.kitchen.example.com: spec.mode no longer accepts "steam", but kitchen/a, kitchen/b, kitchen/c and 2 more have it',
    ]);
  });

  it("has every version in which resources may be stored", () => {
    expect(problemsOf(Oven, [], { storedVersions: ["v1alpha1", "v1"] })).toEqual([
      "ovens.kitchen.example.com: resources may be stored as v1alpha1, which the new definition does not have; keep it, store them in another version, and run `xstate-operator migrate ovens.kitchen.example.com` first",
    ]);
  });

  it("has every state that a resource is in, unless it is renamed or taken over", () => {
    const simple = z.object({});
    const inState = (version: string): readonly AnyObject[] => [
      oven("one", {}, { lifecycle: { state: "Warm", snapshot: { graph: `oven@${version}` } } }),
    ];
    const lost = ["ovens.kitchen.example.com: the state Warm is removed, but kitchen/one has it"];
    const Plain = defineKind({ ...names, spec: simple, lifecycle: machine("Hot") });
    expect(problemsOf(Plain, inState("1"))).toEqual(lost);
    expect(
      problemsOf(defineKind({ ...names, spec: simple, lifecycle: machine("Warm") }), inState("1")),
    ).toEqual([]);
    const Renamed = defineKind({
      ...names,
      spec: simple,
      lifecycle: machine("Hot"),
      renames: { Warm: "Hot" },
    });
    expect(problemsOf(Renamed, inState("1"))).toEqual([]);
    const migrate = { "1": () => ({ value: "Hot", context: {} }) };
    const Migrated = defineKind({ ...names, spec: simple, lifecycle: machine("Hot"), migrate });
    expect(problemsOf(Migrated, inState("1"))).toEqual([]);
    expect(problemsOf(Migrated, inState("2"))).toEqual(lost);
  });
});

describe("a new definition with several versions", () => {
  const Oven = defineKind({
    ...names,
    version: "v2",
    spec: z.object({ heat: z.object({ degrees: z.int() }) }),
    versions: {
      v1: {
        spec: z.object({ heat: z.int() }),
        convert: {
          up: ({ spec: { heat } }) => {
            if (heat > 500) throw new Error("too hot");
            return { spec: { heat: { degrees: heat } } };
          },
          down: ({ spec: { heat } }) => ({ spec: { heat: heat.degrees } }),
        },
      },
    },
  });
  const crd = crdOf(Oven);
  const problems = (resources: ReadonlyMap<string, readonly AnyObject[]>): readonly string[] =>
    upgradeProblems(Oven, crd, { spec: crd.spec, status: { storedVersions: ["v1"] } }, resources);
  const inV2 = (name: string, spec: object): AnyObject => ({
    ...oven(name, spec),
    apiVersion: "kitchen.example.com/v2",
  });

  it("is compared with resources of the old version by its own conversion", () => {
    expect(problems(new Map([["v1", [oven("a", { heat: 200 })]]]))).toEqual([]);
    expect(problems(new Map([["v1", [oven("a", { heat: 900 })]]]))).toEqual([
      "ovens.kitchen.example.com: the conversion fails (v1 to v2: too hot), but kitchen/a has it",
    ]);
  });

  it("is compared in each version that is served already", () => {
    const resources = new Map([
      ["v1", [oven("a", { heat: 200, clock: true })]],
      ["v2", [inV2("a", { heat: { degrees: 200 }, lamp: 1 })]],
    ]);
    expect(problems(resources)).toEqual([
      "ovens.kitchen.example.com: the field spec.lamp is removed, but kitchen/a has it",
      "ovens.kitchen.example.com: in v1, the field spec.clock is removed, but kitchen/a has it",
    ]);
  });

  it("is compared as it is with resources of a version that it no longer has", () => {
    const old = {
      ...oven("a", { heat: { degrees: 1 }, watts: 3 }),
      apiVersion: "kitchen.example.com/v0",
    } as never;
    expect(problems(new Map([["v0", [old]]]))).toEqual([
      "ovens.kitchen.example.com: the field spec.watts is removed, but kitchen/a has it",
    ]);
  });
});
