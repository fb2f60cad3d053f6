// What is served, in the two forms of discovery: one document per group and version, and all in one ("aggregated"). Groups that other
// servers serve are named among the others.
import { createHash } from "node:crypto";
import type { ServedType } from "../served-type.ts";
import type { TypeRegistry } from "../type-registry.ts";
import { listExtensions } from "./api-services.ts";
import type { ExtensionDocuments } from "./extension-documents.ts";
import {
  declaredVersions,
  inListedOrder,
  inRankedOrder,
  localVersions,
  type RankedGroup,
  type RankedVersion,
  type RankingSource,
} from "./ranked-versions.ts";

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
export function groupList(source: RankingSource): unknown {
  const groups = inListedOrder(declaredVersions(source)).map(groupEntry);
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** `/apis/GROUP`; undefined when it is not served. */
export function group(source: RankingSource, name: string): unknown {
  const [found] = inListedOrder(declaredVersions(source).filter((each) => each.group === name));
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

/** What the aggregated document is made of. */
export interface AggregatedSource extends RankingSource {
  readonly extensions: ExtensionDocuments;
}

/** The aggregated document of `/api` (the core group) or of `/apis` (all others). */
export function aggregated(source: AggregatedSource, isCore: boolean): unknown {
  const items = isCore
    ? [coreGroup(source.registry)]
    : inRankedOrder(documentedVersions(source)).map(groupDocument);
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

interface DocumentedVersion extends RankedVersion {
  readonly document: object;
}

function coreGroup(registry: TypeRegistry): object {
  return { metadata: { creationTimestamp: null }, versions: [versionDocument(registry, "", "v1")] };
}

function groupDocument({ name, versions }: RankedGroup<DocumentedVersion>): object {
  return { metadata: { name, creationTimestamp: null }, versions: versions.map(({ document }) => document) };
}

/** Of what this server and another one serve, the other one's counts. */
function documentedVersions({ registry, store, extensions }: AggregatedSource): readonly DocumentedVersion[] {
  const others = listExtensions(store).map((service): DocumentedVersion => {
    const { resources = [], isCurrent = false } = extensions.resources.get(service.name) ?? {};
    const found = resources.length === 0 ? {} : { resources };
    const freshness = isCurrent ? "Current" : "Stale";
    return { ...service, document: { version: service.version, ...found, freshness } };
  });
  const names = new Set(others.map(({ group: name, version }) => `${name}/${version}`));
  const own = localVersions(registry)
    .filter(({ group: name, version }) => !names.has(`${name}/${version}`))
    .map((each) => ({ ...each, document: versionDocument(registry, each.group, each.version) }));
  return [...own, ...others];
}

function versionDocument(registry: TypeRegistry, groupName: string, version: string): object {
  return {
    version,
    resources: [...registry.ofGroupVersion(groupName, version)]
      .sort((a, b) => (a.plural < b.plural ? -1 : 1))
      .map(aggregatedResource),
    freshness: "Current",
  };
}

/** The entity tag of a document. */
export function etagOf(document: unknown): string {
  return createHash("sha512").update(JSON.stringify(document)).digest("hex").toUpperCase();
}

function groupEntry({ name, versions }: RankedGroup<RankedVersion>): Record<string, unknown> {
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** What can be done with a type. */
export function verbsOf(type: ServedType): readonly string[] {
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
