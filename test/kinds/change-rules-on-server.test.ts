// The rules that refuse changes, held by the API servers themselves: what they refuse, what passes, and what they cost.
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { isInvalid } from "../../src/client/api-error.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind, type Kind } from "../../src/kinds/define-kind.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const spec = z.object({
  port: z.int().default(1),
  hosts: z.array(z.object({ name: z.string(), weight: z.int().default(1) })).default([]),
  parameters: z.record(z.string(), z.string()).default({}),
  server: z
    .object({ "log-level": z.string().optional(), tls: z.object({ cert: z.string().optional() }).optional() })
    .optional(),
  free: z.string().optional(),
});

const refused = ["port", "hosts", "parameters", "server.log-level", "server.tls.cert"];
const meta = { refuses: refused, message: "wait for Open" };

/** Two regions in Busy, of which one refuses once it works. */
const shopLifecycle = (refuses: boolean) =>
  setupLifecycle().createMachine({
    id: "shop",
    version: "1",
    initial: "Open",
    states: {
      Open: { on: { "desired.Busy": "Busy", "desired.Shut": "Shut" } },
      Busy: {
        type: "parallel",
        on: { "desired.Open": "Open" },
        states: {
          Stock: {
            initial: "Idle",
            states: {
              Idle: { on: { "observed.Delivery": "Counting" } },
              Counting: { ...(refuses ? { meta } : {}), on: { "observed.Counted": "Idle" } },
            },
          },
          Till: { initial: "Empty", states: { Empty: { on: { "observed.Sale": "Full" } }, Full: {} } },
        },
      },
      Shut: { ...(refuses ? { meta } : {}), on: { "desired.Open": "Open" } },
    },
  });

const shop = (refuses: boolean) =>
  defineKind({
    group: "refusals.example.com",
    version: "v1",
    kind: "Shop",
    spec,
    lifecycle: shopLifecycle(refuses),
  });

const Shop = shop(true);
const counting = "Busy:Stock:Counting,Busy:Till:Empty";
const whole = {
  port: 1,
  hosts: [{ name: "a", weight: 1 }],
  parameters: { a: "1" },
  server: { "log-level": "info", tls: { cert: "x" } },
};

describeOnEachApiServer("a state that refuses changes", (server) => {
  const at = (name: string) => ({ namespace: "default", name });

  const install = async (kind: Kind<KubeObject>): Promise<void> => {
    await server().client.apply(CustomResourceDefinition, crdOf(kind), { fieldManager: "test" });
    await eventually(() => server().client.list(kind));
  };

  const create = (name: string): Promise<KubeObject> =>
    server().client.create(Shop, {
      apiVersion: apiVersionOf(Shop),
      kind: Shop.kind,
      metadata: at(name),
      spec: whole,
    });

  const enter = (name: string, state: string): Promise<KubeObject> =>
    server().client.patch(
      Shop,
      at(name),
      { type: "merge", body: { status: { lifecycle: { state } } } },
      { subresource: "status" },
    );

  const edit = (name: string, change: object): Promise<KubeObject> =>
    server().client.patch(Shop, at(name), { type: "merge", body: { spec: change } });

  const refusal = async (change: Promise<unknown>): Promise<string> => {
    const error: unknown = await change.then(
      () => "it was accepted",
      (reason: unknown) => reason,
    );
    if (!isInvalid(error)) throw new Error(`not refused as invalid: ${String(error)}`);
    return error.message;
  };

  beforeAll(() => install(Shop));

  const changes: readonly (readonly [string, object])[] = [
    ["port", { port: 2 }],
    ["hosts", { hosts: [{ name: "a", weight: 2 }] }],
    ["hosts", { hosts: [] }],
    ["parameters", { parameters: { a: "2" } }],
    ["parameters", { parameters: { b: "1" } }],
    ["parameters", { parameters: { a: null } }],
    ["server.log-level", { server: { "log-level": "debug" } }],
    ["server.log-level", { server: { "log-level": null } }],
    ["server.tls.cert", { server: { tls: { cert: "y" } } }],
    ["server.tls.cert", { server: { tls: null } }],
    ["server.tls.cert", { server: null }],
  ];

  it("refuses each of them with its message, also in one of several regions, and stores nothing", async () => {
    await create("refusing");
    for (const state of ["Shut", counting]) {
      const { resourceVersion } = (await enter("refusing", state)).metadata;
      for (const [field, change] of changes) {
        const message = await refusal(edit("refusing", change));
        expect(message, JSON.stringify(change)).toContain(
          `spec.${field} cannot be changed in Busy:Stock:Counting, Shut, only in Open, Busy:Stock:Idle,`,
        );
        expect(message).toContain("wait for Open");
      }
      const stored = await server().client.get(Shop, at("refusing"));
      expect(stored).toMatchObject({ spec: whole, metadata: { resourceVersion } });
    }
  });

  it.each([
    ["in the states that accept", "Open"],
    ["while all regions accept", "Busy:Stock:Idle,Busy:Till:Full"],
    ["without any status", undefined],
  ])("accepts them %s", async (_, state) => {
    const name = `accepting-${state === undefined ? "none" : state.slice(0, 4).toLowerCase()}`;
    await create(name);
    if (state !== undefined) await enter(name, state);
    for (const [, change] of changes) await edit(name, change);
    expect((await server().client.get(Shop, at(name))).metadata.generation).toBe(1 + changes.length);
  });

  it("lets pass what else is written: other fields, the same values, finalizers, targets, each status, the deletion", async () => {
    const { client } = server();
    await create("passing");
    await enter("passing", counting);
    await edit("passing", { free: "other", port: 1, parameters: { a: "1" } });
    await edit("passing", { lifecycle: { desiredState: "Shut" } });
    const finalizers = ["example.com/wait"];
    await client.patch(Shop, at("passing"), { type: "merge", body: { metadata: { finalizers } } });
    for (const state of ["Shut", "Busy:Stock:Idle,Busy:Till:Empty", counting, "Shut"])
      await enter("passing", state);
    // The operator's own writes come with the spec that it has read.
    const read = await client.get(Shop, at("passing"));
    const status = { ...(read as { status?: object }).status, observedGeneration: 3 };
    await client.update(Shop, { ...read, status }, { subresource: "status" });
    await client.delete(Shop, at("passing"));
    await client.patch(Shop, at("passing"), { type: "merge", body: { metadata: { finalizers: [] } } });
    expect((await client.list(Shop)).items.map(({ metadata }) => metadata.name)).not.toContain("passing");
  });

  it("holds server-side apply to the same", async () => {
    await create("applied");
    await enter("applied", "Shut");
    const { apiVersion, kind } = await server().client.get(Shop, at("applied"));
    const apply = (port: number) =>
      server().client.apply(
        Shop,
        { apiVersion, kind, metadata: at("applied"), spec: { port } },
        {
          fieldManager: "user",
          force: true,
        },
      );
    await apply(1);
    expect(await refusal(apply(2))).toContain("spec.port cannot be changed");
  });

  it("never enters a state with a change that it refuses: a status worked out from an older spec conflicts", async () => {
    const { client } = server();
    const before = await create("racing");
    await edit("racing", { port: 2 });
    const status = { lifecycle: { state: "Shut" } };
    await expect(client.update(Shop, { ...before, status }, { subresource: "status" })).rejects.toMatchObject(
      { code: "API_CONFLICT" },
    );
  });

  it("holds objects that are older than the rule to it, and blocks none of their other writes", async () => {
    await install(shop(false));
    await create("older");
    await enter("older", "Shut");
    await eventually(async () => {
      // The server takes a moment to forget the rules of the previous definition.
      await edit("older", { port: 7 });
    });
    await install(Shop);
    let port = 7;
    await eventually(async () => {
      // Another one each time: what was stored before the rule came is no change any more.
      port += 1;
      expect(await refusal(edit("older", { port }))).toContain("spec.port cannot be changed");
    });
    await edit("older", { free: "yes", port: (await portOf("older")) ?? 0 });
    await enter("older", counting);
    await enter("older", "Open");
    await edit("older", { port: 9_000 });
    expect(await portOf("older")).toBe(9_000);
  });

  const portOf = async (name: string): Promise<number | undefined> =>
    ((await server().client.get(Shop, at(name))) as { spec?: { port?: number } }).spec?.port;
});

/** A state with regions, each a ring of states of which all but the first refuse these fields. */
const ring = (regions: number, states: number, refuses: readonly string[]): LifecycleMachine => {
  const region = (r: number) => ({
    initial: "S0",
    states: Object.fromEntries(
      Array.from({ length: states }, (_, at) => [
        `S${at}`,
        {
          ...(at === 0 ? {} : { meta: { refuses } }),
          on: { [`observed.R${r}S${at}`]: `S${(at + 1) % states}` },
        },
      ]),
    ),
  });
  const all = Array.from({ length: regions }, (_, r) => [`R${r}`, region(r)] as const);
  return setupLifecycle().createMachine({
    id: "ring",
    version: "1",
    initial: "Up",
    states: {
      Up: { type: "parallel", on: { "desired.End": "End" }, states: Object.fromEntries(all) },
      End: { type: "final" },
    },
  }) as never;
};

describe("the cost of the rules", () => {
  const manifold = z.array(z.record(z.string(), z.array(z.record(z.string(), z.array(z.string())))));
  let deep: z.ZodType = manifold;
  for (let depth = 0; depth < 10; depth += 1) deep = z.object({ n: deep.optional() });
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, manifold.default([])]));
  const kinds: readonly (readonly [string, z.ZodObject, LifecycleMachine])[] = [
    ["Unlimited", z.object({ a: manifold.default([]) }), ring(1, 4, ["a"])],
    ["Deep", z.object({ n: deep.optional() }), ring(2, 3, [`n${".n".repeat(10)}`])],
    ["Long", z.object({ a: manifold.default([]) }), ring(1, 120, ["a"])],
    ["Wide", z.object(many), ring(3, 8, Object.keys(many))],
  ];

  describeOnEachApiServer("as it is estimated", (server) => {
    it.each(kinds)("is within what an API server allows for the kind %s", async (kind, fields, lifecycle) => {
      const declared = defineKind({
        group: "cost.example.com",
        version: "v1",
        kind,
        spec: fields,
        lifecycle,
      });
      expect(declared.changeRefusals.every(({ isSayable }) => isSayable)).toBe(true);
      await server().client.create(CustomResourceDefinition, crdOf(declared), {
        fieldValidation: "Strict",
      });
      await eventually(() => server().client.list(declared));
    });
  });
});
