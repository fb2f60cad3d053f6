// Deletes what no longer has an owner, finishes foreground deletions and lets orphans go, for objects of any type.
import type { SharedCache } from "../../../cache/informer.ts";
import { isConflict, isNotFound } from "../../../client/api-error.ts";
import { CustomResourceDefinition } from "../../../kinds/builtin/apiextensions.ts";
import type { OwnerReference } from "../../../meta/object.ts";
import type { ObjectKey } from "../../../meta/object-key.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { type Decision, decideForDeleting, decideForOwned, type OwnerState } from "./collection-decision.ts";
import { reportForeignOwner } from "./foreign-owner-event.ts";
import { foregroundFinalizer, nodeOf, orphanFinalizer, type OwnedNode, OwnerGraph } from "./owner-graph.ts";
import { stateOfOwner } from "./owner-lookup.ts";
import { createTypeMonitor } from "./type-monitor.ts";

/** The key under which the types themselves are looked at; no uid looks like it. */
const typesKey = "types";

/** Milliseconds after which an owner of a kind that is not served is asked for again. */
const unknownKindDelay = 30_000;

/** The garbage collector. RBAC: `list`, `watch`, `get`, `patch`, `delete` on everything that can be deleted. */
export function garbageCollector(
  context: ControllerContext,
  newCache: () => SharedCache,
): ControllerDefinition {
  const { cache, client, log } = context;
  const graph = new OwnerGraph();
  /** Objects with an owner of a kind that was not served when they were last looked at. */
  const unresolved = new Set<string>();
  const definitions = cache.informer<CustomResourceDefinition>(CustomResourceDefinition);
  let enqueue: (uid: string) => void = () => undefined;
  const enqueueAll = (uids: readonly string[]): void => {
    for (const uid of uids) enqueue(uid);
  };
  const monitor = createTypeMonitor(context, newCache, {
    changed: (type, object) => enqueueAll(graph.update(nodeOf(type, object))),
    gone: (_, object) => enqueueAll(graph.remove(object.metadata.uid)),
    dropped: (type) => enqueueAll(graph.removeType(type)),
  });

  async function decide(node: OwnedNode): Promise<Decision | undefined> {
    const dependents = graph.dependentsOf(node.uid);
    const deleting = decideForDeleting(node, dependents);
    if (deleting !== undefined) return deleting;
    const states: OwnerState[] = [];
    for (const owner of node.owners) {
      const state = await stateOfOwner(node, owner, {
        client,
        graph,
        find: (apiVersion, kind) => monitor.find(apiVersion, kind),
      });
      if (state === "unknown") return undefined;
      states.push(state);
      const known = graph.get(owner.uid);
      if (state === "absent" && known?.namespace !== undefined && known.namespace !== node.namespace) {
        await reportForeignOwner(context, node, owner);
      }
    }
    return decideForOwned(node, states, dependents);
  }

  async function carryOut(node: OwnedNode, decision: Decision): Promise<void> {
    const dependents = graph.dependentsOf(node.uid);
    switch (decision.action) {
      case "nothing":
        return;
      case "wait":
        return enqueueAll(dependents.map((each) => each.uid));
      case "finish":
        return removeFinalizer(node, foregroundFinalizer);
      case "orphan":
        for (const each of dependents) {
          const others = each.owners.filter((owner) => owner.uid !== node.uid);
          await ignoreGone(() => setOwners(each, others));
        }
        return removeFinalizer(node, orphanFinalizer);
      case "setOwners":
        return setOwners(node, decision.owners);
      case "delete": {
        if (decision.unblocked !== undefined) return setOwners(node, decision.unblocked);
        const { uid, resourceVersion } = node;
        // Of this very state: an owner reference that was just changed is not known here.
        const preconditions = { uid, resourceVersion };
        await client.delete(node.type, keyOfNode(node), {
          propagationPolicy: decision.policy,
          preconditions,
        });
      }
    }
  }

  async function setOwners(node: OwnedNode, owners: readonly OwnerReference[]): Promise<void> {
    await patchMetadata(node, { ownerReferences: owners.length === 0 ? null : owners });
  }

  async function removeFinalizer(node: OwnedNode, finalizer: string): Promise<void> {
    const left = node.finalizers.filter((each) => each !== finalizer);
    await patchMetadata(node, { finalizers: left.length === 0 ? null : left });
  }

  async function patchMetadata(node: OwnedNode, change: object): Promise<void> {
    const { uid, resourceVersion } = node;
    const body = { metadata: { uid, resourceVersion, ...change } };
    const written = await client.patch(node.type, keyOfNode(node), { type: "merge", body });
    // The next look at the object must not see the state before.
    if (graph.get(uid) === node) enqueueAll(graph.update(nodeOf(node.type, written)));
  }

  async function refreshTypes(): Promise<undefined> {
    await monitor.refresh();
    enqueueAll([...unresolved]);
    return undefined;
  }

  async function reconcile(uid: string): Promise<ReconcileOutcome | undefined> {
    if (uid === typesKey) return refreshTypes();
    const node = graph.get(uid);
    if (node === undefined) {
      unresolved.delete(uid);
      return undefined;
    }
    try {
      const decision = await decide(node);
      if (decision === undefined) {
        // Its kind may have come since the types were last looked at.
        if (!unresolved.has(uid)) enqueue(typesKey);
        unresolved.add(uid);
        return { requeueAfter: unknownKindDelay };
      }
      unresolved.delete(uid);
      await carryOut(node, decision);
    } catch (error) {
      // Gone, or newer than what is known: its own change brings it back.
      if (!isNotFound(error) && !isConflict(error)) throw error;
      log.debug({ uid, error: messageOf(error) }, "object changed while it was collected");
      if (isConflict(error)) return { requeueAfter: 20 };
    }
    return undefined;
  }

  return {
    name: "garbagecollector",
    sources: [
      {
        subscribe(add) {
          enqueue = add;
          const subscription = fromInformer(definitions, () => [typesKey]).subscribe(add);
          subscription.add(() => monitor.stop());
          add(typesKey);
          return subscription;
        },
        whenSynced: (signal) => definitions.whenSynced(signal),
      },
    ],
    reconcile,
    workers: 8,
  };
}

function keyOfNode({ namespace, name }: OwnedNode): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

async function ignoreGone(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
