// The pods of all nodes as they would be if some of one node were not there, or others were. Pure.
import type { PlacedPod, Placement, Requests } from "./placed-pods.ts";

/** A placement with other pods on one node. */
export class AlteredPods implements Placement {
  readonly #base: Placement;
  readonly #node: string;
  readonly #removed = new Set<string>();
  readonly #added = new Map<string, PlacedPod>();

  constructor(base: Placement, node: string) {
    this.#base = base;
    this.#node = node;
  }

  /** The pod is not on the node. */
  remove({ pod }: PlacedPod): this {
    const { uid } = pod.metadata;
    if (!this.#added.delete(uid)) this.#removed.add(uid);
    return this;
  }

  /** The pod is on the node, too. */
  add(placed: PlacedPod): this {
    const { uid } = placed.pod.metadata;
    if (!this.#removed.delete(uid)) this.#added.set(uid, placed);
    return this;
  }

  *all(): Iterable<PlacedPod> {
    yield* this.#without(this.#base.all());
    yield* this.#added.values();
  }

  *averse(): Iterable<PlacedPod> {
    yield* this.#without(this.#base.averse());
    for (const each of this.#added.values()) {
      if (each.pod.spec.affinity?.podAntiAffinity !== undefined) yield each;
    }
  }

  on(node: string): ReadonlyMap<string, PlacedPod> {
    const pods = this.#base.on(node);
    if (node !== this.#node) return pods;
    const left = [...pods].filter(([uid]) => !this.#removed.has(uid));
    return new Map([...left, ...this.#added]);
  }

  requestedOn(node: string): Requests {
    const requested = this.#base.requestedOn(node);
    if (node !== this.#node) return requested;
    const sum = new Map(requested);
    const change = ({ requests }: PlacedPod, sign: bigint): void => {
      for (const [name, amount] of requests) sum.set(name, (sum.get(name) ?? 0n) + sign * amount);
    };
    const pods = this.#base.on(node);
    for (const uid of this.#removed) {
      const removed = pods.get(uid);
      if (removed !== undefined) change(removed, -1n);
    }
    for (const each of this.#added.values()) change(each, 1n);
    return sum;
  }

  *#without(pods: Iterable<PlacedPod>): Iterable<PlacedPod> {
    for (const each of pods) if (!this.#removed.has(each.pod.metadata.uid)) yield each;
  }
}
