// Deployments, replica sets and replication controllers: what they come to when not everything goes well.
import { neverReady, soon, template, workload, type Act, type Stage } from "./act.ts";

const isUp =
  (name: string, count: number, generation: number) =>
  async (stage: Stage): Promise<boolean> =>
    (await stage.has("Deployment", name, {
      replicas: count,
      updatedReplicas: count,
      availableReplicas: count,
      observedGeneration: generation,
    })) && (await stage.list("Pod", name)).length === count;

const slow = (image: string, more: object = {}) =>
  workload("Deployment", "slow", template("slow", image, more), {
    replicas: 2,
    progressDeadlineSeconds: 1,
  });

const wide = (replicas: number, image: string, more: object = {}) =>
  workload("Deployment", "wide", template("wide", image, more), {
    replicas,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
  });

const short = (image: string, spec: object = {}) =>
  workload("Deployment", "short", template("short", image), { revisionHistoryLimit: 1, ...spec });

const change = (stage: Stage, image: string, spec: object): Promise<unknown> =>
  stage.patch("Deployment", "short", {
    spec: { ...spec, template: { spec: { containers: [{ name: "main", image: `short:${image}` }] } } },
  });

const set = (replicas: number) => workload("ReplicaSet", "set", template("set"), { replicas });

const barePod = (name: string, app: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app } },
  spec: {
    automountServiceAccountToken: false,
    containers: [{ name: "main", image: "bare" }],
  },
});

const old = (replicas: number) => ({
  apiVersion: "v1",
  kind: "ReplicationController",
  metadata: { name: "old" },
  spec: { replicas, selector: { app: "old" }, template: template("old") },
});

/** The acts, in their order. */
export const deploymentActs: readonly Act[] = [
  {
    name: "a deployment misses the deadline of its progress",
    apply: [slow("1", neverReady)],
    until: (stage) => stage.isSaid("Deployment", "slow", "Progressing", "False", "ProgressDeadlineExceeded"),
  },
  {
    name: "a deployment that has missed its deadline goes on with another template",
    apply: [slow("2")],
    until: async (stage) =>
      (await isUp("slow", 2, 2)(stage)) &&
      (await stage.isSaid("Deployment", "slow", "Progressing", "True", "NewReplicaSetAvailable")),
  },
  {
    name: "a deployment is held in the middle of its rollout",
    apply: [wide(8, "1")],
    does: async (stage) => {
      await soon(() => isUp("wide", 8, 1)(stage));
      await stage.apply(wide(8, "2", neverReady));
    },
    until: (stage) =>
      stage.has("Deployment", "wide", { updatedReplicas: 5, availableReplicas: 6, observedGeneration: 2 }),
  },
  {
    name: "a deployment is scaled in the middle of its rollout: both sets grow",
    apply: [wide(12, "2", neverReady)],
    until: (stage) => stage.has("Deployment", "wide", { replicas: 15, observedGeneration: 3 }),
  },
  {
    name: "a deployment in the middle of its rollout is deleted",
    does: (stage) => Promise.all([stage.remove("Deployment", "wide"), stage.remove("Deployment", "slow")]),
    until: async (stage) =>
      (await stage.isEmpty("Pod", "wide")) &&
      (await stage.isEmpty("ReplicaSet", "wide")) &&
      (await stage.isEmpty("ReplicaSet", "slow")),
  },
  {
    name: "a deployment keeps as many old sets as it may",
    apply: [short("1")],
    does: async (stage) => {
      for (const image of ["1", "2", "3"]) {
        await stage.apply(short(image));
        await soon(() => isUp("short", 1, Number(image))(stage));
      }
    },
    until: async (stage) => (await stage.list("ReplicaSet", "short")).length === 2,
  },
  {
    name: "a deployment recreates its pods",
    does: (stage) => change(stage, "4", { replicas: 2, strategy: { type: "Recreate", rollingUpdate: null } }),
    until: isUp("short", 2, 4),
  },
  {
    name: "a deployment is paused, and neither template nor history count meanwhile",
    does: (stage) => change(stage, "5", { replicas: 3, paused: true }),
    until: (stage) => stage.has("Deployment", "short", { availableReplicas: 3, observedGeneration: 5 }),
  },
  {
    name: "what a deployment leaves behind belongs to the next one that selects it",
    does: async (stage) => {
      await stage.remove("Deployment", "short", "Orphan");
      await soon(async () => (await stage.find("Deployment", "short")) === undefined);
      await stage.apply(short("4", { strategy: { type: "Recreate" }, replicas: 2 }));
    },
    until: isUp("short", 2, 1),
  },
  {
    name: "a deployment waits until its pods have been ready for long enough",
    apply: [short("6", { minReadySeconds: 1 })],
    until: isUp("short", 1, 2),
  },
  {
    name: "a deployment without a deadline says nothing of its progress",
    apply: [
      workload("Deployment", "endless", template("endless"), { progressDeadlineSeconds: 2_147_483_647 }),
    ],
    until: isUp("endless", 1, 1),
  },
  {
    name: "a deployment whose replica sets are refused says so, and goes on when they are not any more",
    does: async (stage) => {
      await stage.remove("Deployment", "endless");
      await soon(() => stage.isEmpty("ReplicaSet", "endless"));
      const hard = { "count/replicasets.apps": "0" };
      await stage.apply({
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "none" },
        spec: { hard },
      });
      await soon(async () => (await stage.find("ResourceQuota", "none"))?.status?.["hard"] !== undefined);
      await stage.apply(workload("Deployment", "limited", template("limited"), {}));
      await soon(() =>
        stage.isSaid("Deployment", "limited", "Progressing", "False", "ReplicaSetCreateError"),
      );
      await stage.remove("ResourceQuota", "none");
    },
    until: isUp("limited", 1, 1),
    limit: 60_000,
  },
  {
    name: "a deployment that was limited is deleted",
    does: (stage) => stage.remove("Deployment", "limited"),
    until: (stage) => stage.isEmpty("ReplicaSet", "limited"),
  },
  {
    name: "a replica set takes a pod that it selects, and lets one go that it does not",
    apply: [barePod("first", "set"), set(2)],
    does: async (stage) => {
      await soon(() => stage.has("ReplicaSet", "set", { availableReplicas: 2 }));
      await stage.patch("Pod", "first", { metadata: { labels: { app: "free" } } });
    },
    until: async (stage) =>
      (await stage.list("Pod", "set")).length === 2 &&
      (await stage.has("ReplicaSet", "set", { availableReplicas: 2 })),
  },
  {
    name: "a replica set has a pod too many",
    apply: [barePod("second", "set")],
    until: async (stage) =>
      (await stage.list("Pod", "set")).length === 2 &&
      (await stage.has("ReplicaSet", "set", { availableReplicas: 2, replicas: 2 })),
  },
  {
    name: "a replica set is deleted, and the pod that it has let go stays",
    does: (stage) => Promise.all([stage.remove("ReplicaSet", "set"), stage.remove("Deployment", "short")]),
    until: async (stage) =>
      (await stage.isEmpty("Pod", "set")) && (await stage.isEmpty("ReplicaSet", "short")),
  },
  {
    name: "a replication controller comes up",
    apply: [old(2)],
    until: (stage) => stage.has("ReplicationController", "old", { availableReplicas: 2 }),
  },
  {
    name: "a replication controller is scaled",
    apply: [old(1)],
    until: async (stage) =>
      (await stage.has("ReplicationController", "old", { replicas: 1, observedGeneration: 2 })) &&
      (await stage.list("Pod", "old")).length === 1,
  },
  {
    name: "a replication controller is deleted, and so is a pod of nobody",
    does: (stage) =>
      Promise.all([stage.remove("ReplicationController", "old"), stage.remove("Pod", "first")]),
    until: async (stage) => (await stage.isEmpty("Pod", "old")) && (await stage.isEmpty("Pod", "free")),
  },
];
