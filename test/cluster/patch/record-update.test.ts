// Ownership is what kube-apiserver 1.36 records for the same writes.
import { describe, expect, it } from "vitest";
import { emptyObjectOf } from "../../../src/cluster/patch/empty-object.ts";
import { recordUpdate } from "../../../src/cluster/patch/record-update.ts";
import { resetFieldsOf } from "../../../src/cluster/patch/reset-fields.ts";
import type { JsonObject } from "../../../src/schema/json-value.ts";
import type { StructuralSchema } from "../../../src/schema/structural-schema.ts";
import { applied, entriesOf, manifestOf, newYear, ownersOf, schema, updated } from "./apply-schema.ts";

const managedFieldsSent = (object: JsonObject, managedFields: unknown): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), managedFields },
});

describe("who owns what after a write that is no apply", () => {
  it("the creator owns every field, also the objects around them", () => {
    const object = updated(
      undefined,
      "p",
      manifestOf({ image: "i", object: { a: "x" }, envs: [{ name: "a" }], set: ["x"] }),
    );
    expect(entriesOf(object)).toEqual([
      {
        manager: "p",
        operation: "Update",
        apiVersion: "x.example.com/v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": {
            ".": {},
            "f:image": {},
            "f:object": { ".": {}, "f:a": {} },
            "f:envs": { ".": {}, 'k:{"name":"a"}': { ".": {}, "f:name": {} } },
            "f:set": { ".": {}, 'v:"x"': {} },
          },
        },
      },
    ]);
  });

  it("whoever changes a field takes it, from appliers too", () => {
    const live = applied(undefined, "m1", { image: "i", envs: [{ name: "a", value: "1" }] });
    const after = updated(live, "m3", manifestOf({ image: "j", envs: [{ name: "a", value: "1" }] }));
    expect(ownersOf(after)).toEqual({
      m1: { "f:spec": { "f:envs": { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:value": {} } } } },
      m3: { "f:spec": { "f:image": {} } },
    });
  });

  it("removed fields belong to nobody, and an entry without fields goes", () => {
    const live = applied(undefined, "m1", { image: "i", replicas: 1 });
    expect(ownersOf(updated(live, "m2", manifestOf({ image: "i" })))).toEqual({
      m1: { "f:spec": { "f:image": {} } },
    });
    expect(ownersOf(updated(live, "m2", manifestOf(undefined)))).toEqual({});
  });

  it("a write that changes nothing changes no entry and no time", () => {
    const live = updated(undefined, "p", manifestOf({ image: "i" }));
    expect(updated(live, "p", manifestOf({ image: "i" }))).toEqual(live);
    expect(updated(live, "q", manifestOf({ image: "i" }))).toEqual(live);
  });

  it("a manager gathers its fields in one entry", () => {
    const first = updated(undefined, "p", manifestOf({ image: "i" }));
    const second = updated(first, "p", manifestOf({ image: "i", replicas: 1 }));
    expect(ownersOf(second)).toEqual({ p: { "f:spec": { ".": {}, "f:image": {}, "f:replicas": {} } } });
  });

  it("the status is nobody's on the main endpoint", () => {
    const object = updated(undefined, "p", manifestOf({ image: "i" }, { status: { image: "s" } }));
    expect(ownersOf(object)).toEqual({ p: { "f:spec": { ".": {}, "f:image": {} } } });
  });

  it("on the status endpoint only the status is owned, in an entry of its own", () => {
    const before = updated(undefined, "p", manifestOf({ image: "i" }));
    const after = manifestOf({ image: "j" }, { status: { image: "s" }, metadata: { labels: { a: "b" } } });
    const entries = recordUpdate({
      before,
      after,
      manager: "p",
      subresource: "status",
      schema,
      apiVersion: "x.example.com/v1",
      now: newYear,
      resetFields: resetFieldsOf({ subresource: "status", hasStatus: true, custom: true }),
    });
    expect(entries?.map(({ subresource, fieldsV1 }) => [subresource, fieldsV1])).toEqual([
      [undefined, { "f:spec": { ".": {}, "f:image": {} } }],
      ["status", { "f:status": { ".": {}, "f:image": {} } }],
    ]);
  });
});

describe("owners that the client sends", () => {
  const live = applied(undefined, "m1", { image: "i" });

  it("[{}] forgets all of them, and an object without owners gets none by an update", () => {
    const wiped = updated(live, "p", managedFieldsSent(manifestOf({ image: "i" }), [{}]));
    expect(entriesOf(wiped)).toEqual([]);
    expect(entriesOf(updated(wiped, "p", manifestOf({ image: "j" })))).toEqual([]);
  });

  it("a list replaces them, an unreadable one does not", () => {
    const sent = [
      {
        manager: "q",
        operation: "Apply",
        apiVersion: "x.example.com/v1",
        fieldsV1: { "f:spec": { "f:image": {} } },
      },
    ];
    expect(
      Object.keys(ownersOf(updated(live, "p", managedFieldsSent(manifestOf({ image: "i" }), sent)))),
    ).toEqual(["q"]);
    for (const unusable of [
      "x",
      [{ operation: "Zork" }],
      [{ operation: "Apply", fieldsV1: { "x:a": {} } }],
    ]) {
      const after = updated(live, "p", managedFieldsSent(manifestOf({ image: "i" }), unusable));
      expect(ownersOf(after)).toEqual(ownersOf(live));
    }
  });

  it.each([[[]], [[{}]]])("%j forgets them", (sent) => {
    expect(ownersOf(updated(live, "p", managedFieldsSent(live, sent)))).toEqual({});
  });
});

describe("many managers", () => {
  it("at most ten updaters are told apart, the oldest are merged; appliers always", () => {
    let object = applied(undefined, "applier", { image: "i" });
    for (let index = 0; index < 14; index += 1) {
      const labels = { ...(object["spec"] as { labels?: object }).labels, [`l${index}`]: "1" };
      const entries = recordUpdate({
        before: object,
        after: { ...object, spec: { image: "i", labels } },
        manager: `u${String(index).padStart(2, "0")}`,
        schema,
        apiVersion: "x.example.com/v1",
        now: newYear + index * 1000,
      });
      object = { ...manifestOf({ image: "i", labels }, { metadata: { managedFields: entries } }) };
    }
    expect(entriesOf(object).map(({ manager }) => manager)).toEqual([
      "applier",
      "ancient-changes",
      "u05",
      "u06",
      "u07",
      "u08",
      "u09",
      "u10",
      "u11",
      "u12",
      "u13",
    ]);
    expect(ownersOf(object)["ancient-changes"]).toEqual({
      "f:spec": { "f:labels": { ".": {}, "f:l0": {}, "f:l1": {}, "f:l2": {}, "f:l3": {}, "f:l4": {} } },
    });
  });
});

describe("objects of Kubernetes' own types have their structs from the start", () => {
  const text: StructuralSchema = { type: "string" };
  const pod: StructuralSchema = {
    type: "object",
    required: ["containers"],
    properties: { containers: { type: "array", items: text }, dnsPolicy: text, volumes: { type: "array" } },
  };
  const deployment: StructuralSchema = {
    type: "object",
    properties: {
      metadata: {
        type: "object",
        properties: { name: text, labels: { type: "object", additionalProperties: text } },
      },
      spec: {
        type: "object",
        required: ["selector", "template"],
        properties: {
          selector: { type: "object", "x-kubernetes-map-type": "atomic", properties: {} },
          replicas: { type: "integer" },
          template: { type: "object", properties: { spec: pod } },
        },
      },
      status: { type: "object", properties: { replicas: { type: "integer" } } },
    },
  };

  const always = new Set(["metadata", "spec", "status", "selector", "template", "containers", "value"]);
  const isAlwaysWritten = (_schema: StructuralSchema, field: string): boolean => always.has(field);

  it("what is always written has its zero, and the rest is absent", () => {
    expect(
      emptyObjectOf({ properties: { value: { type: "integer" }, note: text } }, isAlwaysWritten),
    ).toEqual({
      value: 0,
    });
    expect(emptyObjectOf(deployment, isAlwaysWritten)).toEqual({
      metadata: {},
      spec: { selector: {}, template: { spec: { containers: null } } },
      status: {},
    });
  });

  it("so nobody owns the structs", () => {
    const after = {
      metadata: { name: "n", labels: { a: "b" } },
      spec: { selector: {}, template: { spec: { containers: ["c"], dnsPolicy: "x" } } },
    };
    const entries = recordUpdate({
      after,
      manager: "p",
      schema: deployment,
      apiVersion: "apps/v1",
      now: newYear,
      emptyObject: emptyObjectOf(deployment, isAlwaysWritten),
    });
    expect(entries?.[0]?.fieldsV1).toEqual({
      "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
      "f:spec": { "f:template": { "f:spec": { "f:containers": {}, "f:dnsPolicy": {} } } },
    });
  });
});
