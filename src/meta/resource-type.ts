// The API type of an object: what its paths, manifests and owner references are made of.
import type { KubeObject } from "./object.ts";

/**
 * An API type: group, version and kind for manifests, group, version and plural for paths.
 * The type parameter is the shape of its instances; it exists for the type checker only.
 */
export interface ResourceType<TObject extends KubeObject = KubeObject> {
  /** The API group; empty for the core group. */
  readonly group: string;
  /** The version in which its objects are read and written: `v1`. */
  readonly version: string;
  /** As in manifests: `Deployment`. */
  readonly kind: string;
  /** The plural used in paths, lower case. */
  readonly plural: string;
  /** False for a cluster-scoped type. */
  readonly namespaced: boolean;
  /** Only the metadata of its objects is read: made by `metadataOnly`. */
  readonly representation?: "metadata";
  /** Never set: carries the instance type. */
  readonly instance?: TObject;
}

/** `group/version`, or `version` for the core group: the `apiVersion` of a manifest. */
export function apiVersionOf(type: Pick<ResourceType, "group" | "version">): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

/** Group and version of an `apiVersion`. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `plural.group`, the name by which CRDs and error messages call a type; `plural` for the core group. */
export function resourceNameOf(type: Pick<ResourceType, "group" | "plural">): string {
  return type.group === "" ? type.plural : `${type.plural}.${type.group}`;
}

/** A string that identifies a type by group, version and plural; usable as a map key. */
export function typeKeyOf(type: Pick<ResourceType, "group" | "version" | "plural">): string {
  return `${apiVersionOf(type)}/${type.plural}`;
}
