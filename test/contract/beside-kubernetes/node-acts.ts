// Pods on a node that does not want them: what is evicted at once, after a time and never, and who waits.
import { nodeName } from "../../../src/cluster/controllers/node/node-object.ts";
import { soon, template, workload, type Act } from "./act.ts";

const tolerating = (name: string, toleration?: object) =>
  workload(
    "Deployment",
    name,
    template(name, "1", toleration === undefined ? {} : { tolerations: [toleration] }),
    {
      replicas: 1,
    },
  );

const key = "example.com/maintenance";
const toleration = { key, operator: "Exists", effect: "NoExecute" };

/** The acts, in their order. */
export const nodeActs: readonly Act[] = [
  {
    name: "a node is tainted: who tolerates it stays, who tolerates it for a while goes then",
    apply: [
      tolerating("refuses"),
      tolerating("stays", toleration),
      tolerating("leaves", { ...toleration, tolerationSeconds: 1 }),
    ],
    does: async (stage) => {
      for (const name of ["refuses", "stays", "leaves"]) {
        await soon(() => stage.has("Deployment", name, { availableReplicas: 1 }));
      }
      await stage.patch("Node", nodeName, { spec: { taints: [{ key, effect: "NoExecute", value: "now" }] } });
      // Those that tolerate it for a while come back again and again until it is theirs no more.
      await soon(() => stage.has("Deployment", "refuses", { unavailableReplicas: 1 }));
      await soon(async () => !(await stage.has("Deployment", "leaves", { availableReplicas: 1 })));
      await stage.patch("Deployment", "leaves", { spec: { replicas: 0 } });
    },
    until: async (stage) =>
      (await stage.has("Deployment", "stays", { availableReplicas: 1 })) &&
      (await stage.isEmpty("Pod", "leaves")) &&
      (await stage.list("Pod", "refuses")).length === 1,
  },
  {
    name: "a node is not tainted any more: who has waited runs",
    does: (stage) => stage.patch("Node", nodeName, { spec: { taints: null } }),
    until: (stage) => stage.has("Deployment", "refuses", { availableReplicas: 1 }),
  },
  {
    name: "what was on the node is deleted",
    does: (stage) =>
      Promise.all(["refuses", "stays", "leaves"].map((name) => stage.remove("Deployment", name))),
    until: async (stage) => (await stage.list("Pod")).length === 0,
  },
];
