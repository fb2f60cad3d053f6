// The service account of an operator with its roles and their bindings.
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { requiredPermissions, type AccessOptions, type Rule } from "./required-permissions.ts";
import { labelsOf, type Document } from "./document.ts";

const group = "rbac.authorization.k8s.io";

/** Name of the ClusterRole whose holders may read /metrics where that is secured. */
export function metricsReaderOf(operator: string): string {
  return `${operator}-metrics-reader`;
}

/** The service account that the operator runs as. */
export function serviceAccountOf({ name }: OperatorDefinition, namespace: string): Document {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels: labelsOf(name) } };
}

/** The roles and bindings, in the order in which they can be applied. */
export function rolesOf(operator: OperatorDefinition, options: AccessOptions): readonly Document[] {
  const { namespaces, operatorNamespace, metricsSecure } = options;
  const { served, own, cluster, eventsOfClusterScoped } = requiredPermissions(operator, options);
  const { name } = operator;
  const bound = (role: Bound): readonly Document[] => boundRole(role, { name, operatorNamespace });
  const everywhere = namespaces.length === 0 ? [...served, ...cluster] : cluster;
  // A ClusterRole that holds everywhere has the rules for `default` as well, if it has those for Events at all.
  const eventsLack = !(
    namespaces.length === 0 && served.some(({ resources }) => resources?.includes("events"))
  );
  return [
    ...bound({ name, rules: everywhere }),
    ...(namespaces.length === 0
      ? []
      : namespaces.flatMap((namespace) => bound({ name, namespace, rules: served }))),
    ...bound({ name: `${name}-leases`, namespace: operatorNamespace, rules: own }),
    ...(eventsLack
      ? bound({ name: `${name}-events`, namespace: "default", rules: eventsOfClusterScoped })
      : []),
    ...(metricsSecure ? [metricsReader(name)] : []),
  ];
}

interface Bound {
  readonly name: string;
  /** Absent: a ClusterRole. */
  readonly namespace?: string;
  readonly rules: readonly Rule[];
}

function boundRole(
  { name, namespace, rules }: Bound,
  account: { readonly name: string; readonly operatorNamespace: string },
): readonly Document[] {
  if (rules.length === 0) return [];
  const labels = labelsOf(account.name);
  const metadata = namespace === undefined ? { name, labels } : { name, namespace, labels };
  const prefix = namespace === undefined ? "Cluster" : "";
  return [
    { apiVersion: `${group}/v1`, kind: `${prefix}Role`, metadata, rules },
    {
      apiVersion: `${group}/v1`,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup: group, kind: `${prefix}Role`, name },
      subjects: [{ kind: "ServiceAccount", name: account.name, namespace: account.operatorNamespace }],
    },
  ];
}

/** Bound to nobody: who reads metrics is decided by those who operate the cluster. */
function metricsReader(operator: string): Document {
  return {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: { name: metricsReaderOf(operator), labels: labelsOf(operator) },
    rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  };
}
