// What each state of a lifecycle is for: where a life begins and ends, where the application may stay, what leads on by
// itself, what has failed, what waits for a person. From tags first, then from the shape of the graph, never from names.
// Compiled once with the lifecycle; printed with its reasons by `xstate-operator check`.
import { enter, isWithin, lineageOf, type GraphIndex, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge, GraphNode } from "../../statechart/graph.ts";
import { edgeRolesOf, edgesFrom, hasTag, isDue, stateDone, type EdgeRoles } from "./edge-roles.ts";

/** What a state is for. */
export type Role = "initial" | "stable" | "transient" | "suspended" | "failure" | "intervention" | "end";

/** The role of one state and the reason for it. */
export interface StateRole {
  /** Path of the state. */
  readonly state: string;
  readonly role: Role;
  /** For people: the tag, or the edge that decides. */
  readonly why: string;
}

/** The roles of a graph's states. */
export interface Roles extends EdgeRoles {
  /** Every state but history states, in document order. */
  readonly states: ReadonlyMap<string, StateRole>;
  /** Paths of the states that are left by themselves, whatever else they are. */
  readonly transient: ReadonlySet<string>;
  /** Those of them in which something is under way: not those that only a guard keeps from being left at once. */
  readonly moving: ReadonlySet<string>;
  /** Paths of the states that wait for a person, and of all inside them. */
  readonly intervention: ReadonlySet<string>;
  /** Paths of the failure states, and of all inside them. */
  readonly failure: ReadonlySet<string>;
  /** Path of the state that takes what the operator cannot settle: the outermost with the tag; absent when there is none. */
  readonly interventionState?: string;
  /** Path of the state to which a deletion leads; absent when nothing ends. */
  readonly end?: string;
}

/**
 * Sorts the states of a graph.
 *
 * **Guarantees**: total, and the same for the same graph whatever its states are called; a tag beats what the shape says.
 */
export function rolesOf(index: GraphIndex): Roles {
  const edges = edgeRolesOf(index);
  const nodes = index.graph.nodes.filter((node) => node.type !== "history");
  const initial = new Set(enter(index, [index.graph.initial]).flatMap(lineageOf));
  const end = endOf(index, nodes);
  const leaving = edgesInside(index);
  const departures = new Map(
    nodes.map((node) => [node.path, departureOf(index, edges, leaving, node.path)] as const),
  );
  const within = (tag: string): ReadonlySet<string> =>
    new Set(nodes.map(({ path }) => path).filter((path) => hasTag(index, path, tag)));
  const named = {
    intervention: within("intervention"),
    failure: within("failure"),
    suspended: within("suspended"),
  };
  const depthOf = (path: string): number => path.split(":").length;
  const [interventionState] = [...named.intervention].toSorted((a, b) => depthOf(a) - depthOf(b));
  const roleOf = ({ path, type, parent }: GraphNode): Omit<StateRole, "state"> => {
    for (const role of ["intervention", "failure"] as const) {
      if (named[role].has(path)) return { role, why: tagOf(index, path, role) };
    }
    if (type === "final" && parent === undefined) {
      return { role: "end", why: path === end ? "a final state; a deletion leads here" : "a final state" };
    }
    const { transient, why } = departures.get(path) ?? { transient: false, why: "" };
    const isTagged = index.nodes.get(path)?.tags.includes("stable") === true;
    if (named.suspended.has(path) && !transient) {
      return { role: "suspended", why: tagOf(index, path, "suspended") };
    }
    if (initial.has(path) && !isTagged) return { role: "initial", why: "the initial state" };
    return { role: transient ? "transient" : "stable", why };
  };
  const paths = (is: (departure: Departure) => boolean): ReadonlySet<string> =>
    new Set([...departures].filter(([, departure]) => is(departure)).map(([path]) => path));
  return {
    ...edges,
    states: new Map(nodes.map((node) => [node.path, { state: node.path, ...roleOf(node) }] as const)),
    transient: paths((departure) => departure.transient),
    moving: paths((departure) => departure.moving),
    intervention: named.intervention,
    failure: named.failure,
    ...(interventionState === undefined ? {} : { interventionState }),
    ...(end === undefined ? {} : { end }),
  };
}

/** What the active states mean, by their tags and the shape of the graph; \`xstate-operator check\` prints the reasons. */
export interface StateMeaning {
  /** Roles of the innermost states, each once: \`["failure"]\`. A state inside a failure is a failure too. */
  readonly roles: readonly Role[];
  /** Tags of them and of the states around them, each once; the author's own as well. */
  readonly tags: readonly string[];
}

/** What the active states mean. */
export function meaningOf(
  { index, roles }: { readonly index: GraphIndex; readonly roles: Roles },
  leaves: Leaves,
): StateMeaning {
  return {
    roles: [...new Set(leaves.flatMap((leaf) => roles.states.get(leaf)?.role ?? []))],
    tags: [...new Set(leaves.flatMap(lineageOf).flatMap((path) => index.nodes.get(path)?.tags ?? []))],
  };
}

/** Whether the application waits for a person. */
export function isIntervening(
  { roles }: { readonly roles: Pick<Roles, "intervention"> },
  leaves: Leaves,
): boolean {
  return leaves.some((leaf) => roles.intervention.has(leaf));
}

/** Whether nothing is under way in any active state. */
export function isAtRest({ roles }: { readonly roles: Pick<Roles, "moving"> }, leaves: Leaves): boolean {
  return leaves.every((leaf) => !roles.moving.has(leaf));
}

/**
 * Of several final states at the top, a deletion leads to the one with the tag `end`; else to the first one that is no
 * failure and that an edge `desired.<it>` names; else to the first one that is no failure.
 */
function endOf(index: GraphIndex, nodes: readonly GraphNode[]): string | undefined {
  const finals = nodes.filter((node) => node.type === "final" && node.parent === undefined);
  const good = finals.filter(({ path }) => !hasTag(index, path, "failure"));
  const isNamed = ({ path }: GraphNode): boolean =>
    index.graph.edges.some((edge) => edge.event === `desired.${path}`);
  const tagged = finals.find(({ tags }) => tags.includes("end"));
  return (tagged ?? good.find(isNamed) ?? good[0] ?? finals[0])?.path;
}

function tagOf(index: GraphIndex, path: string, tag: string): string {
  const holder = lineageOf(path).find((each) => index.nodes.get(each)?.tags.includes(tag));
  return holder === path || holder === undefined
    ? `tag "${tag}"`
    : `inside ${holder}, which has the tag "${tag}"`;
}

interface Departure {
  readonly transient: boolean;
  readonly moving: boolean;
  readonly why: string;
}

/** Whether a state is left by itself: by its nearest tag, else by the edges of it, inside it and around it. */
function departureOf(
  index: GraphIndex,
  edges: EdgeRoles,
  inside: ReadonlyMap<string, readonly GraphEdge[]>,
  path: string,
): Departure {
  const { tags = [], type, parent } = index.nodes.get(path) ?? {};
  if (type === "final" && parent === undefined)
    return { transient: false, moving: false, why: "a final state" };
  if (tags.includes("stable")) return { transient: false, moving: false, why: 'tag "stable"' };
  for (const around of lineageOf(path)) {
    const { tags: outer = [] } = index.nodes.get(around) ?? {};
    if (outer.includes("stable")) break;
    if (outer.includes("transient"))
      return { transient: true, moving: true, why: tagOf(index, path, "transient") };
  }
  const leaving = edgesOut(index, edges, path);
  const [edge] = leaving;
  if (edge === undefined) return { transient: false, moving: false, why: stayOf(inside, edges, path) };
  const from = edge.source === path ? "" : `${edge.source === "" ? "the machine" : edge.source}: `;
  return {
    transient: true,
    // After a move, what the graph does by itself has been done: what is left of it waits for a guard.
    moving: leaving.some(({ kind, eventType }) => kind !== "always" && !eventType.startsWith(stateDone)),
    why: `${from}${edge.event} leads on to ${edge.targets.join(", ")}`,
  };
}

/**
 * The edges by which a state is left by itself once it was entered: its own, those around it, and those met inside. Where
 * what is met inside has the tag "transient", work is done in it once, so an observation that leads back ends that work.
 */
function edgesOut(index: GraphIndex, { leadsOn, leadsBack }: EdgeRoles, path: string): readonly GraphEdge[] {
  const inside = new Set(enter(index, [path], path));
  const out = new Set<GraphEdge>();
  // A set is walked in the order of its growth: what is added meanwhile has its turn.
  for (const leaf of inside) {
    for (const edge of edgesFrom(index, leaf)) {
      if (!leadsOn(edge, leaf) || !isDue(index, edge, inside)) continue;
      if (edge.targets.some((target) => !isWithin(target, path))) out.add(edge);
      else
        for (const next of edge.targets.flatMap((target) => enter(index, [target], target))) inside.add(next);
    }
  }
  if (out.size > 0 || ![...inside].some((leaf) => isTransientWithin(index, leaf, path))) return [...out];
  return [...inside].flatMap((leaf) =>
    edgesFrom(index, leaf).filter(
      (edge) => edge.targets.some((target) => !isWithin(target, path)) && leadsBack(edge, path),
    ),
  );
}

/** Whether a state has the tag "transient", or one around it that is inside of another one. */
function isTransientWithin(index: GraphIndex, leaf: string, path: string): boolean {
  return lineageOf(leaf).some(
    (each) => each !== path && isWithin(each, path) && index.nodes.get(each)?.tags.includes("transient"),
  );
}

/** The edges that leave a state, or one inside it, by the path of the state. */
function edgesInside({ graph }: GraphIndex): ReadonlyMap<string, readonly GraphEdge[]> {
  const inside = new Map<string, GraphEdge[]>();
  for (const edge of graph.edges) {
    for (const path of lineageOf(edge.source)) {
      const others = inside.get(path) ?? [];
      others.push(edge);
      inside.set(path, others);
    }
  }
  return inside;
}

function stayOf(
  inside: ReadonlyMap<string, readonly GraphEdge[]>,
  { failures }: EdgeRoles,
  path: string,
): string {
  const out = (inside.get(path) ?? []).filter(({ targets }) =>
    targets.some((target) => !isWithin(target, path)),
  );
  const named = [...new Set(out.filter((edge) => !failures.has(edge)).map(({ event }) => event))];
  if (out.length === 0) return "nothing leads out of it";
  if (named.length === 0) return "only failures lead out of it";
  return `only ${named.slice(0, 4).join(", ")}${named.length > 4 ? ", …" : ""} lead${named.length > 1 ? "" : "s"} out of it`;
}
