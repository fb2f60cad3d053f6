// Stateful sets and daemon sets: their order, their strategies and what becomes of their claims.
import { neverReady, soon, template, workload, type Act, type Stage } from "./act.ts";

const claims = [
  {
    metadata: { name: "disk" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
];

const set = (name: string, replicas: number, pods: object, spec: object = {}) =>
  workload("StatefulSet", name, pods, { replicas, serviceName: name, ...spec });

const isUp =
  (name: string, count: number, generation: number) =>
  async (stage: Stage): Promise<boolean> =>
    (await stage.has("StatefulSet", name, {
      replicas: count,
      availableReplicas: count,
      observedGeneration: generation,
    })) && (await stage.list("Pod", name)).length === count;

const kept = (replicas: number, whenScaled: string, whenDeleted: string) =>
  set("kept", replicas, template("kept", "1", { volumes: [{ name: "scratch", emptyDir: {} }] }), {
    volumeClaimTemplates: claims,
    persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
  });

const part = (image: string, partition: number) =>
  set("part", 3, template("part", image), {
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
  });

const isReplaced = async (stage: Stage, name: string, image: string, count: number): Promise<boolean> => {
  const pods = await stage.list("Pod", name);
  const images = pods.map(({ spec = {} }) => (spec["containers"] as readonly { image: string }[])[0]?.image);
  return images.filter((each) => each === `${name}:${image}`).length === count;
};

const agent = (image: string, spec: object = {}, more: object = {}) =>
  workload("DaemonSet", "agents", template("agents", image, more), spec);

/** The acts, in their order. */
export const statefulSetActs: readonly Act[] = [
  {
    name: "a stateful set waits for its first pod",
    apply: [set("order", 3, template("order", "1", neverReady))],
    until: (stage) => stage.has("StatefulSet", "order", { replicas: 1, observedGeneration: 1 }),
  },
  {
    name: "a stateful set whose pods wait for nobody makes them all",
    apply: [set("crowd", 3, template("crowd", "1", neverReady), { podManagementPolicy: "Parallel" })],
    until: (stage) => stage.has("StatefulSet", "crowd", { replicas: 3, observedGeneration: 1 }),
  },
  {
    name: "stateful sets that never came up are deleted",
    does: (stage) =>
      Promise.all([stage.remove("StatefulSet", "order"), stage.remove("StatefulSet", "crowd")]),
    until: async (stage) => (await stage.isEmpty("Pod", "order")) && (await stage.isEmpty("Pod", "crowd")),
  },
  {
    name: "a stateful set begins with another number",
    apply: [set("late", 2, template("late"), { ordinals: { start: 5 } })],
    until: isUp("late", 2, 1),
  },
  {
    name: "a stateful set rolls the pods above its partition",
    apply: [part("1", 2)],
    does: async (stage) => {
      await soon(() => isUp("part", 3, 1)(stage));
      await stage.apply(part("2", 2));
    },
    until: async (stage) => (await isUp("part", 3, 2)(stage)) && isReplaced(stage, "part", "2", 1),
  },
  {
    name: "a stateful set whose partition is lowered rolls the rest",
    apply: [part("2", 0)],
    until: async (stage) => (await isUp("part", 3, 3)(stage)) && isReplaced(stage, "part", "2", 3),
  },
  {
    name: "a stateful set replaces pods that somebody deletes",
    does: async (stage) => {
      const containers = [{ name: "main", image: "late:2" }];
      const updateStrategy = { type: "OnDelete", rollingUpdate: null };
      await stage.patch("StatefulSet", "late", {
        spec: { updateStrategy, template: { spec: { containers } } },
      });
      await soon(() => stage.has("StatefulSet", "late", { observedGeneration: 2 }));
      await stage.remove("Pod", "late-6");
      await soon(() => isReplaced(stage, "late", "2", 1));
    },
    until: isUp("late", 2, 2),
  },
  {
    name: "what a stateful set leaves behind belongs to the next one, pods and revisions",
    apply: [set("heir", 2, template("heir"))],
    does: async (stage) => {
      await soon(() => isUp("heir", 2, 1)(stage));
      await stage.remove("StatefulSet", "heir", "Orphan");
      await soon(async () => (await stage.find("StatefulSet", "heir")) === undefined);
      const [pod] = await stage.list("Pod", "heir");
      await stage.apply(set("heir", 2, template("heir")));
      await soon(() => isUp("heir", 2, 1)(stage));
      if ((await stage.find("Pod", "heir-0"))?.metadata.uid !== pod?.metadata.uid)
        throw new Error("another pod");
    },
  },
  {
    name: "a stateful set lets a pod go, whose name stays taken, and counts those that it has",
    does: async (stage) => {
      await stage.patch("Pod", "heir-1", { metadata: { labels: { app: "free" } } });
    },
    until: (stage) => stage.has("StatefulSet", "heir", { replicas: 1, availableReplicas: 1 }),
  },
  {
    name: "a stateful set takes a pod back, and gives it its labels again",
    does: async (stage) => {
      const name = "statefulset.kubernetes.io/pod-name";
      await stage.patch("Pod", "heir-1", { metadata: { labels: { app: "heir", [name]: null } } });
    },
    until: async (stage) =>
      (await isUp("heir", 2, 1)(stage)) &&
      (await stage.find("Pod", "heir-1"))?.metadata.labels?.["statefulset.kubernetes.io/pod-name"] ===
        "heir-1",
  },
  {
    name: "a stateful set that deletes its pods by hand alone has an old revision until then",
    does: async (stage) => {
      const updateStrategy = { type: "OnDelete", rollingUpdate: null };
      await stage.patch("StatefulSet", "heir", { spec: { replicas: 0, updateStrategy } });
      await soon(() => stage.has("StatefulSet", "heir", { replicas: 0, observedGeneration: 2 }));
      const containers = [{ name: "main", image: "heir:2" }];
      await stage.patch("StatefulSet", "heir", { spec: { replicas: 1, template: { spec: { containers } } } });
    },
    until: isUp("heir", 1, 3),
  },
  {
    name: "workloads whose pods are refused say what they have seen",
    apply: [
      set("refused", 2, template("refused", "1", { priorityClassName: "nobody-has-it" })),
      workload("DaemonSet", "refused", template("refused", "1", { priorityClassName: "nobody-has-it" })),
    ],
    does: async (stage) => {
      await soon(() => stage.has("StatefulSet", "refused", { observedGeneration: 1 }));
      await soon(() => stage.has("DaemonSet", "refused", { observedGeneration: 1 }));
    },
  },
  {
    name: "a stateful set deletes the claims of pods that it does not need any more",
    apply: [kept(2, "Delete", "Retain")],
    does: async (stage) => {
      await soon(() => isUp("kept", 2, 1)(stage));
      await stage.apply(kept(1, "Delete", "Retain"));
    },
    until: async (stage) =>
      (await isUp("kept", 1, 2)(stage)) &&
      (await stage.find("PersistentVolumeClaim", "disk-kept-1")) === undefined,
  },
  {
    name: "a stateful set owns the claims that go with it",
    apply: [kept(1, "Retain", "Delete")],
    until: async (stage) =>
      (await isUp("kept", 1, 3)(stage)) &&
      (await stage.find("PersistentVolumeClaim", "disk-kept-0"))?.metadata.ownerReferences?.length === 1,
  },
  {
    name: "claims have what their template says of them, and whoever controls them stays alone in that",
    apply: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" } }],
    async does(stage) {
      const uid = (await stage.find("ConfigMap", "owner"))?.metadata.uid;
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, controller: true };
      const metadata = {
        name: "disk",
        labels: { team: "a" },
        annotations: { note: "b" },
        ownerReferences: [owner],
      };
      await stage.apply(
        set("claimed", 1, template("claimed", "1"), {
          volumeClaimTemplates: [{ ...claims[0], metadata }],
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain", whenDeleted: "Delete" },
        }),
      );
    },
    until: isUp("claimed", 1, 1),
  },
  {
    name: "claims go with whoever controls them",
    async does(stage) {
      await stage.remove("StatefulSet", "claimed");
      await soon(() => stage.isEmpty("Pod", "claimed"));
      await stage.remove("ConfigMap", "owner");
    },
    until: async (stage) => (await stage.find("PersistentVolumeClaim", "disk-claimed-0")) === undefined,
  },
  {
    name: "a stateful set is deleted, and its claims with it",
    does: (stage) =>
      Promise.all([
        stage.remove("DaemonSet", "refused"),
        ...["kept", "part", "late", "heir", "refused"].map((name) => stage.remove("StatefulSet", name)),
      ]),
    until: async (stage) =>
      (await stage.isEmpty("Pod", "kept")) &&
      (await stage.isEmpty("Pod", "part")) &&
      (await stage.isEmpty("Pod", "late")) &&
      (await stage.find("PersistentVolumeClaim", "disk-kept-0")) === undefined,
  },
  {
    name: "a daemon set replaces pods that somebody deletes",
    apply: [agent("1", { updateStrategy: { type: "OnDelete" } })],
    does: async (stage) => {
      await soon(() => stage.has("DaemonSet", "agents", { numberAvailable: 1 }));
      await stage.apply(agent("2", { updateStrategy: { type: "OnDelete" } }));
      await soon(() => stage.has("DaemonSet", "agents", { observedGeneration: 2 }));
      const [pod] = await stage.list("Pod", "agents");
      await stage.remove("Pod", pod?.metadata.name ?? "");
    },
    until: (stage) =>
      stage.has("DaemonSet", "agents", {
        numberAvailable: 1,
        updatedNumberScheduled: 1,
        observedGeneration: 2,
      }),
  },
  {
    name: "what a daemon set leaves behind belongs to the next one, pods and revisions",
    does: async (stage) => {
      const spec = { updateStrategy: { type: "OnDelete" } };
      await stage.remove("DaemonSet", "agents", "Orphan");
      await soon(async () => (await stage.find("DaemonSet", "agents")) === undefined);
      await stage.apply(agent("2", spec));
      await soon(() => stage.has("DaemonSet", "agents", { numberAvailable: 1, observedGeneration: 1 }));
    },
  },
  {
    name: "a daemon set takes a pod that it selects, and deletes it, as it has one already",
    apply: [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "second", labels: { app: "agents" } },
        spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "agents:2" }] },
      },
    ],
    until: async (stage) => (await stage.find("Pod", "second")) === undefined,
  },
  {
    name: "a daemon set leaves the nodes that it does not select",
    apply: [agent("2", { updateStrategy: { type: "OnDelete" } }, { nodeSelector: { disk: "fast" } })],
    until: async (stage) =>
      (await stage.has("DaemonSet", "agents", { desiredNumberScheduled: 0, observedGeneration: 2 })) &&
      stage.isEmpty("Pod", "agents"),
  },
  {
    name: "a daemon set in the network of its nodes has its ports there",
    apply: [
      workload("DaemonSet", "networked", {
        metadata: { labels: { app: "networked" } },
        spec: {
          hostNetwork: true,
          automountServiceAccountToken: false,
          containers: [{ name: "main", image: "networked:1", ports: [{ containerPort: 8081 }] }],
        },
      }),
    ],
    until: (stage) => stage.has("DaemonSet", "networked", { numberAvailable: 1 }),
  },
  {
    name: "daemon sets are deleted",
    does: (stage) => Promise.all(["agents", "networked"].map((name) => stage.remove("DaemonSet", name))),
    until: async (stage) =>
      (await stage.list("DaemonSet")).length === 0 && (await stage.isEmpty("Pod", "networked")),
  },
];
