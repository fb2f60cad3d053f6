import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { isInvalid } from "../../src/client/api-error.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind, type Kind } from "../../src/kinds/define-kind.ts";
import type { KubeObject, Manifest } from "../../src/meta/object.ts";
import { apiVersionOf, resourceNameOf } from "../../src/meta/resource-type.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { sampleOf } from "./structural-sample.ts";

const storage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("disk"), size: z.string() }),
  z.object({ type: z.literal("bucket"), url: z.string() }),
]);

/** Every construct that is not refused, once. */
const everything = z.object({
  text: z.string().min(1).max(20).default("text").describe("A text."),
  pattern: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  affixes: z.string().startsWith("a").endsWith("b").optional(),
  count: z.int().min(1).max(9).default(3),
  ratio: z.number().positive().optional(),
  big: z.int().optional(),
  flag: z.boolean().default(false),
  mode: z.enum(["fast", "safe"]).default("safe"),
  maybe: z.enum(["a", "b"]).nullable().optional(),
  none: z.union([z.literal("a"), z.literal("b"), z.null()]).optional(),
  port: z.union([z.int().min(1), z.string()]).optional(),
  limit: z.union([z.int(), z.literal("auto")]).default("auto"),
  listed: z.union([z.literal(1), z.literal("a.b")]).optional(),
  either: z.union([z.string().max(3), z.string().startsWith("x-")]).optional(),
  labels: z.record(z.string(), z.string()).default({}),
  settings: z
    .record(
      z
        .string()
        .regex(/^[a-z_]+(\.[a-z_]+)?$/)
        .max(63),
      z.string(),
    )
    .meta({ maxProperties: 64 })
    .optional(),
  known: z.partialRecord(z.enum(["cpu", "memory"]), z.string()).optional(),
  list: z.array(z.object({ name: z.string(), weight: z.int().default(1) })).default([]),
  set: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).optional(),
  storage: storage.default({ type: "disk", size: "1Gi" }),
  open: z.looseObject({ a: z.string().optional() }).optional(),
  anything: z.unknown().optional(),
  nested: z.object({ deep: z.object({ deeper: z.int().default(7) }).prefault({}) }).prefault({}),
  when: z.iso.datetime().optional(),
  day: z.iso.date().optional(),
  mail: z.email().optional(),
  id: z.uuid().optional(),
  address: z.ipv4().optional(),
  six: z.ipv6().optional(),
  link: z.url().optional(),
  bytes: z.base64().optional(),
});

const Everything = defineKind({
  group: "test.example.com",
  version: "v1",
  kind: "Everything",
  plural: "everythings",
  shortNames: ["evt"],
  spec: everything,
  status: z.object({
    url: z.string(),
    nodes: z.array(z.string()),
    replicas: z.int(),
    extra: z.looseObject({}),
  }),
  scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.replicas" },
  validations: [
    { rule: "self.text != 'forbidden'", message: "not this text" },
    { rule: "self.mode == oldSelf.mode", message: "the mode cannot be changed", fieldPath: ".mode" },
    { rule: "self.metadata.name.size() < 40", message: "the name is too long", on: "object" },
  ],
});

const Oneway = defineKind({
  group: "test.example.com",
  version: "v1",
  kind: "Oneway",
  spec: z.object({ size: z.int().default(1) }),
  status: z.object({ endpoint: z.string() }),
  lifecycle: setupLifecycle().createMachine({
    id: "oneway",
    version: "1",
    initial: "Draft",
    states: {
      Draft: { tags: ["stable"], on: { "desired.Open": "Open", "desired.Closed": "Closed" } },
      Open: { on: { "desired.Closed": "Closed" } },
      Closed: { on: { "desired.Archived": "Archived" } },
      Archived: { on: { "desired.Closed": "Closed" } },
    },
  }),
});

describeOnRealApiServer("CRDs", () => {
  let plane: LeasedControlPlane;
  let client: KubeClient;

  beforeAll(async () => {
    plane = await leaseControlPlane({ controllers: "none" });
    client = createKubeClient(await loadConnection({ path: plane.kubeconfig, env: {} }), {
      userAgent: "test",
    });
    await install(Everything);
    await install(Oneway);
  });

  afterAll(async () => {
    await client?.close();
    await plane?.stop();
  });

  async function install(kind: Kind<KubeObject>): Promise<void> {
    await client.create(CustomResourceDefinition, crdOf(kind), { fieldValidation: "Strict" });
    await vi.waitFor(
      async () => {
        const crd = await client.get(CustomResourceDefinition, { name: resourceNameOf(kind) });
        expect(crd.status?.conditions).toContainEqual(
          expect.objectContaining({ type: "Established", status: "True" }),
        );
        await client.list(kind);
      },
      { timeout: 20_000 },
    );
  }

  const manifest = (
    kind: Kind<KubeObject>,
    name: string,
    spec: unknown,
  ): Manifest & { readonly spec: unknown } => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, namespace: "default" },
    spec,
  });

  const refusal = async (name: string, spec: unknown): Promise<string> => {
    const error: unknown = await client.create(Everything, manifest(Everything, name, spec)).then(
      () => "accepted",
      (reason: unknown) => reason,
    );
    if (!isInvalid(error)) throw new Error(`not refused as invalid: ${String(error)}`);
    return error.message;
  };

  it("gives a new object the defaults that zod gives", async () => {
    const created = await client.create(Everything, manifest(Everything, "defaults", undefined), {
      fieldValidation: "Strict",
    });
    expect(created.spec).toEqual(everything.parse({}));
  });

  it.each<[string, z.input<typeof everything>]>([
    ["null", { maybe: null, none: null }],
    ["integers", { port: 80, limit: 5, listed: 1, big: 9_007_199_254_740_991 }],
    ["strings in their place", { port: "http", limit: "auto", listed: "a.b" }],
    ["strings of the variants", { either: "x-long enough" }],
    ["the other variant", { storage: { type: "bucket", url: "s3://a" } }],
    ["checked keys", { settings: { "log.level": "a", work_mem: "4MB" } }],
    ["known keys", { known: { cpu: "1" } }],
    ["open content", { open: { a: "a", b: { c: [1] } }, anything: [{ a: 1 }] }],
    ["affixes", { affixes: "a-b" }],
    [
      "formats",
      {
        when: "2026-01-01T00:00:00Z",
        day: "2026-01-01",
        mail: "a@example.com",
        id: "4e3f9a1e-5a1c-4f7d-9d2b-0a1b2c3d4e5f",
        address: "10.0.0.1",
        six: "fd00::1",
        link: "https://example.com/a?b=c",
        bytes: "aGVsbG8=",
      },
    ],
  ])("accepts and keeps %s", async (name, spec) => {
    expect(everything.safeParse(spec).success).toBe(true);
    const created = await client.create(Everything, manifest(Everything, name.replaceAll(" ", "-"), spec), {
      fieldValidation: "Strict",
    });
    expect(created.spec).toMatchObject(spec);
  });

  it.each<[string, object, RegExp]>([
    ["an empty text", { text: "" }, /spec\.text/],
    ["an unknown mode", { mode: "wild" }, /spec\.mode: Unsupported value/],
    ["a count that is too big", { count: 10 }, /spec\.count/],
    ["a ratio of nothing", { ratio: 0 }, /spec\.ratio/],
    ["half a port", { port: 1.5 }, /spec\.port/],
    ["an integer that is too small", { port: 0 }, /spec\.port/],
    ["another word", { limit: "never" }, /spec\.limit/],
    ["a value that is not listed", { listed: 2 }, /spec\.listed/],
    ["a string of no variant", { either: "long" }, /spec\.either/],
    ["a key that breaks its pattern", { settings: { "Bad Key": "a" } }, /every key must satisfy/],
    ["a set with a duplicate", { set: ["a", "a"] }, /spec\.set/],
    ["a variant without its field", { storage: { type: "bucket", size: "1Gi" } }, /spec\.storage/],
    ["a variant that does not exist", { storage: { type: "tape" } }, /spec\.storage\.type/],
    ["a missing affix", { affixes: "a-c" }, /spec\.affixes/],
    ["a day that is none", { day: "2026-02-30" }, /spec\.day/],
    ["a text that a rule forbids", { text: "forbidden" }, /not this text/],
  ])("refuses %s, as zod or a rule does", async (_, spec, message) => {
    expect(await refusal("refused", spec)).toMatch(message);
  });

  it("holds updates to rules about the old object", async () => {
    const created = await client.create(Everything, manifest(Everything, "immutable", { mode: "fast" }));
    const changed = { ...created, spec: { ...created.spec, mode: "safe" } };
    await expect(client.update(Everything, changed)).rejects.toThrow(/the mode cannot be changed/);
  });

  it("holds the whole object to rules on the object", async () => {
    expect(await refusal("a-name-that-is-really-too-long-for-an-object", {})).toMatch(/the name is too long/);
  });

  it("keeps every field of the status through the server", async () => {
    const root = crdOf(Everything).spec.versions[0]?.schema?.openAPIV3Schema;
    const status = sampleOf(root?.properties?.["status"] ?? {});
    const created = await client.create(Everything, manifest(Everything, "full-status", {}));
    const written = await client.update(
      Everything,
      { ...created, status },
      {
        subresource: "status",
        fieldValidation: "Strict",
      },
    );
    expect(written.status).toEqual(status);
  });

  it("desires the default state when nothing is desired", async () => {
    const created = await client.create(Oneway, manifest(Oneway, "undecided", undefined));
    expect(created.spec).toEqual({
      size: 1,
      lifecycle: { desiredState: Oneway.lifecycle?.defaultDesiredState },
    });
  });

  it("refuses a target that no path leads to, and lets the operator write the status meanwhile", async () => {
    const created = await client.create(
      Oneway,
      manifest(Oneway, "closed", { lifecycle: { desiredState: "Draft" } }),
    );
    const status = { lifecycle: { state: "Closed" } };
    const closed = await client.update(Oneway, { ...created, status }, { subresource: "status" });
    const target = (desiredState: string): Promise<unknown> =>
      client.patch(
        Oneway,
        { namespace: "default", name: "closed" },
        { type: "merge", body: { spec: { lifecycle: { desiredState } } } },
      );
    expect(closed.status?.lifecycle).toEqual({ state: "Closed" });
    await expect(target("Open")).rejects.toThrow(
      /from Closed, Archived only Closed, Archived can be desired/,
    );
    await expect(target("Elsewhere")).rejects.toThrow(/Unsupported value: "Elsewhere"/);
    await expect(target("Closed")).resolves.toMatchObject({
      spec: { lifecycle: { desiredState: "Closed" } },
    });
  });

  it("serves the scale subresource and the columns", async () => {
    await client.create(Everything, manifest(Everything, "columns", { count: 4 }));
    const path = `/apis/test.example.com/v1/namespaces/default/everythings/columns`;
    const scale = await client.request({ method: "GET", path: `${path}/scale` });
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 4 } });
    const table = await client.request({
      method: "GET",
      path,
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    });
    const { columnDefinitions } = table as { columnDefinitions: { name: string }[] };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Ready", "Age", "Message"]);
  });
});
