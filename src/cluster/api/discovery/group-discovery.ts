// What the server serves, in the two forms of discovery: one document per group and version, and all in one ("aggregated").
import { createHash } from "node:crypto";
import type { ServedType } from "../served-type.ts";
import { compareGroups } from "./group-priorities.ts";
import type { TypeRegistry } from "../type-registry.ts";

const builtinVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** `/api`. */
export function coreVersions(address: string): unknown {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** `/apis`. */
export function groupList(registry: TypeRegistry): unknown {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groupsOf(registry).map(groupEntry) };
}

/** `/apis/GROUP`; undefined when it is not served. */
export function group(registry: TypeRegistry, name: string): unknown {
  const found = groupsOf(registry).find((each) => each.name === name);
  return found === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...groupEntry(found) };
}

/** `/api/v1` or `/apis/GROUP/VERSION`; undefined when it is not served. */
export function resourceList(registry: TypeRegistry, groupName: string, version: string): unknown {
  const types = registry.ofGroupVersion(groupName, version);
  if (types.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: groupName === "" ? version : `${groupName}/${version}`,
    resources: types.flatMap(legacyResources),
  };
}

/** The aggregated document of `/api` (the core group) or of `/apis` (all others). */
export function aggregated(registry: TypeRegistry, isCore: boolean): unknown {
  const groups = isCore ? [{ name: "", versions: ["v1"] }] : groupsOf(registry);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? { creationTimestamp: null } : { name, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: [...registry.ofGroupVersion(name, version)]
          .sort((a, b) => (a.plural < b.plural ? -1 : 1))
          .map(aggregatedResource),
        freshness: "Current",
      })),
    })),
  };
}

/** The entity tag of a document. */
export function etagOf(document: unknown): string {
  return createHash("sha512").update(JSON.stringify(document)).digest("hex").toUpperCase();
}

interface Group {
  readonly name: string;
  /** Preferred first. */
  readonly versions: readonly string[];
}

function groupsOf(registry: TypeRegistry): readonly Group[] {
  const groups = new Map<string, Set<string>>();
  for (const type of registry.all()) {
    if (type.group === "") continue;
    const versions = groups.get(type.group) ?? new Set();
    groups.set(type.group, versions.add(type.version));
  }
  return [...groups]
    .map(([name, versions]) => ({ name, versions: [...versions].sort(byMaturity) }))
    .sort((one, other) => compareGroups(one.name, other.name));
}

/** v2 before v1 before v1beta2 before v1alpha1 before anything else. */
function byMaturity(a: string, b: string): number {
  const rank = (version: string): readonly number[] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (match === null) return [-1, 0, 0];
    const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
    return [stage, Number(match[1]), Number(match[3] ?? 0)];
  };
  const [left, right] = [rank(a), rank(b)];
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0;
    if (value !== other) return other - value;
  }
  return a < b ? -1 : 1;
}

function groupEntry({ name, versions }: Group): Record<string, unknown> {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function verbsOf(type: ServedType): readonly string[] {
  if (type.verbs !== undefined) return type.verbs;
  if (type.review === true) return ["create"];
  // Namespaces are deleted one by one.
  if (type.storageKey === "namespaces") return builtinVerbs.filter((verb) => verb !== "deletecollection");
  return type.custom ? customVerbs : builtinVerbs;
}

function scaleKind(): { readonly group: string; readonly version: string; readonly kind: string } {
  return { group: "autoscaling", version: "v1", kind: "Scale" };
}

function legacyResources(type: ServedType): unknown[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = type;
  const storageVersionHash = createHash("sha256").update(type.storageKey).digest("base64").slice(0, 12);
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(type),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(type.review === true ? {} : { storageVersionHash }),
  };
  const sub = (name: string, fields: Record<string, unknown>): unknown => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced,
    ...fields,
  });
  const others = (type.otherSubresources ?? []).map((each) => ({
    name: each.name,
    fields: { ...each.of, kind: each.kind, verbs: each.verbs },
  }));
  const subresources = [
    ...(type.hasStatus ? [{ name: "status", fields: { kind, verbs: subresourceVerbs } }] : []),
    ...(type.scale === undefined
      ? []
      : [{ name: "scale", fields: { ...scaleKind(), verbs: subresourceVerbs } }]),
    ...others,
  ];
  if (!type.custom) subresources.sort((a, b) => (a.name < b.name ? -1 : 1));
  return [main, ...subresources.map(({ name, fields }) => sub(name, fields))];
}

function aggregatedResource(type: ServedType): unknown {
  const { plural, group: groupName, version, kind, namespaced, singular, shortNames, categories } = type;
  // Of its own types the real server says no more than the kind.
  const own = type.custom ? { group: groupName, version } : { group: "", version: "" };
  const responseKind = { ...own, kind };
  const subresources = [
    ...(type.hasStatus ? [{ subresource: "status", responseKind, verbs: subresourceVerbs }] : []),
    ...(type.scale === undefined
      ? []
      : [{ subresource: "scale", responseKind: scaleKind(), verbs: subresourceVerbs }]),
    ...(type.otherSubresources ?? []).map((each) => ({
      subresource: each.name,
      responseKind: { ...responseKind, ...each.of, kind: each.kind },
      verbs: each.verbs,
    })),
  ];
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(type),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
