// An operator that has each trouble of the guide on troubleshooting, chosen by the spec. Run by troubleshooting.test.ts.
import {
  defineController,
  defineKind,
  defineOperator,
  kubernetesResource,
  setupLifecycle,
  TerminalError,
  type InstanceOf,
} from "xstate-operator";
import { ConfigMap, Job, Secret } from "xstate-operator/kinds";
import { z } from "zod";

/** Each trouble of a Site, and the condition that shows it. */
export const troubles = [
  ["throws", "ReconciliationSuccess", "False"],
  ["gives-up", "ReconciliationSuccess", "False"],
  ["hangs", "ReconciliationSuccess", "False"],
  ["undeclared", "ReconciliationSuccess", "False"],
  ["stranger", "ReconciliationSuccess", "False"],
  ["invalid", "ReconciliationSuccess", "False"],
  ["waits", "ReconciliationSuccess", "Unknown"],
  ["loops", "HotLoop", "True"],
  ["fights", "FieldFight", "True"],
] as const;

export const Site = defineKind({
  group: "web.example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({
    trouble: z.enum(["job", ...troubles.map(([trouble]) => trouble)]),
    replicas: z.int().min(0).max(10).default(1),
  }),
});
type Site = InstanceOf<typeof Site>;

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

function jobOf({ metadata: { name }, spec }: Site) {
  return kubernetesResource<Job, Site>({
    type: Job,
    key: { name: `${name}-index` },
    mutateWithCR: (job) => {
      const containers = [{ name: "index", image: `example.com/index:${spec.replicas}` }];
      job.spec = { template: { spec: { restartPolicy: "Never", containers } } };
    },
  });
}

export const sites = defineController(Site, {
  owns: [ConfigMap, Job],
  timeout: "2s",
  hotLoop: { runs: 4, within: "1m" },
  fieldFights: { repairs: 2 },
  steps: {
    ObjectsGetter: async ({ cr, registry, results, lookUp, owned, signal }) => {
      const { name } = cr.metadata;
      switch (cr.spec.trouble) {
        case "throws":
          throw new Error("the address list of example.com is empty");
        case "gives-up":
          throw new TerminalError("HOST_TAKEN", "the host shop.example.com belongs to another Site");
        case "waits":
          results.pending("2 of 3 pods are not ready yet", "1m");
          return;
        case "hangs":
          await new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason as Error)),
          );
          return;
        case "undeclared":
          lookUp(Secret, { namespace: "default", name: "password" });
          return;
        case "stranger":
          registry.add(configMap("shared", { from: name }));
          return;
        case "job":
          registry.add(jobOf(cr));
          return;
        case "invalid":
          registry.add(configMap("Not_A_Name", {}));
          return;
        case "loops":
          // What it reads, it has to be shown again after each of its writes.
          owned(ConfigMap);
          registry.add(configMap(`${name}-page`, { at: String(process.hrtime.bigint()) }));
          return;
        case "fights":
          registry.add(configMap(`${name}-page`, { page: "ours" }));
      }
    },
  },
});

export const Store = defineKind({
  group: "web.example.com",
  version: "v1",
  kind: "Store",
  spec: z.object({ observed: z.enum(["Open", "Closed", "Opne", "error"]).default("Open") }),
  lifecycle: setupLifecycle().createMachine({
    id: "store",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Open": "Open", "desired.End": "Closing" } },
      Open: {
        tags: ["ready"],
        on: { "desired.Inventory": "Inventory", "observed.Closed": "Start", "desired.End": "Closing" },
      },
      Inventory: { invoke: { id: "count", src: "count", onDone: "Open", onError: "HumanIntervention" } },
      Closing: { on: { "observed.Closed": "End" } },
      End: { type: "final" },
    },
  }),
});

export const stores = defineController(Store, {
  steps: {},
  application: {
    observe: ({ cr: { spec } }) => {
      if (spec.observed === "error") throw new Error("connect ECONNREFUSED 10.0.0.7:5432");
      return { state: spec.observed as "Open", message: "as the spec says" };
    },
    tasks: { count: { start: () => Promise.reject(new Error("the counter is broken")) } },
  },
});

export default defineOperator({ name: "web-operator", controllers: [sites, stores] });
