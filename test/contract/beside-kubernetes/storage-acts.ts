// Claims: bound to volumes that were made by hand, waiting for their class or its provisioner, and made for a pod.
import { soon, type Act, type Manifest, type Stage } from "./act.ts";

const claim = (name: string, storageClassName?: string, spec: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
    ...spec,
  },
});

const volume = (name: string, storage: string, spec: object = {}, labels: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, labels },
  spec: {
    capacity: { storage },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "manual",
    hostPath: { path: "/volumes" },
    ...spec,
  },
});

const storageClass = (name: string, provisioner: string, more: object = {}): Manifest => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner,
  ...more,
});

const user = (name: string, source: object): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: name } },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image: "user:1" }],
    volumes: [{ name: "data", ...source }],
  },
});

const boundTo = async (stage: Stage, name: string): Promise<unknown> => {
  const found = await stage.find("PersistentVolumeClaim", name);
  return found?.status?.["phase"] === "Bound" ? found.spec?.["volumeName"] : undefined;
};
const isTold = async (stage: Stage, name: string, text: string): Promise<boolean> => {
  const events = (await stage.list("Event")) as unknown as readonly {
    readonly involvedObject?: { readonly name?: string };
    readonly regarding?: { readonly name?: string };
    readonly message?: string;
    readonly note?: string;
  }[];
  return events.some(
    ({ involvedObject, regarding, message = "", note = "" }) =>
      (involvedObject ?? regarding)?.name === name && `${message}${note}`.includes(text),
  );
};

/** The acts, in their order. */
export const storageActs: readonly Act[] = [
  {
    name: "claims are bound to the volume that is kept for them, or fits best",
    apply: [
      volume("by-hand-large", "9Gi"),
      volume("by-hand-more-modes", "2Gi", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }),
      volume("by-hand-small", "500Mi"),
      volume("by-hand-fitting", "3Gi"),
      volume("by-hand-labelled", "4Gi", {}, { tier: "gold" }),
      volume("by-hand-kept", "7Gi", { claimRef: { namespace: "shop", name: "kept" } }),
    ],
    does: async (stage) => {
      const available = async (name: string): Promise<boolean> =>
        stage.has("PersistentVolume", name, { phase: "Available" });
      await soon(async () => (await available("by-hand-labelled")) && available("by-hand-fitting"));
      await stage.apply(claim("kept", "manual"));
      await stage.apply(claim("fitting", "manual"));
      await stage.apply(claim("labelled", "manual", { selector: { matchLabels: { tier: "gold" } } }));
      await stage.apply(claim("named", "manual", { volumeName: "by-hand-more-modes" }));
    },
    until: async (stage) =>
      (await boundTo(stage, "kept")) === "by-hand-kept" &&
      (await boundTo(stage, "fitting")) === "by-hand-fitting" &&
      (await boundTo(stage, "labelled")) === "by-hand-labelled" &&
      (await boundTo(stage, "named")) === "by-hand-more-modes",
  },
  {
    name: "claims wait for their class, its provisioner, a pod or a volume",
    apply: [
      storageClass("of-others", "example.com/disk"),
      storageClass("of-nobody", "kubernetes.io/no-provisioner"),
      storageClass("delayed", "example.com/disk", { volumeBindingMode: "WaitForFirstConsumer" }),
      claim("others", "of-others"),
      claim("nobody", "of-nobody"),
      claim("delayed", "delayed"),
      claim("unknown", "not-there"),
      claim("no-class", ""),
    ],
    until: async (stage) =>
      (await isTold(stage, "others", "either by the external provisioner 'example.com/disk' or manually")) &&
      (await isTold(stage, "nobody", "no volume plugin matched name: kubernetes.io/no-provisioner")) &&
      (await isTold(stage, "delayed", "waiting for first consumer to be created before binding")) &&
      (await isTold(stage, "unknown", 'storageclass.storage.k8s.io "not-there" not found')) &&
      (await isTold(stage, "no-class", "no storage class is set")),
  },
  {
    name: "a pod has its node chosen, and then its claim provisioned",
    apply: [user("consumer", { persistentVolumeClaim: { claimName: "delayed" } })],
    until: async (stage) => {
      const found = (await stage.find("PersistentVolumeClaim", "delayed")) as unknown as {
        readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
      };
      return found.metadata.annotations?.["volume.kubernetes.io/storage-provisioner"] === "example.com/disk";
    },
  },
  {
    name: "a claim that waits is bound when a volume comes",
    apply: [volume("provisioned", "1Gi", { storageClassName: "of-others" })],
    until: async (stage) => (await boundTo(stage, "others")) === "provisioned",
  },
  {
    name: "a claim is made for a pod",
    apply: [
      user("owner", {
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { labels: { made: "for-it" } },
            spec: claim("", "manual")["spec"],
          },
        },
      }),
    ],
    until: async (stage) =>
      (await boundTo(stage, "owner-data")) === "by-hand-large" &&
      (await stage.has("Pod", "owner", { phase: "Running" })),
  },
  {
    name: "a claim that was made for a pod goes with it, and its volume is released",
    does: async (stage) => {
      await stage.remove("Pod", "owner");
      await stage.remove("Pod", "consumer");
    },
    until: async (stage) =>
      (await stage.find("PersistentVolumeClaim", "owner-data")) === undefined &&
      (await stage.has("PersistentVolume", "by-hand-large", { phase: "Released" })),
  },
  {
    name: "claims, volumes and classes are deleted",
    does: async (stage) => {
      for (const { metadata } of await stage.list("PersistentVolumeClaim"))
        await stage.remove("PersistentVolumeClaim", metadata.name);
      for (const { metadata } of await stage.list("PersistentVolume"))
        await stage.remove("PersistentVolume", metadata.name);
      for (const name of ["of-others", "of-nobody", "delayed"]) await stage.remove("StorageClass", name);
    },
    until: async (stage) =>
      (await stage.list("PersistentVolumeClaim")).length === 0 &&
      (await stage.list("PersistentVolume")).length === 0,
  },
];
