// Who owns whom: every object of the cluster by uid, and its dependents. Fed with every change; asked by the collector.
import type { KubeObject, OwnerReference } from "../../../meta/object.ts";
import { type ResourceType, typeKeyOf } from "../../../meta/resource-type.ts";
import { equal } from "../../../schema/json-value.ts";

/** One object as the collector sees it. */
export interface OwnedNode {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  /** Whether deletion was asked for. */
  readonly deleting: boolean;
}

/** The finalizer that holds an owner until its dependents are gone. */
export const foregroundFinalizer = "foregroundDeletion";

/** The finalizer that holds an owner until its dependents are let go. */
export const orphanFinalizer = "orphan";

/** The node of an object. */
export function nodeOf(type: ResourceType, { metadata }: KubeObject): OwnedNode {
  return {
    type,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

/** Whether the object waits for its dependents to be deleted. */
export function isDeletingDependents(node: OwnedNode): boolean {
  return node.deleting && node.finalizers.includes(foregroundFinalizer);
}

/** Whether the same is to be decided of two states of an object. */
function isAlike(before: OwnedNode, after: OwnedNode): boolean {
  return (
    before.deleting === after.deleting &&
    equal(before.owners, after.owners) &&
    equal(before.finalizers, after.finalizers)
  );
}

/** The graph of ownership. */
export class OwnerGraph {
  #nodes = new Map<string, OwnedNode>();
  #dependents = new Map<string, Set<string>>();

  get(uid: string): OwnedNode | undefined {
    return this.#nodes.get(uid);
  }

  /** The objects that name this uid as an owner. */
  dependentsOf(uid: string): readonly OwnedNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((each) => this.#nodes.get(each) ?? []);
  }

  /** Takes in the newest state of an object; the uids that must be looked at because of it. */
  update(node: OwnedNode): readonly string[] {
    const before = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    // Most changes are of a spec or a status, of which nothing follows here.
    if (before !== undefined && isAlike(before, node)) return [];
    const owners = new Set(node.owners.map((owner) => owner.uid));
    const lost = (before?.owners ?? []).filter((owner) => !owners.has(owner.uid));
    for (const { uid } of lost) this.#dependents.get(uid)?.delete(node.uid);
    for (const uid of owners) {
      const dependents = this.#dependents.get(uid) ?? new Set();
      this.#dependents.set(uid, dependents.add(node.uid));
    }
    const concerned = lost.map((owner) => owner.uid);
    // An owner that waits may be free when a reference no longer blocks it.
    if (before !== undefined) concerned.push(...this.#waiting(node.owners));
    if (node.owners.length > 0 || node.deleting) concerned.push(node.uid);
    return concerned;
  }

  /** Forgets an object that is gone; the uids that must be looked at because of it. */
  remove(uid: string): readonly string[] {
    const node = this.#nodes.get(uid);
    this.#nodes.delete(uid);
    for (const owner of node?.owners ?? []) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
    return [...(this.#dependents.get(uid) ?? []), ...this.#waiting(node?.owners ?? [])];
  }

  /** Forgets every object of a type that is no longer served. */
  removeType(type: ResourceType): readonly string[] {
    const key = typeKeyOf(type);
    const gone = [...this.#nodes.values()].filter((node) => typeKeyOf(node.type) === key);
    return gone.flatMap((node) => this.remove(node.uid));
  }

  #waiting(owners: readonly OwnerReference[]): readonly string[] {
    return owners
      .map((owner) => owner.uid)
      .filter((uid) => {
        const node = this.#nodes.get(uid);
        return node !== undefined && isDeletingDependents(node);
      });
  }
}
