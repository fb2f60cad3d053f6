// How controllers make pods and take them away, and what they tell of that in Events of the workload that the pods are for.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/controller_utils.go
import { isNamespaceTerminating, isNotFound, refusalOf } from "../../client/api-error.ts";
import { Pod } from "../../kinds/builtin/core.ts";
import type { KubeObject, ManifestOf } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ControllerContext } from "./controller-context.ts";
import type { EventSink } from "./controller-events.ts";

/** Pods of workloads. */
export interface PodControl {
  /** Makes a pod; rejects with what the API server says. */
  create(workload: KubeObject, manifest: ManifestOf<Pod>): Promise<Pod>;
  /** Deletes a pod, if it is still the same; rejects with what the API server says. */
  delete(workload: KubeObject, pod: Pod): Promise<void>;
}

/** Why a pod is refused, without the five letters of its name that are drawn at random: each attempt has others, and the reason is the same. */
export function refusalOfPod(error: unknown, { metadata: { name } }: ManifestOf<Pod>): string {
  return refusalOf(error).replaceAll(name, name.slice(0, -5));
}

/** Makes and deletes pods in the name of a controller, which tells of it. */
export function podControl({ client }: Pick<ControllerContext, "client">, events: EventSink): PodControl {
  return {
    async create(workload, manifest) {
      try {
        const pod = await client.create(Pod, manifest);
        const message = `Created pod: ${pod.metadata.name}`;
        events.record(workload, { type: "Normal", reason: "SuccessfulCreate", message });
        return pod;
      } catch (error) {
        if (!isNamespaceTerminating(error)) {
          const message = `Error creating: ${refusalOfPod(error, manifest)}`;
          events.record(workload, { type: "Warning", reason: "FailedCreate", message });
        }
        throw error;
      }
    },
    async delete(workload, pod) {
      try {
        await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } });
        const message = `Deleted pod: ${pod.metadata.name}`;
        events.record(workload, { type: "Normal", reason: "SuccessfulDelete", message });
      } catch (error) {
        if (!isNotFound(error)) {
          const message = `Error deleting: ${refusalOf(error)}`;
          events.record(workload, { type: "Warning", reason: "FailedDelete", message });
        }
        throw error;
      }
    },
  };
}
