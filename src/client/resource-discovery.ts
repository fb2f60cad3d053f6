// Which types the API server has at this moment, custom ones included, and what can be done with them.
import { isNotFound } from "./api-error.ts";
import type { KubeClient } from "./kube-client.ts";
import { apiVersionOf, parseApiVersion, type ResourceType } from "../meta/resource-type.ts";
import { messageOf } from "../ports/operator-error.ts";

/** A type as discovery tells of it. */
export interface ServedResource {
  readonly type: ResourceType;
  readonly verbs: ReadonlySet<string>;
  /** Names of what is served below its objects, such as `status` and `scale`. */
  readonly subresources: ReadonlySet<string>;
}

/** What was found. */
export interface Discovery {
  /** One entry per resource, in the version that its group prefers. */
  readonly preferred: readonly ServedResource[];
  /** The type of an apiVersion and kind, in any version. */
  find(apiVersion: string, kind: string): ServedResource | undefined;
  /** Groups that could not be asked, with the reason. */
  readonly failures: readonly string[];
}

interface ResourceList {
  readonly groupVersion?: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

/** Asks the API server for everything it serves. */
export async function discover(client: KubeClient, signal: AbortSignal): Promise<Discovery> {
  const { groups = [] } = (await client.request({ method: "GET", path: "/apis", signal })) as GroupList;
  const versions = groups.flatMap((group) => group.versions.map((version) => version.groupVersion));
  const preferredOf = new Map(groups.map((group) => [group.name, group.preferredVersion?.groupVersion]));
  const failures: string[] = [];
  const lists = await Promise.all(
    ["v1", ...versions].map(async (version) => {
      const path = version === "v1" ? "/api/v1" : `/apis/${version}`;
      try {
        return resourcesIn(version, (await client.request({ method: "GET", path, signal })) as ResourceList);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(`${version}: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  const served = lists.flat();
  const byKind = new Map(served.map((each) => [`${apiVersionOf(each.type)}/${each.type.kind}`, each]));
  const chosen = new Map<string, ServedResource>();
  for (const each of served) {
    const key = `${each.type.group}/${each.type.plural}`;
    const preferred = preferredOf.get(each.type.group) ?? "v1";
    if (!chosen.has(key) || apiVersionOf(each.type) === preferred) chosen.set(key, each);
  }
  return {
    preferred: [...chosen.values()],
    find: (apiVersion, kind) => byKind.get(`${apiVersion}/${kind}`),
    failures,
  };
}

/** The type of an apiVersion and kind, if the API server has it at this moment. */
export async function findServedType(
  client: KubeClient,
  apiVersion: string,
  kind: string,
  signal: AbortSignal,
): Promise<ResourceType | undefined> {
  return (await findServed(client, apiVersion, kind, signal))?.type;
}

/** What is served as an apiVersion and kind, if the API server has it at this moment. */
export async function findServed(
  client: KubeClient,
  apiVersion: string,
  kind: string,
  signal: AbortSignal,
): Promise<ServedResource | undefined> {
  try {
    const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const list = (await client.request({ method: "GET", path, signal })) as ResourceList;
    return resourcesIn(apiVersion, list).find(({ type }) => type.kind === kind);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function resourcesIn(groupVersion: string, list: ResourceList): readonly ServedResource[] {
  const { group, version } = parseApiVersion(groupVersion);
  const resources = list.resources ?? [];
  const below = Map.groupBy(
    resources.filter(({ name }) => name.includes("/")).map(({ name }) => name.split("/")),
    ([plural]) => plural,
  );
  return resources
    .filter((resource) => !resource.name.includes("/"))
    .map(({ name, kind, namespaced, verbs }) => ({
      type: { group, version, kind, plural: name, namespaced },
      verbs: new Set(verbs),
      subresources: new Set((below.get(name) ?? []).map(([, subresource = ""]) => subresource)),
    }));
}
