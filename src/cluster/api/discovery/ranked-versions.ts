// Which groups and versions there are and in which order they are named: by the priorities of their APIServices, whoever serves them.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper/helpers.go
import { comparePriority } from "../../../kinds/versions/version-priority.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { TypeRegistry } from "../type-registry.ts";
import { listApiServices } from "./api-services.ts";
import { groupPriority, versionPriority } from "./group-priorities.ts";

/** A group and version, and how it ranks. */
export interface RankedVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

/** A group with its versions, preferred ones first. */
export interface RankedGroup<T extends RankedVersion> {
  readonly name: string;
  readonly versions: readonly T[];
}

/** Where it is looked up what is served. */
export interface RankingSource {
  readonly registry: TypeRegistry;
  readonly store: Pick<ObjectStore, "get" | "list">;
}

/** Named first: it has no APIService, as it is theirs. */
const registration = { name: "apiregistration.k8s.io", priority: 20_001 };
/** Of what CRDs define. */
const custom = { group: 1_000, version: 100 };

/** What this server serves, without the core group. */
export function localVersions(registry: TypeRegistry): readonly RankedVersion[] {
  const found = new Map<string, RankedVersion>();
  for (const { group, version } of registry.all()) {
    const key = `${group}/${version}`;
    if (group === "" || found.has(key)) continue;
    const own = group === registration.name ? registration.priority : groupPriority(group);
    found.set(key, {
      group,
      version,
      groupPriority: own ?? custom.group,
      versionPriority: own === undefined ? custom.version : versionPriority(group, version),
    });
  }
  return [...found.values()];
}

/**
 * What has an APIService, whether its server can be reached or not, and what is served here and has none: where nobody makes them for
 * what CRDs define, and until they are made. One of Kubernetes' own groups without its APIService is not named.
 */
export function declaredVersions({ registry, store }: RankingSource): readonly RankedVersion[] {
  const declared = listApiServices(store).filter(({ group }) => group !== "");
  const names = new Set(declared.map(({ name }) => name));
  const others = localVersions(registry).filter(
    ({ group, version }) => !names.has(nameOf({ group, version })) && groupPriority(group) === undefined,
  );
  return [...declared, ...others];
}

/** The groups in the order in which the list of groups names them: by the name of the APIService among equals. */
export function inListedOrder<T extends RankedVersion>(versions: readonly T[]): readonly RankedGroup<T>[] {
  const sorted = versions.toSorted(
    (one, other) => other.groupPriority - one.groupPriority || (nameOf(one) < nameOf(other) ? -1 : 1),
  );
  return grouped(sorted);
}

/** The groups in the order of aggregated discovery: by the highest priority of a version, and by name among equals. */
export function inRankedOrder<T extends RankedVersion>(versions: readonly T[]): readonly RankedGroup<T>[] {
  const ranked = grouped(versions).map((group) => ({
    group,
    priority: Math.max(...group.versions.map(({ groupPriority: each }) => each)),
  }));
  return ranked
    .toSorted((one, other) => other.priority - one.priority || (one.group.name < other.group.name ? -1 : 1))
    .map(({ group }) => group);
}

function nameOf({ group, version }: Pick<RankedVersion, "group" | "version">): string {
  return `${version}.${group}`;
}

function grouped<T extends RankedVersion>(versions: readonly T[]): readonly RankedGroup<T>[] {
  return [...Map.groupBy(versions, ({ group }) => group)].map(([name, each]) => ({
    name,
    versions: each.toSorted(
      (one, other) =>
        other.versionPriority - one.versionPriority || comparePriority(one.version, other.version),
    ),
  }));
}
