// Garbage collection, claims, budgets, quotas, endpoints, accounts and taints.
import { neverReady, soon, template, workload, type Act, type Manifest, type Stage } from "./act.ts";
import { lasting } from "./job-acts.ts";

const map = (name: string, owners: readonly object[] = []): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...(owners.length === 0 ? {} : { ownerReferences: owners }) },
});

async function ownerOf(stage: Stage, kind: string, name: string, more: object = {}): Promise<object> {
  const uid = (await stage.find(kind, name))?.metadata.uid;
  return { apiVersion: "v1", kind, name, uid, ...more };
}

const web = (replicas: number, more: object = {}) =>
  workload("Deployment", "site", template("site", "1", more), { replicas });

const budget = (name: string, spec: object): Manifest => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name },
  spec,
});

const service = (name: string, spec: object, labels: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, labels },
  spec: { ports: [{ name: "http", port: 80 }], ...spec },
});

const site = { matchLabels: { app: "site" } };
const isUp = (count: number) => (stage: Stage) =>
  stage.has("Deployment", "site", { availableReplicas: count });

const endpointCount = async (stage: Stage, name: string): Promise<number> => {
  const found = (await stage.find("Endpoints", name)) as unknown as {
    readonly subsets?: readonly {
      readonly addresses?: readonly unknown[];
      readonly notReadyAddresses?: readonly unknown[];
    }[];
  };
  return (found?.subsets ?? []).reduce((sum, { addresses = [] }) => sum + addresses.length, 0);
};

/** The acts, in their order. */
export const otherActs: readonly Act[] = [
  {
    name: "an object whose owner is gone is collected, one that has another owner stays",
    apply: [map("owner"), map("other")],
    does: async (stage) => {
      const owner = await ownerOf(stage, "ConfigMap", "owner");
      const other = await ownerOf(stage, "ConfigMap", "other");
      await stage.apply(map("only", [owner]));
      await stage.apply(map("shared", [owner, other]));
      await stage.remove("ConfigMap", "owner");
    },
    until: async (stage) => {
      const shared = await stage.find("ConfigMap", "shared");
      return (
        (await stage.find("ConfigMap", "only")) === undefined &&
        shared?.metadata.ownerReferences?.length === 1
      );
    },
  },
  {
    name: "an object that is deleted in the foreground waits for what blocks it",
    does: async (stage) => {
      const blocking = { blockOwnerDeletion: true };
      const other = await ownerOf(stage, "ConfigMap", "other", blocking);
      const finalizers = ["example.com/kept"];
      await stage.apply({
        ...map("blocker"),
        metadata: { name: "blocker", ownerReferences: [other], finalizers },
      });
      await stage.remove("ConfigMap", "other", "Foreground");
    },
    until: async (stage) =>
      (await stage.find("ConfigMap", "shared")) === undefined &&
      (await stage.find("ConfigMap", "blocker"))?.metadata.deletionTimestamp !== undefined,
  },
  {
    name: "an object that is deleted in the foreground goes when nothing blocks it any more",
    does: (stage) => stage.patch("ConfigMap", "blocker", { metadata: { finalizers: null } }),
    until: async (stage) =>
      (await stage.find("ConfigMap", "other")) === undefined &&
      (await stage.find("ConfigMap", "blocker")) === undefined,
  },
  {
    name: "budgets count what they select",
    apply: [
      web(4),
      budget("half", { maxUnavailable: "50%", selector: site }),
      budget("nobody", { minAvailable: 1, selector: { matchLabels: { app: "nobody" } } }),
    ],
    until: async (stage) =>
      (await isUp(4)(stage)) && (await stage.has("PodDisruptionBudget", "half", { disruptionsAllowed: 2 })),
  },
  {
    name: "budgets follow the size of what they select",
    apply: [web(2)],
    until: async (stage) =>
      (await isUp(2)(stage)) &&
      (await stage.list("Pod", "site")).length === 2 &&
      (await stage.has("PodDisruptionBudget", "half", { disruptionsAllowed: 1, expectedPods: 2 })),
  },
  {
    name: "budgets ask whoever controls pods how many there are to be",
    apply: [
      {
        apiVersion: "v1",
        kind: "ReplicationController",
        metadata: { name: "former" },
        spec: { replicas: 2, selector: { app: "former" }, template: template("former") },
      },
      {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "batch" },
        spec: { template: template("batch", "1", { restartPolicy: "Never" }, lasting) },
      },
      budget("former", { maxUnavailable: 1, selector: { matchLabels: { app: "former" } } }),
    ],
    does: async (stage) => {
      await soon(() => stage.has("Job", "batch", { ready: 1 }));
      await stage.apply(budget("batch", { maxUnavailable: 1, selector: { matchLabels: { app: "batch" } } }));
      await soon(() =>
        stage.isSaid("PodDisruptionBudget", "batch", "DisruptionAllowed", "False", "SyncFailed"),
      );
    },
    until: (stage) => stage.has("PodDisruptionBudget", "former", { disruptionsAllowed: 1, expectedPods: 2 }),
  },
  {
    name: "workloads that budgets are for are deleted, and the budgets",
    does: (stage) =>
      Promise.all([
        stage.remove("ReplicationController", "former"),
        stage.remove("Job", "batch"),
        ...["former", "batch"].map((name) => stage.remove("PodDisruptionBudget", name)),
      ]),
    until: async (stage) => (await stage.isEmpty("Pod", "former")) && (await stage.isEmpty("Pod", "batch")),
  },
  {
    name: "services select by labels, with and without a port of their name, and nobody",
    apply: [
      service("plain", { selector: { app: "site" } }, { tier: "front" }),
      service("headless", { selector: { app: "site" }, clusterIP: "None" }),
      service("nobody", { selector: { app: "nobody" } }),
      service("portless", {
        selector: { app: "site" },
        ports: [{ name: "http", port: 80, targetPort: "of-no-container" }],
      }),
      service("elsewhere", { type: "ExternalName", externalName: "example.com" }),
    ],
    until: async (stage) =>
      (await endpointCount(stage, "plain")) === 2 &&
      (await endpointCount(stage, "headless")) === 2 &&
      (await stage.find("Endpoints", "nobody")) !== undefined,
  },
  {
    name: "a service selects others, is labelled anew, and publishes what is not ready",
    apply: [
      workload("Deployment", "unready", template("unready", "1", neverReady), { replicas: 1 }),
      service("plain", { selector: { app: "unready" }, publishNotReadyAddresses: true }, { tier: "back" }),
    ],
    until: async (stage) =>
      (await endpointCount(stage, "plain")) === 1 &&
      (await stage.find("Endpoints", "plain"))?.metadata.labels?.["tier"] === "back",
  },
  {
    name: "what services and budgets are for is deleted before them",
    does: (stage) => Promise.all([stage.remove("Deployment", "site"), stage.remove("Deployment", "unready")]),
    until: async (stage) =>
      (await stage.isEmpty("Pod", "site")) &&
      (await endpointCount(stage, "plain")) === 0 &&
      (await stage.has("PodDisruptionBudget", "half", { expectedPods: 0 })),
  },
  {
    name: "services and budgets are deleted",
    does: (stage) =>
      Promise.all([
        ...["plain", "headless", "nobody", "portless", "elsewhere"].map((name) =>
          stage.remove("Service", name),
        ),
        ...["half", "nobody"].map((name) => stage.remove("PodDisruptionBudget", name)),
      ]),
    until: async (stage) => (await stage.list("Endpoints")).length === 0,
  },
  {
    name: "a quota counts what is there, and what comes",
    apply: [
      map("counted"),
      {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "limits" },
        spec: { hard: { pods: "10", "requests.cpu": "2", configmaps: "20", "count/deployments.apps": "3" } },
      },
    ],
    does: async (stage) => {
      await soon(async () => {
        const { hard } = (await stage.find("ResourceQuota", "limits"))?.status ?? {};
        return hard !== undefined;
      });
      const resources = { requests: { cpu: "250m" } };
      const containers = [{ name: "main", image: "site", resources }];
      await stage.apply(web(2, { containers }));
    },
    until: async (stage) => {
      const { used } = ((await stage.find("ResourceQuota", "limits"))?.status ?? {}) as {
        readonly used?: Readonly<Record<string, string>>;
      };
      return (
        (await isUp(2)(stage)) && used?.["requests.cpu"] === "500m" && used["count/deployments.apps"] === "1"
      );
    },
  },
  {
    name: "a quota counts less when something goes",
    does: (stage) => Promise.all([stage.remove("Deployment", "site"), stage.remove("ConfigMap", "counted")]),
    until: async (stage) => {
      const { used } = ((await stage.find("ResourceQuota", "limits"))?.status ?? {}) as {
        readonly used?: Readonly<Record<string, string>>;
      };
      return used?.["pods"] === "0" && used["requests.cpu"] === "0" && used["count/deployments.apps"] === "0";
    },
  },
  {
    name: "the account of a namespace is made again",
    does: async (stage) => {
      await stage.remove("ResourceQuota", "limits");
      await stage.remove("ServiceAccount", "default");
      await stage.remove("ConfigMap", "kube-root-ca.crt");
    },
    until: async (stage) =>
      (await stage.find("ServiceAccount", "default")) !== undefined &&
      (await stage.find("ConfigMap", "kube-root-ca.crt")) !== undefined,
  },
];
