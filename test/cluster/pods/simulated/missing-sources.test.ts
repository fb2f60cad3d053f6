// Simulated pods for which something is missing: they wait as on a kubelet, say why, and go on once it is there. On a virtual clock.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import { builtin } from "../../../../src/kinds/builtin/builtin-type.ts";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "../../../../src/kinds/builtin/core.ts";
import type { PodSpec } from "../../../../src/kinds/builtin/parts.ts";
import type { NamespacedObject } from "../../../../src/meta/object.ts";
import { startScriptedCluster, type ScriptedCluster } from "./support/scripted-cluster.ts";

interface CoreEvent extends NamespacedObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string; readonly fieldPath?: string };
}

const CoreEvents = builtin<CoreEvent>("v1", "Event", "events");

let cluster: ScriptedCluster;
let client: KubeClient;

beforeEach(async () => {
  cluster = await startScriptedCluster("pods: []");
  ({ client } = cluster);
});
afterEach(() => cluster.stop());

const key = { namespace: "default", name: "app" };
const metadata = key;
const later = (seconds = 2) => cluster.clock.advance(seconds * 1_000);
async function create(spec: Partial<PodSpec>): Promise<void> {
  const containers = [{ name: "main", image: "app:1" }];
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, ...spec } });
  await later();
}
const statusOf = async () => (await client.get(Pod, key)).status ?? {};
const waitsFor = async () => (await statusOf()).containerStatuses?.[0]?.state?.waiting;
const readiness = async () => (await statusOf()).conditions?.find(({ type }) => type === "Ready");
const told = async () =>
  (await client.list(CoreEvents, { namespace: "default" })).items
    .filter(({ involvedObject }) => involvedObject.name === "app")
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const map = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1" as const,
  kind: "ConfigMap" as const,
  metadata: { namespace: "default", name },
  data,
});
const secret = (name: string, stringData: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1" as const,
  kind: "Secret" as const,
  metadata: { namespace: "default", name },
  stringData,
});

describe("the environment of a pod", () => {
  it.each([
    ["ConfigMap", { envFrom: [{ configMapRef: { name: "settings" } }] }, 'configmap "settings" not found'],
    ["Secret", { envFrom: [{ secretRef: { name: "settings" } }] }, 'secret "settings" not found'],
    [
      "key of a ConfigMap",
      { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }] },
      'configmap "settings" not found',
    ],
    [
      "key of a Secret",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "settings", key: "a" } } }] },
      'secret "settings" not found',
    ],
  ])("waits for its %s", async (_what, environment, message) => {
    await create({ containers: [{ name: "main", image: "app:1", ...environment }] });
    expect((await statusOf()).phase).toBe("Pending");
    expect(await waitsFor()).toEqual({ reason: "CreateContainerConfigError", message });
    await later(60);
    // It is said once.
    expect(await told()).toEqual([`Warning Failed: Error: ${message}`]);
    await client.create(ConfigMap, map("settings", { a: "1" }));
    await client.create(Secret, secret("settings", { a: "1" }));
    await later();
    expect((await statusOf()).phase).toBe("Running");
  });

  it("waits for a key of what is there", async () => {
    await client.create(ConfigMap, map("settings", { b: "1" }));
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }];
    await create({ containers: [{ name: "main", image: "app:1", env }] });
    expect((await waitsFor())?.message).toBe("couldn't find key a in ConfigMap default/settings");
    const body = { data: { a: "1" } };
    await client.patch(ConfigMap, { ...key, name: "settings" }, { type: "merge", body });
    await later();
    expect((await statusOf()).phase).toBe("Running");
  });

  it("does without what is optional", async () => {
    const optional = true;
    const env = [
      { name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a", optional } } },
      { name: "B", valueFrom: { secretKeyRef: { name: "settings", key: "a", optional } } },
    ];
    const envFrom = [{ configMapRef: { name: "more", optional } }, { secretRef: { name: "more", optional } }];
    await create({ containers: [{ name: "main", image: "app:1", env, envFrom }] });
    expect((await statusOf()).phase).toBe("Running");
  });
});

describe("the volumes of a pod", () => {
  const failed = (volume: string, why: string): string =>
    `Warning FailedMount: MountVolume.SetUp failed for volume "${volume}" : ${why}`;

  it.each([
    ["ConfigMap", { configMap: { name: "files" } }, 'configmap "files" not found'],
    ["Secret", { secret: { secretName: "files" } }, 'secret "files" not found'],
    [
      "projection",
      { projected: { sources: [{ secret: { name: "files" } }, { configMap: { name: "files" } }] } },
      '[secret "files" not found, configmap "files" not found]',
    ],
  ])("wait for their %s", async (_what, source, why) => {
    await create({ volumes: [{ name: "v", ...source }] });
    expect((await statusOf()).phase).toBe("Pending");
    expect(await waitsFor()).toEqual({ reason: "ContainerCreating" });
    await later(60);
    expect(await told()).toEqual([failed("v", why)]);
    await client.create(ConfigMap, map("files"));
    await client.create(Secret, secret("files"));
    await later();
    expect((await statusOf()).phase).toBe("Running");
  });

  it("wait for keys of what is there, and do without what is optional", async () => {
    await client.create(ConfigMap, map("files", { b: "1" }));
    await client.create(Secret, secret("files", { b: "1" }));
    const items = [{ key: "a", path: "a" }];
    await create({
      volumes: [
        { name: "m", configMap: { name: "files", items } },
        { name: "s", secret: { secretName: "files", items } },
        { name: "o", secret: { secretName: "others", optional: true } },
        { name: "k", configMap: { name: "files", items, optional: true } },
      ],
    });
    expect((await told()).sort()).toEqual([
      failed("m", "references non-existent config key: a"),
      failed("s", "references non-existent secret key: a"),
    ]);
  });

  it("wait for a claim although a node was chosen by hand, and end when the pod is deleted", async () => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    await create({ nodeName: "xstate-operator-node", volumes });
    expect((await told())[0]).toContain(
      'error processing PVC default/data: failed to fetch PVC from API server: persistentvolumeclaims "data" not found',
    );
    await client.create(PersistentVolumeClaim, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { namespace: "default", name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await later();
    expect((await statusOf()).phase).toBe("Running");
    await client.delete(Pod, key);
    await create({ volumes: [{ name: "v", secret: { secretName: "none" } }] }).catch(() => undefined);
    await client.delete(Pod, key);
    await later();
    expect((await client.list(Pod, { namespace: "default" })).items).toEqual([]);
  });

  it("do not stop the time that a pod may take", async () => {
    await create({ activeDeadlineSeconds: 5, volumes: [{ name: "v", secret: { secretName: "none" } }] });
    await later(10);
    expect(await statusOf()).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  });
});

describe("a sidecar", () => {
  it("counts in what is ready", async () => {
    cluster.pods.simulate({ container: "side" }, { neverReady: true });
    await create({ initContainers: [{ name: "side", image: "side:1", restartPolicy: "Always" }] });
    const message = "containers with unready status: [side]";
    expect(await readiness()).toMatchObject({ status: "False", reason: "ContainersNotReady", message });
    cluster.pods.simulate({ container: "side" }, {});
    await later();
    expect(await readiness()).toMatchObject({ status: "True" });
    cluster.pods.simulate({ container: "side" }, { exit: { code: 1 } });
    await later(120);
    expect(await readiness()).toMatchObject({ status: "False", message });
  });
});

describe("a sidecar of a pod that completes", () => {
  it("runs until the others are done", async () => {
    cluster.pods.simulate({ container: "main" }, { exit: { code: 0, after: 10_000 } });
    await create({
      restartPolicy: "Never",
      initContainers: [{ name: "side", image: "side:1", restartPolicy: "Always" }],
    });
    const side = async () => (await statusOf()).initContainerStatuses?.[0];
    expect([(await side())?.ready, (await statusOf()).phase]).toEqual([true, "Running"]);
    await later(20);
    expect((await statusOf()).phase).toBe("Succeeded");
    expect(await side()).toMatchObject({ restartCount: 0, state: { terminated: { exitCode: 143 } } });
  });
});

describe("a container with a policy of its own", () => {
  const onCode = (operator: string, values: readonly number[]) => [
    { action: "Restart", exitCodes: { operator, values: [...values] } },
  ];

  it.each([
    ["is started again after a code that its rules name", 42, onCode("In", [42]), "Running"],
    ["is not after another one", 1, onCode("In", [42]), "Failed"],
    ["is started again after a code that its rules leave out", 1, onCode("NotIn", [42]), "Running"],
    ["is not after one that they name", 42, onCode("NotIn", [42]), "Failed"],
  ])("%s", async (_what, code, restartPolicyRules, phase) => {
    cluster.pods.simulate({}, {});
    cluster.pods.simulate({ container: "main" }, { exit: { code, after: 10 }, times: 1 });
    await create({
      restartPolicy: "Never",
      containers: [{ name: "main", image: "app:1", restartPolicy: "Never", restartPolicyRules }],
    });
    await later(30);
    expect((await statusOf()).phase).toBe(phase);
    expect((await statusOf()).containerStatuses?.[0]?.restartCount).toBe(phase === "Running" ? 1 : 0);
  });

  it("is started again in a pod that is not, and the other way round", async () => {
    cluster.pods.simulate({}, {});
    cluster.pods.simulate({}, { exit: { code: 1, after: 10 }, times: 1 });
    await create({
      restartPolicy: "Never",
      containers: [
        { name: "again", image: "app:1", restartPolicy: "OnFailure" },
        { name: "once", image: "app:1" },
      ],
    });
    await later(30);
    const { phase, containerStatuses } = await statusOf();
    expect([phase, containerStatuses?.map(({ restartCount }) => restartCount)]).toEqual(["Running", [1, 0]]);
  });
});
