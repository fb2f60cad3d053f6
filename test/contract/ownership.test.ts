// Who owns the fields of a child after any history of writers, and what each of our writes costs, on both API servers: a key that
// is no longer declared goes, what others own stays, and our fields are in one entry.
import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  oneof,
  record,
  subarray,
  type Arbitrary,
} from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { layered } from "../../src/client/client-layers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap, Secret, Service, ServiceAccount } from "../../src/kinds/builtin/core.ts";
import { Role } from "../../src/kinds/builtin/rbac.ts";
import type { KubeObject, Manifest, ManagedFieldsEntry } from "../../src/meta/object.ts";
import { apiVersionOf, type ResourceType } from "../../src/meta/resource-type.ts";
import { isStoredAsSent } from "../../src/reconcile/comparison/undeclared.ts";
import { fromManifest } from "../../src/reconcile/resources/kubernetes-resource.ts";
import type { WriteMode } from "../../src/reconcile/resources/object-writer.ts";
import { createReconcileMemory } from "../../src/reconcile/reconcile-memory.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import "../support/property-seed.ts";
import { Boxed, boxOperator, serveBoxes } from "./boxed.ts";

const namespace = "ownership-contract";
const numRuns = Number(process.env["OWNERSHIP_RUNS"] ?? 30);

const values = constantFrom("1", "2");
/** Undefined: whatever costs least. */
const forms = constantFrom<WriteMode | undefined>(undefined, undefined, "apply", "update", "patch");
const keys = ["a", "b", "c", "d"];

/** What can happen to the child. */
const step = oneof(
  {
    weight: 3,
    arbitrary: record({
      does: constant("declare" as const),
      keys: subarray(keys),
      value: values,
      write: forms,
    }),
  },
  record({ does: constant("edit" as const), key: constantFrom(...keys, "x"), value: values }),
  record({ does: constant("apply" as const), keys: subarray([...keys, "x", "y"]), value: values }),
  record({ does: constant("recreate" as const) }),
  record({ does: constant("restart" as const) }),
);

type Step = typeof step extends Arbitrary<infer T> ? T : never;

const dataOf = (names: readonly string[], value: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, value]));

describeOnEachApiServer("ownership", (server) => {
  let client: KubeClient;
  let boxes = 0;

  beforeAll(async () => {
    client = server().client;
    await serveBoxes(client, namespace);
  });

  /** A custom resource with one child, and the requests that its runs make about the child. */
  async function newChild(): Promise<{ box: Boxed; child: Child; requests: string[] }> {
    const name = `box-${(boxes += 1)}`;
    const requests: string[] = [];
    const counted = layered(client, {
      place: "life",
      request: (call, send) => {
        if ("type" in call && call.type === ConfigMap) requests.push(call.verb);
        return send(call);
      },
    });
    const box = await new Boxed(counted, { namespace, name }).start();
    box.memory = createReconcileMemory({ fieldFights: undefined });
    return { box, child: new Child(client, name), requests };
  }

  async function carryOut(box: Boxed, child: Child, what: Step): Promise<void> {
    switch (what.does) {
      case "declare":
        box.children = [fromManifest(child.manifest(dataOf(what.keys, what.value)), by(what.write))];
        break;
      case "edit":
        await child.edit({ data: { [what.key]: what.value } });
        break;
      case "apply":
        await child.apply(dataOf(what.keys, what.value));
        break;
      case "recreate":
        await client.delete(ConfigMap, child.key);
        break;
      case "restart":
        box.restart();
        box.memory = createReconcileMemory({ fieldFights: undefined });
    }
    await box.run();
  }

  it("lets go of what is no longer declared, and of nothing else, after any history", async () => {
    await assert(
      asyncProperty(array(step, { maxLength: 8 }), forms, async (history, write) => {
        const { box, child } = await newChild();
        box.children = [fromManifest(child.manifest(dataOf(["a", "b"], "1")), by(write))];
        await box.run();
        for (const each of history) await carryOut(box, child, each);
        const foreign = await child.keysOfOthers();
        box.children = [fromManifest(child.manifest({ last: "1" }))];
        await box.run();
        expect(Object.keys((await child.live()).data ?? {}).sort()).toEqual([...foreign, "last"].sort());
        // In however many entries: what is owned twice would stay.
        expect((await child.ours()).flatMap(dataOwnedBy)).toEqual(["last"]);
        expect(await box.written()).toEqual([]);
        box.children = [fromManifest(child.manifest({ next: "1" }), { write: "apply" })];
        await box.run();
        expect(Object.keys((await child.live()).data ?? {}).sort()).toEqual([...foreign, "next"].sort());
        expect((await child.ours()).map(({ operation }) => operation)).toEqual(["Apply"]);
        expect(await box.written()).toEqual([]);
      }),
      { numRuns },
    );
  }, 120_000);

  it("costs one request for a creation and one for each change", async () => {
    const { box, child, requests } = await newChild();
    const writes = async (data: Record<string, string>): Promise<string[]> => {
      box.children = [fromManifest(child.manifest(data))];
      requests.length = 0;
      await box.run();
      // Nothing is cached here: a run begins by reading.
      return requests.slice(1);
    };
    expect(await writes({ a: "1", b: "1" })).toEqual(["create"]);
    expect(await writes({ a: "1", b: "1" })).toEqual([]);
    expect(await writes({ a: "2", b: "1" })).toEqual(["patch"]);
    await child.edit({ data: { a: "theirs" } });
    expect(await writes({ a: "2", b: "1" })).toEqual(["patch"]);
    // Whose the rest is, managedFields say.
    expect(await writes({ a: "2" })).toEqual(["get", "patch"]);
    expect((await child.live()).data).toEqual({ a: "2" });
    await child.edit({ data: { x: "theirs" } });
    expect(await writes({ a: "3" })).toEqual(["get", "patch"]);
    expect((await child.live()).data).toEqual({ a: "3", x: "theirs" });
    expect((await child.ours()).flatMap(dataOwnedBy)).toEqual(["a"]);
    box.restart();
    expect(await writes({ a: "3" })).toEqual([]);
  });

  it("overwrites nothing that was written since the child was read", async () => {
    const { box, child, requests } = await newChild();
    box.children = [fromManifest(child.manifest({ a: "1", b: "1" }))];
    await box.run();
    const { client: inner } = box;
    let edits = 0;
    const raced = layered(inner, {
      place: "life",
      request: async (call, send) => {
        if (call.verb === "patch" && call.type === ConfigMap && edits++ === 0) {
          await child.edit({ data: { b: null, x: "theirs" } });
        }
        return send(call);
      },
    });
    const racing = new Boxed(raced, box.key);
    racing.children = [fromManifest(child.manifest({ a: "2", b: "1" }))];
    requests.length = 0;
    await racing.run();
    expect(requests.slice(1)).toEqual(["patch", "get", "patch"]);
    expect((await child.live()).data).toEqual({ a: "2", b: "1", x: "theirs" });
  });

  it("refuses to create what is there by now", async () => {
    const { box, child } = await newChild();
    const blind = layered(box.client, {
      place: "life",
      request: (call, send) =>
        call.verb === "get" && call.type === ConfigMap
          ? Promise.reject(
              new ApiError("none", {
                status: 404,
                reason: "NotFound",
                details: { name: call.key.name },
                retryAfter: undefined,
                request: "test",
              }),
            )
          : send(call),
    });
    await client.create(ConfigMap, child.manifest({ theirs: "1" }), { fieldManager: "helm" });
    const before = await child.live();
    const blinded = new Boxed(blind, box.key);
    blinded.children = [fromManifest(child.manifest({ a: "1" }))];
    await expect(blinded.run()).rejects.toMatchObject({ code: "API_ALREADY_EXISTS" });
    expect(await child.live()).toEqual(before);
  });

  describe("a type that the server stores as it is sent", () => {
    const manifests: readonly (readonly [ResourceType, object])[] = [
      [ConfigMap, { data: { a: "1" }, binaryData: { b: "AA==" } }],
      [Secret, { type: "Opaque", data: { a: "AA==" } }],
      [ServiceAccount, { automountServiceAccountToken: false }],
      [Role, { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }],
    ];
    it.each(manifests)("is owned the same by POST and by apply: %o", async (type, fields) => {
      const manifest = (name: string) =>
        ({
          apiVersion: apiVersionOf(type),
          kind: type.kind,
          metadata: { namespace, name, labels: { a: "b" }, annotations: { c: "d" } },
          ...fields,
        }) as Manifest;
      const posted = await client.create(type, manifest("posted"), { fieldManager: boxOperator });
      const applied = await client.apply(type, manifest("applied"), { fieldManager: boxOperator });
      expect(ownedFields(posted)).toEqual(ownedFields(applied));
      expect(isStoredAsSent(type)).toBe(true);
    });
  });

  it("creates by apply what the server fills in: its defaults are nobody's", async () => {
    const { box } = await newChild();
    const metadata = { namespace, name: `${box.key.name}-web` };
    const spec = { selector: { app: "web" }, ports: [{ port: 80 }] };
    box.children = [fromManifest({ apiVersion: "v1", kind: "Service", metadata, spec })];
    await box.run();
    const service = await client.get(Service, metadata);
    expect(service.spec.type).toBe("ClusterIP");
    expect(service.metadata.managedFields).toMatchObject([{ manager: boxOperator, operation: "Apply" }]);
    expect(JSON.stringify(service.metadata.managedFields)).not.toContain("f:type");
  });

  it.each(["update", "patch"] as const)(
    "costs two requests more, once, for a child that was written by %s before and is applied now",
    async (write) => {
      const { box, child, requests } = await newChild();
      box.children = [fromManifest(child.manifest({ a: "1", b: "1" }), { write })];
      await box.run();
      const writes = async (data: Record<string, string>): Promise<string[]> => {
        box.children = [fromManifest(child.manifest(data), { write: "apply" })];
        requests.length = 0;
        await box.run();
        return requests.slice(1);
      };
      expect(await writes({ a: "1", b: "1" })).toEqual([]);
      expect(await writes({ a: "2" })).toEqual(["get", "patch", "apply"]);
      expect((await child.live()).data).toEqual({ a: "2" });
      expect(await writes({ a: "3" })).toEqual(["apply"]);
    },
  );

  it("goes on where it was cut off between the two", async () => {
    const { box, child } = await newChild();
    box.children = [fromManifest(child.manifest({ a: "1", b: "1" }), { write: "patch" })];
    await box.run();
    const cut = layered(client, {
      place: "life",
      request: (call, send) =>
        call.verb === "apply" ? Promise.reject(new Error("the process was killed")) : send(call),
    });
    const killed = new Boxed(cut, box.key);
    killed.children = [fromManifest(child.manifest({ a: "1" }), { write: "apply" })];
    await expect(killed.run()).rejects.toThrow("killed");
    box.children = killed.children;
    await box.run();
    expect((await child.live()).data).toEqual({ a: "1" });
    expect((await child.ours()).map(({ operation }) => operation)).toEqual(["Apply"]);
  });

  describe("an apply that may only create", () => {
    it("creates, with the fields applied, and changes nothing that is there", async () => {
      const child = new Child(client, "only-once");
      const options = { fieldManager: boxOperator, onlyIfAbsent: true };
      const created = await client.apply(ConfigMap, child.manifest({ a: "1" }), options);
      expect((await child.ours()).map(({ operation }) => operation)).toEqual(["Apply"]);
      for (const force of [true, false]) {
        for (const data of [{ a: "1" }, { a: "2" }]) {
          const again = client.apply(ConfigMap, child.manifest(data), { ...options, force });
          await expect(again).rejects.toMatchObject({ code: "API_CONFLICT" });
        }
      }
      expect(await child.live()).toEqual(created);
    });

    it("lets one of many through that come at once", async () => {
      const child = new Child(client, "raced");
      const options = { fieldManager: boxOperator, onlyIfAbsent: true };
      const answers = await Promise.allSettled(
        Array.from({ length: 12 }, (_, each) =>
          client.apply(ConfigMap, child.manifest({ a: String(each) }), options),
        ),
      );
      const created = answers.filter(({ status }) => status === "fulfilled");
      expect(created).toHaveLength(1);
      expect(created[0]).toMatchObject({ value: { data: (await child.live()).data } });
    });
  });

  it("refuses an object that somebody else has made, by any form, and takes it over with adopt", async () => {
    for (const write of ["apply", "update", "patch"] as const) {
      const { box, child } = await newChild();
      await client.create(ConfigMap, child.manifest({ theirs: "1" }), { fieldManager: "helm" });
      const before = await child.live();
      box.children = [fromManifest(child.manifest({ ours: "1" }), { write })];
      await expect(box.run()).rejects.toThrow(/was not made by this operator but by "helm"/);
      expect(await child.live()).toEqual(before);
      box.children = [fromManifest(child.manifest({ ours: "1" }), { write, adopt: true })];
      expect(await box.written()).toEqual([`ConfigMap/${child.key.name}`]);
      expect((await child.live()).data).toEqual({ theirs: "1", ours: "1" });
      expect(await box.written()).toEqual([]);
    }
  });

  it("knows its own child although its marks were taken off", async () => {
    const { box, child } = await newChild();
    box.children = [fromManifest(child.manifest({ a: "1" }))];
    await box.run();
    await child.edit({ metadata: { annotations: null, ownerReferences: null } });
    expect(await box.written()).toEqual([`ConfigMap/${child.key.name}`]);
    expect((await child.live()).metadata.ownerReferences).toHaveLength(1);
  });
});

/** The keys of the data that an entry owns. */
function dataOwnedBy({ fieldsV1 }: ManagedFieldsEntry): string[] {
  return Object.keys((fieldsV1?.["f:data"] as object | undefined) ?? {}).flatMap((name) =>
    name.startsWith("f:") ? [name.slice(2)] : [],
  );
}

/** The leaves of all that is owned: who creates a map by POST owns that it is there, too. */
function ownedFields({ metadata: { managedFields = [] } }: KubeObject): readonly string[] {
  const leaves = (set: unknown, path: string): string[] => {
    const fields = Object.entries(set ?? {}).filter(([name]) => name !== ".");
    return fields.length === 0 ? [path] : fields.flatMap(([name, inner]) => leaves(inner, `${path}/${name}`));
  };
  return managedFields.flatMap(({ fieldsV1 }) => leaves(fieldsV1, "")).sort();
}

const by = (write: WriteMode | undefined) => (write === undefined ? {} : { write });

/** The child of a custom resource, and what others do to it. */
class Child {
  readonly key: { readonly namespace: string; readonly name: string };
  readonly #client: KubeClient;

  constructor(client: KubeClient, name: string) {
    this.#client = client;
    this.key = { namespace, name };
  }

  manifest(data: Record<string, string>): Manifest {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: this.key, data } as Manifest;
  }

  live(): Promise<ConfigMap> {
    return this.#client.get(ConfigMap, this.key);
  }

  edit(body: object): Promise<ConfigMap> {
    return this.#client.patch(ConfigMap, this.key, { type: "merge", body }, { fieldManager: "someone" });
  }

  apply(data: Record<string, string>): Promise<ConfigMap> {
    return this.#client.apply(ConfigMap, this.manifest(data), { fieldManager: "other", force: true });
  }

  /** The operator's entries that own anything. */
  async ours(): Promise<readonly ManagedFieldsEntry[]> {
    const { managedFields = [] } = (await this.live()).metadata;
    return managedFields.filter(({ manager }) => manager === boxOperator);
  }

  /** Keys of the data that others own, as the server says. */
  async keysOfOthers(): Promise<string[]> {
    const { managedFields = [] } = (await this.live()).metadata;
    const owned = managedFields
      .filter(({ manager }) => manager !== boxOperator)
      .flatMap(({ fieldsV1 }) => Object.keys((fieldsV1?.["f:data"] as object | undefined) ?? {}));
    return [...new Set(owned.filter((name) => name.startsWith("f:")).map((name) => name.slice(2)))];
  }
}
