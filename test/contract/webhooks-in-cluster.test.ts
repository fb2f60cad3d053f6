// The webhooks of two replicas as they are shipped, for admission and for conversion: reached by their Service, trusted by what they put
// into the generated configurations and definitions, under the generated roles. Users read and write all the time, and nothing fails.
import { spawn } from "node:child_process";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { migrateKind } from "../../src/cli/migrate/migrate-kind.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { admissionConfigurationsOf } from "../../src/delivery/webhooks.ts";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../src/kinds/builtin/admissionregistration.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { Secret, Service } from "../../src/kinds/builtin/core.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import { resourceNameOf, type ResourceType } from "../../src/meta/resource-type.ts";
import { runOperator } from "../../src/manager/run-operator.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import type { OperatorHealth } from "../../src/ports/operator-health.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { certificateTimes } from "../../src/webhook/certificates.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { accessIn, admit, refusedTo } from "../support/generated-access.ts";
import { createFastClock } from "../support/fast-clock.ts";
import { storeStoredAs } from "../kinds/versions/three-versions.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { steadyRequests } from "../support/steady-requests.ts";
import { Volume, volume } from "../webhook/volume-kind.ts";
import volumes, { reviews } from "../webhook/volume-operator.ts";

const Store = storeStoredAs("v1alpha1");
const operator = defineOperator({
  name: volumes.name,
  controllers: [...volumes.controllers, defineController(Store, { freeStyle: () => undefined })],
});
const versions = ["v1alpha1", "v1beta1", "v1"] as const;
const access = accessIn("default", { sharing: "election" });
const { lifetime, renewal, overlap } = certificateTimes;

interface Replica {
  readonly port: number;
  readonly health: () => OperatorHealth;
  stop(): Promise<void>;
}

describeOnRealApiServer("the webhooks of two replicas", () => {
  let plane: LeasedControlPlane;
  let client: KubeClient;
  let user: string;
  let kubeconfig: string;
  const replicas: Replica[] = [];
  const entrance = startEntrance();

  // The certificate was made so long ago that it is due now, by the clock against which the API server checks it.
  let ago = lifetime - renewal;
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() - ago,
    // They look after their certificate several times a second.
    setTimeout: (callback, milliseconds) =>
      systemClock.setTimeout(callback, [60_000, 5_000].includes(milliseconds) ? 100 : milliseconds),
  };

  beforeAll(async () => {
    plane = await leaseControlPlane();
    client = await clientOf(plane.kubeconfig);
    const service = { name: "volumes-webhook", namespace: "default", port: (await entrance).port };
    for (const kind of [Volume, Store])
      await client.create(CustomResourceDefinition, crdOf(kind, { webhooks: { service } }));
    ({ user, kubeconfig } = await admit({ client, plane }, operator, access));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await (await entrance).close();
    await client.close();
    await plane.stop();
  });

  async function startReplica(isStandby = false): Promise<Replica> {
    const abort = new AbortController();
    const serving = Promise.withResolvers<number>();
    let health: (() => OperatorHealth) | undefined;
    const ended = runOperator(operator, {
      connection: { kubeconfig },
      env: {},
      namespaces: ["default"],
      ...(isStandby ? { leaderElection: { namespace: "default" } } : {}),
      webhookBindAddress: "127.0.0.1:0",
      log: {
        ...silentLogger,
        info: ({ port }, message) => {
          if (message === "webhooks served") serving.resolve(Number(port));
        },
      },
      clock,
      signal: abort.signal,
      onStart: (asked) => {
        health = asked;
      },
    });
    ended.catch(serving.reject);
    const replica: Replica = {
      port: await serving.promise,
      health: () => {
        if (health === undefined) throw new Error("the replica has not started");
        return health();
      },
      stop: async () => {
        abort.abort();
        await ended;
      },
    };
    replicas.push(replica);
    return replica;
  }

  const stores = (version: string): ResourceType<AnyObject> =>
    Store.at(version) as unknown as ResourceType<AnyObject>;
  const definition = (): Promise<CustomResourceDefinition> =>
    client.get(CustomResourceDefinition, { name: resourceNameOf(Store) });
  /** Has stores kept as one version, and served in these. */
  const keepAs = async (storage: string, served: readonly string[]): Promise<void> => {
    const { metadata, spec } = await definition();
    const kept = spec.versions
      .filter(({ name }) => served.includes(name))
      .map((version) => ({ ...version, storage: version.name === storage }));
    await client.patch(CustomResourceDefinition, metadata, {
      type: "merge",
      body: { spec: { versions: kept } },
    });
  };

  const bundle = async (): Promise<string> => {
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: "volumes" });
    return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? "", "base64").toString();
  };
  const authorities = async (): Promise<number> => (await bundle()).split("BEGIN CERTIFICATE").length - 1;

  it("answer through the renewal of their certificate and a rollout, and no write fails", async () => {
    const { port, open, closeTo, connections } = await entrance;
    // Somebody leads for good: the clock is set while the replicas run, and nobody leads through that.
    await client.create(Lease, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "volumes", namespace: "default" },
      spec: {
        holderIdentity: "somebody",
        leaseDurationSeconds: 2_000_000_000,
        renewTime: new Date().toISOString().replace("Z", "000Z"),
      },
    });
    const [first, second] = [await startReplica(), await startReplica(true)];
    await eventually(() => {
      // Ready without their configurations, which are applied last, and the one that does not lead as well.
      expect(replicas.map(({ health }) => health())).toMatchObject([
        { ready: true, stage: "running" },
        { ready: true, stage: "standby" },
      ]);
    });
    expect(first.health().warnings).toEqual([
      "webhooks: the API server does not know them: apply their configurations",
    ]);
    open(first.port);
    open(second.port);

    await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "volumes-webhook", namespace: "default" },
      spec: { type: "ExternalName", externalName: "localhost" },
    });
    const configurations = admissionConfigurationsOf(operator, {
      ...access,
      image: "volumes",
      replicas: 2,
      drainTimeout: 25_000,
    });
    for (const configuration of configurations) {
      const type =
        configuration.kind === "MutatingWebhookConfiguration"
          ? MutatingWebhookConfiguration
          : ValidatingWebhookConfiguration;
      // The entrance has a port of its own.
      const text = JSON.stringify(configuration).replaceAll('"port":443', `"port":${port}`);
      await client.create(type, JSON.parse(text));
    }
    await eventually(async () => expect(await authorities()).toBe(1));
    await eventually(() => expect(replicas.flatMap(({ health }) => health().warnings)).toEqual([]));
    await eventually(async () => {
      await expect(
        client.create(Volume, volume({ replicas: 13 }, { name: "probe" }), { dryRun: true }),
      ).rejects.toMatchObject({ status: 422, message: expect.stringContaining("is unlucky") });
    });

    const over = new AbortController();
    const failures: unknown[] = [];
    let written = 0;
    const writing = Promise.all(
      ["a", "b", "c"].map(async (name) => {
        await client.create(Volume, volume({}, { name }));
        while (!over.signal.aborted) {
          try {
            const spec = { labels: { round: String(written) } };
            const patch = { type: "merge", body: { spec } } as const;
            await client.patch(Volume, { namespace: "default", name }, patch);
            written += 1;
          } catch (error) {
            failures.push(error);
          }
        }
      }),
    );

    const store = { namespace: "default", name: "shared" };
    await eventually(() =>
      client.create(stores("v1"), {
        apiVersion: "data.example.com/v1",
        kind: "Store",
        metadata: store,
        spec: { size: { amount: 1_500, unit: "Mi" }, users: [{ name: "ada", quota: 5 }] },
      }),
    );
    let isWriting = true;
    const requests = steadyRequests((number) => {
      const type = stores(versions[number % versions.length] ?? "v1");
      if (number % 5 === 0) return client.list(type);
      const labels = { round: String(number) };
      return isWriting && number % 7 === 0
        ? client.patch(type, store, { type: "merge", body: { metadata: { labels } } })
        : client.get(type, store);
    });

    // Renewed by one of them: trusted first, and served when the API server has had the time to learn it.
    const before = await certificateAt(first.port);
    ago = 0;
    await eventually(async () => expect(await authorities()).toBe(2));
    const known = connections();
    await eventually(() => expect(connections()).toBeGreaterThan(known));
    expect(await certificateAt(first.port)).toBe(before);
    ago = -overlap - 60_000;
    await eventually(async () => {
      const [one, other] = [await certificateAt(first.port), await certificateAt(second.port)];
      expect(one).not.toBe(before);
      expect(other).toBe(one);
    });

    // A rollout: the Service sends callers to the replica for a while after it was told to stop.
    const stopping = first.stop();
    const seen = written;
    await eventually(() => expect(written).toBeGreaterThan(seen + 5));
    closeTo(first.port);
    await stopping;
    const third = await startReplica();
    open(third.port);
    const last = written;
    await eventually(() => expect(written).toBeGreaterThan(last + 20));
    over.abort();
    await writing;
    expect(failures).toEqual([]);
    expect(written).toBeGreaterThan(50);

    // The version that objects are stored in is moved, and all are stored in it.
    // A migration waits for the writes that are still under way in the old way, by a clock that is fast here.
    isWriting = false;
    await requests.answered();
    await keepAs("v1", versions);
    await eventually(async () => {
      expect((await definition()).status?.storedVersions).toEqual(["v1alpha1", "v1"]);
    });
    const tools = { client, clock: createFastClock(10), signal: new AbortController().signal };
    const how = { parallel: 4, rate: 100, dryRun: false };
    const report = await migrateKind(tools, resourceNameOf(Store), how, () => undefined);
    expect(report).toMatchObject({ objects: 1, trimmed: ["v1alpha1"] });
    isWriting = true;
    const sent = requests.asked;
    await eventually(() => expect(requests.asked).toBeGreaterThan(Math.max(200, sent + 20)));
    expect(await requests.stop()).toEqual([]);
    // The old version goes; what it could not express has stayed.
    await keepAs("v1", ["v1beta1", "v1"]);
    await eventually(async () => {
      expect((await client.get(stores("v1"), store))["spec"]).toEqual({
        size: { amount: 1_500, unit: "Mi" },
        users: [{ name: "ada", quota: 5 }],
      });
    });
    await client.get(stores("v1beta1"), store);
  }, 120_000);

  it("live under the generated roles, and never see what the operator writes", async () => {
    const refused = refusedTo(plane.audit(), user);
    expect(refused.filter((request) => !request.includes("customresourcedefinitions"))).toEqual([]);
    const secret = await client.get(Secret, { namespace: "default", name: "volumes-webhook-certificate" });
    expect(secret.metadata.labels).toMatchObject({ "app.kubernetes.io/name": "volumes" });

    const shrink = async (...more: readonly string[]): Promise<string> => {
      const patch = JSON.stringify({ spec: { size: 3 } });
      const args = ["--kubeconfig", plane.kubeconfig, "patch", "volume", "a", "--type=merge", "-p", patch];
      const child = spawn(join(process.env["KUBEBUILDER_ASSETS"] ?? "", "kubectl"), [...args, ...more]);
      return (await Promise.all([text(child.stdout), text(child.stderr)])).join("").trim();
    };
    expect(await shrink()).toBe('The Volume "a" is invalid: spec.size: must not shrink');
    expect(await shrink(`--as=${user}`, "--as-group=system:masters")).toBe(
      "volume.storage.example.com/a patched",
    );
    expect(reviews.map(({ username }) => username)).not.toContain(user);
  });
});

/** What a Service is for its callers: a port that leads to one replica after the other, for each connection anew. */
async function startEntrance() {
  const ports: number[] = [];
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    const backend = connect(ports[count++ % ports.length] ?? 0, "127.0.0.1");
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    socket.on("error", () => backend.destroy()).pipe(backend);
    backend.on("error", () => socket.destroy()).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    open: (port: number) => void ports.push(port),
    closeTo: (port: number) => void ports.splice(ports.indexOf(port), 1),
    connections: () => count,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The fingerprint of the certificate that a replica serves. */
function certificateAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
