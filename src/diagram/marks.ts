// What of a drawing is lit: where an application is, where it goes, and by which edges. Pure.
import { planPath } from "../lifecycle/graph/planner.ts";
import { rolesOf } from "../lifecycle/graph/roles.ts";
import { formatLeaves, isWithin, parseLeaves, type GraphIndex } from "../statechart/configuration.ts";

/** What is lit in a drawing. */
export interface DiagramMarks {
  /** Paths of the innermost active states. */
  readonly active: readonly string[];
  /** Path of the target state. */
  readonly target?: string;
  /** Paths of the states that are entered on the way, in this order. */
  readonly planned: readonly string[];
  /** Positions, in the graph's edges, of those that lead there. */
  readonly edges: readonly number[];
  /** Positions of those that were taken last. */
  readonly taken?: readonly number[];
}

/** Where an application is, as its status tells. */
export interface Whereabouts {
  /** Active states, joined by commas. */
  readonly state?: string;
  /** The configurations that remain, each as its states joined by commas. */
  readonly plan: readonly string[];
  readonly target?: string;
}

/** The marks for an application. Names that the graph does not know are left out. */
export function marksOf(index: GraphIndex, { state, plan, target }: Whereabouts): DiagramMarks {
  const planned = { index, roles: rolesOf(index) };
  let leaves = state === undefined ? undefined : parseLeaves(index, state);
  const active = leaves ?? [];
  const [entered, edges]: [string[], number[]] = [[], []];
  for (const step of plan) {
    const next = parseLeaves(index, step);
    if (next === undefined) break;
    const before = leaves ?? [];
    const [hop, ...more] =
      planPath(planned, before, (each) => formatLeaves(each) === formatLeaves(next)) ?? [];
    if (hop !== undefined && more.length === 0) edges.push(index.graph.edges.indexOf(hop.edge));
    entered.push(...next.filter((leaf) => !before.includes(leaf)));
    leaves = next;
  }
  const known = target !== undefined && index.nodes.has(target);
  return { active, planned: entered, edges, ...(known ? { target } : {}) };
}

/** Whether a state is active itself, or has an active one inside. */
export function isLit({ active }: DiagramMarks, path: string): boolean {
  return active.some((leaf) => isWithin(leaf, path));
}
