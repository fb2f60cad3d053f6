// Fills the rules of each aggregated ClusterRole from the roles that it selects, also over what was written there by hand.
import { ClusterRole } from "../../../kinds/builtin/rbac.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import { equal } from "../../../schema/json-value.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

const fieldManager = "clusterrole-aggregation-controller";

type PolicyRule = NonNullable<ClusterRole["rules"]>[number];

/** The controller of aggregated roles. RBAC: `list`, `watch`, `patch`, `escalate` on cluster roles. */
export function roleAggregationController({ cache, client }: ControllerContext): ControllerDefinition {
  const roles = cache.informer<ClusterRole>(ClusterRole);

  /** The rules of what a role selects: by selector, then by name, each once. */
  function gathered(role: ClusterRole): readonly PolicyRule[] {
    const others = roles.lister
      .list()
      .filter(({ metadata }) => metadata.name !== role.metadata.name)
      .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
    const rules: PolicyRule[] = [];
    for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
      for (const other of others) {
        if (!isSelectedBy(selector, other.metadata.labels ?? {})) continue;
        for (const rule of other.rules ?? [])
          if (!rules.some((known) => equal(known, rule))) rules.push(rule);
      }
    }
    return rules;
  }

  async function reconcile(name: string): Promise<undefined> {
    const role = roles.lister.get({ name });
    if (role?.aggregationRule === undefined) return undefined;
    const rules = gathered(role);
    if (equal(rules, role.rules ?? [])) return undefined;
    const { apiVersion, kind } = role;
    // Without any rules nothing is applied: what was written by hand stays, as in Kubernetes.
    const manifest = { apiVersion, kind, metadata: { name }, ...(rules.length === 0 ? {} : { rules }) };
    await client.apply(ClusterRole, manifest, { fieldManager, force: true });
    return undefined;
  }

  return {
    name: "clusterrole-aggregation",
    sources: [
      // Any role may be a part of any aggregated one.
      fromInformer(roles, () =>
        roles.lister
          .list()
          .filter(({ aggregationRule }) => aggregationRule !== undefined)
          .map(({ metadata }) => metadata.name),
      ),
    ],
    reconcile,
    // One after the other: they are parts of each other.
    workers: 1,
  };
}
