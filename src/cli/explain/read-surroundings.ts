// What surrounds an object on the cluster: the objects it owns, of whatever kind, and the Events about it. Only metadata is
// read of the children, so that no secret leaves the cluster.
import { isForbidden } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { ObjectEvent } from "../../explain/explanation.ts";
import { childOf } from "../../kinds/builtin/child-of.ts";
import type { Child } from "../../meta/child.ts";
import type { AnyObject, KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { messageOf } from "../../ports/operator-error.ts";

/** What was found, and what could not be read. */
export interface Surroundings {
  readonly children: readonly Child[];
  readonly events: readonly ObjectEvent[];
  readonly unknown: readonly string[];
}

/** Lists at the same time. */
const concurrency = 8;

/** Types that own nothing, or too many objects to be looked through. */
const skipped = new Set(["events", "endpoints", "endpointslices.discovery.k8s.io", "events.events.k8s.io"]);

/** Event of the core group: it can be selected by the uid of what it is about. */
export const CoreEvent: ResourceType<AnyObject> = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

/**
 * Reads the surroundings of an object. What may not be read is said, and is no failure.
 *
 * **RBAC**: `list` on events, and on every type that may be a child.
 */
export async function readSurroundings(
  client: KubeClient,
  object: KubeObject,
  signal: AbortSignal,
): Promise<Surroundings> {
  const unknown: string[] = [];
  const [children, events] = await Promise.all([
    readChildren(client, object, signal, unknown),
    tryEvents(client, object, signal, unknown),
  ]);
  return { children, events, unknown };
}

interface ListedType {
  readonly path: string;
  readonly kind: string;
  readonly name: string;
}

async function readChildren(
  client: KubeClient,
  { metadata: { uid, namespace } }: KubeObject,
  signal: AbortSignal,
  unknown: string[],
): Promise<readonly Child[]> {
  const types = await listTypes(client, namespace, signal, unknown);
  const forbidden: string[] = [];
  const children: Child[] = [];
  const next = types[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const { path, kind, name } of next) {
      try {
        for (const item of await listMetadata(client, path, signal)) {
          const isOwned = item.metadata.ownerReferences?.some((reference) => reference.uid === uid);
          if (isOwned === true) children.push(childOf(kind, item, uid));
        }
      } catch (error: unknown) {
        signal.throwIfAborted();
        if (isForbidden(error)) forbidden.push(name);
        else unknown.push(`Children of type ${name}: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (forbidden.length > 0)
    unknown.push(`Children of types you may not list: ${forbidden.sort().join(", ")}.`);
  const order = (child: Child): string => `${child.kind} ${child.namespace ?? ""}/${child.name}`;
  return children.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** The types whose objects may be children: those of a namespaced object live in its namespace. */
async function listTypes(
  client: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
  unknown: string[],
): Promise<readonly ListedType[]> {
  const roots = ["/api/v1"];
  const groups = (await client.request({ method: "GET", path: "/apis", signal })) as GroupList;
  for (const { preferredVersion } of groups.groups ?? []) {
    if (preferredVersion?.groupVersion !== undefined) roots.push(`/apis/${preferredVersion.groupVersion}`);
  }
  const lists = await Promise.all(
    roots.map(async (root) => {
      try {
        return { root, ...((await client.request({ method: "GET", path: root, signal })) as TypeList) };
      } catch (error: unknown) {
        signal.throwIfAborted();
        // An aggregated API may be down unnoticed.
        unknown.push(`Children of the types in ${root}: ${messageOf(error)}`);
        return { root, resources: [] };
      }
    }),
  );
  return lists.flatMap(({ root, resources = [] }) => {
    const [, , group = ""] = root.startsWith("/apis/") ? root.split("/") : [];
    return resources.flatMap(({ name = "", kind = "", namespaced, verbs = [] }): ListedType[] => {
      const full = group === "" ? name : `${name}.${group}`;
      const isWanted = !name.includes("/") && verbs.includes("list") && !skipped.has(full);
      if (!isWanted || (namespace !== undefined && namespaced !== true)) return [];
      const path = namespace === undefined ? `${root}/${name}` : `${root}/namespaces/${namespace}/${name}`;
      return [{ path, kind, name: full }];
    });
  });
}

async function listMetadata(
  client: KubeClient,
  path: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  const items: KubeObject[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ limit: "500", ...(token === undefined ? {} : { continue: token }) });
    const page = (await client.request({
      method: "GET",
      path: `${path}?${query.toString()}`,
      accept,
      signal,
    })) as {
      readonly items?: readonly KubeObject[];
      readonly metadata?: { readonly continue?: string };
    };
    items.push(...(page.items ?? []));
    token = page.metadata?.continue === "" ? undefined : page.metadata?.continue;
  } while (token !== undefined);
  return items;
}

/**
 * The Events about an object.
 *
 * **RBAC**: `list` on events.
 */
export async function readEvents(
  client: KubeClient,
  { metadata: { uid, namespace = "default" } }: KubeObject,
  signal: AbortSignal,
): Promise<readonly ObjectEvent[]> {
  const fieldSelector = `involvedObject.uid=${uid}`;
  const { items } = await client.list(CoreEvent, { namespace, fieldSelector, limit: 500, signal });
  return items.map(toEvent);
}

async function tryEvents(
  client: KubeClient,
  object: KubeObject,
  signal: AbortSignal,
  unknown: string[],
): Promise<readonly ObjectEvent[]> {
  try {
    return await readEvents(client, object, signal);
  } catch (error: unknown) {
    signal.throwIfAborted();
    unknown.push(`The Events about it: ${messageOf(error)}`);
    return [];
  }
}

/** From a core Event, whichever of its generations of fields the reporter has filled in. */
export function toEvent(event: AnyObject): ObjectEvent {
  const text = (name: string): string | undefined => {
    const value = event[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const series = event["series"] as
    { readonly count?: number; readonly lastObservedTime?: string } | null | undefined;
  const source = event["source"] as { readonly component?: string } | undefined;
  const count = series?.count ?? event["count"];
  const lastSeen =
    series?.lastObservedTime ?? text("lastTimestamp") ?? text("eventTime") ?? text("firstTimestamp");
  const from = text("reportingComponent") ?? source?.component;
  return {
    type: text("type") ?? "Normal",
    reason: text("reason") ?? "",
    message: text("message") ?? "",
    count: typeof count === "number" ? count : 1,
    ...(lastSeen === undefined ? {} : { lastSeen }),
    ...(from === undefined ? {} : { from }),
  };
}

interface GroupList {
  readonly groups?: readonly { readonly preferredVersion?: { readonly groupVersion?: string } }[];
}

interface TypeList {
  readonly resources?: readonly {
    readonly name?: string;
    readonly kind?: string;
    readonly namespaced?: boolean;
    readonly verbs?: readonly string[];
  }[];
}
