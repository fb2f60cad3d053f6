// Which volume a claim gets, and what it waits for. On a virtual clock; beside Kubernetes' own controllers in test/contract/beside-kubernetes.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import { builtin } from "../../../../src/kinds/builtin/builtin-type.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../../src/kinds/builtin/core.ts";
import { StorageClass } from "../../../../src/kinds/builtin/storage.ts";
import type { NamespacedObject } from "../../../../src/meta/object.ts";
import { startScriptedCluster, type ScriptedCluster } from "../../pods/simulated/support/scripted-cluster.ts";

interface CoreEvent extends NamespacedObject {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string };
}

const CoreEvents = builtin<CoreEvent>("v1", "Event", "events");
const namespace = "default";

let cluster: ScriptedCluster;
let client: KubeClient;

beforeEach(async () => {
  cluster = await startScriptedCluster("pods: []");
  ({ client } = cluster);
});
afterEach(() => cluster.stop());

const later = () => cluster.clock.advance(2_000);
const spec = (storageClassName?: string) => ({
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "1Gi" } },
  ...(storageClassName === undefined ? {} : { storageClassName }),
});
async function claim(name: string, storageClassName?: string): Promise<void> {
  await client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace, name },
    spec: spec(storageClassName),
  });
  await later();
}
async function volume(name: string, storage: string): Promise<void> {
  await client.create(PersistentVolume, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "manual",
      hostPath: { path: "/data" },
    },
  });
  await later();
}
async function storageClass(
  name: string,
  provisioner: string,
  volumeBindingMode = "Immediate",
): Promise<void> {
  await client.create(StorageClass, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner,
    volumeBindingMode,
  });
  await later();
}
const read = (name: string) => client.get(PersistentVolumeClaim, { namespace, name });
const phaseOf = async (name: string) => (await read(name)).status?.phase;
const phaseOfVolume = async (name: string) => (await client.get(PersistentVolume, { name })).status?.phase;
const told = async (name: string) =>
  (await client.list(CoreEvents, { namespace })).items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);

it("is the smallest of those made by hand that is large enough, which goes on after it", async () => {
  for (const [name, size] of [
    ["large", "5Gi"],
    ["small", "500Mi"],
    ["fitting", "2Gi"],
  ] as const)
    await volume(name, size);
  expect(await phaseOfVolume("fitting")).toBe("Available");
  await claim("data", "manual");
  const { spec: asked, status } = await read("data");
  expect([asked.volumeName, status]).toMatchObject([
    "fitting",
    { phase: "Bound", capacity: { storage: "2Gi" } },
  ]);
  await client.delete(PersistentVolumeClaim, { namespace, name: "data" });
  await later();
  expect(await phaseOfVolume("fitting")).toBe("Released");
  await client.delete(PersistentVolume, { name: "fitting" });
  await later();
  expect((await client.list(PersistentVolume)).items.map(({ metadata }) => metadata.name)).toEqual([
    "large",
    "small",
  ]);
});

it("is made by the provisioner of a class, once there is one", async () => {
  await claim("data", "fast");
  expect(await phaseOf("data")).toBe("Pending");
  expect(await told("data")).toEqual(['ProvisioningFailed: storageclass.storage.k8s.io "fast" not found']);
  await storageClass("fast", "xstate-operator.dev/folder");
  expect(await phaseOf("data")).toBe("Bound");
  await storageClass("others", "example.com/disk");
  await claim("other", "others");
  const { metadata, status } = await read("other");
  expect([status?.phase, metadata.annotations?.["volume.kubernetes.io/storage-provisioner"]]).toEqual([
    "Pending",
    "example.com/disk",
  ]);
  expect(await told("other")).toMatchObject([expect.stringContaining("ExternalProvisioning")]);
  await claim("none", "");
  expect([await phaseOf("none"), await told("none")]).toMatchObject([
    "Pending",
    [expect.stringContaining("FailedBinding")],
  ]);
});

it("is made for a pod that uses it, where the class says so, or that asks for it in its own volumes", async () => {
  await storageClass("delayed", "xstate-operator.dev/folder", "WaitForFirstConsumer");
  await claim("data", "delayed");
  expect(await phaseOf("data")).toBe("Pending");
  const metadata = { namespace, name: "app" };
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      containers: [{ name: "main", image: "app:1" }],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: "data" } },
        { name: "own", ephemeral: { volumeClaimTemplate: { spec: spec() } } },
      ],
    },
  });
  await later();
  expect([await phaseOf("data"), await phaseOf("app-own")]).toEqual(["Bound", "Bound"]);
  expect((await client.get(Pod, metadata)).status?.phase).toBe("Running");
  await client.delete(Pod, metadata);
  await later();
  const { items } = await client.list(PersistentVolumeClaim, { namespace });
  expect(items.map((each) => each.metadata.name)).toEqual(["data"]);
});

it("is another one than that of a pod, whose name it has", async () => {
  await claim("app-own");
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name: "app" },
    spec: {
      containers: [{ name: "main", image: "app:1" }],
      volumes: [{ name: "own", ephemeral: { volumeClaimTemplate: { spec: spec() } } }],
    },
  });
  await later();
  expect((await told("app"))[0]).toContain("PVC default/app-own was not created for pod default/app");
});
