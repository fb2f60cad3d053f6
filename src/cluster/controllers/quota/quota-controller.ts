// Counts what is used of each ResourceQuota. Creations are charged by the API server; here what is gone is given back.
import {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Service,
} from "../../../kinds/builtin/core.ts";
import { parseKey } from "../../../meta/object-key.ts";
import type { NamespacedObject } from "../../../meta/object.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import { equal } from "../../../schema/json-value.ts";
import { addAmounts, countOf, isInScope, isUsedBy, usageOf, type Amounts } from "../../quota-usage.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, type ControllerSource, fromInformer } from "../controller-loop.ts";
import { isPodFinished } from "../../pods/pod-state.ts";
import { discover } from "../../../client/resource-discovery.ts";
import { writeStatus } from "../workload-status.ts";

/** How often kinds that are not watched are counted again, in milliseconds. */
const recountAfter = 10_000;

interface WatchedKind {
  readonly type: ResourceType;
  readonly list: (namespace: string) => readonly object[];
  readonly source: ControllerSource;
}

/** The controller of quotas. RBAC: `list`, `watch` on everything that is counted; all on quotas and their status. */
export function quotaController(context: ControllerContext): ControllerDefinition {
  const { cache, client, signal } = context;
  const quotas = cache.informer<ResourceQuota>(ResourceQuota);
  /** A kind of which what is gone is given back at once. */
  const watch = <T extends NamespacedObject>(type: ResourceType<T>): WatchedKind => {
    const informer = cache.informer<T>(type);
    return {
      type,
      list: (namespace) => informer.lister.list({ namespace }),
      source: {
        // What is created is charged by the API server, and may be seen here later than its charge.
        subscribe: (add) =>
          informer.changes$.subscribe((change) => {
            const isGone = change.type === "deleted" || usesLess(type, change.object);
            if (isGone) for (const each of quotasIn(change.object)) add(each);
          }),
        whenSynced: (until) => informer.whenSynced(until),
      },
    };
  };
  const quotasIn = ({ metadata: { namespace } }: NamespacedObject): readonly string[] =>
    quotas.lister.list({ namespace }).map(({ metadata }) => `${namespace}/${metadata.name}`);

  const watched = [watch(Pod), watch(Service), watch(ConfigMap), watch(PersistentVolumeClaim)];

  /** The objects of a namespace that a quota counts, and whether some of them are of kinds that are not watched. */
  async function counted(
    namespace: string,
    names: readonly string[],
  ): Promise<{
    readonly objects: readonly (readonly [ResourceType, object])[];
    readonly isPartial: boolean;
  }> {
    const isCounted = (type: ResourceType): boolean => names.some((name) => isUsedBy(name, type));
    const objects = watched
      .filter(({ type }) => isCounted(type))
      .flatMap((kind) => kind.list(namespace).map((each) => [kind.type, each] as const));
    const known = new Set(watched.map(({ type }) => countOf(type)));
    const left = names.filter((name) => !watched.some(({ type }) => isUsedBy(name, type)));
    if (left.length === 0) return { objects, isPartial: false };
    const { preferred } = await discover(client, signal);
    const others = preferred.filter(
      ({ type, verbs }) =>
        type.namespaced && verbs.has("list") && !known.has(countOf(type)) && isCounted(type),
    );
    const lists = await Promise.all(
      others.map(async ({ type }) =>
        (await client.list(type, { namespace, signal })).items.map((each) => [type, each] as const),
      ),
    );
    return { objects: [...objects, ...lists.flat()], isPartial: true };
  }

  async function reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    const quota = quotas.lister.get(parseKey(key));
    if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return undefined;
    const hard = (quota.spec?.hard ?? {}) as Amounts;
    const names = Object.keys(hard);
    const { objects, isPartial } = await counted(quota.metadata.namespace, names);
    let used: Amounts = Object.fromEntries(names.map((name) => [name, "0"]));
    for (const [type, object] of objects) {
      if (!isInScope({ ...quota.spec }, type, object as Record<string, unknown>)) {
        continue;
      }
      const usage = Object.entries(usageOf(type, object as Record<string, unknown>));
      used = addAmounts(used, Object.fromEntries(usage.filter(([name]) => Object.hasOwn(hard, name))));
    }
    const status = { hard, used };
    if (!equal(quota.status ?? {}, status)) await writeStatus(context, ResourceQuota, quota, status);
    return isPartial ? { requeueAfter: recountAfter } : undefined;
  }

  return {
    name: "resourcequota",
    sources: [
      fromInformer(quotas, ({ metadata, spec, status }) =>
        equal(spec?.hard ?? {}, status?.hard) ? [] : [`${metadata.namespace}/${metadata.name}`],
      ),
      ...watched.map(({ source }) => source),
    ],
    reconcile,
  };
}

/** Whether an object that is there uses less than its kind does: a pod that has ended. */
function usesLess(type: ResourceType, object: object): boolean {
  return type.kind === Pod.kind && isPodFinished(object as Pod);
}
