// The roles and bindings that every cluster has, as Kubernetes 1.36 makes them.
import { timestampOf, type ApiCore } from "../api-core.ts";
import type { Fields } from "../api-object.ts";
import { componentRoles, rolesInNamespaces } from "./component-roles.ts";
import { controllerRoles } from "./controller-roles.ts";
import { peopleRoles } from "./people-roles.ts";
import { rulesOf } from "./role-lines.ts";

const group = "rbac.authorization.k8s.io";
const bootstrap = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const controllerPrefix = "system:controller:";

/** Roles that are the sum of those that carry a label, and into which sum they go themselves. */
const sums: Readonly<Record<string, { readonly of: string; readonly into?: string }>> = {
  admin: { of: "admin" },
  edit: { of: "edit", into: "admin" },
  view: { of: "view", into: "edit" },
};
/** Roles that go into such a sum. */
const parts: Readonly<Record<string, string>> = {
  "system:aggregate-to-admin": "admin",
  "system:aggregate-to-edit": "edit",
  "system:aggregate-to-view": "view",
};

type Subject = readonly [kind: "Group" | "User" | "ServiceAccount", name: string];

const everybody: readonly Subject[] = [
  ["Group", "system:authenticated"],
  ["Group", "system:unauthenticated"],
];
const manager: Subject = ["User", "system:kube-controller-manager"];
const scheduler: Subject = ["User", "system:kube-scheduler"];

/** Who has which cluster role; that of a controller has its account. */
const clusterBindings: Readonly<Record<string, readonly Subject[]>> = {
  "cluster-admin": [["Group", "system:masters"]],
  "system:basic-user": [["Group", "system:authenticated"]],
  "system:discovery": [["Group", "system:authenticated"]],
  "system:kube-controller-manager": [manager],
  "system:kube-dns": [["ServiceAccount", "kube-dns"]],
  "system:kube-scheduler": [scheduler],
  "system:monitoring": [["Group", "system:monitoring"]],
  "system:node": [],
  "system:node-proxier": [["User", "system:kube-proxy"]],
  "system:public-info-viewer": everybody,
  "system:service-account-issuer-discovery": [["Group", "system:serviceaccounts"]],
  "system:volume-scheduler": [scheduler],
};

/** Who has which role of a namespace; a binding is called as its role, but for one. */
const bindings: Readonly<Record<string, Readonly<Record<string, readonly Subject[]>>>> = {
  "kube-public": { "system:controller:bootstrap-signer": [["ServiceAccount", "bootstrap-signer"]] },
  "kube-system": {
    "extension-apiserver-authentication-reader": [manager, scheduler],
    "system::leader-locking-kube-controller-manager": [
      manager,
      ["ServiceAccount", "kube-controller-manager"],
      ["ServiceAccount", "leader-election-controller"],
    ],
    "system::leader-locking-kube-scheduler": [scheduler, ["ServiceAccount", "kube-scheduler"]],
    "system:controller:bootstrap-signer": [["ServiceAccount", "bootstrap-signer"]],
    "system:controller:cloud-provider": [["ServiceAccount", "cloud-provider"]],
    "system:controller:token-cleaner": [["ServiceAccount", "token-cleaner"]],
  },
};
const otherNames: Readonly<Record<string, string>> = {
  "extension-apiserver-authentication-reader": "system::extension-apiserver-authentication-reader",
};

/** Creates the default roles and their bindings. */
export function createDefaultRoles(core: ApiCore): void {
  for (const [name, { of, into }] of Object.entries(sums)) {
    const clusterRoleSelectors = [{ matchLabels: labelOf(of) }];
    // Whoever adds them up fills in the rules.
    const content = { aggregationRule: { clusterRoleSelectors }, rules: null };
    put(core, "ClusterRole", { name, labels: into === undefined ? {} : labelOf(into) }, content);
  }
  for (const [name, lines] of Object.entries({ ...peopleRoles, ...componentRoles })) {
    const part = parts[name];
    const labels = part === undefined ? {} : labelOf(part);
    put(core, "ClusterRole", { name, labels }, { rules: rulesOf(lines) });
  }
  for (const [controller, lines] of Object.entries(controllerRoles)) {
    const name = `${controllerPrefix}${controller}`;
    put(core, "ClusterRole", { name }, { rules: rulesOf(lines) });
    const subjects: readonly Subject[] = [["ServiceAccount", controller]];
    put(core, "ClusterRoleBinding", { name }, bindingOf("ClusterRole", name, subjects));
  }
  for (const [name, subjects] of Object.entries(clusterBindings)) {
    put(core, "ClusterRoleBinding", { name }, bindingOf("ClusterRole", name, subjects));
  }
  for (const [namespace, roles] of Object.entries(rolesInNamespaces)) {
    for (const [name, lines] of Object.entries(roles)) {
      put(core, "Role", { name, namespace }, { rules: rulesOf(lines) });
    }
    for (const [role, subjects] of Object.entries(bindings[namespace] ?? {})) {
      const name = otherNames[role] ?? role;
      put(core, "RoleBinding", { name, namespace }, bindingOf("Role", role, subjects));
    }
  }
}

function labelOf(sum: string): Readonly<Record<string, string>> {
  return { [`${group}/aggregate-to-${sum}`]: "true" };
}

function bindingOf(kind: "ClusterRole" | "Role", name: string, subjects: readonly Subject[]): Fields {
  const listed = subjects.map(([subject, called]) =>
    subject === "ServiceAccount"
      ? { kind: subject, name: called, namespace: "kube-system" }
      : { kind: subject, apiGroup: group, name: called },
  );
  return {
    ...(listed.length === 0 ? {} : { subjects: listed }),
    roleRef: { apiGroup: group, kind, name },
  };
}

/** Creates an object, unless there is one of its name. */
function put(
  core: ApiCore,
  kind: "ClusterRole" | "ClusterRoleBinding" | "Role" | "RoleBinding",
  {
    name,
    namespace,
    labels = {},
  }: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  },
  content: Fields,
): void {
  const space = `${kind.toLowerCase()}s.${group}`;
  if (core.store.get(space, namespace, name) !== undefined) return;
  core.store.put(space, {
    kind,
    apiVersion: `${group}/v1`,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: core.newUid(),
      creationTimestamp: timestampOf(core),
      labels: { ...bootstrap, ...labels },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
    ...content,
  });
}
