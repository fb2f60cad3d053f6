// A graph as the configuration that it was made of: what `createMachine` takes, and what Stately's editors open. Functions
// are there by name. Pure.
import type { Json } from "../meta/object.ts";
import type { GraphEdge, GraphInvoke, GraphNode, MachineGraph } from "../statechart/graph.ts";
import { childrenOf, isBelow } from "./state-tree.ts";

/** The configuration of a machine, plain JSON. */
export type MachineConfig = Readonly<Record<string, Json>>;

/**
 * The configuration of a graph.
 *
 * **Guarantees**: a machine made of it, without any delay of its own, has the same graph and waits as long: delays are numbers,
 * the name of each in the edge's `meta.delay`.
 * **Caveats**: a delay that a function computes is as long as a timer can be, 24 days; what no graph has is missing: parameters, inputs, a context that a function computes;
 * combined guards (`and`, `or`, `not`) are names.
 */
export function configOf(graph: MachineGraph): MachineConfig {
  const { id, version, description, meta, context, parallel, initial } = graph;
  return defined({
    id,
    version,
    description,
    meta,
    context,
    type: parallel ? "parallel" : undefined,
    initial: parallel || initial === "" ? undefined : nameIn(graph, initial),
    ...transitionsFrom(graph, "", []),
    states: statesIn(graph, ""),
  });
}

function statesIn(graph: MachineGraph, path: string): Json | undefined {
  const states = childrenOf(graph, path).map((node) => [node.name, stateOf(graph, node)] as const);
  return states.length === 0 ? undefined : Object.fromEntries(states);
}

function stateOf(graph: MachineGraph, node: GraphNode): Json {
  const { path, type, initial, history, tags, description, meta, invokes, entry, exit } = node;
  if (type === "history") {
    const target = initial === undefined ? undefined : targetFrom(graph, path, initial);
    return defined({ type, history, target, description, meta });
  }
  return defined({
    type: type === "parallel" || type === "final" ? type : undefined,
    initial: initial === undefined ? undefined : nameIn(graph, initial),
    description,
    tags: listed(tags),
    meta,
    entry: listed(entry),
    exit: listed(exit),
    ...transitionsFrom(graph, path, invokes),
    states: statesIn(graph, path),
  });
}

/** The edges of a state, each where it is written. */
function transitionsFrom(
  graph: MachineGraph,
  source: string,
  invokes: readonly GraphInvoke[],
): Readonly<Record<string, Json | undefined>> {
  const edges = graph.edges.filter((edge) => edge.source === source);
  const grouped = (those: readonly GraphEdge[], keyOf: (edge: GraphEdge) => string): Json | undefined => {
    const groups = [...Map.groupBy(those, keyOf)].map(
      ([key, group]) => [key, oneOrAll(group.map((edge) => transitionOf(graph, edge)))] as const,
    );
    return groups.length === 0 ? undefined : Object.fromEntries(groups);
  };
  const whole = (those: readonly GraphEdge[]): Json | undefined =>
    those.length === 0 ? undefined : oneOrAll(those.map((edge) => transitionOf(graph, edge)));
  const placeOf = (edge: GraphEdge): string => {
    if (edge.kind === "always" || edge.kind === "after") return edge.kind;
    if (edge.eventType.startsWith("xstate.done.state.")) return "onDone";
    const invoke = invokes.find(({ id }) => edge.eventType.endsWith(`.actor.${id}`));
    return edge.kind === "event" || invoke === undefined ? "on" : `${edge.kind} ${invoke.id}`;
  };
  const places = Map.groupBy(edges, placeOf);
  const at = (place: string): readonly GraphEdge[] => places.get(place) ?? [];
  return {
    invoke: listed(
      invokes.map(({ id, src, input }) =>
        defined({
          id,
          src,
          input: writtenInput(input),
          onDone: whole(at(`done ${id}`)),
          onError: whole(at(`error ${id}`)),
        }),
      ),
    ),
    on: grouped(at("on"), ({ eventType }) => eventType),
    onDone: whole(at("onDone")),
    after: grouped(at("after"), keysOfDelays(at("after"))),
    always: whole(at("always")),
  };
}

/** What a timer can wait for at most. */
const longest = 2 ** 31 - 1;

/**
 * The keys of delays in `after`: plain numbers, as a name without an implementation elapses at once. Two names for one length
 * are two timers, so the second one has a fraction of a millisecond, which no clock waits for.
 */
function keysOfDelays(edges: readonly GraphEdge[]): (edge: GraphEdge) => string {
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  for (const { delay = "", delayLength = longest } of edges) {
    if (keys.has(delay)) continue;
    let length = Math.min(delayLength, longest);
    while (taken.has(String(length))) length += length < longest ? 0.001 : -1;
    taken.add(String(length));
    keys.set(delay, String(length));
  }
  return ({ delay = "" }) => keys.get(delay) ?? delay;
}

/** As it stands in a configuration: what was written into the machine is no JSON. */
function writtenInput(input: GraphInvoke["input"]): Json | undefined {
  if (input === undefined || "value" in input) return input?.value;
  return input.name === "inline" ? undefined : input.name;
}

function transitionOf(graph: MachineGraph, edge: GraphEdge): Json {
  const { source, targets, guard, actions, reenter, description, delay } = edge;
  const target = targets.map((path) => targetFrom(graph, source, path));
  const [only] = target;
  const more = defined({
    guard,
    actions: listed(actions),
    reenter: reenter ? true : undefined,
    description,
    meta: delay === undefined || /^\d+(\.\d+)?$/.test(delay) ? undefined : { delay },
  });
  if (only === undefined) return more;
  if (target.length === 1 && Object.keys(more).length === 0) return only;
  return { target: target.length === 1 ? only : target, ...more };
}

/** A target as it is written in a state: a neighbour by its name, a state inside with a dot, any other one by its path. */
function targetFrom(graph: MachineGraph, source: string, target: string): string {
  const name = nameIn(graph, target);
  const parentOf = (path: string): string => graph.nodes.find((node) => node.path === path)?.parent ?? "";
  const isPlain = /^[^.#\\]+$/.test(name) && /^[^.#\\]*$/.test(nameIn(graph, source));
  if (isPlain && source !== "" && parentOf(source) === parentOf(target)) return name;
  if (isPlain && isBelow(target, source) && parentOf(target) === source) return `.${name}`;
  const around = (path: string): readonly string[] =>
    path === "" ? [] : [...around(parentOf(path)), nameIn(graph, path)];
  return `#${[graph.id, ...around(target)].map((part) => part.replace(/[.\\]/g, "\\$&")).join(".")}`;
}

function nameIn(graph: MachineGraph, path: string): string {
  return graph.nodes.find((node) => node.path === path)?.name ?? path;
}

function oneOrAll(transitions: readonly Json[]): Json {
  const [only] = transitions;
  return transitions.length === 1 && only !== undefined ? only : transitions;
}

function listed(items: readonly Json[]): Json | undefined {
  return items.length === 0 ? undefined : items;
}

function defined(fields: Readonly<Record<string, Json | undefined>>): Record<string, Json> {
  const entries = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return Object.fromEntries(entries);
}
