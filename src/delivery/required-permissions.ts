// What an operator needs to be allowed, from what it declares and how it is run: the least, as rules of roles.
// Each rule stands for requests that the runtime makes; test/contract/least-privilege.test.ts holds both together.
import type { ControllerDefinition } from "../controller/declaration/define-controller.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { authorityTargetsOf, servesWebhooks } from "../controller/declaration/operator-webhooks.ts";
import { CustomResourceDefinition } from "../kinds/builtin/apiextensions.ts";
import { Secret } from "../kinds/builtin/core.ts";
import { Lease } from "../kinds/builtin/coordination.ts";
import { KubernetesEvent } from "../kinds/builtin/events.ts";
import type { ManifestOf } from "../meta/object.ts";
import { permissionVerbs, type Permission } from "../meta/permission.ts";
import { resourceNameOf, typeKeyOf, type ResourceType } from "../meta/resource-type.ts";
import { certificateSecretOf } from "../webhook/certificate-store.ts";
import type { Role } from "../kinds/builtin/rbac.ts";

/** One rule of a role. */
export type Rule = NonNullable<ManifestOf<Role>["rules"]>[number];

/** How an operator is run, as far as it decides what the operator is allowed. */
export interface AccessOptions {
  /** Namespaces served; empty: all. */
  readonly namespaces: readonly string[];
  /** Where the operator itself runs, with its Leases. */
  readonly operatorNamespace: string;
  readonly sharing: "election" | "sharding" | "none";
  readonly installCrds: boolean;
  readonly metricsSecure: boolean;
  /** Who makes the certificate of the webhooks: the operator (default), or whoever mounts it as files. */
  readonly webhookCertificate?: "own" | "mounted";
}

/** The rules, by where they hold. */
export interface RequiredPermissions {
  /** In every namespace that is served. */
  readonly served: readonly Rule[];
  /** In the operator's own namespace. */
  readonly own: readonly Rule[];
  /** Everywhere: what is in no namespace. */
  readonly cluster: readonly Rule[];
  /** In the namespace `default`, where Events about objects without a namespace go. */
  readonly eventsOfClusterScoped: readonly Rule[];
}

/** The rules that an operator needs. */
export function requiredPermissions(
  operator: OperatorDefinition,
  { sharing, installCrds, metricsSecure, webhookCertificate = "own" }: AccessOptions,
): RequiredPermissions {
  const all = operator.controllers.flatMap(permissionsOf);
  const crds = operator.controllers.map(({ kind }) => resourceNameOf(kind)).toSorted();
  const kinds = operator.controllers.map(({ kind }) => kind);
  const makesCertificate = servesWebhooks(operator) && webhookCertificate === "own";
  const events: Permission[] = [{ type: KubernetesEvent, verbs: ["create", "patch"] }];
  return {
    served: rulesOf([
      ...all.filter(({ type }) => type.namespaced),
      ...(kinds.some(({ namespaced }) => namespaced) ? events : []),
    ]),
    own: rulesOf([
      ...leasesOf(operator, sharing),
      ...(makesCertificate ? certificatePermissions(operator.name) : []),
    ]),
    cluster: [
      ...rulesOf([
        ...all.filter(({ type }) => !type.namespaced),
        ...(installCrds ? crdPermissions(crds) : []),
        ...(makesCertificate ? authorityPermissions(operator) : []),
      ]),
      ...(metricsSecure ? reviews : []),
    ],
    eventsOfClusterScoped: kinds.some(({ namespaced }) => !namespaced) ? rulesOf(events) : [],
  };
}

/** The API server decides who may read /metrics. */
const reviews: readonly Rule[] = [
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];

function crdPermissions(names: readonly string[]): readonly Permission[] {
  return [
    { type: CustomResourceDefinition, verbs: ["create"] },
    { type: CustomResourceDefinition, verbs: ["get", "patch"], names },
  ];
}

function certificatePermissions(operator: string): readonly Permission[] {
  return [
    { type: Secret, verbs: ["create"] },
    { type: Secret, verbs: ["get", "update"], names: [certificateSecretOf(operator)] },
  ];
}

/** It writes nothing of them but whom the API server trusts. */
function authorityPermissions(operator: OperatorDefinition): readonly Permission[] {
  return authorityTargetsOf(operator).map(({ type, name }) => ({
    type,
    verbs: ["get", "patch"],
    names: [name],
  }));
}

/** The Leases of an election have the operator's names; those of shards have names that nobody knows beforehand. */
function leasesOf(
  { name, formerNames = [] }: OperatorDefinition,
  sharing: AccessOptions["sharing"],
): readonly Permission[] {
  if (sharing === "none") return [];
  if (sharing === "sharding") {
    return [{ type: Lease, verbs: ["get", "list", "create", "update", "delete"] }];
  }
  return [
    { type: Lease, verbs: ["create"] },
    { type: Lease, verbs: ["get", "update"], names: [name, ...formerNames] },
  ];
}

function permissionsOf({ kind, options }: ControllerDefinition): readonly Permission[] {
  const { owns = [], reads = [], watches = [], permissions = [], application } = options;
  const named = new Set(
    permissions.filter(({ subresource }) => subresource === undefined).map(({ type }) => typeKeyOf(type)),
  );
  const tasks = Object.values(application?.tasks ?? {});
  // Finalizers and the annotation of a human event are patched.
  const isPatched = kind.finalize || kind.lifecycle !== undefined;
  return [
    { type: kind, verbs: ["get", "list", "watch", ...(isPatched ? (["patch"] as const) : [])] },
    { type: kind, subresource: "status", verbs: ["update"] },
    // For owner references that block the owner's deletion, where OwnerReferencesPermissionEnforcement is on.
    ...(owns.length === 0
      ? []
      : [{ type: kind, subresource: "finalizers", verbs: ["update"] } satisfies Permission]),
    ...owns.map((type): Permission => ({
      type,
      verbs: ["get", "list", "watch", ...(named.has(typeKeyOf(type)) ? [] : (["create", "patch"] as const))],
    })),
    ...[...reads, ...watches.map(({ type }) => type)].map((type): Permission => ({
      type,
      verbs: ["list", "watch"],
    })),
    ...permissions,
    ...tasks.flatMap((task) => task.permissions ?? []),
  ];
}

/** One rule for each group, set of verbs and names, sorted: the same declarations always give the same rules. */
function rulesOf(permissions: readonly Permission[]): readonly Rule[] {
  const verbsOf = new Map<string, { permission: Permission; verbs: Set<string> }>();
  for (const permission of permissions) {
    const key = JSON.stringify([permission.type.group, resourceOf(permission), permission.names]);
    const known = verbsOf.get(key) ?? { permission, verbs: new Set() };
    for (const verb of permission.verbs) known.verbs.add(verb);
    verbsOf.set(key, known);
  }
  const rules = new Map<string, Rule & { resources: string[] }>();
  for (const [, { permission, verbs }] of [...verbsOf].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const { type, names } = permission;
    const sorted = permissionVerbs.filter((verb) => verbs.has(verb));
    const key = JSON.stringify([type.group, sorted, names]);
    const rule = rules.get(key) ?? {
      apiGroups: [type.group],
      resources: [],
      ...(names === undefined ? {} : { resourceNames: [...names].toSorted() }),
      verbs: sorted,
    };
    rule.resources.push(resourceOf(permission));
    rules.set(key, rule);
  }
  return [...rules.values()];
}

function resourceOf({ type, subresource }: Permission): string {
  return subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
}

/** The kinds of roles that an operator owns, and may only write if it is allowed all that they allow. */
export function ownedRoleKinds({ controllers }: OperatorDefinition): readonly string[] {
  const types = controllers.flatMap(({ options: { owns = [], permissions = [] } }) => {
    const exempt = new Set(
      permissions
        .filter(({ verbs }) => verbs.includes("escalate") || verbs.includes("bind"))
        .map(({ type }) => typeKeyOf(type)),
    );
    return owns.filter((type) => isRole(type) && !exempt.has(typeKeyOf(type)));
  });
  return [...new Set(types.map(({ kind }) => kind))].toSorted();
}

function isRole({ group }: ResourceType): boolean {
  return group === "rbac.authorization.k8s.io";
}
