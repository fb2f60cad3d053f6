// What an API server behind an APIService needs of the cluster that it stands behind: to ask it who somebody is and what they may do.
import { home } from "../support/side-by-side.ts";

/** Manifests that let the operator's account run a server on k8s.io/apiserver; their names begin with `name`. */
export function extensionServerAccount(name: string): string {
  return `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${name}-auth-delegator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:auth-delegator }
subjects: [{ kind: ServiceAccount, name: operator, namespace: ${home} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: ${name}-auth-reader, namespace: kube-system }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader }
subjects: [{ kind: ServiceAccount, name: operator, namespace: ${home} }]
---`;
}

/** The flags by which such a server is told of that account, and those of its own for the same. */
export function accountFlags(kubeconfig: string, ...own: readonly string[]): readonly string[] {
  return ["authentication-kubeconfig", "authorization-kubeconfig", ...own].map(
    (flag) => `--${flag}=${kubeconfig}`,
  );
}
