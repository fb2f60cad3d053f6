// The generated role on a real API server with RBAC: the operator can do its work with it. No pod ever runs there.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { crdOf, type Manifest } from "xstate-operator";
import { createKubeClient, isNotFound, loadConnection, type KubeClient } from "xstate-operator/client";
import { ConfigMap, CustomResourceDefinition, Secret, Service, StatefulSet } from "xstate-operator/kinds";
import { parse } from "yaml";
import { Database } from "../../../examples/database/src/database/database.ts";
import operator from "../../../examples/database/operator.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../../support/real-api-server.ts";
import { accessIn, admit } from "../../support/generated-access.ts";
import { eventually } from "../../support/eventually.ts";
import { startOperator, type RunningOperator } from "../../support/running-operator.ts";

const folder = new URL("../../../examples/database/", import.meta.url);
const key = { namespace: "default", name: "orders" };
describeOnRealApiServer("the database operator under its own role", () => {
  let plane: LeasedControlPlane;
  let client: KubeClient;
  let running: RunningOperator;

  beforeAll(async () => {
    plane = await leaseControlPlane();
    client = createKubeClient(await loadConnection({ path: plane.kubeconfig, env: {} }));
    await client.apply(CustomResourceDefinition, crdOf(Database), { fieldManager: "admin" });
    await eventually(() => client.list(Database));
    const { kubeconfig } = await admit({ client, plane }, operator, accessIn("default"));
    running = await startOperator(operator, kubeconfig, { namespaces: ["default"] });
  });

  afterAll(async () => {
    await running.stop();
    await client.close();
    await plane.stop();
  });

  it("makes all that a Database has, once", async () => {
    await client.create(
      Database,
      parse(readFileSync(new URL("samples/database.yaml", folder), "utf8")) as Manifest,
    );
    await eventually(async () => {
      expect((await client.get(Database, key)).status?.lifecycle?.state).toBe("Start");
    });
    await client.get(Secret, { ...key, name: "orders-secret" });
    await client.get(ConfigMap, { ...key, name: "orders-config" });
    await client.get(Service, key);
    const { generation } = (await client.get(StatefulSet, key)).metadata;
    expect(generation).toBe(1);
  });

  it("keeps the password when it reconciles again", async () => {
    const secretOf = () => client.get(Secret, { ...key, name: "orders-secret" });
    const before = await secretOf();
    const reconciles = running.reconciles();
    await client.patch(Database, key, { type: "merge", body: { spec: { maxConnections: 60 } } });
    await eventually(async () => {
      expect((await client.get(Database, key)).status?.observedGeneration).toBe(2);
      expect(running.reconciles()).toBeGreaterThan(reconciles);
    });
    expect((await secretOf()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("brings a Database that never ran to its end when it is deleted", async () => {
    await client.delete(Database, key);
    await eventually(async () => {
      await expect(client.get(Database, key)).rejects.toSatisfy(isNotFound);
      await expect(client.get(StatefulSet, key)).rejects.toSatisfy(isNotFound);
      await expect(client.get(Secret, { ...key, name: "orders-secret" })).rejects.toSatisfy(isNotFound);
      // Kubernetes' garbage collector looks for new kinds every 30 s only.
    }, 100_000);
  }, 120_000);

  it("was never refused anything", () => {
    const refused = running.lines.filter((line) => JSON.stringify(line).includes("orbidden"));
    expect(refused).toEqual([]);
  });
});
