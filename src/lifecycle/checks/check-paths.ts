// Checks of where a machine's edges lead: states nothing enters, states from which nothing is reached, targets in vain.
import { enter, formatLeaves, isWithin, lineageOf, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge, GraphNode } from "../../statechart/graph.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { pathToDefault } from "../graph/desired-states.ts";
import { planPath } from "../graph/planner.ts";
import type { Problem } from "../../ports/problem.ts";
import { relianceOf } from "../graph/reliance.ts";
import { targetsFrom, type LeadsTo } from "../graph/targets-from.ts";

/** The problems of a machine's paths. */
export function checkPaths(lifecycle: Lifecycle): readonly Problem[] {
  const reachable = reachableNodes(lifecycle);
  return [
    ...checkReachable(lifecycle, reachable),
    ...checkDeadEnds(lifecycle, reachable),
    ...checkDefault(lifecycle),
    ...checkDesiredStates(lifecycle),
  ];
}

/** Paths entered by some edge that counts, out of states that are entered themselves; guards count as open. */
function reachableNodes(
  { index, initial }: Lifecycle,
  counts: (edge: GraphEdge) => boolean = () => true,
): ReadonlySet<string> {
  const reached = new Set(enter(index, [initial]).flatMap(lineageOf));
  const frontier = ["", ...reached];
  for (let source = frontier.shift(); source !== undefined; source = frontier.shift()) {
    for (const target of (index.edges.get(source) ?? []).filter(counts).flatMap((edge) => edge.targets)) {
      const history = index.nodes.get(target)?.type === "history" ? [target] : [];
      const entered = [...history, ...enter(index, [target]).flatMap(lineageOf)];
      // Entering a target from outside also enters what is beside it in a parallel state.
      for (const path of entered.filter((path) => !reached.has(path))) {
        reached.add(path);
        frontier.push(path);
      }
    }
  }
  return reached;
}

function checkReachable({ index, roles }: Lifecycle, reachable: ReadonlySet<string>): Problem[] {
  const lost = (node: GraphNode): boolean => !reachable.has(node.path) && !roles.intervention.has(node.path);
  return index.graph.nodes
    .filter((node) => lost(node) && node.type !== "history")
    .filter(({ parent }) => parent === undefined || reachable.has(parent))
    .map(({ path }) => ({
      code: "STATE_UNREACHABLE",
      severity: "error",
      state: path,
      message: `no path leads from ${index.graph.initial} to ${path}`,
      remedy: `Add an edge to ${path}, or remove the state.`,
    }));
}

function checkDeadEnds(lifecycle: Lifecycle, reachable: ReadonlySet<string>): Problem[] {
  const { index, roles } = lifecycle;
  const leaves = lifecycle.states.filter((path) => (index.children.get(path) ?? []).length === 0);
  const isGood = (at: readonly string[]): boolean =>
    at.every((leaf) => !roles.intervention.has(leaf) && !roles.transient.has(leaf));
  // What a path has passed leads on to where the path has ended.
  const leadingOn = new Set<string>();
  const isLost = (path: string): boolean => {
    const isDone = (at: Leaves): boolean => isGood(at) || leadingOn.has(formatLeaves(at));
    const hops = planPath(lifecycle, enter(index, [path]), isDone, { withUnexpected: true });
    for (const { to } of hops ?? []) leadingOn.add(formatLeaves(to));
    return hops === undefined;
  };
  return leaves
    .filter((path) => !roles.intervention.has(path) && reachable.has(path))
    .filter(isLost)
    .map((path) => ({
      code: "STATE_DEAD_END",
      severity: "error",
      state: path,
      message: `${path} leads neither to an end nor to a stable state`,
      remedy: "Add an edge that leads out of it.",
    }));
}

/** Where nobody desires a state, nobody may be there to lead on either. */
function checkDefault(lifecycle: Lifecycle): Problem[] {
  const { defaultDesiredState: target, initial } = lifecycle;
  const path = pathToDefault(lifecycle, target);
  const needed = path?.find(({ edge }) => relianceOf(lifecycle, edge) === "person");
  if (path !== undefined && needed === undefined) return [];
  const remedy = `Add a path from ${initial}, or name another state as defaultDesiredState, which counts while nobody desires one.`;
  if (needed === undefined) {
    const message = `${target} is the default target, and no path leads there from ${initial}`;
    return [{ code: "DEFAULT_UNREACHABLE", severity: "warning", state: target, message, remedy }];
  }
  const { source, event } = needed.edge;
  const message = `${target} is the default target, and is reached from ${initial} only when somebody helps: in ${source} by ${event}`;
  return [{ code: "DEFAULT_NEEDS_PERSON", severity: "warning", state: target, message, remedy }];
}

/**
 * A target is judged by the path that the operator would take: from where a life begins, and after that from wherever a person
 * has led. The API server and `validateChange` refuse it where no such way is.
 */
function checkDesiredStates(lifecycle: Lifecycle): Problem[] {
  const { index, states, initial } = lifecycle;
  const known = new Set(states);
  const targets = index.graph.edges.filter((edge) => edge.event.startsWith("desired."));
  const start = enter(index, [initial]);
  const withPeople = reachableNodes(lifecycle, (edge) => relianceOf(lifecycle, edge) !== "unexpected");
  const unreachable = new Set<string>();
  const searched = new Map<string, LeadsTo>();
  const leadsFrom = (leaves: Leaves, desired: string): boolean => {
    const key = formatLeaves(leaves);
    const leadsTo = searched.get(key) ?? targetsFrom(lifecycle, leaves);
    searched.set(key, leadsTo);
    return leadsTo(desired);
  };
  return targets.flatMap((edge): Problem[] => {
    const desired = edge.event.slice("desired.".length);
    if (!known.has(desired) || unreachable.has(desired)) return [];
    const at = { ...(edge.source === "" ? {} : { state: edge.source }), event: edge.event };
    if (!leadsFrom(start, desired)) {
      unreachable.add(desired);
      const only = states.filter(
        (path) =>
          withPeople.has(path) && !isWithin(path, desired) && leadsFrom(enter(index, [path]), desired),
      );
      if (only.length > 0) {
        return [
          {
            code: "TARGET_NEEDS_INTERVENTION",
            severity: "warning",
            ...at,
            message: `${desired} can be desired only in ${only.join(", ")}: no path leads there from ${initial} without manual intervention, so it is refused in every other state`,
            remedy: `Add an edge "desired.${desired}" on the path from ${initial}, unless this is intended.`,
          },
        ];
      }
      const message = `${desired} may be desired, and no path leads there from ${initial}`;
      return [
        {
          code: "TARGET_UNREACHABLE",
          severity: "error",
          ...at,
          message,
          remedy: `Add an edge that enters ${desired}.`,
        },
      ];
    }
    if (edge.targets.length === 0 || edge.targets.some((target) => isWithin(target, desired))) return [];
    if (leadsFrom(enter(index, edge.targets), desired)) return [];
    const message = `${edge.source || "the machine"} leads to ${edge.targets.join(", ")} by ${edge.event}, from where ${desired} is not reached`;
    const remedy = `Lead on from there to ${desired}.`;
    return [{ code: "TARGET_UNREACHABLE", severity: "error", ...at, message, remedy }];
  });
}
