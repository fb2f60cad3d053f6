// An operator in YAML and the same in TypeScript, one after the other on each API server: they make the same of the same.
import { expect, it } from "vitest";
import { isNotFound } from "../../src/client/index.ts";
import { Deployment } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { readOperator } from "../../src/operator-file/index.ts";
import living from "../../examples/lifecycles/memcached/operator.ts";
import { Memcached as Living } from "../../examples/lifecycles/memcached/src/memcached/memcached.ts";
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

describeOnEachApiServer(
  "the application life-cycle graph of memcached",
  (server) => {
    /** Its life, and what is seen of it in each state. */
    async function live(operator: typeof living): Promise<object> {
      const running = await startOperator(operator, server().kubeconfig, { installCrds: true });
      const { client } = server();
      const key = { namespace: "default", name: "cache" };
      const seen: object[] = [];
      const reach = async (state: string): Promise<void> => {
        const { status } = await eventually(async () => {
          const current = await client.get(Living, key);
          expect(current.status?.lifecycle).toMatchObject({ state, target: { reached: true } });
          return current;
        });
        const deployments = (await client.list(Deployment, { namespace: "default" })).items.map(
          ({ spec }) => spec,
        );
        const { message } = findCondition(status?.conditions, "Lifecycle") ?? {};
        seen.push({ state, message, servers: status?.servers, deployments });
      };
      const desire = async (desiredState: "Run" | "Service" | "End"): Promise<void> => {
        const body = { spec: { lifecycle: { desiredState } } };
        await client.patch(Living, key, { type: "merge", body });
        await reach(desiredState);
      };
      try {
        const apiVersion = "cache.example.com/v1";
        await client.create(Living, { apiVersion, kind: "Memcached", metadata: key, spec: { size: 1 } });
        if (server().kind === "real") {
          // Where no controllers run, somebody says that the servers are there.
          const { metadata } = await eventually(() => client.get(Deployment, key));
          const status = { observedGeneration: metadata.generation, replicas: 1, readyReplicas: 1 };
          const body = { status };
          await client.patch(Deployment, key, { type: "merge", body }, { subresource: "status" });
        }
        await reach("Run");
        await desire("Service");
        await desire("End");
        expect(seen.at(-1)).toMatchObject({ deployments: [] });
        await client.delete(Living, key);
        await eventually(() => expect(client.get(Living, key)).rejects.toSatisfy(isNotFound));
        return seen;
      } finally {
        await running.stop();
      }
    }

    it("is the same in YAML as in TypeScript", async () => {
      const code = await live(living);
      expect(await live(readOperator("examples/lifecycles/memcached/operator.yaml"))).toEqual(code);
    });
  },
  { real: { controllers: "none" } },
);
