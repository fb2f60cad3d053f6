// RoleBinding and ClusterRoleBinding: who may do it.
import type { ClusterObject, NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";

/** A user, group or service account. */
export interface Subject {
  readonly kind: "User" | "Group" | "ServiceAccount";
  readonly name: string;
  /** For a service account. */
  readonly namespace?: string;
  readonly apiGroup?: string;
}

/** The role given; immutable. */
export interface RoleReference {
  readonly apiGroup: string;
  readonly kind: "Role" | "ClusterRole";
  readonly name: string;
}

/** A RoleBinding (rbac.authorization.k8s.io v1). */
export interface RoleBinding extends NamespacedObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleReference;
}

/** A ClusterRoleBinding (rbac.authorization.k8s.io v1). */
export interface ClusterRoleBinding extends ClusterObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleReference;
}

/** The type of {@link RoleBinding}. */
export const RoleBinding: ResourceType<RoleBinding> = builtin<RoleBinding>(
  "rbac.authorization.k8s.io/v1",
  "RoleBinding",
  "rolebindings",
);

/** The type of {@link ClusterRoleBinding}. */
export const ClusterRoleBinding: ResourceType<ClusterRoleBinding> = builtin<ClusterRoleBinding>(
  "rbac.authorization.k8s.io/v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
  "Cluster",
);
