import { beforeAll, afterAll, expect, it } from "vitest";
import memcachedOperator from "../../examples/memcached/operator.ts";
import { Memcached } from "../../examples/memcached/src/memcached/memcached.ts";
import { apiVersionOf } from "../../src/client/index.ts";
import { crdOf } from "../../src/index.ts";
import { CustomResourceDefinition, Deployment } from "../../src/kinds/index.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { Manifest, KubeObject } from "../../src/meta/object.ts";
import { describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { awakeTime } from "../support/awake-time.ts";
import { eventually } from "../support/eventually.ts";
import { accessIn, admit } from "../support/generated-access.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const serviceAccount = "system:serviceaccount:default:memcached-operator";
const key = { namespace: "default", name: "sessions" };
/** How long nothing may be written on the real API server once all is as declared. */
const quietSeconds = Number(process.env["QUIET_SECONDS"] ?? "5");
/** How many resources an operator is started again on. */
const many = Number(process.env["RESTART_RESOURCES"] ?? "60");
const writes = new Set(["create", "update", "patch", "delete", "deletecollection"]);

function memcached(name: string, size: number): Manifest & { spec: object } {
  return {
    apiVersion: apiVersionOf(Memcached),
    kind: "Memcached",
    metadata: { name, namespace: "default" },
    spec: { size },
  };
}

/** Installs the CRD and the role as an administrator, and returns the kubeconfig that the operator runs with. */
async function prepare({ client, kubeconfig, plane }: ApiServerUnderTest): Promise<string> {
  await client.apply(CustomResourceDefinition, crdOf(Memcached), { fieldManager: "admin" });
  await eventually(() => client.list(Memcached));
  // The embedded API server lets everyone do everything: only the real one proves the role.
  if (plane === undefined) return kubeconfig;
  return (await admit({ client, plane }, memcachedOperator, accessIn("default"))).kubeconfig;
}

describeOnEachApiServer("memcached", (server) => {
  let operator: RunningOperator;
  let kubeconfig: string;
  beforeAll(async () => {
    kubeconfig = await prepare(server());
    operator = await startOperator(memcachedOperator, kubeconfig, { namespaces: ["default"] });
  });
  afterAll(() => operator.stop());

  const client = () => server().client;
  const deployment = (): Promise<Deployment> => client().get(Deployment, key);
  const writesSoFar = (): number =>
    server()
      .plane?.audit()
      .filter(({ user, verb }) => user === serviceAccount && writes.has(verb)).length ?? 0;

  it("creates the Deployment with an owner reference, and says so in the status", async () => {
    await client().create(Memcached, memcached("sessions", 3));
    const child = await eventually(deployment);
    const owner = await client().get(Memcached, key);
    expect(child.spec.replicas).toBe(3);
    expect(child.metadata.ownerReferences).toEqual([
      expect.objectContaining({
        kind: "Memcached",
        name: "sessions",
        uid: owner.metadata.uid,
        controller: true,
      }),
    ]);
    await eventually(async () => {
      const { status } = await client().get(Memcached, key);
      expect(status?.nodes).toHaveLength(3);
      expect(findCondition(status?.conditions, "ReconciliationSuccess")).toMatchObject({
        status: "True",
        observedGeneration: 1,
      });
    });
  });

  it("scales when spec.size is edited", async () => {
    await client().patch(Memcached, key, { type: "merge", body: { spec: { size: 5 } } });
    await eventually(async () => expect((await deployment()).spec.replicas).toBe(5));
  });

  it("repairs a foreign edit of a field it owns, and leaves a foreign label alone", async () => {
    await client().patch(
      Deployment,
      key,
      { type: "merge", body: { metadata: { labels: { team: "blue" } }, spec: { replicas: 1 } } },
      { fieldManager: "someone-else" },
    );
    await eventually(async () => expect((await deployment()).spec.replicas).toBe(5));
    expect((await deployment()).metadata.labels).toMatchObject({ team: "blue" });
  });

  it("creates a child again that was deleted", async () => {
    const before = await deployment();
    await client().delete(Deployment, key, { propagationPolicy: "Background" });
    await eventually(async () => expect((await deployment()).metadata.uid).not.toBe(before.metadata.uid));
  });

  it(
    "writes nothing once everything is as declared",
    async () => {
      const quiet = server().kind === "real" ? quietSeconds * 1_000 : 3_000;
      await eventually(async () => {
        const { status } = await client().get(Memcached, key);
        expect(status?.nodes).toHaveLength(5);
        expect(findCondition(status?.conditions, "ReconciliationSuccess")?.observedGeneration).toBe(2);
        const { metadata, status: rollout } = await deployment();
        expect(rollout).toMatchObject({ observedGeneration: metadata.generation, replicas: 5 });
      });
      const versions = async (): Promise<readonly string[]> => [
        (await client().get(Memcached, key)).metadata.resourceVersion,
        (await deployment()).metadata.resourceVersion,
      ];
      const settled = await stable(async () => [...(await versions()), writesSoFar()].join());
      const audited = server().plane?.audit().length ?? 0;
      await new Promise((resolve) => setTimeout(resolve, quiet));
      expect([...(await versions()), writesSoFar()].join()).toBe(settled);
      const quietRequests =
        server()
          .plane?.audit()
          .slice(audited)
          .filter(({ user }) => user === serviceAccount) ?? [];
      expect(quietRequests.filter(({ verb }) => verb !== "watch")).toEqual([]);
    },
    60_000 + quietSeconds * 1_000,
  );

  it("lets the garbage collector take the children of a deleted resource", async () => {
    await client().delete(Memcached, key, { propagationPolicy: "Background" });
    await eventually(async () => {
      await expect(client().get(Memcached, key)).rejects.toSatisfy(isNotFound);
      await expect(deployment()).rejects.toSatisfy(isNotFound);
    });
  });

  it("makes no write when it is started again on many converged resources", async () => {
    const names = Array.from({ length: many }, (_, index) => `many-${index}`);
    for (let start = 0; start < names.length; start += 25) {
      await Promise.all(
        names.slice(start, start + 25).map((name) => client().create(Memcached, memcached(name, 0))),
      );
    }
    const settled = (objects: readonly KubeObject[]): boolean =>
      objects.length === names.length &&
      (objects as readonly Memcached[]).every(
        ({ status }) => findCondition(status?.conditions, "ReconciliationSuccess")?.status === "True",
      );
    await eventually(async () => expect(settled((await client().list(Memcached)).items)).toBe(true), 90_000);
    await eventually(async () => {
      const { items } = await client().list(Deployment);
      expect(items.filter(({ status }) => status?.observedGeneration === 1)).toHaveLength(many);
    }, 90_000);
    await stable(() => String(operator.reconciles()), 2_000);
    await operator.stop();
    const state = async (): Promise<string> => {
      const lists = await Promise.all([client().list(Memcached), client().list(Deployment)]);
      return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion)).join();
    };
    const before = await stable(state, 1_000);
    const written = writesSoFar();
    operator = await startOperator(memcachedOperator, kubeconfig, { namespaces: ["default"] });
    await eventually(() => {
      for (const name of names) expect(operator.reconciles(`default/${name}`)).toBeGreaterThan(0);
    }, 60_000);
    expect(await state()).toBe(before);
    expect(writesSoFar()).toBe(written);
  }, 300_000);
});

/** Waits until a value has stayed the same for a while (default 1 s), and returns it. */
async function stable(read: () => Promise<string> | string, quiet = 1_000): Promise<string> {
  let last = await read();
  let since = awakeTime();
  return eventually(async () => {
    const now = await read();
    if (now !== last) since = awakeTime();
    last = now;
    expect(awakeTime() - since).toBeGreaterThan(quiet);
    return now;
  }, 60_000);
}
