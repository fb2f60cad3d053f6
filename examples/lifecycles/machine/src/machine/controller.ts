// The controller of machines: a task makes the instance under its idempotency key, polling finds out when it has vanished.
import { defineController, type InstanceOf } from "xstate-operator";
import { Node, Pod, Secret } from "xstate-operator/kinds";
import type { Cloud, Instance } from "./cloud.ts";
import { Machine } from "./machine.ts";

/** The controller of machines of this cloud. */
export function machineController(cloud: Cloud) {
  return defineController(Machine, {
    reads: [Node, Pod, Secret],
    application: {
      poll: "20s",
      observe: async ({ cr, lookUp, signal }) => {
        const { namespace } = cr.metadata;
        const id = instanceOf(cr);
        if (id === null) {
          const isThere = lookUp(Secret, { namespace, name: cr.spec.bootstrap }) !== undefined;
          return { state: isThere ? "BootstrapReady" : "BootstrapPending" };
        }
        const instance = await cloud.instance(id, signal);
        return { state: stateOf(instance, lookUp(Node, { name: cr.metadata.name }), cr) };
      },
      tasks: {
        makeInstance: {
          start: ({ key, cr, signal }) => cloud.make(key, cr.spec.flavor, signal),
          observe: async ({ key, signal }) => {
            const instance = await cloud.find(key, signal);
            if (instance === undefined) return { phase: "NotFound" };
            return instance.state === "Creating"
              ? { phase: "Running", message: "the cloud is making it" }
              : { phase: "Succeeded", output: instance.id };
          },
          timeout: "30m",
        },
        drain: {
          start: async ({ cr, client }) => {
            const body = { spec: { unschedulable: true } };
            await client.patch(Node, { name: cr.metadata.name }, { type: "merge", body });
          },
          observe: async ({ cr, lookUp, list, client }) => {
            const node = lookUp(Node, { name: cr.metadata.name });
            // Not begun, however few pods there are: without this a crash before the start would skip it.
            if (node !== undefined && node.spec?.unschedulable !== true) return { phase: "NotFound" };
            const pods = list(Pod, { namespace: "" }).filter(
              ({ spec }) => spec?.nodeName === cr.metadata.name,
            );
            if (pods.length === 0) return { phase: "Succeeded" };
            for (const { metadata } of pods) await client.delete(Pod, metadata);
            return { phase: "Running", message: `pods left: ${pods.length}` };
          },
        },
        deleteInstance: {
          start: ({ cr, signal }) => cloud.delete(instanceOf(cr) ?? "", signal),
          observe: async ({ cr, signal }) => {
            const instance = await cloud.instance(instanceOf(cr) ?? "", signal);
            if (instance === undefined) return { phase: "Succeeded" };
            return instance.state === "Deleting" ? { phase: "Running" } : { phase: "NotFound" };
          },
        },
      },
      statusOf: ({ context }) => ({ instance: (context["instance"] ?? null) as string | null }),
    },
  });
}

type Machine = InstanceOf<typeof Machine>;

/** The id of the machine's instance, once it was made. */
function instanceOf({ status }: Machine): string | null {
  return status?.instance ?? null;
}

function stateOf(instance: Instance | undefined, node: Node | undefined, { metadata }: Machine) {
  if (instance === undefined) return "InstanceGone";
  if (metadata.deletionTimestamp !== undefined) {
    return instance.volumes > 0 ? "VolumesAttached" : "VolumesDetached";
  }
  const isReady = node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  return isReady === true ? "Running" : "NodeMissing";
}
