// An operator as its generated roles admit it to a real API server: its kubeconfig, what it was granted, and what it used.
import { rolesOf, serviceAccountOf } from "../../src/delivery/roles.ts";
import type { AccessOptions, Rule } from "../../src/delivery/required-permissions.ts";
import type { Document } from "../../src/delivery/document.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { OperatorDefinition } from "../../src/controller/declaration/define-operator.ts";
import type { AuditedRequest } from "./control-plane-access.ts";
import type { LeasedControlPlane } from "./leased-control-plane.ts";

/** What `generate rbac` is told by default in tests: one namespace, in which the operator runs as well. */
export function accessIn(namespace: string, options: Partial<AccessOptions> = {}): AccessOptions {
  return {
    namespaces: [namespace],
    operatorNamespace: namespace,
    sharing: "none",
    installCrds: false,
    metricsSecure: false,
    ...options,
  };
}

const paths: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ServiceAccount: "/api/v1/namespaces/NAMESPACE/serviceaccounts",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings",
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
};

async function apply(client: KubeClient, document: Document): Promise<void> {
  const { name, namespace = "" } = document.metadata;
  const path = `${paths[document.kind]?.replace("NAMESPACE", namespace)}/${name}?fieldManager=admin&force=true`;
  await client.request({
    method: "PATCH",
    path,
    body: document,
    contentType: "application/apply-patch+yaml",
  });
}

/** Applies the account and its roles, as an administrator, and returns a kubeconfig of the account. */
export async function admit(
  { client, plane }: { readonly client: KubeClient; readonly plane: LeasedControlPlane },
  operator: OperatorDefinition,
  options: AccessOptions,
  change: (documents: readonly Document[]) => readonly Document[] = (documents) => documents,
): Promise<{ readonly kubeconfig: string; readonly user: string; readonly roles: readonly Document[] }> {
  const { operatorNamespace } = options;
  for (const name of new Set([operatorNamespace, ...options.namespaces])) {
    await apply(client, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const roles = change(rolesOf(operator, options));
  for (const document of [serviceAccountOf(operator, operatorNamespace), ...roles])
    await apply(client, document);
  const answer = (await client.request({
    method: "POST",
    path: `/api/v1/namespaces/${operatorNamespace}/serviceaccounts/${operator.name}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3_600 },
    },
  })) as { status: { token: string } };
  return {
    kubeconfig: plane.kubeconfigFor(`${operatorNamespace}-${operator.name}`, answer.status.token),
    user: `system:serviceaccount:${operatorNamespace}:${operator.name}`,
    roles,
  };
}

const rulesOf = ({ rules }: Document): readonly Rule[] => rules as readonly Rule[];

/** Every right that the roles grant, as `verb resource.group`; roles without a binding (of those who read metrics) are left out. */
export function grantedBy(roles: readonly Document[]): readonly string[] {
  const rights = roles
    .filter(({ kind }) => kind.endsWith("Role"))
    .flatMap((role) =>
      rulesOf(role).flatMap(({ apiGroups = [], resources = [], verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => rightOf(verb, resource, group))),
        ),
      ),
    );
  return [...new Set(rights)].toSorted();
}

/** The same roles without one right. */
export function without(roles: readonly Document[], right: string): readonly Document[] {
  return roles.map((role) =>
    role.kind.endsWith("Role")
      ? {
          ...role,
          rules: rulesOf(role).flatMap((rule) =>
            (rule.resources ?? []).flatMap((resource) => {
              const [group = ""] = rule.apiGroups ?? [];
              const verbs = rule.verbs.filter((verb) => rightOf(verb, resource, group) !== right);
              return verbs.length === 0 ? [] : [{ ...rule, resources: [resource], verbs }];
            }),
          ),
        }
      : role,
  );
}

function rightOf(verb: string, resource: string, group: string): string {
  const [plural, subresource] = resource.split("/");
  return `${verb} ${plural}${group === "" ? "" : `.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** Requests that every authenticated user may make. */
const open = /^\/(version|api|apis|openapi|healthz|livez|readyz)($|\?)/;

/** The rights that a user's requests took, those that were refused included. A patch that has created something took both. */
export function usedBy(requests: readonly AuditedRequest[], user: string): readonly string[] {
  const rights = requests
    .filter((request) => request.user === user && !open.test(request.uri))
    .flatMap(({ verb, uri, code }) => {
      const path = uri.split("?")[0] ?? "";
      const found =
        /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/([^/]+)(?:\/[^/]+(?:\/([^/]+))?)?$/.exec(
          path,
        );
      if (found === null) throw new Error(`${verb} ${uri} is no request of a resource`);
      const [, group = "", plural = "", subresource] = found;
      const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
      return [verb, ...(verb === "patch" && code === 201 ? ["create"] : [])].map((each) =>
        rightOf(each, resource, group),
      );
    });
  return [...new Set(rights)].toSorted();
}

/** What a user was refused, as `verb uri`. */
export function refusedTo(requests: readonly AuditedRequest[], user: string): readonly string[] {
  return requests
    .filter((request) => request.user === user && request.code === 403)
    .map(({ verb, uri }) => `${verb} ${uri.split("?")[0]}`);
}
