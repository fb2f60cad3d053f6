// The controller of Postgres: a StatefulSet whose pods it replaces itself, one after the other, with a switchover before the last one.
import { defineController } from "xstate-operator";
import { Pod, Service, StatefulSet } from "xstate-operator/kinds";
import type { Patroni } from "./patroni.ts";
import { Postgres } from "./postgres.ts";
import { labelsOf } from "./resources/names.ts";
import { service } from "./resources/postgres-service.ts";
import { servers } from "./resources/postgres-stateful-set.ts";

const revisionLabel = "controller-revision-hash";

/** The controller of clusters that this Patroni keeps in sync. */
export function postgresController(patroni: Patroni) {
  return defineController(Postgres, {
    owns: [Service, StatefulSet],
    watches: [{ type: Pod, mapTo: clusterOf }],
    steps: {
      ObjectsGetter: ({ cr, registry }) => {
        const states = [
          "Creating",
          "Running",
          "Updating",
          "CreateFailed",
          "UpdateFailed",
          "SyncFailed",
        ] as const;
        registry.add(service(cr), { in: states });
        registry.add(servers(cr), { in: states });
      },
    },
    application: {
      observe: async ({ cr, lookUp, list, signal }) => {
        const set = lookUp(StatefulSet, cr.metadata);
        const pods = list(Pod, { matchLabels: labelsOf(cr) });
        if (set === undefined && pods.length === 0) return { state: "Gone" };
        const ready = pods.filter(isReady);
        if (ready.length < cr.spec.instances) {
          return { state: "Starting", message: `servers ready: ${ready.length} of ${cr.spec.instances}` };
        }
        const { name } = cr.metadata;
        const leader = (await patroni.leader(name, signal)) ?? null;
        const revision = set?.status?.updateRevision;
        const outdated = pods.filter(({ metadata }) => metadata.labels?.[revisionLabel] !== revision);
        const replica = outdated.find(({ metadata }) => metadata.name !== leader)?.metadata.name ?? null;
        if (!(await patroni.isInSync(name, signal))) return { state: "OutOfSync", facts: { leader } };
        return {
          state: outdated.length > 0 ? "Outdated" : "Running",
          facts: { leader, outdated: replica },
        };
      },
      tasks: {
        replacePod: {
          start: async ({ cr, input, client }) => {
            await client.delete(Pod, { namespace: cr.metadata.namespace, name: input.pod });
          },
          observe: ({ cr, input, lookUp }) => {
            const pod = lookUp(Pod, { namespace: cr.metadata.namespace, name: input.pod });
            const revision = lookUp(StatefulSet, cr.metadata)?.status?.updateRevision;
            if (pod === undefined || pod.metadata.labels?.[revisionLabel] !== revision) {
              const isGoing = pod?.metadata.deletionTimestamp !== undefined;
              return isGoing ? { phase: "Running", message: `${input.pod} is going` } : { phase: "NotFound" };
            }
            return isReady(pod)
              ? { phase: "Succeeded" }
              : { phase: "Running", message: `${input.pod} starts` };
          },
          timeout: "10m",
        },
        switchOver: {
          start: ({ cr, input, signal }) => patroni.switchOver(cr.metadata.name, input.pod, signal),
          observe: async ({ cr, input, signal }) => {
            const leader = await patroni.leader(cr.metadata.name, signal);
            if (leader === input.pod) return { phase: "NotFound" };
            return leader === undefined ? { phase: "Running" } : { phase: "Succeeded" };
          },
          timeout: "5m",
        },
      },
      statusOf: ({ facts }) => ({ leader: (facts["leader"] ?? null) as string | null }),
    },
  });
}

function clusterOf({ metadata: { namespace, labels = {} } }: Pod) {
  const name = labels["app.kubernetes.io/instance"];
  return labels["app.kubernetes.io/name"] === "postgres" && name !== undefined ? [{ namespace, name }] : [];
}

function isReady({ metadata, status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return metadata.deletionTimestamp === undefined && ready?.status === "True";
}
