// Which changes a state refuses: declared in the machine, checked against the spec, said by CEL rules and by validateChange.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { celName } from "../../src/kinds/cel-name.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";
import { validateChange } from "../../src/kinds/validate-change.ts";

const machine = (states: Record<string, object>, meta?: unknown): LifecycleMachine =>
  setupLifecycle().createMachine({
    id: "shop",
    version: "1",
    initial: "Start",
    ...(meta === undefined ? {} : { meta }),
    states: {
      Start: { on: { "observed.Open": "Open" }, after: { "10m": "HumanIntervention" } },
      Open: { on: { "desired.Servicing": "Servicing" } },
      Servicing: {
        on: { "human.abort": "Open" },
        initial: "Saving",
        states: {
          Saving: { on: { "observed.Saved": "Checking" } },
          Checking: { invoke: { id: "check", src: "check", onDone: "#shop.Open", onError: "#shop.Open" } },
        },
      },
      ...states,
    },
  } as never) as never;

const spec = z.object({
  storage: z.string().default("1Gi"),
  port: z.int().default(1),
  parameters: z.record(z.string(), z.string()).default({}),
  server: z.object({ host: z.string().optional(), "log-level": z.string().optional() }).optional(),
  open: z.looseObject({}).optional(),
});

const shop = (states: Record<string, object>, meta?: unknown, more: object = {}) =>
  defineKind({
    group: "a.example.com",
    version: "v1",
    kind: "Shop",
    spec,
    lifecycle: machine(states, meta),
    ...more,
  });

const servicing = (meta: unknown) => ({
  Servicing: {
    meta,
    on: { "human.abort": "Open" },
    initial: "Saving",
    states: {
      Saving: { on: { "observed.Saved": "Checking" } },
      Checking: { invoke: { id: "check", src: "check", onDone: "#shop.Open", onError: "#shop.Open" } },
    },
  },
});

const object = (state: string | undefined, change: object = {}) => ({
  apiVersion: "a.example.com/v1",
  kind: "Shop",
  metadata: { name: "corner", namespace: "default", uid: "u", resourceVersion: "1", creationTimestamp: "" },
  spec: { storage: "1Gi", port: 1, parameters: {}, lifecycle: { desiredState: "Open" }, ...change },
  ...(state === undefined ? {} : { status: { lifecycle: { state } } }),
});

const rulesOf = (kind: ReturnType<typeof shop>) =>
  crdOf(kind).spec.versions[0]?.schema?.openAPIV3Schema?.["x-kubernetes-validations"] ?? [];

const codesOf = (kind: ReturnType<typeof shop>, state: string | undefined, before: object, after: object) =>
  validateChange(kind, object(state, before) as never, object(state, after) as never).map(
    ({ message }) => message,
  );

const busy = { refuses: ["port", "server.host"], message: "wait, or send abort" };

describe("a state that refuses changes", () => {
  it("refuses them in every state inside it, and names the states in which they can be made", () => {
    const kind = shop(servicing(busy));
    expect(kind.changeRefusals).toEqual([
      {
        field: ["port"],
        states: ["Servicing:Saving", "Servicing:Checking"],
        message:
          "spec.port cannot be changed in Servicing:Saving, Servicing:Checking, only in Start, Open, HumanIntervention: wait, or send abort",
        isSayable: true,
      },
      expect.objectContaining({ field: ["server", "host"] }),
    ]);
  });

  it("becomes one rule for each field, on the stored state", () => {
    const [port, host] = rulesOf(shop(servicing(busy)));
    expect(port).toEqual({
      rule:
        "!has(oldSelf.status) || !has(oldSelf.status.lifecycle) || !has(oldSelf.status.lifecycle.state)" +
        ' || !(oldSelf.status.lifecycle.state in ["Servicing:Saving", "Servicing:Checking"])' +
        " || (has(self.spec) == has(oldSelf.spec) && (!has(self.spec) ||" +
        " (has(self.spec.port) == has(oldSelf.spec.port) && (!has(self.spec.port) || self.spec.port == oldSelf.spec.port))))",
      message: expect.stringContaining("wait, or send abort") as unknown,
      reason: "FieldValueForbidden",
      fieldPath: ".spec.port",
    });
    expect(host?.fieldPath).toBe(".spec.server.host");
  });

  it("may say what it accepts instead: all else is refused", () => {
    const kind = shop(servicing({ accepts: ["storage", "server.log-level"] }));
    expect(kind.changeRefusals.map(({ field }) => field.join("."))).toEqual([
      "port",
      "parameters",
      "server.host",
      "open",
    ]);
  });

  it("may be the whole machine", () => {
    const [storage] = shop(
      {},
      { refuses: ["storage"], message: "restore a backup into a new one" },
    ).changeRefusals;
    expect(storage?.message).toBe("spec.storage cannot be changed: restore a backup into a new one");
    expect(storage?.states).toContain("Start");
  });

  it("shares a rule with another that says the same", () => {
    const kind = shop({ Start: { meta: busy, on: { "observed.Open": "Open" } }, ...servicing(busy) });
    expect(kind.changeRefusals.map(({ states }) => states)).toEqual([
      ["Start", "Servicing:Saving", "Servicing:Checking"],
      ["Start", "Servicing:Saving", "Servicing:Checking"],
    ]);
  });

  it("has no rule for what CEL cannot see", () => {
    const kind = shop(servicing({ refuses: ["open"] }));
    expect(kind.changeRefusals).toMatchObject([{ isSayable: false }]);
    expect(rulesOf(kind)).toEqual([]);
    expect(codesOf(kind, "Servicing:Saving", { open: { a: 1 } }, { open: { a: 2 } })).toHaveLength(1);
  });

  it.each(["nothing", "server.nothing", "port.inner", "constructor", "parameters.work_mem", ""])(
    "cannot refuse %j, which is no field of the spec",
    (path) => {
      expect(() => shop(servicing({ refuses: [path === "" ? "." : path] }))).toThrow(
        expect.objectContaining({ code: "KIND_INVALID" }),
      );
    },
  );

  it.each([
    { refuses: "port" },
    { refuses: [1] },
    { accepts: {} },
    { refuses: [], message: 1 },
    { refuses: [], message: "a\nb" },
  ])("is refused itself when it is %j", (meta) => {
    expect(() => shop(servicing(meta))).toThrow(/Servicing has a meta\.refuses/);
  });

  it("leaves alone what other tools note in meta", () => {
    expect(shop(servicing({ "@tool.color": "red" })).changeRefusals).toEqual([]);
  });
});

describe("validateChange", () => {
  const kind = shop(servicing(busy));

  it("names the fields that the state refuses", () => {
    expect(codesOf(kind, "Servicing:Saving", { port: 1 }, { port: 2 })).toEqual([
      expect.stringContaining("spec.port cannot be changed in Servicing:Saving"),
    ]);
    expect(codesOf(kind, "Servicing:Saving", { server: { host: "a" } }, {})).toHaveLength(1);
  });

  it.each<[string, string | undefined, object, object]>([
    ["another state", "Open", { port: 1 }, { port: 2 }],
    ["no state yet", undefined, { port: 1 }, { port: 2 }],
    ["another field", "Servicing:Saving", { storage: "1Gi" }, { storage: "2Gi" }],
    [
      "the same value in another order",
      "Servicing:Saving",
      { server: { a: 1, b: 2 } },
      { server: { b: 2, a: 1 } },
    ],
  ])("has nothing against %s", (_, state, before, after) => {
    expect(codesOf(kind, state, before, after)).toEqual([]);
  });

  it("has something against a target that is none, and one that no path leads to", () => {
    const target = (desiredState: string) => ({ lifecycle: { desiredState } });
    expect(codesOf(kind, "Open", {}, target("Flying"))).toEqual([
      '"Flying" cannot be desired: no path leads there from Open',
    ]);
    expect(codesOf(kind, "Open", target("Flying"), { ...target("Flying"), port: 2 })).toEqual([]);
    expect(codesOf(kind, "Open", {}, target("Servicing"))).toEqual([]);
  });

  it("judges the target of a new object by where a life begins, as it judges that of one that has begun", () => {
    const gallery = defineKind({
      group: "test.example.com",
      version: "v1",
      kind: "Gallery",
      spec: z.object({}),
      lifecycle: setupLifecycle().createMachine({
        id: "gallery",
        version: "1",
        initial: "Closed",
        states: {
          Closed: { on: { "desired.Open": "Open" } },
          Open: { on: { "human.next": "Guided", "desired.Closed": "Closed" } },
          Guided: { on: { "desired.Open": "Open" } },
        },
      }),
    });
    const desiring = (desiredState: string) => ({ spec: { lifecycle: { desiredState } } }) as never;
    expect(validateChange(gallery, undefined, desiring("Open"))).toEqual([]);
    expect(validateChange(gallery, undefined, desiring("Guided"))).toMatchObject([
      { message: '"Guided" cannot be desired: no path leads there from Closed' },
    ]);
  });

  it("asks the kind, with the state and both objects", () => {
    const asked: unknown[] = [];
    const checkChange = (change: { state: string | undefined; before?: unknown }): string[] => {
      asked.push(change.state, change.before === undefined);
      return change.state === "Open" ? ["not on a Sunday"] : [];
    };
    const own = shop({}, undefined, { checkChange });
    expect(codesOf(own, "Open", {}, {})).toEqual(["not on a Sunday"]);
    expect(validateChange(own, undefined, object(undefined) as never)).toEqual([]);
    expect(asked).toEqual(["Open", false, undefined, true]);
  });
});

describe("the name of a field in CEL", () => {
  it.each([
    ["port", "port"],
    ["log-level", "log__dash__level"],
    ["a.b/c", "a__dot__b__slash__c"],
    ["a__b", "a__underscores__b"],
    ["namespace", "__namespace__"],
    ["in", "__in__"],
  ])("of %s is %s", (name, escaped) => {
    expect(celName(name)).toBe(escaped);
  });
});
