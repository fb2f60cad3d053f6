// The pods that wait on a node for others to go: what they need there is kept from those that are not more important.
import type { Pod } from "../../../kinds/builtin/core.ts";
import { demandOf, priorityOf, type PlacedPod } from "./placed-pods.ts";

/** The pods that are nominated for a node. */
export class NominatedPods {
  readonly #nominated = new Map<string, PlacedPod>();

  /** Takes in a pod as it is now; whether it has ceased to be nominated, so that others may find room. */
  see(pod: Pod): boolean {
    const { uid } = pod.metadata;
    const { nominatedNodeName: node = "" } = pod.status ?? {};
    const isPlaced = (pod.spec.nodeName ?? "") !== "";
    if (isPlaced || node === "" || pod.metadata.deletionTimestamp !== undefined) {
      return this.#nominated.delete(uid);
    }
    const before = this.#nominated.get(uid);
    this.#nominated.set(uid, { pod, node, ...demandOf(pod.spec) });
    return before !== undefined && before.node !== node;
  }

  /** The pod is gone, or is bound; whether it was nominated. */
  forget({ metadata }: Pod): boolean {
    return this.#nominated.delete(metadata.uid);
  }

  /** The others on a node that are at least as important as a pod. */
  before(pod: Pod, node: string): readonly PlacedPod[] {
    return this.#on(node, pod).filter((each) => priorityOf(each.pod) >= priorityOf(pod));
  }

  /** The others on a node that are less important than a pod. */
  below(pod: Pod, node: string): readonly PlacedPod[] {
    return this.#on(node, pod).filter((each) => priorityOf(each.pod) < priorityOf(pod));
  }

  #on(node: string, { metadata }: Pod): readonly PlacedPod[] {
    if (this.#nominated.size === 0) return [];
    return [...this.#nominated.values()].filter(
      (each) => each.node === node && each.pod.metadata.uid !== metadata.uid,
    );
  }
}
