// How Kubernetes' own types are declared here: one file per kind, each with the shape of its instances and its
// ResourceType under the same name. The shapes hold what operators read and write; all objects travel as raw JSON, so a
// field that is missing here is missing for the type checker only.
import type { ClusterObject, NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";

/** A type that every API server knows; namespaced unless said. Usage: `builtin<Pod>("v1", "Pod", "pods")`. */
export function builtin<TObject extends NamespacedObject>(
  apiVersion: string,
  kind: string,
  plural: string,
): ResourceType<TObject>;
export function builtin<TObject extends ClusterObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: "Cluster",
): ResourceType<TObject>;
export function builtin(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: "Namespaced" | "Cluster" = "Namespaced",
): ResourceType {
  const slash = apiVersion.indexOf("/");
  return Object.freeze({
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind,
    plural,
    namespaced: scope === "Namespaced",
  });
}
