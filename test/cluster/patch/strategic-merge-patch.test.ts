// Results and texts are those of kube-apiserver 1.36 for a Deployment's pod template.
import { describe, expect, it } from "vitest";
import { applyStrategicMergePatch } from "../../../src/cluster/patch/strategic-merge-patch.ts";
import type { StructuralSchema } from "../../../src/schema/structural-schema.ts";

const merging = (key: string, items: StructuralSchema = {}, strategy = "merge"): StructuralSchema => ({
  type: "array",
  items,
  "x-kubernetes-patch-strategy": strategy,
  "x-kubernetes-patch-merge-key": key,
});
const schema: StructuralSchema = {
  type: "object",
  properties: {
    containers: merging("name", {
      type: "object",
      properties: { env: merging("name"), ports: merging("containerPort"), args: { type: "array" } },
    }),
    volumes: merging("name", { type: "object" }, "merge,retainKeys"),
    tolerations: { type: "array", "x-kubernetes-list-type": "atomic" },
    finalizers: { type: "array", items: { type: "string" }, "x-kubernetes-patch-strategy": "merge" },
    strategy: { type: "object", "x-kubernetes-patch-strategy": "retainKeys" },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
};
const live = {
  containers: [
    {
      name: "c1",
      image: "i",
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      args: ["a", "b"],
    },
    { name: "c2", image: "i" },
    { name: "c3", image: "i" },
  ],
  volumes: [{ name: "v", emptyDir: {} }],
  tolerations: [{ key: "k" }],
  finalizers: ["x/a", "x/b"],
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
  labels: { x: "1" },
};
type Live = typeof live;
const patched = (patch: Record<string, unknown>): Live =>
  applyStrategicMergePatch(schema, live, patch) as Live;
const names = (patch: Record<string, unknown>): string[] => patched(patch).containers.map(({ name }) => name);

describe("lists merge as their type says", () => {
  it("items are paired by their key, new ones come first", () => {
    const result = patched({
      containers: [
        { name: "n", image: "z" },
        { name: "c2", image: "j" },
      ],
    });
    expect(result.containers.map(({ name, image }) => `${name}=${image}`)).toEqual([
      "n=z",
      "c1=i",
      "c2=j",
      "c3=i",
    ]);
    expect(live.containers).toHaveLength(3);
  });

  it("at any depth", () => {
    const env = [
      { name: "C", value: "3" },
      { name: "B", value: "9" },
      { name: "A", $patch: "delete" },
    ];
    expect(patched({ containers: [{ name: "c1", env }] }).containers[0]).toEqual({
      name: "c1",
      image: "i",
      env: [
        { name: "C", value: "3" },
        { name: "B", value: "9" },
      ],
      args: ["a", "b"],
    });
  });

  it("lists without a strategy are replaced", () => {
    expect(patched({ tolerations: [{ key: "z" }] }).tolerations).toEqual([{ key: "z" }]);
    expect(patched({ containers: [{ name: "c1", args: ["c"] }] }).containers[0]).toMatchObject({
      args: ["c"],
    });
  });

  it("lists of texts are united", () => {
    expect(patched({ finalizers: ["x/c", "x/a"] }).finalizers).toEqual(["x/c", "x/a", "x/b"]);
  });

  it("null deletes, and what is not there stays away", () => {
    expect(patched({ labels: { x: null, y: "2", z: null } }).labels).toEqual({ y: "2" });
    expect(patched({ containers: null })).not.toHaveProperty("containers");
  });
});

describe("directives", () => {
  it("$patch: delete removes an item or empties a map", () => {
    expect(names({ containers: [{ name: "c2", $patch: "delete" }] })).toEqual(["c1", "c3"]);
    expect(patched({ labels: { $patch: "delete" } }).labels).toEqual({});
  });

  it("$patch: replace replaces a list or a map", () => {
    expect(names({ containers: [{ name: "x" }, { $patch: "replace" }] })).toEqual(["x"]);
    expect(patched({ labels: { $patch: "replace", z: "1" } }).labels).toEqual({ z: "1" });
  });

  it("$setElementOrder orders what it names around what it does not", () => {
    const order = (...all: string[]): unknown[] => all.map((name) => ({ name }));
    expect(names({ "$setElementOrder/containers": order("c3", "c1", "c2") })).toEqual(["c3", "c1", "c2"]);
    expect(names({ "$setElementOrder/containers": order("c3", "c1") })).toEqual(["c2", "c3", "c1"]);
    expect(
      names({
        "$setElementOrder/containers": order("c3", "n", "c1"),
        containers: [{ name: "n" }, { name: "c1" }],
      }),
    ).toEqual(["c2", "c3", "n", "c1"]);
    expect(
      patched({ "$setElementOrder/finalizers": ["x/b", "x/c", "x/a"], finalizers: ["x/c"] }).finalizers,
    ).toEqual(["x/b", "x/c", "x/a"]);
  });

  it("$deleteFromPrimitiveList takes texts out, and makes no list", () => {
    const result = patched({
      "$deleteFromPrimitiveList/finalizers": ["x/a"],
      "$deleteFromPrimitiveList/zork": ["a"],
    });
    expect(result.finalizers).toEqual(["x/b"]);
    expect(result).not.toHaveProperty("zork");
  });

  it("$retainKeys clears the other fields", () => {
    expect(patched({ strategy: { $retainKeys: ["type"], type: "Recreate" } }).strategy).toEqual({
      type: "Recreate",
    });
    const volume = { name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } };
    expect(patched({ volumes: [volume] }).volumes).toEqual([{ name: "v", hostPath: { path: "/x" } }]);
  });

  it("none is left in what the patch adds", () => {
    const added = {
      name: "z",
      $retainKeys: ["name"],
      env: [
        { name: "A", $patch: "delete" },
        { name: "B", no: null },
      ],
    };
    expect(patched({ containers: [added] }).containers[0]).toEqual({ name: "z", env: [{ name: "B" }] });
  });
});

describe("a patch that contradicts itself or its type is refused", () => {
  it.each<[string, Record<string, unknown>, number, string]>([
    [
      "an item without its key",
      { containers: [{ image: "x" }] },
      500,
      "map: map[image:x] does not contain declared merge key: name",
    ],
    [
      "a deletion without a key",
      { containers: [{ $patch: "delete" }] },
      500,
      "map: map[$patch:delete] does not contain declared merge key: name",
    ],
    [
      "an unknown directive",
      { containers: [{ name: "c1", $patch: "zork" }] },
      500,
      "unknown patch type: zork in map: map[$patch:zork name:c1]",
    ],
    [
      "an unknown directive in a map",
      { labels: { $patch: "zork" } },
      500,
      "unknown patch type: zork in map: map[$patch:zork]",
    ],
    [
      "a merge directive",
      { containers: [{ name: "c1", $patch: "merge" }] },
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      "a field that is not retained",
      { volumes: [{ name: "v", $retainKeys: ["name"], hostPath: {} }] },
      400,
      "invalid patch format of retainKeys",
    ],
    [
      "an order that lacks a patched item",
      { "$setElementOrder/containers": [{ name: "c3" }], containers: [{ name: "c1", image: "zz" }] },
      500,
      "The order in patch list:\n[map[image:zz name:c1]]\n doesn't match $setElementOrder list:\n[map[name:c3]]\n",
    ],
  ])("%s", (_title, patch, status, message) => {
    expect(() => patched(patch)).toThrow(expect.objectContaining({ status, message }));
  });
});

describe("long lists take no longer than they are long", () => {
  const count = 50_000;
  const long = (value: string, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ name: `E${index + from}`, value }));
  const texts = (from = 0) => Array.from({ length: count }, (_, index) => `f${index + from}/x`);
  const object = { containers: [{ name: "c", env: long("1") }], finalizers: texts() };

  // Were each item searched for in the list, each of these would take minutes.
  it.each([
    ["each item changed", { containers: [{ name: "c", env: long("2") }] }, count],
    ["half of them new", { containers: [{ name: "c", env: long("2", count / 2) }] }, count * 1.5],
    [
      "all in another order",
      { containers: [{ name: "c", "$setElementOrder/env": long("").reverse(), env: long("2").reverse() }] },
      count,
    ],
    [
      "all but one deleted",
      {
        containers: [
          {
            name: "c",
            env: long("")
              .slice(1)
              .map(({ name }) => ({ name, $patch: "delete" })),
          },
        ],
      },
      1,
    ],
    ["texts added", { finalizers: texts(count / 2) }, count * 1.5],
    ["texts deleted", { "$deleteFromPrimitiveList/finalizers": texts(1) }, 1],
  ])("%s", { timeout: 20_000 }, (_title, patch, length) => {
    const result = applyStrategicMergePatch(schema, object, patch) as typeof object;
    expect("containers" in patch ? result.containers[0]?.env : result.finalizers).toHaveLength(length);
  });
});
