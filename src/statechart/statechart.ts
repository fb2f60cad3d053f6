// A machine as a pure function: position and event in, position and effects (as data) out. Nothing is started, no timer
// runs and no child lives in here: tasks and timers are records of ours, because XState loses or repeats them on restore.
import {
  createMachine,
  fromPromise,
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type StateValue,
} from "xstate";
import type { Json } from "../meta/object.ts";
import { isOperatorError, messageOf, OperatorError } from "../ports/operator-error.ts";
import { toMilliseconds, type Duration } from "../ports/duration.ts";
import { indexGraph, type GraphIndex, type Leaves } from "./configuration.ts";
import { readGraph, type MachineGraph } from "./graph.ts";

/** What a machine remembers; plain JSON. */
export type StatechartContext = Readonly<Record<string, Json>>;

/** Where a machine is: all that is needed to go on. */
export interface Position {
  readonly leaves: Leaves;
  readonly context: StatechartContext;
  /** Paths of the remembered states, by path of the history state. */
  readonly history?: Readonly<Record<string, readonly string[]>>;
}

/** An effect that the machine asks for by name. */
export interface NamedAction {
  readonly name: string;
  readonly params?: Json;
}

/** What one macrostep led to. */
export interface Step {
  readonly position: Position;
  /** Ids of the invokes that were entered, also re-entered. */
  readonly invoked: readonly string[];
  /** Event types of the `after` edges whose time starts now. */
  readonly armed: readonly string[];
  readonly actions: readonly NamedAction[];
}

/** An event with whatever guards and actions read from it. */
export interface StatechartEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A machine prepared for pure steps. */
export interface Statechart {
  readonly graph: MachineGraph;
  readonly index: GraphIndex;
  /** The names that have an implementation. */
  readonly registered: Readonly<Record<"guards" | "actions" | "delays", ReadonlySet<string>>>;
  /** Whether an action is an effect for the caller, rather than a change of the context that the machine makes itself. */
  isEffect(action: string): boolean;
  /** The initial step. Errors: `MACHINE_FAILED`. */
  begin(facts: Readonly<Record<string, unknown>>): Step;
  /** One macrostep; undefined when no edge is enabled. Errors: `MACHINE_FAILED` when a guard or action throws. */
  take(position: Position, event: StatechartEvent): Step | undefined;
  /** Milliseconds of a delay as written; undefined when nothing knows the name. Errors: `MACHINE_FAILED`. */
  delayOf(delay: string, position: Position, event: StatechartEvent): number | undefined;
}

const afterPrefix = "xstate.after.";
const neverRun = fromPromise(() => Promise.reject(new Error("tasks are run by the operator")));

/**
 * Prepares a machine. Its configuration may be changed first (a state added); the author's machine stays as it is.
 *
 * **Errors**: XState's own for a configuration that it refuses; `MACHINE_FAILED` when it cannot begin.
 */
export function createStatechart(
  machine: AnyStateMachine,
  change: (config: AnyStateMachine["config"]) => AnyStateMachine["config"] = (config) => config,
): Statechart {
  const { actions, guards, delays } = machine.implementations;
  const graph = readGraph(machine);
  // A name without logic makes XState write to the console.
  const sources = new Set(graph.nodes.flatMap((node) => node.invokes.map((invoke) => invoke.src)));
  // An unknown delay would fire at once. Instants are ours, so for XState every delay is some number.
  const names = graph.edges.flatMap((edge) => (edge.delay === undefined ? [] : [edge.delay]));
  const config = change(machine.config);
  const prepared: AnyStateMachine = createMachine(
    // Without a limit, a circle of `always` never returns: https://github.com/statelyai/xstate/issues/5430
    { ...config, options: { maxIterations: 1_000, ...config.options } } as never,
    {
      actions,
      guards,
      delays: Object.fromEntries(names.map((name) => [name, 1])),
      actors: Object.fromEntries([...sources].map((source) => [source, neverRun])),
    } as never,
  );
  const index = indexGraph(readGraph(prepared));
  return {
    graph: index.graph,
    index,
    registered: {
      guards: new Set(Object.keys(guards)),
      actions: new Set(Object.keys(actions)),
      delays: new Set(Object.keys(delays)),
    },
    isEffect: (action) => {
      if (action === "inline" || action.startsWith("xstate.")) return false;
      const known: unknown = Object.hasOwn(actions, action) ? actions[action as never] : undefined;
      return (known as { type?: unknown } | undefined)?.type === undefined;
    },
    begin: (facts) =>
      guarded(prepared, "begin", () => {
        const [snapshot, effects] = initialTransition(prepared as never, facts as never);
        return readStep(prepared, snapshot as AnyMachineSnapshot, effects);
      }),
    take: (position, event) =>
      guarded(prepared, event.type, () => takeStep(prepared, index, position, event)),
    delayOf: (delay, position, event) =>
      guarded(prepared, `after.${delay}`, () => resolveDelay(delays, delay, position, event)),
  };
}

function takeStep(
  machine: AnyStateMachine,
  index: GraphIndex,
  position: Position,
  event: StatechartEvent,
): Step | undefined {
  const before = toSnapshot(machine, index, position);
  if (before.status !== "active") return undefined;
  // Asked first, because an error event that no edge takes would end the machine.
  const enabled = machine.getTransitionData(before, event).length > 0;
  if (!enabled && event.type.startsWith("xstate.")) return undefined;
  const [after, effects] = transition(machine as never, before as never, event as never) as unknown as [
    AnyMachineSnapshot,
    readonly Effect[],
  ];
  return !enabled && after === before ? undefined : readStep(machine, after, effects);
}

function toSnapshot(machine: AnyStateMachine, index: GraphIndex, position: Position): AnyMachineSnapshot {
  const historyValue = Object.fromEntries(
    Object.entries(position.history ?? {}).map(([history, paths]) => [
      nodeAt(machine, history).id,
      paths.map((path) => nodeAt(machine, path)),
    ]),
  );
  return machine.resolveState({
    value: toStateValue(index, position.leaves),
    // Copied, because actions of authors may write into what they are given.
    context: structuredClone(position.context),
    historyValue,
  });
}

interface Effect {
  readonly type: string;
  readonly params?: unknown;
}

function readStep(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, effects: readonly Effect[]): Step {
  if (snapshot.status === "error") throw snapshot.error;
  const invoked: string[] = [];
  const armed: string[] = [];
  const actions: NamedAction[] = [];
  for (const { type, params } of effects) {
    const { id = "" } = (params ?? {}) as { id?: string };
    if (type === "xstate.spawnChild") invoked.push(id);
    else if (type === "xstate.raise" && id.startsWith(afterPrefix)) armed.push(id);
    else if (!type.startsWith("xstate.")) {
      actions.push(params === undefined ? { name: type } : { name: type, params: params as Json });
    }
  }
  const history = Object.entries(snapshot.historyValue as Record<string, readonly AnyStateNode[]>).map(
    ([id, nodes]) =>
      [machine.getStateNodeById(id).path.join(":"), nodes.map((node) => node.path.join(":"))] as const,
  );
  return {
    position: {
      leaves: leavesOf(machine, snapshot.value),
      context: plain(snapshot.context) as StatechartContext,
      ...(history.length === 0 ? {} : { history: Object.fromEntries(history) }),
    },
    invoked,
    armed,
    actions,
  };
}

/** What is left of a value after JSON: functions and undefined go, dates become text. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? {} : (JSON.parse(text) as unknown);
}

function leavesOf(machine: AnyStateMachine, value: StateValue): string[] {
  const collect = (node: AnyStateNode, part: StateValue | undefined): string[] => {
    if (typeof part === "string") return collect(childOf(node, part), undefined);
    const children = Object.entries(part ?? {});
    if (children.length === 0) return [node.path.join(":")];
    return children.flatMap(([name, inner]) => collect(childOf(node, name), inner));
  };
  return collect(machine.root, value);
}

function childOf(node: AnyStateNode, name: string): AnyStateNode {
  const child = Object.hasOwn(node.states, name) ? node.states[name] : undefined;
  if (child === undefined) throw new Error(`state "${node.path.join(":")}" has no state "${name}"`);
  return child;
}

function nodeAt(machine: AnyStateMachine, path: string): AnyStateNode {
  return path.split(":").reduce<AnyStateNode>(childOf, machine.root);
}

/** Leaves as XState's own nested value. */
function toStateValue(index: GraphIndex, leaves: Leaves): StateValue {
  const valueOf = (path: string): StateValue => {
    const active = (index.children.get(path) ?? []).filter((child) =>
      leaves.some((leaf) => leaf === child.path || leaf.startsWith(`${child.path}:`)),
    );
    const parallel = path === "" ? index.graph.parallel : index.nodes.get(path)?.type === "parallel";
    const [only] = active;
    if (!parallel && only !== undefined && (index.children.get(only.path) ?? []).length === 0)
      return only.name;
    return Object.fromEntries(active.map((child) => [child.name, valueOf(child.path)]));
  };
  return valueOf("");
}

function resolveDelay(
  delays: Readonly<Record<string, unknown>>,
  delay: string,
  position: Position,
  event: StatechartEvent,
): number | undefined {
  if (/^\d+(\.\d+)?$/.test(delay)) return Number(delay);
  const known: unknown = Object.hasOwn(delays, delay) ? delays[delay] : delay;
  const value: unknown =
    typeof known === "function" ? (known as DelayFunction)({ context: position.context, event }) : known;
  try {
    return toMilliseconds(value as Duration);
  } catch (error: unknown) {
    if (isOperatorError(error, "DURATION_INVALID") && value === delay) return undefined;
    throw error;
  }
}

type DelayFunction = (given: { context: StatechartContext; event: StatechartEvent }) => unknown;

function guarded<TResult>(machine: AnyStateMachine, event: string, act: () => TResult): TResult {
  try {
    return act();
  } catch (error: unknown) {
    throw new OperatorError(
      "MACHINE_FAILED",
      `machine "${machine.id}" failed on ${event}: ${messageOf(error)}`,
      {
        cause: error,
        fields: { machine: machine.id, event },
        remedy: "Guards, actions and the context must be pure functions that never throw; the state is kept.",
      },
    );
  }
}
