// The graph of a machine as plain data: what is drawn, planned on, checked and put into annotations.
// Read from XState's own normalised nodes, so that every spelling of a configuration gives the same graph.
import { createMachine, type AnyStateMachine, type AnyStateNode, type AnyTransitionDefinition } from "xstate";
import type { Json } from "../meta/object.ts";
import { durationOf } from "../ports/duration.ts";

/** A long action that runs while its state is active. */
export interface GraphInvoke {
  readonly id: string;
  /** The registered name; `inline` when the author wrote the logic into the machine. */
  readonly src: string;
  /** What the task is given; absent for nothing. */
  readonly input?: GraphInput;
}

/** The input of a task: a value, or the registered name of a function; `inline` when the author wrote it into the machine. */
export type GraphInput = { readonly value: Json } | { readonly name: string };

/** One state. */
export interface GraphNode {
  /** The names from the top, joined by colons: `Servicing:BackingUp`. */
  readonly path: string;
  readonly name: string;
  /** Path of the state around it; absent at the top. */
  readonly parent?: string;
  readonly type: "atomic" | "compound" | "parallel" | "final" | "history";
  /** Path of the state entered first, on a compound state; where a history state leads without a past. */
  readonly initial?: string;
  /** Only on a history state. */
  readonly history?: "shallow" | "deep";
  readonly tags: readonly string[];
  readonly description?: string;
  /** What the author notes on the state, as far as it is plain JSON. */
  readonly meta?: Json;
  readonly invokes: readonly GraphInvoke[];
  /** Names of the actions on entry and on exit. */
  readonly entry: readonly string[];
  readonly exit: readonly string[];
}

/** One edge. */
export interface GraphEdge {
  /** Path of the state it leaves; empty for an edge of the whole machine. */
  readonly source: string;
  /** Paths of the states it enters; empty for an edge that stays where it is. */
  readonly targets: readonly string[];
  /** In the author's words: the event, `done.<id>`, `error.<id>`, `after.<delay>` or `always`. */
  readonly event: string;
  readonly kind: "event" | "after" | "always" | "done" | "error";
  /** The event type by which the machine itself knows the edge; empty for `always`. */
  readonly eventType: string;
  readonly guard?: string;
  /** The names that a combined guard (`and(a, b)`) is made of. */
  readonly guardNames?: readonly string[];
  /** Name or milliseconds, as written. */
  readonly delay?: string;
  /** Milliseconds that the delay stands for; absent where a function computes them, or nothing knows the name. */
  readonly delayLength?: number;
  readonly actions: readonly string[];
  readonly reenter: boolean;
  readonly description?: string;
}

/** A machine's graph; survives JSON unchanged. */
export interface MachineGraph {
  readonly id: string;
  readonly version?: string;
  readonly description?: string;
  /** What the author notes on the whole machine. */
  readonly meta?: Json;
  /** What the machine remembers at first; absent where a function computes it. */
  readonly context?: Json;
  /** Path of the state entered first. */
  readonly initial: string;
  /** True when the machine's top states are all active at once. */
  readonly parallel: boolean;
  /** In document order, each state after the one around it. */
  readonly nodes: readonly GraphNode[];
  /** In document order: the first of several enabled ones is taken. */
  readonly edges: readonly GraphEdge[];
}

/** XState's own definitions behind the edges of {@link readGraph}, in the same order. */
export function transitionsOf(machine: AnyStateMachine): readonly AnyTransitionDefinition[] {
  const collect = (node: AnyStateNode): AnyTransitionDefinition[] => [
    ...definitionsOf(node),
    ...Object.values(node.states).flatMap(collect),
  ];
  return collect(machine.root);
}

/** Reads the graph of a machine. Nothing is executed. */
export function readGraph(machine: AnyStateMachine): MachineGraph {
  const nodes: AnyStateNode[] = [];
  const collect = (node: AnyStateNode): void => {
    nodes.push(node);
    for (const child of Object.values(node.states)) collect(child);
  };
  collect(machine.root);
  const { version, description } = machine.root.config as { version?: string; description?: string };
  return {
    id: machine.id,
    ...(machine.version === undefined && version === undefined
      ? {}
      : { version: String(machine.version ?? version) }),
    ...(description === undefined ? {} : { description }),
    ...metaOf(machine.root),
    ...contextOf(machine.root.config),
    initial: initialOf(machine.root) ?? "",
    parallel: machine.root.type === "parallel",
    nodes: nodes.slice(1).map(readNode),
    edges: nodes.flatMap(readEdges),
  };
}

/** Reads the graph of a configuration that is not a machine yet. Errors: XState's own for one that it refuses. */
export function readConfigGraph(config: AnyStateMachine["config"]): MachineGraph {
  return readGraph(createMachine(config as never));
}

/** The path of a state: its names from the top, joined by colons. */
function pathOf(node: AnyStateNode): string {
  return node.path.join(":");
}

function metaOf({ config }: AnyStateNode): { readonly meta?: Json } {
  const { meta } = config as { readonly meta?: unknown };
  const text = meta === null ? undefined : (JSON.stringify(meta) as string | undefined);
  return text === undefined ? {} : { meta: JSON.parse(text) as Json };
}

function contextOf(config: object): { readonly context?: Json } {
  const { context } = config as { readonly context?: unknown };
  if (typeof context !== "object" || context === null) return {};
  return { context: JSON.parse(JSON.stringify(context)) as Json };
}

function initialOf(node: AnyStateNode): string | undefined {
  const name: unknown = node.config.initial;
  const key = typeof name === "string" ? name : (name as { target?: string } | undefined)?.target;
  return key === undefined ? undefined : [...node.path, key.replace(/^\./, "")].join(":");
}

/** Where a history state leads when there is nothing to remember. */
function defaultOf(node: AnyStateNode): string | undefined {
  const { target } = node.config as { target?: unknown };
  if (typeof target !== "string") return node.parent === undefined ? undefined : initialOf(node.parent);
  if (target.startsWith("#")) return pathOf(node.machine.getStateNodeById(target.slice(1)));
  return [...node.path.slice(0, -1), ...target.replace(/^\./, "").split(".")].join(":");
}

function readNode(node: AnyStateNode): GraphNode {
  const initial = node.type === "history" ? defaultOf(node) : initialOf(node);
  const parent = node.parent === undefined ? "" : pathOf(node.parent);
  return {
    path: pathOf(node),
    name: node.key,
    ...(parent === "" ? {} : { parent }),
    type: node.type,
    ...(initial === undefined ? {} : { initial }),
    ...(node.type === "history" ? { history: node.history === "deep" ? "deep" : "shallow" } : {}),
    tags: node.tags,
    ...(node.description === undefined ? {} : { description: node.description }),
    ...metaOf(node),
    invokes: node.invoke.map(({ id, src, input }) => ({
      id,
      // XState names inline logic by its position: https://github.com/statelyai/xstate/issues/5077
      src: typeof src === "string" && !src.startsWith("xstate.invoke.") ? src : "inline",
      ...inputOf(input),
    })),
    entry: namesOf(node.config.entry),
    exit: namesOf(node.config.exit),
  };
}

function inputOf(input: unknown): Pick<GraphInvoke, "input"> {
  if (typeof input === "function") return { input: { name: nameOf(input) } };
  const text = input === undefined ? undefined : (JSON.stringify(input) as string | undefined);
  return text === undefined ? {} : { input: { value: JSON.parse(text) as Json } };
}

function readEdges(node: AnyStateNode): GraphEdge[] {
  const delays = new Map(node.after.map((each) => [String(each.eventType), String(each.delay)]));
  return definitionsOf(node).map((transition) => readEdge(node, transition, delays));
}

function definitionsOf(node: AnyStateNode): AnyTransitionDefinition[] {
  return [...node.transitions.values()].flat().concat(node.always ?? []);
}

function readEdge(
  node: AnyStateNode,
  transition: AnyTransitionDefinition,
  delays: ReadonlyMap<string, string>,
): GraphEdge {
  const eventType = String(transition.eventType);
  const delay = delays.get(eventType);
  const targets = (transition.target ?? []) as readonly AnyStateNode[];
  const guard = guardName(transition.guard);
  const length = delay === undefined ? undefined : lengthOf(node, delay);
  return {
    source: pathOf(node),
    targets: targets.map(pathOf),
    ...nameEvent(eventType, delay, node.machine.id),
    eventType,
    ...(guard === undefined ? {} : { guard }),
    ...(isCombined(transition.guard) ? { guardNames: guardNames(transition.guard) } : {}),
    ...(delay === undefined ? {} : { delay }),
    ...(length === undefined ? {} : { delayLength: length }),
    actions: namesOf(transition.actions),
    reenter: transition.reenter,
    ...(transition.description === undefined ? {} : { description: transition.description }),
  };
}

/** Milliseconds of a delay as written, as far as that is known before the machine runs. */
function lengthOf({ machine }: AnyStateNode, delay: string): number | undefined {
  const { delays } = machine.implementations;
  const known: unknown = Object.hasOwn(delays, delay) ? delays[delay] : delay;
  return durationOf(typeof known === "string" && /^\d+(\.\d+)?$/.test(known) ? Number(known) : known);
}

function nameEvent(
  eventType: string,
  delay: string | undefined,
  machineId: string,
): Pick<GraphEdge, "event" | "kind"> {
  if (eventType === "") return { event: "always", kind: "always" };
  if (delay !== undefined) return { event: `after.${delay}`, kind: "after" };
  const internal = /^xstate\.(done|error)\.(actor|state)\.(.*)$/.exec(eventType);
  if (internal === null) return { event: eventType, kind: "event" };
  const [, kind = "done", , id = ""] = internal;
  const name = id.startsWith(`${machineId}.`) ? id.slice(machineId.length + 1).replaceAll(".", ":") : id;
  return { event: `${kind}.${name}`, kind: kind === "error" ? "error" : "done" };
}

/** The names of the machine's own actions, on its entry and its exit; it is no node of its graph. */
export function ownActions({
  entry,
  exit,
}: {
  readonly entry?: unknown;
  readonly exit?: unknown;
}): readonly string[] {
  return [...namesOf(entry), ...namesOf(exit)];
}

function namesOf(actions: unknown): string[] {
  if (actions === undefined || actions === null) return [];
  return (Array.isArray(actions) ? actions : [actions]).map(nameOf);
}

/** The name of an action, guard or input; `inline` for a function without one. */
function nameOf(reference: unknown): string {
  if (typeof reference === "string") return reference;
  const { type, name, check } = (reference ?? {}) as { type?: unknown; name?: unknown; check?: unknown };
  if (typeof type === "string") return type;
  // XState's own combinations of guards are functions that carry their test.
  return typeof check === "function" && typeof name === "string" ? name : "inline";
}

function isCombined(guard: unknown): guard is { readonly guards: readonly unknown[] } {
  return Array.isArray((guard as { guards?: unknown } | undefined)?.guards);
}

function guardName(guard: unknown): string | undefined {
  if (guard === undefined) return undefined;
  if (!isCombined(guard)) return nameOf(guard);
  return `${nameOf(guard)}(${guard.guards.map((part) => guardName(part) ?? "").join(", ")})`;
}

function guardNames(guard: unknown): string[] {
  return isCombined(guard) ? guard.guards.flatMap(guardNames) : [nameOf(guard)];
}
