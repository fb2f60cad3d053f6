// The health of an operator, as people see it: what readiness depends on, and how busy every controller is. Pure; asked for
// by what shows it, such as the dashboard.
import type { Informer } from "../cache/informer.ts";
import type { Controller } from "../controller/controller.ts";
import type { KubeObject } from "../meta/object.ts";
import { resourceNameOf } from "../meta/resource-type.ts";
import type { OperatorHealth, WatchHealth } from "../ports/operator-health.ts";
import { checkReadiness, type ReadinessFacts } from "./readiness.ts";

/** An informer as far as its health goes. */
type Watch = Pick<Informer<KubeObject>, "type" | "scope" | "health" | "unavailable"> & {
  readonly lister: Pick<Informer<KubeObject>["lister"], "size">;
};

/** What {@link healthOf} looks at. */
export interface HealthFacts extends ReadinessFacts {
  /** State of the manager's machine. */
  readonly state: string;
  readonly startedAt: number;
  readonly informers: readonly Watch[];
  readonly controllers: readonly Pick<Controller, "health">[];
}

/** How it is now. */
export function healthOf(facts: HealthFacts): OperatorHealth {
  const { stage, state, startedAt, informers, controllers, leadership } = facts;
  const checks = checkReadiness(facts);
  const problems = checks.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name}: ${problem}`],
  );
  const warnings = checks.flatMap(({ name, warning }) =>
    warning === undefined ? [] : [`${name}: ${warning}`],
  );
  const part = leadership?.problem ?? leadership?.detail;
  return {
    stage,
    state,
    ready: problems.length === 0,
    problems,
    warnings,
    ...(part === undefined ? {} : { part }),
    startedAt,
    watches: informers.map(watchHealth),
    controllers: controllers.map((controller) => controller.health()),
  };
}

function watchHealth({ type, scope, lister, health, unavailable }: Watch): WatchHealth {
  const { state, synced, lastActivity, lostSince, lastError } = health;
  return {
    resource: resourceNameOf(type),
    ...(scope.namespace === undefined ? {} : { namespace: scope.namespace }),
    state,
    synced,
    objects: lister.size,
    ...(lastActivity === undefined ? {} : { lastActivity }),
    ...(lostSince === undefined ? {} : { lostSince }),
    ...(lastError === undefined ? {} : { lastError }),
    ...(unavailable === undefined ? {} : { unavailable: `${unavailable.message}. ${unavailable.remedy}` }),
  };
}
