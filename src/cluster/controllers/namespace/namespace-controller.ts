// Empties a namespace that is being deleted, tells what is left, and lets it go when nothing is.
import { isNotFound } from "../../../client/api-error.ts";
import { Namespace } from "../../../kinds/builtin/core.ts";
import type { KubeObject } from "../../../meta/object.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { discover, type ServedResource } from "../../../client/resource-discovery.ts";
import { writeStatus } from "../workload-status.ts";
import { namespaceConditions, type RemainingContent } from "./namespace-status.ts";
import { backoffDelay } from "../../../ports/backoff.ts";

/** The finalizer in `spec.finalizers` that this controller answers for. */
const ownFinalizer = "kubernetes";

/** Milliseconds after which content that is still there is looked at again: first and at most. */
const recheck = { first: 50, longest: 2_000 };

/** The controller of namespaces. RBAC: `list`, `watch`, `update` on namespaces; `list`, `deletecollection` on everything. */
export function namespaceController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock, signal } = context;
  const namespaces = cache.informer<Namespace>(Namespace);
  const rounds = new Map<string, number>();

  /** Deletes what a namespace has of one type; what is left of it then. */
  async function empty(
    { type, verbs }: ServedResource,
    namespace: string,
  ): Promise<RemainingContent | undefined> {
    if ((await client.list(type, { namespace, limit: 1, signal })).items.length === 0) return undefined;
    if (verbs.has("deletecollection")) await deleteAll(type, namespace);
    else
      for (const { metadata } of await contentOf(type, namespace))
        await deleteOne(type, namespace, metadata.name);
    const left = await contentOf(type, namespace);
    if (left.length === 0) return undefined;
    const finalizers = new Map<string, number>();
    for (const name of left.flatMap((object) => object.metadata.finalizers ?? [])) {
      finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
    return { resource: `${type.plural}.${type.group}`, count: left.length, finalizers };
  }

  async function contentOf(type: ResourceType, namespace: string): Promise<readonly KubeObject[]> {
    return (await client.list(type, { namespace, signal })).items;
  }

  async function deleteAll(type: ResourceType, namespace: string): Promise<void> {
    const root = type.group === "" ? "/api" : `/apis/${type.group}`;
    const path = `${root}/${type.version}/namespaces/${namespace}/${type.plural}`;
    const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" };
    await client.request({ method: "DELETE", path, body, signal });
  }

  async function deleteOne(type: ResourceType, namespace: string, name: string): Promise<void> {
    try {
      await client.delete(type, { namespace, name }, { propagationPolicy: "Background", signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async function reconcile(name: string): Promise<ReconcileOutcome | undefined> {
    const namespace = namespaces.lister.get({ name });
    if (namespace?.metadata.deletionTimestamp === undefined) {
      rounds.delete(name);
      return undefined;
    }
    const finalizers = namespace.spec?.finalizers ?? [];
    if (!finalizers.includes(ownFinalizer)) return undefined;
    const { preferred, failures } = await discover(client, signal);
    const deletionFailures: string[] = [];
    const remaining: RemainingContent[] = [];
    for (const resource of preferred) {
      if (!resource.type.namespaced || !resource.verbs.has("list") || !resource.verbs.has("delete")) continue;
      try {
        const left = await empty(resource, name);
        if (left !== undefined) remaining.push(left);
      } catch (error) {
        signal.throwIfAborted();
        // The type itself may be gone since it was discovered.
        if (!isNotFound(error)) deletionFailures.push(messageOf(error));
      }
    }
    if (remaining.length === 0 && deletionFailures.length === 0 && failures.length === 0) {
      await finalize(namespace, finalizers);
      return undefined;
    }
    const found = { remaining, deletionFailures, discoveryFailures: failures };
    const conditions = namespaceConditions(namespace.status?.conditions ?? [], found, clock.now());
    const newest = namespaces.lister.get({ name }) ?? namespace;
    await writeStatus(context, Namespace, newest, { ...newest.status, phase: "Terminating", conditions });
    const round = rounds.get(name) ?? 0;
    rounds.set(name, round + 1);
    return { requeueAfter: backoffDelay(recheck, round + 1) };
  }

  async function finalize(namespace: Namespace, finalizers: readonly string[]): Promise<void> {
    const { name } = namespace.metadata;
    const { resourceVersion: _, ...metadata } = namespace.metadata;
    const spec = { ...namespace.spec, finalizers: finalizers.filter((each) => each !== ownFinalizer) };
    const body = { ...namespace, metadata, spec };
    try {
      await client.request({ method: "PUT", path: `/api/v1/namespaces/${name}/finalize`, body, signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    rounds.delete(name);
  }

  return {
    name: "namespace",
    sources: [fromInformer(namespaces, ({ metadata }) => [metadata.name])],
    reconcile,
  };
}
