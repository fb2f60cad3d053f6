// The reconcile layer on API servers that merge, default and refuse by themselves: what the scripted server only imitates.
import { beforeAll, describe, expect, it } from "vitest";
import { isNotFound } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { Manifest } from "../../src/meta/object.ts";
import { fromManifest } from "../../src/reconcile/resources/kubernetes-resource.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { Box, Boxed, serveBoxes } from "./boxed.ts";
import { workloads } from "./reconcile-workloads.ts";

const namespace = "reconcile-contract";
const finalizer = "contract.example.com/box";

const configMap = (name: string, data: Record<string, string>): Manifest =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data }) as Manifest;

describeOnEachApiServer("reconcile", (server) => {
  let client: KubeClient;

  beforeAll(async () => {
    client = server().client;
    await serveBoxes(client, namespace);
  });

  describe.each(["apply", "update", "patch"] as const)("objects written by %s", (write) => {
    it.each(workloads(namespace).map((manifest) => [manifest.kind, manifest] as const))(
      "%s is written once, then never again, also after a restart (T33)",
      async (kind, manifest) => {
        const named = {
          ...manifest,
          metadata: { ...manifest.metadata, name: `${manifest.metadata.name}-${write}` },
        };
        const box = await new Boxed(client, { namespace, name: `${kind.toLowerCase()}-${write}` }).start();
        box.children = [fromManifest(named, { write })];
        expect(await box.written()).toEqual([`${kind}/${named.metadata.name}`]);
        expect(await box.written()).toEqual([]);
        box.restart();
        expect(await box.written()).toEqual([]);
      },
    );

    it("lose a key that is no longer declared and keep what others added", async () => {
      const name = `keys-${write}`;
      const box = await new Boxed(client, { namespace, name }).start();
      const declare = (data: Record<string, string>): void => {
        box.children = [fromManifest(configMap(name, data), { write })];
      };
      declare({ kept: "1", dropped: "2" });
      await box.run();
      const body = { data: { foreign: "3" }, metadata: { labels: { team: "blue" } } };
      await client.patch(
        ConfigMap,
        { namespace, name },
        { type: "merge", body },
        { fieldManager: "someone" },
      );
      expect(await box.written()).toEqual([]);
      declare({ kept: "1" });
      expect(await box.written()).toEqual([`ConfigMap/${name}`]);
      const live = await client.get(ConfigMap, { namespace, name });
      expect(live.data).toEqual({ kept: "1", foreign: "3" });
      expect(live.metadata.labels).toEqual({ team: "blue" });
      expect(await box.written()).toEqual([]);
    });

    it.each([
      ["a declared value", { data: { kept: "changed" } }],
      ["a removed value", { data: { kept: null } }],
      ["the owner reference", { metadata: { ownerReferences: null } }],
      ["our annotation", { metadata: { annotations: null } }],
    ])("are restored in one write after a change of %s", async (what, body) => {
      const name = `drift-${write}-${what.replaceAll(" ", "-")}`;
      const box = await new Boxed(client, { namespace, name }).start();
      box.children = [fromManifest(configMap(name, { kept: "1" }), { write })];
      await box.run();
      const before = await client.get(ConfigMap, { namespace, name });
      await client.patch(
        ConfigMap,
        { namespace, name },
        { type: "merge", body },
        { fieldManager: "someone" },
      );
      expect(await box.written()).toEqual([`ConfigMap/${name}`]);
      const after = await client.get(ConfigMap, { namespace, name });
      expect(after.data).toEqual({ kept: "1" });
      expect(after.metadata.ownerReferences).toEqual(before.metadata.ownerReferences);
      expect(after.metadata.annotations).toEqual(before.metadata.annotations);
      expect(await box.written()).toEqual([]);
    });
  });

  it("adds its finalizer first, keeps those of others, and lets the resource go", async () => {
    const box = await new Boxed(client, { namespace, name: "finalized" }).start();
    box.finalizer = finalizer;
    await box.run();
    expect((await box.cr()).metadata.finalizers).toEqual([finalizer]);
    const stale = await box.cr();
    await client.patch(Box, box.key, {
      type: "merge",
      body: { metadata: { finalizers: ["a.io/a", finalizer, "b.io/b"] } },
    });
    await client.delete(Box, box.key);
    const deleting = await box.cr();
    // The place of ours in the list is stale: the test in the patch fails, and it is looked up again.
    await box.run({
      ...deleting,
      metadata: { ...deleting.metadata, finalizers: stale.metadata.finalizers ?? [] },
    });
    expect((await box.cr()).metadata.finalizers).toEqual(["a.io/a", "b.io/b"]);
  });

  it("is gone after its own finalizer was the last", async () => {
    const box = await new Boxed(client, { namespace, name: "last" }).start();
    box.finalizer = finalizer;
    await box.run();
    await client.delete(Box, box.key);
    const outcome = await box.run();
    expect(outcome.path).toEqual(["CRChecker", "CRFinalizer", "End"]);
    await expect(box.cr()).rejects.toSatisfy(isNotFound);
  });

  it("adds no finalizer to a list that changed meanwhile without looking again", async () => {
    const box = await new Boxed(client, { namespace, name: "raced" }).start();
    box.finalizer = finalizer;
    const stale = await box.cr();
    await client.patch(Box, box.key, { type: "merge", body: { metadata: { finalizers: ["a.io/a"] } } });
    await box.run(stale);
    expect((await box.cr()).metadata.finalizers).toEqual(["a.io/a", finalizer]);
  });

  it("writes its status once, with conditions, and never over a change it has not seen", async () => {
    const box = await new Boxed(client, { namespace, name: "status" }).start();
    const stale = await box.cr();
    expect((await box.run()).writes).toBe(1);
    expect((await box.run()).writes).toBe(0);
    expect((await box.cr())["status"]).toMatchObject({
      observedGeneration: 1,
      conditions: [
        { type: "ReconciliationSuccess", status: "True", reason: "Success", observedGeneration: 1 },
        { type: "Ready", status: "True", observedGeneration: 1 },
      ],
    });
    const outcome = await box.run(stale);
    expect(outcome).toMatchObject({ requeueAfter: 1_000, kind: "settled", error: undefined });
  });
});
