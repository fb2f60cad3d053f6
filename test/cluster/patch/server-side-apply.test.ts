// Merged objects, ownership and texts are what kube-apiserver 1.36 gives for a CRD of the same schema.
import { describe, expect, it } from "vitest";
import { conflictCauses, conflictMessage } from "../../../src/cluster/patch/apply-conflict.ts";
import type { ApplyConflict } from "../../../src/cluster/patch/apply-conflict.ts";
import { resetFieldsOf } from "../../../src/cluster/patch/reset-fields.ts";
import type { JsonObject } from "../../../src/schema/json-value.ts";
import {
  applied,
  apply,
  contentOf,
  entriesOf,
  manifestOf,
  newYear,
  ownersOf,
  updated,
} from "./apply-schema.ts";

function conflictsOf(live: JsonObject, manager: string, spec: unknown): readonly ApplyConflict[] {
  const result = apply(live, manager, spec);
  return "conflicts" in result ? result.conflicts : [];
}

describe("what an applier owns", () => {
  it("are the fields it sets: scalars, whole atomic values, items by key, entries of maps", () => {
    const object = applied(undefined, "m", {
      image: "i",
      object: { a: "1" },
      whole: { a: "1" },
      labels: { x: "1" },
      nested: { p: { a: "1" }, q: {} },
      list: ["a"],
      set: ["a"],
      envs: [{ name: "a", value: "1" }],
    });
    expect(entriesOf(object)).toEqual([
      {
        manager: "m",
        operation: "Apply",
        apiVersion: "x.example.com/v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": {
            "f:image": {},
            "f:object": { "f:a": {} },
            "f:whole": {},
            "f:labels": { "f:x": {} },
            "f:nested": { "f:p": { ".": {}, "f:a": {} }, "f:q": {} },
            "f:list": {},
            "f:set": { 'v:"a"': {} },
            "f:envs": { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:value": {} } },
          },
        },
      },
    ]);
  });

  it("empty values: atomic ones and maps are owned, empty sets and map lists by nobody", () => {
    const object = applied(undefined, "m", {
      object: {},
      whole: {},
      labels: {},
      list: [],
      set: [],
      envs: [],
      free: {},
    });
    expect(ownersOf(object)).toEqual({
      m: { "f:spec": { "f:object": {}, "f:whole": {}, "f:labels": {}, "f:list": {}, "f:free": {} } },
    });
  });

  it("defaults of keys count, though they are not owned", () => {
    const object = applied(undefined, "m", { ports: [{ port: 80 }, { port: 80, protocol: "UDP" }] });
    expect(ownersOf(object)).toEqual({
      m: {
        "f:spec": {
          "f:ports": {
            'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} },
            'k:{"port":80,"protocol":"UDP"}': { ".": {}, "f:port": {}, "f:protocol": {} },
          },
        },
      },
    });
  });

  it("preserved unknown fields are owned one by one, their lists whole", () => {
    const object = applied(undefined, "m", {
      free: { a: 1, l: [1, { b: 2 }], o: { x: { y: null } }, e: {} },
    });
    expect(ownersOf(object)).toEqual({
      m: {
        "f:spec": {
          "f:free": { "f:a": {}, "f:l": {}, "f:o": { ".": {}, "f:x": { ".": {}, "f:y": {} } }, "f:e": {} },
        },
      },
    });
  });

  it("not the name and what the server sets, but labels, finalizers by value and owners by uid", () => {
    const metadata = {
      labels: { a: "b" },
      finalizers: ["x.y/z"],
      ownerReferences: [{ uid: "u1", name: "q" }],
    };
    const object = applied(undefined, "m", undefined, { manifest: manifestOf(undefined, { metadata }) });
    expect(ownersOf(object)).toEqual({
      m: {
        "f:metadata": {
          "f:labels": { "f:a": {} },
          "f:finalizers": { 'v:"x.y/z"': {} },
          "f:ownerReferences": { 'k:{"uid":"u1"}': {} },
        },
      },
    });
  });

  it("nothing: then there is no entry", () => {
    expect(contentOf(applied(undefined, "m", undefined))).toEqual(applied(undefined, "m", undefined));
    const dropped = applied(applied(undefined, "m", { image: "i" }), "m", undefined);
    expect(entriesOf(dropped)).toEqual([]);
    expect(dropped).not.toHaveProperty("spec");
  });
});

describe("applying again", () => {
  it("changes nothing, not even the time", () => {
    const first = applied(undefined, "m", { image: "i", envs: [{ name: "a" }] });
    const later = { now: newYear + 60_000 };
    expect(applied(first, "m", { image: "i", envs: [{ name: "a" }] }, later)).toEqual(first);
    expect(entriesOf(applied(first, "m", { image: "j" }, later))[0]?.time).toBe("2026-01-01T00:01:00Z");
  });

  it("drops what the manifest no longer has", () => {
    const first = applied(undefined, "m", {
      image: "i",
      replicas: 1,
      envs: [{ name: "a" }, { name: "b" }],
      list: ["x"],
    });
    expect(applied(first, "m", { image: "i", envs: [{ name: "b" }] })["spec"]).toEqual({
      image: "i",
      envs: [{ name: "b" }],
    });
  });

  it("keeps what another manager owns too, or took", () => {
    const shared = applied(applied(undefined, "m1", { image: "i", replicas: 1 }), "m2", { image: "i" });
    expect(ownersOf(shared)).toEqual({
      m1: { "f:spec": { "f:image": {}, "f:replicas": {} } },
      m2: { "f:spec": { "f:image": {} } },
    });
    expect(applied(shared, "m1", {})["spec"]).toEqual({ image: "i" });
    const taken = applied(shared, "m2", { image: "j" }, { force: true });
    expect(ownersOf(taken)).toEqual({
      m1: { "f:spec": { "f:replicas": {} } },
      m2: { "f:spec": { "f:image": {} } },
    });
    expect(applied(taken, "m1", {})["spec"]).toEqual({ image: "j" });
  });

  it("leaves fields that nobody applied", () => {
    const created = updated(undefined, "kubectl-create", manifestOf({ image: "i", labels: { a: "1" } }));
    const both = applied(created, "m", { labels: { b: "2" } });
    expect(both["spec"]).toEqual({ image: "i", labels: { a: "1", b: "2" } });
    expect(applied(both, "m", {})["spec"]).toEqual({ image: "i", labels: { a: "1" } });
  });

  it("empties what others own as a whole, instead of removing it", () => {
    const created = updated(
      undefined,
      "p",
      manifestOf({ object: { a: "x" }, envs: [{ name: "a", value: "1" }] }),
    );
    const forced = applied(
      created,
      "m",
      { object: { a: "y" }, envs: [{ name: "a", value: "2" }] },
      { force: true },
    );
    expect(applied(forced, "m", {})["spec"]).toEqual({ object: {}, envs: [{ name: "a" }] });
  });
});

describe("the order of list items", () => {
  const envs = (...names: string[]): unknown => ({ envs: names.map((name) => ({ name })) });
  const order = (object: JsonObject): string[] =>
    (object["spec"] as { envs: { name: string }[] }).envs.map(({ name }) => name);

  it("is the manifest's, with the others' items where they were", () => {
    const live = applied(undefined, "m1", envs("a", "b", "c", "d"));
    expect(order(applied(live, "m2", envs("d", "b", "new")))).toEqual(["a", "c", "d", "b", "new"]);
    expect(order(applied(live, "m2", envs("new", "a")))).toEqual(["new", "a", "b", "c", "d"]);
  });

  it("of a set likewise", () => {
    const live = applied(undefined, "m1", { set: ["c", "b"] });
    expect(applied(live, "m2", { set: ["a", "b"] })["spec"]).toEqual({ set: ["c", "a", "b"] });
  });
});

describe("conflicts", () => {
  it("name the owner and the field", () => {
    const conflicts = conflictsOf(applied(undefined, "m1", { image: "i" }), "m2", { image: "j" });
    expect(conflictMessage(conflicts)).toBe('Apply failed with 1 conflict: conflict with "m1": .spec.image');
    expect(conflictCauses(conflicts)).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "m1"', field: ".spec.image" },
    ]);
  });

  it("name the version of an updater, and the fields level by level", () => {
    const created = updated(
      undefined,
      "p",
      manifestOf({
        image: "1",
        object: { a: "x" },
        whole: { a: "1" },
        envs: [{ name: "a", value: "1" }],
        list: ["z"],
        free: { a: { b: 1 } },
      }),
    );
    const conflicts = conflictsOf(created, "m", {
      image: "2",
      object: { a: "y" },
      whole: { a: "2" },
      envs: [{ name: "a", value: "2" }],
      list: ["y"],
      free: { a: { b: 2 } },
    });
    expect(conflictMessage(conflicts)).toBe(
      [
        'Apply failed with 6 conflicts: conflicts with "p" using x.example.com/v1:',
        "- .spec.image",
        "- .spec.list",
        "- .spec.whole",
        '- .spec.envs[name="a"].value',
        "- .spec.free.a.b",
        "- .spec.object.a",
      ].join("\n"),
    );
  });

  it("name the subresource of the owner", () => {
    const live = applied(undefined, "m", { image: "i" });
    const statusRequest = {
      subresource: "status",
      resetFields: resetFieldsOf({ subresource: "status", hasStatus: true, custom: true }),
    };
    const ready = {
      manifest: manifestOf(undefined, { status: { envs: [{ name: "Ready", value: "True" }] } }),
    };
    const withStatus = applied(live, "st", undefined, { ...statusRequest, ...ready });
    expect(entriesOf(withStatus).map(({ manager, subresource }) => [manager, subresource])).toEqual([
      ["m", undefined],
      ["st", "status"],
    ]);
    const other = {
      manifest: manifestOf(undefined, { status: { envs: [{ name: "Ready", value: "False" }] } }),
    };
    const result = apply(withStatus, "m2", undefined, { ...statusRequest, ...other });
    expect("conflicts" in result && conflictMessage(result.conflicts)).toBe(
      'Apply failed with 1 conflict: conflict with "st" with subresource "status": .status.envs[name="Ready"].value',
    );
  });

  it("are none over equal values, disjoint fields, or what the endpoint resets", () => {
    const live = applied(undefined, "m1", { image: "i", envs: [{ name: "a", value: "1" }] });
    expect(conflictsOf(live, "m2", { image: "i", envs: [{ name: "b", value: "2" }] })).toEqual([]);
    const manifest = manifestOf({ image: "i" }, { status: { image: "theirs" } });
    expect(apply({ ...live, status: { image: "ours" } }, "m2", undefined, { manifest })).toHaveProperty(
      "object",
    );
  });

  it("an object without owners belongs to a manager of its own", () => {
    const live = manifestOf({ image: "i", replicas: 1 });
    expect(conflictMessage(conflictsOf(live, "m", { image: "j" }))).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using x.example.com/v1: .spec.image',
    );
    expect(ownersOf(applied(live, "m", { image: "i" }))).toEqual({
      "before-first-apply": { "f:spec": { ".": {}, "f:image": {}, "f:replicas": {} } },
      m: { "f:spec": { "f:image": {} } },
    });
  });
});

describe("a manifest that is no instance of its type is refused as a whole", () => {
  const prefix = "failed to create typed patch object (default/n; x.example.com/v1, Kind=Foo): ";
  it.each<[unknown, string]>([
    [{ zork: 1 }, ".spec.zork: field not declared in schema"],
    [{ replicas: "x" }, ".spec.replicas: expected numeric (int or float), got string"],
    [{ image: 5 }, ".spec.image: expected string, got &value.valueUnstructured{Value:5}"],
    [
      { image: { a: 1 } },
      '.spec.image: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}',
    ],
    [{ paused: "x" }, ".spec.paused: expected boolean, got &{x}"],
    [{ object: ["x"] }, ".spec.object: expected map, got &{[x]}"],
    [{ list: { a: 1 } }, ".spec.list: expected list, got &{map[a:1]}"],
    [{ list: [5] }, ".spec.list[0]: expected string, got &value.valueUnstructured{Value:5}"],
    [{ set: ["a", "a"] }, '.spec.set: duplicate entries for key [="a"]'],
    [
      { set: [null] },
      ".spec.set: element 0: associative list without keys has an element that's an explicit null",
    ],
    [{ set: [{}] }, ".spec.set: element 0: associative list without keys has an element that's a map type"],
    [{ envs: [{ name: "a" }, { name: "a" }] }, '.spec.envs: duplicate entries for key [name="a"]'],
    [{ envs: ["a"] }, ".spec.envs: element 0: associative list with keys may not have non-map elements"],
    [
      { envs: [{ value: "1" }] },
      '.spec.envs: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      { zork: 1, replicas: "x" },
      "errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.zork: field not declared in schema",
    ],
  ])("%j", (spec, text) => {
    expect(() => apply(undefined, "m", spec)).toThrow(
      expect.objectContaining({ status: 500, reason: undefined, message: `${prefix}${text}` }),
    );
  });

  it("and so is one with owners, or of another version", () => {
    const owned = manifestOf({}, { metadata: { managedFields: [] } });
    expect(() => apply(undefined, "m", {}, { manifest: owned })).toThrow(
      expect.objectContaining({ status: 400, message: "metadata.managedFields must be nil" }),
    );
    const other = { ...manifestOf({}), apiVersion: "x.example.com/v2" };
    expect(() => apply(undefined, "m", {}, { manifest: other })).toThrow(
      expect.objectContaining({
        status: 400,
        message:
          "Incorrect version specified in apply patch. Specified patch version: x.example.com/v2, expected: x.example.com/v1",
      }),
    );
  });
});
