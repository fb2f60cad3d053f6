// An operator on a cluster whose CRD would drop what it persists.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import operator from "../../examples/website/operator.ts";
import { Website } from "../../examples/website/src/website/website.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { clientOf } from "../support/api-servers.ts";
import { startOperator } from "../support/running-operator.ts";

let cluster: Cluster;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startCluster({ controllers: false });
  client = await clientOf(cluster.kubeconfig);
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
});

/** The CRD of the website as an older operator had it. */
function olderCrd() {
  const crd = structuredClone(crdOf(Website as never));
  const status = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["status"];
  const lifecycle = status?.properties?.["lifecycle"]?.properties as Record<string, unknown>;
  delete lifecycle["timers"];
  return crd;
}

describe("an operator whose persisted state the CRD would prune (T75)", () => {
  it("refuses to start, and names exactly the missing path", async () => {
    await client.apply(CustomResourceDefinition, olderCrd(), { fieldManager: operator.name });
    const outcome = startOperator(operator, cluster.kubeconfig);
    await expect(outcome).rejects.toMatchObject({
      code: "CRD_OUTDATED",
      fields: { paths: ["status.lifecycle.timers"] },
      remedy: expect.stringMatching(/^Start the operator with --install-crds/),
    });
  });

  it("says who manages the CRD where it is not the operator, which then leaves it as it is", async () => {
    const { name } = olderCrd().metadata;
    await client.delete(CustomResourceDefinition, { name });
    await client.apply(CustomResourceDefinition, olderCrd(), { fieldManager: "helm" });
    const outcome = startOperator(operator, cluster.kubeconfig, { installCrds: true });
    await expect(outcome).rejects.toMatchObject({
      code: "CRD_OUTDATED",
      remedy: expect.stringMatching(/generate crd.* helm manages it/),
    });
    await client.delete(CustomResourceDefinition, { name });
    await client.apply(CustomResourceDefinition, olderCrd(), { fieldManager: operator.name });
  });

  it("starts once the CRD keeps it", async () => {
    const running = await startOperator(operator, cluster.kubeconfig, { installCrds: true });
    await running.stop();
    expect(running.lines.some(({ level }) => level === "error")).toBe(false);
  });
});
