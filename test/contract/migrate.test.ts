// `migrate` on both API servers: versions with the same schema, so that the server converts by itself.
import { expect, it } from "vitest";
import { z } from "zod";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf, type CrdManifest } from "../../src/kinds/crd.ts";
import { defineKind, type Kind } from "../../src/kinds/define-kind.ts";
import {
  migrateKind,
  type MigrationOptions,
  type MigrationReport,
} from "../../src/cli/migrate/migrate-kind.ts";
import { ApiError } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createFastClock } from "../support/fast-clock.ts";

const spec = z.object({ size: z.int() });

/** The kind as it is stored in one of its versions. */
function boxKind(group: string, storage: string): Kind {
  return defineKind({
    group,
    version: "v1",
    kind: "Box",
    spec,
    storage,
    versions: { v1beta1: { spec } },
  }) as never;
}

/** Called before an object is rewritten. */
type BeforeWrite = (name: string) => void | Promise<void>;

/** A kind of its own group, and what tests do with it. */
function kitOf({ client }: ApiServerUnderTest, group: string) {
  const kind = boxKind(group, "v1");
  const name = `boxes.${group}`;
  const type = kind.at("v1") as ResourceType<AnyObject>;
  const key = (object: string) => ({ namespace: "default", name: object });
  const definition = () => client.get(CustomResourceDefinition, { name });
  const versionsOf = async (): Promise<Readonly<Record<string, string>>> => {
    const { items } = await client.list(type);
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  };
  return {
    client,
    group,
    kind,
    name,
    definition,
    versionsOf,
    async apply(crd: CrdManifest) {
      await client.apply(CustomResourceDefinition, crd, { fieldManager: "test", force: true });
      const storage = crd.spec.versions.find((version) => version.storage)?.name;
      await eventually(async () => {
        const { status } = await definition();
        expect(status?.conditions).toContainEqual(
          expect.objectContaining({ type: "Established", status: "True" }),
        );
        expect(status?.storedVersions).toContain(storage);
        await client.list(type);
      });
    },
    create: (object: string, size: number) =>
      client.create(kind.at("v1beta1"), {
        apiVersion: `${group}/v1beta1`,
        kind: "Box",
        metadata: key(object),
        spec: { size },
      }),
    edit: (object: string, size: number) =>
      client.patch(type, key(object), { type: "merge", body: { spec: { size } } }),
    remove: (object: string) => client.delete(type, key(object)),
    migrate(
      options: Partial<MigrationOptions> = {},
      signal: AbortSignal = new AbortController().signal,
      progress: (done: number) => void = () => undefined,
      beforeWrite: BeforeWrite = () => undefined,
    ): Promise<MigrationReport> {
      const told: KubeClient = {
        ...client,
        list: (...args) => client.list(...args),
        get: (...args) => client.get(...args),
        async patch(of, which, ...rest) {
          if (of.kind === "Box") await beforeWrite(which.name);
          return client.patch(of, which, ...rest);
        },
      };
      const tools = { client: told, clock: createFastClock(100), signal };
      return migrateKind(tools, name, { parallel: 4, rate: 1_000, dryRun: false, ...options }, progress);
    },
  };
}

describeOnEachApiServer(
  "a migration of stored objects",
  (server) => {
    let groups = 0;
    const fresh = async (count: number) => {
      const group = `m${(groups += 1)}.example.com`;
      const kit = kitOf(server(), group);
      await kit.apply(crdOf(boxKind(group, "v1beta1")));
      for (let index = 0; index < count; index += 1)
        await kit.create(`box-${String(index).padStart(2, "0")}`, index);
      await kit.apply(crdOf(boxKind(group, "v1")));
      return kit;
    };

    it("stores every object in the version that is stored now, after which the old one can be removed", async () => {
      const kit = await fresh(7);
      const before = await kit.versionsOf();
      expect(await kit.migrate()).toEqual({
        definition: kit.name,
        storage: "v1",
        objects: 7,
        before: 0,
        rewritten: 7,
        current: 0,
        trimmed: ["v1beta1"],
        dryRun: false,
      });
      const after = await kit.versionsOf();
      expect(Object.keys(after)).toEqual(Object.keys(before));
      expect(Object.entries(after).filter(([name, version]) => before[name] === version)).toEqual([]);
      expect((await kit.definition()).status?.storedVersions).toEqual(["v1"]);
      const crd = crdOf(boxKind(kit.group, "v1"));
      const versions = crd.spec.versions.filter(({ name }) => name === "v1");
      await kit.apply({ ...crd, spec: { ...crd.spec, versions } });
      const { items } = await kit.client.list(kit.kind.at("v1") as ResourceType<AnyObject>);
      expect(items.map((item) => (item["spec"] as { size: number }).size)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    });

    it("changes nothing but how an object is stored, and nothing when there is nothing to do", async () => {
      const kit = await fresh(2);
      const read = async () => (await kit.client.list(kit.kind.at("v1") as ResourceType<AnyObject>)).items;
      const before = await read();
      await kit.migrate();
      const after = await read();
      const withoutVersion = (object: AnyObject) => ({
        ...object,
        metadata: { ...object.metadata, resourceVersion: "" },
      });
      expect(after.map(withoutVersion)).toEqual(before.map(withoutVersion));
      expect(await kit.migrate()).toMatchObject({ objects: 0, rewritten: 0, trimmed: [] });
      expect(await read()).toEqual(after);
    });

    it("says on request what it would do, and writes nothing", async () => {
      const kit = await fresh(3);
      const before = [await kit.versionsOf(), (await kit.definition()).metadata.resourceVersion];
      expect(await kit.migrate({ dryRun: true })).toMatchObject({
        objects: 3,
        trimmed: ["v1beta1"],
        dryRun: true,
      });
      expect([await kit.versionsOf(), (await kit.definition()).metadata.resourceVersion]).toEqual(before);
    });

    it("goes on where it was interrupted", async () => {
      const kit = await fresh(6);
      const stop = new AbortController();
      const progress = (done: number): void => {
        if (done === 5) stop.abort(new Error("killed"));
      };
      await expect(kit.migrate({ parallel: 1, chunk: 2 }, stop.signal, progress)).rejects.toThrow("killed");
      expect((await kit.definition()).status?.storedVersions).toEqual(["v1beta1", "v1"]);
      const report = await kit.migrate();
      expect(report).toMatchObject({ objects: 6, before: 4, trimmed: ["v1beta1"] });
      expect(report.rewritten + report.current).toBe(2);
      expect((await kit.definition()).metadata.annotations ?? {}).not.toHaveProperty([
        "xstate-operator.dev/migration",
      ]);
    });

    it("writes again what somebody else changes meanwhile, and leaves out what they delete", async () => {
      const kit = await fresh(4);
      const [first, second] = Object.keys(await kit.versionsOf());
      const report = await kit.migrate({ parallel: 1 }, undefined, undefined, async (name) => {
        if (name === first) await kit.edit(name, 40);
        if (name === second) await kit.remove(name);
      });
      // The edit has stored it already.
      expect(report).toMatchObject({ objects: 4, rewritten: 2, current: 1, trimmed: ["v1beta1"] });
    });

    it("refuses to go on when objects are stored in another version meanwhile, and trims nothing", async () => {
      const kit = await fresh(3);
      await expect(
        kit.migrate({ parallel: 1, chunk: 1 }, undefined, undefined, async (name) => {
          if (name === "box-01") await kit.apply(crdOf(boxKind(kit.group, "v1beta1")));
        }),
      ).rejects.toMatchObject({ code: "MIGRATION_REFUSED" });
      expect((await kit.definition()).status?.storedVersions).toEqual(["v1beta1", "v1"]);
    });

    it("begins again when the definition is changed otherwise", async () => {
      const kit = await fresh(3);
      let changes = 0;
      const report = await kit.migrate({ parallel: 1, chunk: 1 }, undefined, undefined, async (name) => {
        if (name !== "box-01" || (changes += 1) > 1) return;
        const crd = crdOf(boxKind(kit.group, "v1"));
        await kit.apply({ ...crd, spec: { ...crd.spec, names: { ...crd.spec.names, shortNames: ["bx"] } } });
      });
      expect(report).toMatchObject({ objects: 3, before: 0, trimmed: ["v1beta1"] });
      expect(changes).toBe(2);
    });

    it("names the objects that the server refuses as they are, and trims nothing", async () => {
      const kit = await fresh(3);
      const report = kit.migrate({ parallel: 1 }, undefined, undefined, (name) => {
        if (name !== "box-01") return;
        throw new ApiError("spec.size is wrong", {
          status: 422,
          reason: "Invalid",
          details: {},
          retryAfter: undefined,
          request: "PATCH",
        });
      });
      await expect(report).rejects.toMatchObject({
        code: "MIGRATION_INCOMPLETE",
        message: expect.stringContaining("default/box-01: "),
      });
      expect((await kit.definition()).status?.storedVersions).toEqual(["v1beta1", "v1"]);
    });

    it("is a command that finds the kind by any of its names", async () => {
      const kit = await fresh(2);
      const { group } = kit;
      const run = (...args: readonly string[]) =>
        runCommand(["migrate", `boxes.${group}`, "--kubeconfig", server().kubeconfig, ...args]);
      expect(await run("--dry-run", "-o", "json")).toMatchObject({
        code: 0,
        err: `boxes.${group}: would store 2 objects as v1, and trim v1beta1\n`,
      });
    });
  },
  { long: true },
);
