// An author's guards, actions, inputs and delays within a step: they are given the facts of the step, also on the events that XState
// raises by itself, and when one throws, it is known which edge or state to blame.
import { assign } from "xstate";
import { OperatorError } from "../ports/operator-error.ts";
import { shown } from "../ports/shown.ts";
import { activeStates, edgesOf, isWithin, lineageOf, type GraphIndex, type Leaves } from "./configuration.ts";
import type { GraphEdge } from "./graph.ts";
import { durationOf, toMilliseconds, type Duration } from "../ports/duration.ts";

/** A guard, an action or the input of a task, as an author writes it. */
type Informed = (given: { readonly event: object }, params?: unknown) => unknown;

/** What every event of a step carries. */
export type Facts = Readonly<Record<string, unknown>>;

/** How a function of an author is called. */
export interface Calling {
  readonly facts: () => Facts;
  /**
   * Receives what the function throws, and what is wrong with its result; both are also thrown, unless it returns true: then the step
   * goes on without the function.
   */
  readonly onThrow: (error: unknown) => boolean;
}

/** Makes the {@link Calling} of a function by its name. */
export type CallingOf = (kind: UsedName["kind"], name: string) => Calling;

/** A result that a machine cannot use. */
export class ResultError extends OperatorError {
  constructor(what: string, remedy: string) {
    super("MACHINE_FAILED", `returned ${what}`, { remedy });
  }
}

/** A guard that is given the facts of the step; anything but a function stays as it is. */
export function informedGuard(guard: unknown, calling: Calling): unknown {
  const closed = (): boolean => false;
  return typeof guard === "function" ? informed(guard as Informed, calling, refuseNoAnswer, closed) : guard;
}

/**
 * A function of an author that is given the facts of the step beside those of the event. `without`: what counts where a step goes on
 * without it; default nothing.
 */
function informed(
  inner: Informed,
  { facts, onThrow }: Calling,
  refuse: (result: unknown) => void,
  without: Informed = () => undefined,
): Informed {
  const outer: Informed = (given, params) => {
    try {
      const result = inner({ ...given, event: { ...facts(), ...given.event } }, params);
      refuse(result);
      return result;
    } catch (error) {
      if (onThrow(error)) return without(given, params);
      throw error;
    }
  };
  // Combined guards carry what they are made of.
  return Object.assign(outer, inner);
}

/** An `assign` whose functions are informed; any other action is only a name here. */
export function withFacts(action: unknown, calling: Calling): unknown {
  const { type, assignment } = (action ?? {}) as { type?: unknown; assignment?: unknown };
  if (type !== "xstate.assign") return action;
  if (typeof assignment === "function") {
    return assign(informed(assignment as Informed, calling, refuseChange, () => ({})) as never);
  }
  const parts = mapValues(assignment as Record<string, unknown>, (part, name) =>
    typeof part === "function"
      ? informed(
          part as Informed,
          calling,
          (value) => {
            refusePromise(value);
            refuseNoJson(value, name);
          },
          // The field stays as it is.
          (given) => (given as { readonly context?: Readonly<Record<string, unknown>> }).context?.[name],
        )
      : part,
  );
  return assign(parts as never);
}

/** The input of a task; anything but a function stays as it is. */
function informedInput(input: unknown, callingOf: CallingOf): unknown {
  if (typeof input !== "function") return input;
  const { type } = input as { readonly type?: unknown };
  const calling = callingOf("input", typeof type === "string" ? type : "inline");
  // Null is an input like any other, where nothing would be asked for again.
  return informed(input as Informed, calling, refuseInput, () => null);
}

/** What a machine or a final state comes to; anything but a function stays as it is. */
function informedOutput(output: unknown, callingOf: CallingOf): unknown {
  return typeof output === "function"
    ? informed(output as Informed, callingOf("output", "inline"), refusePromise)
    : output;
}

/** The configuration of a machine or a state, in which the functions that are written into it are informed. */
export function informedConfig<TState>(config: TState, callingOf: CallingOf): TState {
  const actions = eachOf((action) => withFacts(action, callingOf("action", "xstate.assign")));
  const edges = eachOf((edge) =>
    changed(edge, { guard: (guard) => informedGuard(guard, callingOf("guard", "inline")), actions }),
  );
  const edgesOf = (table: unknown): unknown => mapFields(table, edges);
  return changed(config, {
    on: edgesOf,
    after: edgesOf,
    always: edges,
    onDone: edges,
    entry: actions,
    exit: actions,
    initial: edges,
    output: (output) => informedOutput(output, callingOf),
    invoke: eachOf((invoke) =>
      changed(invoke, {
        input: (input) => informedInput(input, callingOf),
        onDone: edges,
        onError: edges,
        onSnapshot: edges,
      }),
    ),
    states: (states) => mapFields(states, (state) => informedConfig(state, callingOf)),
  }) as TState;
}

type Change = (value: unknown) => unknown;

/** One value, or each of a list. */
function eachOf(change: Change): Change {
  return (value) => (Array.isArray(value) ? value.map(change) : change(value));
}

/** An object with some of its fields changed; anything else stays as it is. */
function changed(value: unknown, changes: Readonly<Record<string, Change>>): unknown {
  return mapFields(value, (field, name) => (Object.hasOwn(changes, name) ? changes[name]?.(field) : field));
}

function mapFields(value: unknown, map: (field: unknown, name: string) => unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? mapValues(value as Readonly<Record<string, unknown>>, map)
    : value;
}

function refusePromise(
  result: unknown,
  remedy = "compute the value before, in observe, and return it in facts",
): void {
  const { then } = (result ?? {}) as { readonly then?: unknown };
  if (typeof then !== "function") return;
  // Nobody waits for it, so nobody else would handle its rejection.
  (then as PromiseLike<unknown>["then"]).call(result, undefined, () => undefined);
  throw new ResultError(
    "a promise, which a machine does not wait for",
    `Make it a plain function: ${remedy}.`,
  );
}

function refuseChange(result: unknown): void {
  refusePromise(result, "work that takes time belongs in a task or an effect");
  if (result === undefined || result === null) return;
  if (typeof result === "object" && !Array.isArray(result)) {
    refuseNoJson(result, "");
    return;
  }
  throw new ResultError(
    `${shown(result)}, but must return the fields of the context that change`,
    "Return an object such as { rounds: context.rounds + 1 }.",
  );
}

function refuseNoAnswer(result: unknown): void {
  refusePromise(result);
  if (typeof result === "boolean") return;
  throw new ResultError(
    `${shown(result)}, but must return true or false`,
    "Return a comparison, or Boolean(…).",
  );
}

/** Bytes that the input of a task may take in the status. */
export const largestInput = 2_048;

/** The input of a task is stored, so that each attempt is given the same. */
function refuseInput(input: unknown): void {
  refusePromise(input);
  if (input === undefined) return;
  refuseNoJson(input, "");
  const size = new TextEncoder().encode(JSON.stringify(input)).length;
  if (size <= largestInput) return;
  throw new ResultError(
    `${size} bytes, and the status has room for ${largestInput} of the input of a task`,
    "Return less, for instance the name of an object that holds the rest.",
  );
}

/** What an author's function returns is stored as JSON: what that would drop or change is refused. */
function refuseNoJson(value: unknown, path: string): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  const isPlain =
    typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value) as null);
  if (!isPlain && !Array.isArray(value)) {
    const what = value instanceof Date ? "a Date" : shown(value);
    throw new ResultError(
      `${what}${path === "" ? "" : ` in ${path}`}, which is not plain JSON`,
      "Return text, finite numbers, true, false, null, and lists and objects of them; null clears a field.",
    );
  }
  for (const [name, inner] of Object.entries(value))
    refuseNoJson(inner, path === "" ? name : `${path}.${name}`);
}

/** The record with every value mapped. */
export function mapValues(
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

/** What a step may have called. */
export interface UsedName {
  readonly kind: "guard" | "action" | "input" | "output";
  readonly name: string;
  /** The states that were active before; absent for the first step. */
  readonly leaves: Leaves | undefined;
  readonly eventType: string;
}

/**
 * The edges and states at which a step may have used the name, for people; more than one when the graph names it at
 * several that the same step passes.
 */
export function placesOf(index: GraphIndex, { kind, name, leaves, eventType }: UsedName): readonly string[] {
  const uses = (edge: GraphEdge): boolean =>
    kind === "action"
      ? edge.actions.includes(name)
      : edge.guard === name || edge.guardNames?.includes(name) === true;
  const taken = edgesOf(index, leaves ?? []).filter((edge) => edge.eventType === eventType);
  const edges = taken.filter(uses);
  if (kind === "input") {
    const nodes = index.graph.nodes.filter(({ invokes }) =>
      invokes.some(({ input }) => input !== undefined && "name" in input && input.name === name),
    );
    return nodes.map(({ path }) => `entering ${path}`);
  }
  if (kind === "output") return [];
  const following = index.graph.edges.filter((edge) => edge.kind === "always" && uses(edge));
  if (kind === "guard") return (edges.length > 0 ? edges : following).map(describeEdge);
  const targets = leaves === undefined ? [index.graph.initial] : taken.flatMap((edge) => edge.targets);
  const isEntered = (path: string): boolean =>
    targets.some((target) => isWithin(path, target) || lineageOf(target).includes(path));
  const named = index.graph.nodes.filter(({ entry }) => entry.includes(name));
  const entered = named.filter(({ path }) => isEntered(path));
  const left = activeStates(index, leaves ?? []).filter(({ exit }) => exit.includes(name));
  const direct = [
    ...edges.map(describeEdge),
    ...left.map(({ path }) => `leaving ${path}`),
    ...entered.map(({ path }) => `entering ${path}`),
  ];
  if (direct.length > 0) return direct;
  return [...following.map(describeEdge), ...named.map(({ path }) => `entering ${path}`)];
}

function describeEdge({ source, targets, event }: GraphEdge): string {
  const from = source === "" ? "any state" : source;
  return targets.length === 0 ? `${from} by ${event}` : `${from} → ${targets.join(", ")} by ${event}`;
}

/** Milliseconds of a delay as written: a number, a registered name, or a duration; undefined for anything else. */
export function resolveDelay(
  delays: Readonly<Record<string, unknown>>,
  delay: string,
  given: { readonly context: object; readonly event: object },
): number | undefined {
  if (/^\d+(\.\d+)?$/.test(delay)) return Number(delay);
  const known: unknown = Object.hasOwn(delays, delay) ? delays[delay] : delay;
  const value: unknown = typeof known === "function" ? (known as (given: object) => unknown)(given) : known;
  refusePromise(value);
  // A name that nothing knows is no mistake here.
  return value === delay ? durationOf(value) : toMilliseconds(value as Duration);
}
