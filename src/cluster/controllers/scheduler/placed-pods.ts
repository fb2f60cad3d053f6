// Which pods are on which nodes and what they ask for there, as the scheduler sees it: also those whose binding is on its way.
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import { nanoOf } from "../../../schema/cel/quantity.ts";
import { equal } from "../../../schema/json-value.ts";
import { isPodFinished, isPodTerminating } from "../../pods/pod-state.ts";
import { sumOf } from "../../quota-usage.ts";

/** A port of a node that a container takes. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** What a pod asks of its node. */
export interface PodDemand {
  readonly requests: Requests;
  readonly ports: readonly HostPort[];
}

/** A pod on a node. */
export interface PlacedPod extends PodDemand {
  readonly pod: Pod;
  readonly node: string;
}

/** Amounts in billionths, by resource. */
export type Requests = ReadonlyMap<string, bigint>;

/** Which pods are on which nodes. */
export interface Placement {
  /** Every pod that is on a node. */
  all(): Iterable<PlacedPod>;
  /** Those that say beside which pods they may not be. */
  averse(): Iterable<PlacedPod>;
  /** The pods of a node, by uid. */
  on(node: string): ReadonlyMap<string, PlacedPod>;
  /** What the pods of a node ask for. */
  requestedOn(node: string): Requests;
}

/** What the pods of one node ask for together. */
interface NodeLoad {
  readonly pods: Map<string, PlacedPod>;
  readonly requested: Map<string, bigint>;
  /** How many pods there are of each priority. */
  readonly priorities: Map<number, number>;
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** The pods of all nodes. */
export class PlacedPods implements Placement {
  readonly #placed = new Map<string, PlacedPod>();
  readonly #loads = new Map<string, NodeLoad>();
  /** Those that keep others away from where they are. */
  readonly #averse = new Map<string, PlacedPod>();

  all(): Iterable<PlacedPod> {
    return this.#placed.values();
  }

  averse(): Iterable<PlacedPod> {
    return this.#averse.values();
  }

  on(node: string): ReadonlyMap<string, PlacedPod> {
    return this.#loads.get(node)?.pods ?? none;
  }

  requestedOn(node: string): Requests {
    return this.#loads.get(node)?.requested ?? none;
  }

  /** The pods of a node that are less important than a priority. */
  below(priority: number, node: string): readonly PlacedPod[] {
    const load = this.#loads.get(node);
    // Mostly there are none, and nodes may have many pods that wait for nothing.
    if (load === undefined || ![...load.priorities.keys()].some((each) => each < priority)) return [];
    return [...load.pods.values()].filter(({ pod }) => priorityOf(pod) < priority);
  }

  /** Takes in a pod as it is now; whether it has left a node, or has changed in a way that others may wait for. */
  see(pod: Pod): boolean {
    const { nodeName = "" } = pod.spec;
    const known = this.#placed.get(pod.metadata.uid);
    if (isPodFinished(pod)) return this.forget(pod);
    // A binding that is on its way is not undone by an older state of the pod.
    if (nodeName === "") return false;
    const isSame =
      known?.node === nodeName &&
      known.pod.metadata.generation !== undefined &&
      known.pod.metadata.generation === pod.metadata.generation;
    if (known !== undefined) this.#remove(known);
    this.#add(
      isSame && known !== undefined ? { ...known, pod } : { pod, node: nodeName, ...demandOf(pod.spec) },
    );
    if (known === undefined) return true;
    return !isSame || isPodTerminating(known.pod) !== isPodTerminating(pod) || !hasSameLabels(known.pod, pod);
  }

  /** Counts a pod for a node from now on, though nobody has seen it there yet. */
  assume(pod: Pod, node: string): void {
    this.#add({ pod, node, ...demandOf(pod.spec) });
  }

  /** The pod is gone, or its binding has failed; whether it was on a node. */
  forget({ metadata }: Pod): boolean {
    const known = this.#placed.get(metadata.uid);
    if (known !== undefined) this.#remove(known);
    return known !== undefined;
  }

  #add(placed: PlacedPod): void {
    const { pod, node, requests } = placed;
    const { uid } = pod.metadata;
    this.#placed.set(uid, placed);
    if (pod.spec.affinity?.podAntiAffinity !== undefined) this.#averse.set(uid, placed);
    const load = this.#loads.get(node) ?? { pods: new Map(), requested: new Map(), priorities: new Map() };
    this.#loads.set(node, load);
    load.pods.set(uid, placed);
    count(load.priorities, priorityOf(pod), 1);
    for (const [name, amount] of requests) {
      load.requested.set(name, (load.requested.get(name) ?? 0n) + amount);
    }
  }

  #remove({ pod, node, requests }: PlacedPod): void {
    const { uid } = pod.metadata;
    this.#placed.delete(uid);
    this.#averse.delete(uid);
    const load = this.#loads.get(node);
    if (load === undefined) return;
    load.pods.delete(uid);
    count(load.priorities, priorityOf(pod), -1);
    for (const [name, amount] of requests) {
      load.requested.set(name, (load.requested.get(name) ?? 0n) - amount);
    }
  }
}

function count(counts: Map<number, number>, key: number, more: number): void {
  const sum = (counts.get(key) ?? 0) + more;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}

/** How important a pod is. */
export function priorityOf({ spec }: Pick<Pod, "spec">): number {
  return spec.priority ?? 0;
}

function hasSameLabels({ metadata: one }: Pod, { metadata: other }: Pod): boolean {
  return equal(one.labels ?? {}, other.labels ?? {});
}

/** What a pod asks of its node. */
export function demandOf(spec: Pod["spec"]): PodDemand {
  const asked = (container: Container): object => container.resources?.requests ?? {};
  const hasRequests = [...spec.containers, ...(spec.initContainers ?? [])].some(
    (container) => Object.keys(asked(container)).length > 0,
  );
  const amounts = hasRequests
    ? sumOf(spec, (container) => ({
        ...asked(container as unknown as Container),
      }))
    : {};
  const overhead = Object.entries(spec.overhead ?? {});
  const requests = new Map(Object.entries(amounts).map(([name, amount]) => [name, nanoOf(amount)]));
  for (const [name, amount] of overhead) requests.set(name, (requests.get(name) ?? 0n) + nanoOf(amount));
  const ports = spec.containers.flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort === undefined || hostPort === 0
        ? []
        : [{ ip: hostIP ?? "0.0.0.0", protocol: protocol ?? "TCP", port: hostPort }],
    ),
  );
  return { requests, ports };
}
