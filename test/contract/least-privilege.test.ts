// The generated roles on a real API server with RBAC: each example works with them through the whole life of its resource, and
// uses every right that it is granted.
import { readFileSync } from "node:fs";
import { setMaxListeners } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import certificateOperator from "../../examples/certificate/operator.ts";
import { Certificate } from "../../examples/certificate/src/certificate/certificate.ts";
import databaseOperator from "../../examples/database/operator.ts";
import { Database } from "../../examples/database/src/database/database.ts";
import { createWorkspace } from "../../examples/database/src/tour/workspace.ts";
import memcachedOperator from "../../examples/memcached/operator.ts";
import { Memcached } from "../../examples/memcached/src/memcached/memcached.ts";
import websiteOperator from "../../examples/website/operator.ts";
import { Website } from "../../examples/website/src/website/website.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import { isForbidden, isNotFound } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { RunningControllers } from "../../src/cluster/controllers/start-controllers.ts";
import type { PodRuntime } from "../../src/cluster/pods/pod-runtime.ts";
import { createProcessPods } from "../../src/cluster/pods/process/process-pods.ts";
import { createSimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import { rolesOf } from "../../src/delivery/roles.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment, StatefulSet } from "../../src/kinds/builtin/apps.ts";
import { Job } from "../../src/kinds/builtin/batch.ts";
import { ConfigMap, Secret, Service } from "../../src/kinds/builtin/core.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import type { KubeObject, Manifest } from "../../src/meta/object.ts";
import type { ObjectKey } from "../../src/meta/object-key.ts";
import { apiVersionOf, resourceNameOf, type ResourceType } from "../../src/meta/resource-type.ts";
import type { AuditedRequest } from "../support/control-plane-access.ts";
import { accessIn, admit, grantedBy, refusedTo, usedBy, without } from "../support/generated-access.ts";
import { eventually } from "../support/eventually.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { runPods } from "../support/running-pods.ts";

/** A new leader lists everything once; without an election what there is comes with the watch, where the server can do that. */
const election = { sharing: "election" } as const;
const examples = join(import.meta.dirname, "../../examples");

describeOnRealApiServer("the generated roles", () => {
  let plane: LeasedControlPlane;
  let client: KubeClient;
  let controllers: RunningControllers | undefined;

  beforeAll(async () => {
    plane = await leaseControlPlane({
      controllers: "none",
      apiServerFlags: [
        "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
        // Nothing of ours runs in the pods that needs a token.
        "--disable-admission-plugins=ServiceAccount",
      ],
    });
    client = createKubeClient(await loadConnection({ path: plane.kubeconfig, env: {} }));
    for (const kind of [Memcached, Website, Database, Certificate] as readonly Kind<KubeObject>[]) {
      await client.apply(CustomResourceDefinition, crdOf(kind), { fieldManager: "admin" });
      await eventually(() => client.list(kind));
    }
  });
  afterAll(async () => {
    await controllers?.stop();
    await client.close();
    await plane.stop();
  });

  /** The audit log, read at most twice a second however many ask: it is long. */
  let read: { readonly at: number; readonly requests: readonly AuditedRequest[] } | undefined;
  const audit = (): readonly AuditedRequest[] => {
    const at = performance.now();
    if (read === undefined || at - read.at > 500) read = { at, requests: plane.audit() };
    return read.requests;
  };
  const replacePods = async (pods: PodRuntime): Promise<void> => {
    await controllers?.stop();
    controllers = await runPods(client, pods);
  };
  const sample = async (
    sampleOf: string,
    type: ResourceType,
    namespace: string,
    spec: object = {},
  ): Promise<ObjectKey> => {
    const manifest = parse(readFileSync(join(examples, sampleOf), "utf8")) as Manifest & {
      spec: object;
    };
    const { name } = manifest.metadata;
    await client.create(type, {
      ...manifest,
      metadata: { name, namespace },
      spec: { ...manifest.spec, ...spec },
    });
    return { namespace, name };
  };
  const goes = (type: ResourceType, key: ObjectKey): Promise<void> =>
    eventually(() => expect(client.get(type, key)).rejects.toSatisfy(isNotFound), 60_000);
  /**
   * Puts objects of somebody else where the operator's are to be, so that it has to look into each, in the order of its
   * registry; and takes them away again.
   */
  const strangers = async (
    kind: ResourceType,
    objects: readonly (readonly [ResourceType, ObjectKey])[],
    makeOne: () => Promise<ObjectKey>,
    user: string,
  ): Promise<void> => {
    for (const [type, metadata] of objects) {
      const named = { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
      await client.create(type, { ...named, ...contentOf(type.kind) });
    }
    const key = await makeOne();
    for (const [index, [type, stranger]] of objects.entries()) {
      await eventually(() => expect(usedBy(audit(), user)).toContain(`get ${resourceNameOf(type)}`), 60_000);
      await client.delete(type, stranger);
      // That a stranger's object is gone is no change of anything that is the operator's.
      const body = { metadata: { annotations: { gone: String(index) } } };
      await client.patch(kind, key, { type: "merge", body }, { fieldManager: "somebody" });
    }
    for (const [type, child] of objects) await eventually(() => client.get(type, child), 60_000);
  };
  /** Deletes a child twice, which the operator says by one Event that it counts. */
  const deleteTwice = async (
    type: ResourceType,
    key: ObjectKey,
    again: (uid: string) => Promise<void>,
  ): Promise<void> => {
    for (let time = 0; time < 2; time += 1) {
      const { uid } = (await client.get(type, key)).metadata;
      await client.delete(type, key, { propagationPolicy: "Background" });
      await again(uid);
    }
  };
  const madeAgain = (type: ResourceType, key: ObjectKey) => (uid: string) =>
    eventually(async () => expect((await client.get(type, key)).metadata.uid).not.toBe(uid));
  const countsEvents = (user: string): Promise<void> =>
    eventually(() => expect(usedBy(audit(), user)).toContain("patch events.events.k8s.io"), 30_000);

  describe("of the memcached operator", () => {
    const life = async (namespace: string, user: string): Promise<void> => {
      const key = { namespace, name: "sessions" };
      await strangers(
        Memcached,
        [[Deployment, key]],
        () => sample("memcached/samples/memcached.yaml", Memcached, namespace),
        user,
      );
      await deleteTwice(Deployment, key, madeAgain(Deployment, key));
      await eventually(async () => {
        const { status } = await client.get(Memcached, key);
        expect(status?.conditions?.find(({ type }) => type === "ReconciliationSuccess")?.status).toBe("True");
      });
      await countsEvents(user);
      await client.delete(Memcached, key);
      await goes(Memcached, key);
    };

    it("are enough for its whole life, with an election, and all used in it", async () => {
      const options = accessIn("enough", election);
      const { kubeconfig, user, roles } = await admit({ client, plane }, memcachedOperator, options);
      const running = await startOperator(memcachedOperator, kubeconfig, {
        namespaces: ["enough"],
        leaderElection: { namespace: "enough" },
      });
      await life("enough", user);
      await running.stop();
      const requests = plane.audit();
      expect(refusedTo(requests, user)).toEqual([crdReadOf("memcacheds.cache.example.com")]);
      // A watch is audited when it has ended.
      await eventually(() => {
        expect(usedRights(plane.audit(), user)).toEqual(grantedBy(roles).filter(isRequested));
      });

      const account = createKubeClient(await loadConnection({ path: kubeconfig, env: {} }));
      await expect(account.list(Secret, { namespace: "enough" })).rejects.toSatisfy(isForbidden);
      await expect(account.list(Deployment, { namespace: "default" })).rejects.toSatisfy(isForbidden);
      await account.close();
    }, 120_000);

    const rights = grantedBy(rolesOf(memcachedOperator, accessIn("any", election)));
    it("are missed one by one", async () => {
      const abort = new AbortController();
      setMaxListeners(0, abort.signal);
      const { signal } = abort;
      const started: RunningOperator[] = [];
      const missed = rights.map(async (right, index) => {
        const namespace = `without-${index}`;
        const admin = { client, plane };
        const { kubeconfig, user } = await admit(
          admin,
          memcachedOperator,
          accessIn(namespace, election),
          (roles) => without(roles, right),
        );
        // One that cannot fill its caches never gets ready, and no life goes on to its end.
        const starting = startOperator(memcachedOperator, kubeconfig, {
          namespaces: [namespace],
          leaderElection: { namespace },
          signal,
        });
        starting.then(
          (running) => started.push(running),
          () => undefined,
        );
        void life(namespace, user).catch(() => undefined);
        await eventually(() => {
          const refused = refusedTo(audit(), user).filter(
            (request) => !request.includes("customresourcedefinitions"),
          );
          expect(refused, `without ${right}`).not.toEqual([]);
        }, 90_000);
      });
      try {
        await Promise.all(missed);
      } finally {
        abort.abort();
        await Promise.all(started.map((running) => running.stop()));
      }
    }, 180_000);
  });

  describe("of the website operator", () => {
    it("are enough for its whole life, and all used in it", async () => {
      await replacePods(createSimulatedPods());
      const { kubeconfig, user, roles } = await admit(
        { client, plane },
        websiteOperator,
        accessIn("web", election),
      );
      const running = await startOperator(websiteOperator, kubeconfig, {
        namespaces: ["web"],
        leaderElection: { namespace: "web" },
      });
      const key = { namespace: "web", name: "shop" };
      await strangers(
        Website,
        [
          [ConfigMap, key],
          [Deployment, key],
        ],
        () => sample("website/samples/website.yaml", Website, "web", { maintenanceMinutes: 0.01 }),
        user,
      );
      const reaches = stateOf(Website as unknown as ResourceType<Database>, key);
      await reaches("Running");
      await deleteTwice(ConfigMap, key, madeAgain(ConfigMap, key));
      await send(Website, key, "close");
      await reaches("Maintenance");
      await reaches("Running");
      await countsEvents(user);
      await client.delete(Website, key);
      await goes(Website, key);
      await running.stop();
      const requests = plane.audit();
      expect(refusedTo(requests, user)).toEqual([crdReadOf("websites.web.example.com")]);
      // A watch is audited when it has ended.
      await eventually(() => {
        expect(usedRights(plane.audit(), user)).toEqual(grantedBy(roles).filter(isRequested));
      });
    }, 120_000);
  });

  describe("of an operator whose tasks are Jobs", () => {
    it("are enough for Jobs that vanish and that are called off, and all used", async () => {
      const { kubeconfig, user, roles } = await admit(
        { client, plane },
        certificateOperator,
        accessIn("web", election),
      );
      const running = await startOperator(certificateOperator, kubeconfig, {
        namespaces: ["web"],
        leaderElection: { namespace: "web" },
      });
      const key = { namespace: "web", name: "shop" };
      const manifest = { apiVersion: apiVersionOf(Certificate), kind: "Certificate", metadata: key };
      await client.create(Certificate, { ...manifest, spec: { domain: "example.com" } });
      const jobs = async () => (await client.list(Job, { namespace: "web" })).items;
      const uidsOf = async () => (await jobs()).map(({ metadata }) => metadata.uid);
      const before = await eventually(async () => {
        const uids = await uidsOf();
        expect(uids).toHaveLength(1);
        return uids;
      });
      // A Job that vanishes is looked for on the server, and made again.
      for (const { metadata } of await jobs())
        await client.delete(Job, metadata, { propagationPolicy: "Background" });
      await eventually(() => expect(usedBy(audit(), user)).toContain("get jobs.batch"), 60_000);
      await eventually(async () => {
        const uids = await uidsOf();
        expect(uids.filter((uid) => !before.includes(uid))).toHaveLength(1);
      }, 60_000);
      await client.delete(Certificate, key);
      await goes(Certificate, key);
      await running.stop();
      expect(refusedTo(plane.audit(), user)).toEqual([crdReadOf("certificates.pki.example.com")]);
      // For an Event that recurs, and for a resource that loses a child again: here it may not come to that.
      const rare = ["patch events.events.k8s.io", "get certificates.pki.example.com"];
      await eventually(() => {
        const isNeeded = (right: string): boolean => isRequested(right) && !rare.includes(right);
        expect(usedRights(plane.audit(), user).filter((right) => !rare.includes(right))).toEqual(
          grantedBy(roles).filter(isNeeded),
        );
      });
    }, 120_000);
  });

  describe("of the database operator", () => {
    it("are enough for its whole life, and all used in it", async () => {
      const workspace = await createWorkspace();
      await replacePods(
        createProcessPods({
          directory: workspace.folder,
          podPath: workspace.programs,
          environment: process.env,
        }),
      );
      const { kubeconfig, user, roles } = await admit(
        { client, plane },
        databaseOperator,
        accessIn("data", election),
      );
      const running = await startOperator(databaseOperator, kubeconfig, {
        namespaces: ["data"],
        leaderElection: { namespace: "data" },
      });
      const key = { namespace: "data", name: "orders" };
      const named = (suffix: string): ObjectKey => ({ ...key, name: `orders${suffix}` });
      await strangers(
        Database,
        [
          [Secret, named("-secret")],
          [ConfigMap, named("-config")],
          [Service, key],
          [StatefulSet, key],
        ],
        () =>
          sample("database/samples/database.yaml", Database, "data", { drainSeconds: 0, backupMaxRate: 64 }),
        user,
      );
      const reaches = stateOf(Database, key);
      await reaches("Running");
      await deleteTwice(Service, key, madeAgain(Service, key));
      // What is created by POST is patched only when it differs.
      for (const [type, child] of [
        [ConfigMap, named("-config")],
        [Secret, named("-secret")],
      ] as const) {
        await client.patch(type, child, { type: "merge", body: { metadata: { labels: null } } });
        await eventually(async () => {
          expect((await client.get(type, child)).metadata.labels).toBeDefined();
        });
      }
      await client.patch(Database, key, {
        type: "merge",
        body: { spec: { lifecycle: { desiredState: "Servicing" } } },
      });
      await reaches("Servicing");
      await send(Database, key, "abort");
      await reaches("Running");
      await countsEvents(user);
      await client.delete(Database, key);
      await goes(Database, key);
      await running.stop();
      await controllers?.stop();
      await workspace.remove();
      const requests = plane.audit();
      expect(refusedTo(requests, user)).toEqual([crdReadOf("databases.data.example.com")]);
      // A watch is audited when it has ended.
      await eventually(() => {
        expect(usedRights(plane.audit(), user)).toEqual(grantedBy(roles).filter(isRequested));
      });
    }, 180_000);
  });

  const stateOf =
    (type: ResourceType<Database>, key: ObjectKey) =>
    (state: string): Promise<void> =>
      eventually(
        async () => expect((await client.get(type, key)).status?.lifecycle?.state).toBe(state),
        60_000,
      );
  const send = async (type: ResourceType, key: ObjectKey, event: string): Promise<void> => {
    const body = { metadata: { annotations: { "lifecycle.xstate-operator.dev/event": event } } };
    await client.patch(type, key, { type: "merge", body }, { fieldManager: "somebody" });
  };
});

/** The one thing that it asks for in vain, says so in its log, and does without. */
function crdReadOf(name: string): string {
  return `get /apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
}

/** Not so that of owner references: the API server itself asks for it when one is written. */
function isRequested(right: string): boolean {
  return !right.endsWith("/finalizers");
}

function usedRights(requests: readonly AuditedRequest[], user: string): readonly string[] {
  return usedBy(requests, user).filter(
    (right) => !right.endsWith("customresourcedefinitions.apiextensions.k8s.io"),
  );
}

/** The least that the API server takes. */
function contentOf(kind: string): object {
  const labels = { app: "stranger" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "stranger" }] } };
  if (kind === "Service") return { spec: { ports: [{ port: 80 }] } };
  if (kind === "Deployment") return { spec: { replicas: 0, selector: { matchLabels: labels }, template } };
  if (kind === "StatefulSet") {
    return { spec: { replicas: 0, serviceName: "stranger", selector: { matchLabels: labels }, template } };
  }
  return {};
}
