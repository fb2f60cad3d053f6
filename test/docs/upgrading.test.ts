// The guide on upgrades: a store in the middle of a backup outlives the change of its graph, and the change back.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { upgradeProblems } from "../../src/delivery/crd-upgrade.ts";
import { crdOf, defineKind, type InstanceOf, type Kind, type OperatorDefinition } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";
import { codeBlocks, root, writeBlocks } from "./code-blocks.ts";

const page = readFileSync(join(root, "docs/guides/upgrading.md"), "utf8");

interface Version {
  readonly default: OperatorDefinition;
  readonly Store: Kind;
}

describe("the guide on upgrades", () => {
  const { folder, remove } = writeBlocks(codeBlocks("docs/guides/upgrading.md"));
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href);
  const key = { namespace: "default", name: "orders" };
  let [first, second]: (Version | undefined)[] = [];
  let begun = new Map<string, "running" | "done">();
  let cluster: Cluster;
  let client: KubeClient;
  beforeAll(async () => {
    first = (await load("store-1.ts")) as Version;
    second = (await load("store-2.ts")) as Version;
    ({ begun } = (await load("archive.ts")) as { readonly begun: typeof begun });
    cluster = await startCluster();
    client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
  });
  afterAll(async () => {
    remove();
    await client.close();
    await cluster.stop();
  });

  /** Runs a version until the assertion about the store holds. */
  async function runs(
    version: Version | undefined,
    assertion: (store: InstanceOf<Kind>) => void,
  ): Promise<void> {
    if (version === undefined) throw new Error("the page has no such version");
    const operator = await startOperator(version.default, cluster.kubeconfig, { installCrds: true });
    try {
      await eventually(async () => assertion(await client.get(version.Store, key)));
    } finally {
      await operator.stop();
    }
  }
  const lifecycleOf = ({ status }: InstanceOf<Kind>) =>
    (status as { readonly lifecycle?: Readonly<Record<string, unknown>> } | undefined)?.lifecycle;

  it("has a backup that goes on in the new graph, is verified there, and a store that goes back", async () => {
    if (first === undefined) throw new Error("there is no first version");
    await client.apply(CustomResourceDefinition, crdOf(first.Store), { fieldManager: "store-operator" });
    const spec = { lifecycle: { desiredState: "Backup" } };
    const manifest = { apiVersion: "data.example.com/v1", kind: "Store", metadata: key, spec };
    await eventually(() => client.create(first!.Store, manifest));
    await runs(first, (store) => {
      expect(lifecycleOf(store)).toMatchObject({ state: "Backup", graph: "store@1" });
      expect([...begun.values()]).toEqual(["running"]);
    });
    const [copy = ""] = begun.keys();
    await runs(second, (store) => {
      const tasks = { copy: { key: copy, phase: "Running" } };
      expect(lifecycleOf(store)).toMatchObject({ state: "Backup:Copying", graph: "store@2", tasks });
    });
    begun.set(copy, "done");
    await runs(second, (store) => {
      expect(lifecycleOf(store)).toMatchObject({
        state: "Running",
        target: { state: "Backup", reached: true },
      });
    });
    await runs(first, (store) => {
      expect(lifecycleOf(store)).toMatchObject({
        state: "Running",
        graph: "store@1",
        target: { reached: true },
      });
      expect(JSON.stringify(store.status)).not.toContain("Intervention");
    });
    expect([...begun.keys()]).toEqual([copy]);
  });

  it("has the message about a value that goes although a resource has it", async () => {
    const { Store } = second as Version;
    const next = defineKind({
      group: Store.group,
      version: Store.version,
      kind: Store.kind,
      spec: z.object({ size: z.int().default(1), tier: z.enum(["small"]).default("small") }),
    });
    const stored = await client.get(CustomResourceDefinition, { name: "stores.data.example.com" });
    const resource = {
      apiVersion: "data.example.com/v1",
      kind: "Store",
      metadata: { namespace: "shop", name: "orders" },
      spec: { size: 1, tier: "large" },
    };
    const said = /^```text\n(.*?)\n```$/ms.exec(page)?.[1];
    expect(upgradeProblems(next, crdOf(next), stored, new Map([["v1", [resource as never]]]))).toEqual([
      said,
    ]);
  });
});
