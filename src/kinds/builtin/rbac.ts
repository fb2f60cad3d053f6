// Kinds of rbac.authorization.k8s.io/v1: who may do what.
import type { V1ClusterRole } from "@kubernetes/client-node/dist/gen/models/V1ClusterRole.js";
import type { V1ClusterRoleBinding } from "@kubernetes/client-node/dist/gen/models/V1ClusterRoleBinding.js";
import type { V1Role } from "@kubernetes/client-node/dist/gen/models/V1Role.js";
import type { V1RoleBinding } from "@kubernetes/client-node/dist/gen/models/V1RoleBinding.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ClusterScopedOf, NamespacedOf } from "./json-of.ts";

/** A ClusterRole (rbac.authorization.k8s.io v1): rules for all namespaces and for cluster-scoped kinds. */
export interface ClusterRole extends ClusterScopedOf<V1ClusterRole> {}
/** The type of {@link ClusterRole}. */
export const ClusterRole: ResourceType<ClusterRole> = builtin(
  "rbac.authorization.k8s.io/v1",
  "ClusterRole",
  "clusterroles",
  "Cluster",
);

/** A ClusterRoleBinding (rbac.authorization.k8s.io v1): who has a cluster role everywhere. */
export interface ClusterRoleBinding extends ClusterScopedOf<V1ClusterRoleBinding> {}
/** The type of {@link ClusterRoleBinding}. */
export const ClusterRoleBinding: ResourceType<ClusterRoleBinding> = builtin(
  "rbac.authorization.k8s.io/v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
  "Cluster",
);

/** A Role (rbac.authorization.k8s.io v1): rules in one namespace. */
export interface Role extends NamespacedOf<V1Role> {}
/** The type of {@link Role}. */
export const Role: ResourceType<Role> = builtin("rbac.authorization.k8s.io/v1", "Role", "roles");

/** A RoleBinding (rbac.authorization.k8s.io v1): who has a role in one namespace. */
export interface RoleBinding extends NamespacedOf<V1RoleBinding> {}
/** The type of {@link RoleBinding}. */
export const RoleBinding: ResourceType<RoleBinding> = builtin(
  "rbac.authorization.k8s.io/v1",
  "RoleBinding",
  "rolebindings",
);
