// An operator in YAML and the same in TypeScript, one after the other on each API server: they make the same of the same.
import { expect, it } from "vitest";
import { isNotFound } from "../../src/client/index.ts";
import { Deployment } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { readOperator } from "../../src/operator-file/index.ts";
import written from "../../examples/memcached/operator.ts";
import { Memcached } from "../../examples/memcached/src/memcached/memcached.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";

const key = { namespace: "default", name: "sessions" };

describeOnEachApiServer("memcached", (server) => {
  async function live(operator: typeof written): Promise<object> {
    const running = await startOperator(operator, server().kubeconfig, { installCrds: true });
    const { client } = server();
    try {
      await client.create(Memcached, {
        apiVersion: "cache.example.com/v1alpha1",
        kind: "Memcached",
        metadata: key,
        spec: { size: 2 },
      });
      const { metadata, spec } = await eventually(() => client.get(Deployment, key));
      const body = { spec: { replicas: 7 } };
      await client.patch(Deployment, key, { type: "merge", body }, { fieldManager: "somebody" });
      await client.patch(Memcached, key, { type: "merge", body: { spec: { size: 4 } } });
      await eventually(async () => expect((await client.get(Deployment, key)).spec.replicas).toBe(4));
      const { status } = await eventually(async () => {
        const current = await client.get(Memcached, key);
        expect(current.status?.observedGeneration).toBe(2);
        expect(current.status?.nodes).toHaveLength(4);
        return current;
      });
      const refused = client.patch(Memcached, key, { type: "merge", body: { spec: { size: 11 } } });
      await expect(refused).rejects.toMatchObject({ status: 422 });
      await client.delete(Memcached, key);
      await client.delete(Deployment, key, { propagationPolicy: "Background" }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      await eventually(() => expect(client.get(Deployment, key)).rejects.toSatisfy(isNotFound));
      const { type, reason, message } = findCondition(status?.conditions, "ReconciliationSuccess") ?? {};
      return { labels: metadata.labels, spec, condition: { type, reason, message } };
    } finally {
      await running.stop();
    }
  }

  it("is the same in YAML as in TypeScript", async () => {
    const code = await live(written);
    expect(code).toMatchObject({ spec: { replicas: 2 }, condition: { reason: "Success" } });
    expect(await live(readOperator("examples/memcached/operator.yaml"))).toEqual(code);
  });
});
