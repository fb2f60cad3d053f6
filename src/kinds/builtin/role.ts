// Role and ClusterRole: what may be done.
import type { ClusterObject, NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LabelSelector } from "./label-selector.ts";

/** Verbs on resources, or on paths of the server. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A Role (rbac.authorization.k8s.io v1): rules in one namespace. */
export interface Role extends NamespacedObject {
  readonly rules?: readonly PolicyRule[];
}

/** A ClusterRole (rbac.authorization.k8s.io v1): rules for everywhere. */
export interface ClusterRole extends ClusterObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

/** The type of {@link Role}. */
export const Role: ResourceType<Role> = builtin<Role>("rbac.authorization.k8s.io/v1", "Role", "roles");

/** The type of {@link ClusterRole}. */
export const ClusterRole: ResourceType<ClusterRole> = builtin<ClusterRole>(
  "rbac.authorization.k8s.io/v1",
  "ClusterRole",
  "clusterroles",
  "Cluster",
);
