// A machine as a pure function: position and event in, position and effects (as data) out. Nothing is started, no timer
// runs and no child lives in here: tasks and timers are records of ours, because XState loses or repeats them on restore.
import {
  createMachine,
  fromPromise,
  type ActorLogic,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
  type AnyActorRef,
  type AnyTransitionDefinition,
  type EventObject,
  type Snapshot,
} from "xstate";
import type { Json } from "../meta/object.ts";
import { isOperatorError, messageOf, OperatorError } from "../ports/operator-error.ts";
import { activeStates, indexGraph, type GraphIndex, type Leaves } from "./configuration.ts";
import {
  resolveDelay,
  informedConfig,
  informedGuard,
  mapValues,
  ResultError,
  withFacts,
  type CallingOf,
  placesOf,
  type UsedName,
} from "./author-functions.ts";
import { readGraph, transitionsOf, type GraphEdge, type MachineGraph } from "./graph.ts";
import { asksUnheard, PlainSteps, type MadeStep } from "./plain-steps.ts";
import { leavesOf, nodeAt, toStateValue } from "./state-value.ts";

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
  /** What those of them are given that are given anything, by id; absent for none. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Event types of the `after` edges whose time starts now. */
  readonly armed: readonly string[];
  readonly actions: readonly NamedAction[];
  /** What the machine has come to; present when this step ended it and there is something. */
  readonly output?: Json;
}

/** An event with whatever guards and actions read from it. */
export interface StatechartEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A machine prepared for pure steps. */
export interface Statechart {
  /** The configuration that was prepared, as XState has it; for drawings. */
  readonly config: object;
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
  /**
   * The same without the author's functions that throw: such a guard is closed, such an action changes nothing, and the input of a
   * task is null. For what has to go on all the same. Errors: `MACHINE_FAILED` for what throws elsewhere.
   */
  takeWithoutThrowing(position: Position, event: StatechartEvent): Step | undefined;
  /**
   * The edges that one macrostep takes, in order: also those of parallel regions, and those that the graph takes by itself
   * at once. Without a position, those of the beginning. For tests and drawings; costs more than a step.
   * Errors: `MACHINE_FAILED`.
   */
  edgesTaken(position: Position | undefined, event: StatechartEvent): readonly GraphEdge[];
  /** What the task of an invoke is given when its state is entered with this event. Errors: `MACHINE_FAILED`. */
  inputOf(id: string, position: Position, event: StatechartEvent): Json | undefined;
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
  // An unknown delay would fire at once. Instants are ours, so for XState every delay is some number; what only a function
  // knows stays a function, so that the graph says nothing of its length.
  const lengths = graph.edges.flatMap(({ delay, delayLength }) =>
    delay === undefined ? [] : [[delay, delayLength ?? ((): number => 1)] as const],
  );
  const config = change(machine.config);
  // The events that XState raises itself carry no facts; guards and actions are given those of the step all the same.
  let facts: Readonly<Record<string, unknown>> = {};
  let thrown: (Pick<UsedName, "kind" | "name"> & { readonly error: unknown }) | undefined;
  let goesOn = false;
  /** Whether the step has asked a function of the author. */
  let hasAsked = false;
  const calling: CallingOf = (kind, name) => ({
    facts: () => {
      hasAsked = true;
      return facts;
    },
    onThrow: (error) => {
      thrown = { kind, name, error };
      return goesOn;
    },
  });
  const during = <TResult>(
    given: Readonly<Record<string, unknown>>,
    { leaves, eventType }: Pick<UsedName, "leaves" | "eventType">,
    act: () => TResult,
  ): TResult => {
    facts = given;
    thrown = undefined;
    hasAsked = false;
    return guarded(prepared, eventType, act, () => {
      if (thrown === undefined) return undefined;
      // XState wraps what a guard throws.
      const { kind, name } = thrown;
      const places = placesOf(index, { kind, name, leaves, eventType });
      const where = places.length === 0 ? "" : ` (${places.join("; or ")})`;
      const called = name === "inline" || name.startsWith("xstate.") ? `inline ${kind}` : `${kind} ${name}`;
      const { error } = thrown;
      const [says, cause] = [messageOf(error), error];
      if (error instanceof ResultError) {
        return { message: `the ${called}${where} ${says}`, remedy: error.remedy ?? "", cause };
      }
      const fix = `Fix the ${called}: it must be a pure function that never throws, whatever context, spec and facts hold.`;
      // What is written in a file knows best.
      const remedy = isOperatorError(error) ? (error.remedy ?? fix) : fix;
      return { message: `the ${called}${where} threw: ${says}`, remedy, cause };
    });
  };
  const prepared: AnyStateMachine = createMachine(
    // Without a limit, a circle of `always` never returns: https://github.com/statelyai/xstate/issues/5430
    {
      output: outputOfFinal,
      ...informedConfig(config, calling),
      options: { maxIterations: 1_000, ...config.options },
    } as never,
    {
      actions: mapValues(actions, (action, name) => withFacts(action, calling("action", name))),
      guards: mapValues(guards, (guard, name) => informedGuard(guard, calling("guard", name))),
      delays: Object.fromEntries(lengths),
      actors: Object.fromEntries([...sources].map((source) => [source, neverRun])),
    } as never,
  );
  const index = indexGraph(readGraph(prepared));
  const steps = new PlainSteps<Step>(asksUnheard(config, actions), () => hasAsked);
  const take: Statechart["take"] = (position, event) => {
    const { type, ...given } = event;
    const make = (): MadeStep<Step> =>
      during(given, { leaves: position.leaves, eventType: type }, () =>
        takeStep(prepared, index, position, event),
      );
    return steps.take(position, type, make);
  };
  let definitions: ReturnType<typeof transitionsOf> | undefined;
  return {
    config,
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
    begin: (given) => {
      const make = (): Step =>
        during(given, { leaves: undefined, eventType: "begin" }, () => {
          const effects: Effect[] = [];
          const snapshot = prepared.getInitialSnapshot(inertScope(effects), given);
          return readStep(prepared, snapshot as AnyMachineSnapshot, effects);
        });
      return typeof config.context === "function" ? make() : steps.begin(make);
    },
    take,
    takeWithoutThrowing: (position, event) => {
      goesOn = true;
      try {
        return take(position, event);
      } finally {
        goesOn = false;
      }
    },
    edgesTaken: (position, event) => {
      const { type, ...given } = event;
      return during(given, { leaves: position?.leaves, eventType: type }, () => {
        definitions ??= transitionsOf(prepared);
        const before = position === undefined ? undefined : toSnapshot(prepared, index, position);
        return transitionsTaken(prepared, before, position === undefined ? given : event).flatMap(
          (transition) => index.graph.edges[definitions?.indexOf(transition) ?? -1] ?? [],
        );
      });
    },
    inputOf: (id, position, event) => {
      const { type, ...given } = event;
      const { leaves, context } = position;
      const input = inputAt(prepared, index, leaves, id);
      if (typeof input !== "function") return jsonOf(input);
      return during(given, { leaves, eventType: type }, () =>
        jsonOf((input as (given: object) => unknown)({ context: jsonOf(context), event })),
      );
    },
    delayOf: (delay, position, event) =>
      guarded(
        prepared,
        `after.${delay}`,
        () => resolveDelay(delays, delay, { context: position.context, event }),
        (error) => explainDelay(delay, error),
      ),
  };
}

/** For a machine without `output` of its own: that of the final state. */
const outputOfFinal = ({ event }: { readonly event: { readonly output?: unknown } }): unknown => event.output;

function takeStep(
  machine: AnyStateMachine,
  index: GraphIndex,
  position: Position,
  event: StatechartEvent,
): MadeStep<Step> {
  const before = toSnapshot(machine, index, position);
  const none: MadeStep<Step> = { step: undefined, keepsContext: true };
  if (before.status !== "active") return none;
  // Asked first, because an error event that no edge takes would end the machine.
  const enabled = machine.getTransitionData(before, event).length > 0;
  if (!enabled && event.type.startsWith("xstate.")) return none;
  const effects: Effect[] = [];
  const after = machine.transition(before as never, event, inertScope(effects)) as AnyMachineSnapshot;
  if (!enabled && after === before) return none;
  return { step: readStep(machine, after, effects), keepsContext: after.context === before.context };
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
    // Copied, because actions of authors may write into what they are given. As JSON: a structured clone of it costs ten times as much.
    context: jsonOf(position.context),
    historyValue,
  });
}

interface Effect {
  readonly type: string;
  readonly params?: unknown;
}

const alwaysActive: Snapshot<unknown> = { status: "active", output: undefined, error: undefined };

/** Of the actor that a step believes to be within. */
const inert: ActorLogic<Snapshot<unknown>, EventObject> = {
  getInitialSnapshot: () => alwaysActive,
  transition: () => alwaysActive,
  getPersistedSnapshot: () => alwaysActive,
};

/** One for all steps: what is spawned below it never starts, so that nothing is ever kept in it, names of its system included. */
const bystander = createActor(inert) as AnyActorRef;
Object.assign(bystander.system, { _set: () => undefined });

/**
 * In which a step is made whose effects are only noted: as XState's own `transition` makes it, but that this one begins an actor of
 * the machine for each step, which costs as much as the step itself.
 */
function inertScope(effects: Effect[]): AnyActorScope {
  return {
    self: bystander,
    system: bystander.system,
    id: "",
    sessionId: "",
    logger: () => undefined,
    defer: () => undefined,
    stopChild: () => undefined,
    emit: () => undefined,
    actionExecutor: (action) => void effects.push(action),
  };
}

function readStep(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, effects: readonly Effect[]): Step {
  if (snapshot.status === "error") throw snapshot.error;
  const invoked: string[] = [];
  const inputs: Record<string, Json> = {};
  const armed: string[] = [];
  const actions: NamedAction[] = [];
  for (const { type, params } of effects) {
    const { id = "", input } = (params ?? {}) as { id?: string; input?: unknown };
    if (type === "xstate.spawnChild") {
      invoked.push(id);
      const given = jsonOf(input);
      if (given !== undefined) inputs[id] = given;
    } else if (type === "xstate.raise" && id.startsWith(afterPrefix)) armed.push(id);
    else if (!type.startsWith("xstate.")) {
      actions.push(params === undefined ? { name: type } : { name: type, params: params as Json });
    }
  }
  const history = Object.entries(snapshot.historyValue as Record<string, readonly AnyStateNode[]>).map(
    ([id, nodes]) =>
      [machine.getStateNodeById(id).path.join(":"), nodes.map((node) => node.path.join(":"))] as const,
  );
  const output = snapshot.status === "done" ? outputOf(snapshot) : undefined;
  return {
    position: {
      leaves: leavesOf(machine, snapshot.value),
      context: jsonOf(snapshot.context) as StatechartContext,
      ...(history.length === 0 ? {} : { history: Object.fromEntries(history) }),
    },
    invoked,
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    armed,
    actions,
    ...(output === undefined ? {} : { output }),
  };
}

/** The input of a task that the states of a position ask for, as it is written. */
function inputAt(machine: AnyStateMachine, index: GraphIndex, leaves: Leaves, id: string): unknown {
  const node = activeStates(index, leaves).find(({ invokes }) => invokes.some((invoke) => invoke.id === id));
  if (node === undefined) return undefined;
  return nodeAt(machine, node.path).invoke.find((invoke) => invoke.id === id)?.input;
}

/** What is left of a value after JSON: functions and undefined go, dates become text. */
function jsonOf(value: unknown): Json | undefined {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as Json);
}

function outputOf({ output }: AnyMachineSnapshot): Json | undefined {
  return output === null ? undefined : jsonOf(output);
}

function explainDelay(delay: string, error: unknown): Explained {
  const isResult = error instanceof ResultError;
  return {
    message: `the delay ${delay} ${isResult ? error.message : `failed: ${messageOf(error)}`}`,
    remedy: `${isResult ? `${error.remedy} ` : ""}Delays must be pure, synchronous functions that return a duration and never throw.`,
  };
}

/** What is known of an error. */
interface Explained {
  readonly message: string;
  readonly remedy: string;
  /** What an author's function has thrown; default what was caught. */
  readonly cause?: unknown;
}

function guarded<TResult>(
  machine: AnyStateMachine,
  event: string,
  act: () => TResult,
  /** Undefined when nothing is known. */
  explain: (error: unknown) => Explained | undefined = () => undefined,
): TResult {
  try {
    return act();
  } catch (error: unknown) {
    const {
      message = `machine "${machine.id}" failed on ${event}: ${messageOf(error)}`,
      remedy = "Guards, actions and the context must be pure functions that never throw; the state is kept.",
      cause = error,
    } = explain(error) ?? {};
    throw new OperatorError("MACHINE_FAILED", message, {
      cause,
      fields: { machine: machine.id, event },
      remedy,
    });
  }
}

/**
 * The transitions of one macrostep in the order in which they are taken; without a snapshot, those of the initial step for
 * this input.
 */
function transitionsTaken(
  machine: AnyStateMachine,
  before: AnyMachineSnapshot | undefined,
  eventOrInput: object,
): readonly AnyTransitionDefinition[] {
  const taken: AnyTransitionDefinition[] = [];
  let isCollecting = false;
  const self = createActor(machine, {
    input: before === undefined ? eventOrInput : undefined,
    inspect: (inspected) => {
      if (isCollecting && inspected.type === "@xstate.microstep") taken.push(...inspected._transitions);
    },
  });
  const scope: AnyActorScope = { ...inertScope([]), self: self as AnyActorRef, system: self.system };
  // An actor makes its initial step when it is created; that one was not asked for.
  isCollecting = true;
  if (before === undefined) machine.getInitialSnapshot(scope as never, eventOrInput);
  else if (before.status === "active") machine.transition(before as never, eventOrInput, scope as never);
  return taken;
}
