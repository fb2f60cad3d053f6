// The snapshot controller of Kubernetes' storage group, on client-go of a later Kubernetes: snapshots of claims and of groups of them,
// contents that it makes of them, and finalizers that keep a claim while a snapshot of it is taken. What a driver would do beside it is
// done here: it says what it has taken, and lets go of what it has removed.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import { buildGoModule, sourceOf } from "../go-program.ts";
import { eventually } from "../../support/eventually.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, writtenOut } from "./installed-manifests.ts";

const version = "v8.7.0";
const definitionsVersion = "v8.6.0";
const repository = "github.com/kubernetes-csi/external-snapshotter";

function obtain(): Obtained {
  const built = buildGoModule(
    "snapshot-controller",
    `${repository}/v8@${version}`,
    "./cmd/snapshot-controller",
  );
  if ("failure" in built) return built;
  const definitions = sourceOf(`${repository}/client/v8@${definitionsVersion}`);
  if ("failure" in definitions) return definitions;
  const { files, folder } = built;
  const published = readFileSync(
    join(folder, "deploy/kubernetes/snapshot-controller/rbac-snapshot-controller.yaml"),
    "utf8",
  )
    .replaceAll("namespace: kube-system", `namespace: ${home}`)
    .replaceAll(/(kind: ServiceAccount\n\s*name:) snapshot-controller/g, "$1 operator");
  const manifest = join(folder, "installed.yaml");
  writeFileSync(manifest, writtenOut(manifestsIn(published, /^ServiceAccount$/)));
  return {
    programs: [
      {
        command: files[0]!,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          "--leader-election",
          `--leader-election-namespace=${home}`,
          "--v=4",
        ],
      },
    ],
    manifests: [
      ...globSync(join(definitions.folder, "config/crd/*.storage.k8s.io_*.yaml")).toSorted(),
      manifest,
    ],
    role: "bound",
  };
}

const driver = "disk.example.com";
/** A volume of the driver with the claim that it is for. */
const volume = (name: string): string => `
apiVersion: v1
kind: PersistentVolume
metadata: { name: ${name} }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: ""
  claimRef: { namespace: shop, name: ${name} }
  csi: { driver: ${driver}, volumeHandle: "volume ${name}" }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name}, labels: { app: db } }
spec:
  storageClassName: ""
  volumeName: ${name}
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }
---`;
const snapshotClass = (name: string, policy: string, annotations = "{}"): string => `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotClass
metadata: { name: ${name}, annotations: ${annotations} }
driver: ${driver}
deletionPolicy: ${policy}
---`;
const snapshot = (name: string, source: string, of?: string): string => `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: { name: ${name} }
spec: { ${of === undefined ? "" : `volumeSnapshotClassName: ${of}, `}source: { ${source} } }
---`;
const takenBefore = `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotContent
metadata: { name: taken-before }
spec:
  deletionPolicy: Retain
  driver: ${driver}
  source: { snapshotHandle: before }
  volumeSnapshotRef: { name: before, namespace: shop }
---`;
const group = `
apiVersion: groupsnapshot.storage.k8s.io/v1
kind: VolumeGroupSnapshotClass
metadata: { name: together }
driver: ${driver}
deletionPolicy: Delete
---
apiVersion: groupsnapshot.storage.k8s.io/v1
kind: VolumeGroupSnapshot
metadata: { name: both }
spec:
  volumeGroupSnapshotClassName: together
  source: { selector: { matchLabels: { app: db } } }
`;

interface Content {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly source: Readonly<Record<string, unknown>> };
  readonly status?: { readonly readyToUse?: boolean };
}

const patched = (client: KubeClient, path: string, body: object): Promise<unknown> =>
  client.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });

/** The contents that are as sought, once there are enough of them. */
async function contentsOf(
  client: KubeClient,
  path: string,
  sought: (content: Content) => boolean,
  count = 1,
): Promise<readonly Content[]> {
  return eventually(async () => {
    const { items } = (await client.request({ method: "GET", path })) as { items: readonly Content[] };
    const found = items.filter(sought);
    if (found.length < count) throw new Error(`there is nothing to do for the driver at ${path}`);
    return found;
  }, 120_000);
}

const single = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents";
const grouped = "/apis/groupsnapshot.storage.k8s.io/v1/volumegroupsnapshotcontents";

/** The driver takes what has been asked for. */
async function take(client: KubeClient): Promise<void> {
  const waiting = await contentsOf(client, single, ({ status }) => status?.readyToUse !== true);
  for (const { metadata, spec } of waiting) {
    const { volumeHandle, snapshotHandle } = spec.source;
    const status = {
      snapshotHandle: snapshotHandle ?? `of ${String(volumeHandle)}`,
      creationTime: 1_700_000_000_000_000_000,
      restoreSize: 1_073_741_824,
      readyToUse: true,
    };
    await patched(client, `${single}/${metadata.name}/status`, { status });
  }
}

/** The driver takes all volumes of a group at once. */
async function takeTogether(client: KubeClient): Promise<void> {
  const waiting = await contentsOf(client, grouped, ({ status }) => status?.readyToUse !== true);
  for (const { metadata, spec } of waiting) {
    const handles = spec.source["volumeHandles"] as readonly string[];
    const status = {
      volumeGroupSnapshotHandle: "all of them",
      creationTime: "2026-01-01T00:00:00Z",
      readyToUse: true,
      volumeSnapshotInfoList: handles.toSorted().map((volumeHandle) => ({
        volumeHandle,
        snapshotHandle: `${volumeHandle}, with the others`,
        creationTime: 1_700_000_000_000_000_000,
        restoreSize: 1_073_741_824,
        readyToUse: true,
      })),
    };
    await patched(client, `${grouped}/${metadata.name}/status`, { status });
  }
}

/** The driver removes what is to be deleted, and lets go of it. */
const remove =
  (path: string, count = 1) =>
  async (client: KubeClient): Promise<void> => {
    const isEnding = ({ metadata }: Content): boolean => metadata.deletionTimestamp !== undefined;
    const ending = await contentsOf(client, path, isEnding, count);
    for (const { metadata } of ending) {
      await patched(client, `${path}/${metadata.name}`, { metadata: { finalizers: null } });
    }
  };

const usable = (name: string): string =>
  `wait --for=jsonpath={.status.readyToUse}=true volumesnapshot/${name}`;
const protection = "snapshot.storage.kubernetes.io/pvc-as-source-protection";
const guarded = (at: number): string =>
  `wait --for=jsonpath={.metadata.finalizers[${at}]}=${protection} pvc/one`;

/** The snapshot controller: what becomes of snapshots, of their contents and of the claims that they are of. */
export const snapshotController: ForeignOperator = {
  name: "snapshot-controller",
  version,
  obtain,
  clusterWide: /snapshot\.storage\.k8s\.io$|^persistentvolumes\./,
  // What it makes of a hash of the uids.
  names:
    /\b(?:snapshot|snapcontent|groupsnapcontent)-[0-9a-f]{64}\b|(?<=\b(?:snapshot|snapcontent)-)[0-9a-f-]{36}\b/g,
  steps: [
    {
      name: "a snapshot of a claim",
      apply:
        volume("one") +
        snapshotClass("usual", "Delete", '{ snapshot.storage.kubernetes.io/is-default-class: "true" }') +
        snapshot("first", "persistentVolumeClaimName: one"),
      reached: [
        "wait --for=jsonpath={.status.phase}=Bound pvc/one",
        "wait --for=jsonpath={.status.boundVolumeSnapshotContentName} volumesnapshot/first",
        "wait --for=jsonpath={.spec.volumeSnapshotClassName}=usual volumesnapshot/first",
        guarded(1),
      ],
    },
    {
      name: "what the definition refuses",
      refused: snapshot("none", "persistentVolumeClaimName: one, volumeSnapshotContentName: two", '""'),
      reached: [],
    },
    {
      name: "a claim that is deleted meanwhile",
      kubectl: ["delete pvc/one --wait=false"],
      reached: ["wait --for=jsonpath={.metadata.deletionTimestamp} pvc/one", guarded(0)],
    },
    {
      name: "the driver has taken it",
      perform: take,
      reached: [usable("first"), "wait --for=delete pvc/one"],
    },
    {
      name: "one that was taken before",
      apply: takenBefore + snapshot("before", "volumeSnapshotContentName: taken-before"),
      perform: take,
      reached: [
        usable("before"),
        "wait --for=jsonpath={.spec.volumeSnapshotRef.uid} volumesnapshotcontent/taken-before",
      ],
    },
    {
      name: "one of a claim that is not there",
      apply: snapshotClass("kept", "Retain") + snapshot("lost", "persistentVolumeClaimName: nobody", "kept"),
      reached: ["wait --for=jsonpath={.status.error.message} volumesnapshot/lost"],
    },
    {
      name: "several at once",
      apply: volume("two") + volume("three") + group,
      perform: takeTogether,
      reached: ["wait --for=jsonpath={.status.readyToUse}=true volumegroupsnapshot/both"],
    },
    {
      name: "delete several",
      kubectl: ["delete volumegroupsnapshot/both --wait=false"],
      async perform(client) {
        await remove(grouped)(client);
        await remove(single, 2)(client);
      },
      reached: ["wait --for=delete volumegroupsnapshot/both"],
    },
    {
      name: "delete",
      kubectl: ["delete volumesnapshot/first volumesnapshot/before volumesnapshot/lost --wait=false"],
      perform: remove(single),
      reached: ["wait --for=delete volumesnapshots --all"],
    },
  ],
};
