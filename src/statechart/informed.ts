// Gives an author's guards and actions the facts of the step, also on the events that XState raises by itself, and refuses what
// XState would take for something else: a promise, which is an open guard and an action that changes nothing.
import { assign } from "xstate";
import { OperatorError } from "../ports/operator-error.ts";
import { shown } from "../ports/shown.ts";

/** A guard or action of an author. */
type Informed = (given: { readonly event: object }, params?: unknown) => unknown;

/** What every event of a step carries. */
export type Facts = Readonly<Record<string, unknown>>;

/** How a function of an author is called. */
export interface Calling {
  readonly facts: () => Facts;
  /** Receives what the function throws, and what is wrong with its result; both are also thrown. */
  readonly onThrow: (error: unknown) => void;
}

/** Makes the {@link Calling} of a function by its name. */
export type CallingOf = (kind: "guard" | "action", name: string) => Calling;

/** A result that a machine cannot use. */
export class ResultError extends OperatorError {
  constructor(what: string, remedy: string) {
    super("MACHINE_FAILED", `returned ${what}`, { remedy });
  }
}

/** A guard that is given the facts of the step; anything but a function stays as it is. */
export function informedGuard(guard: unknown, calling: Calling): unknown {
  return typeof guard === "function"
    ? informed(guard as Informed, calling, (result) => refusePromise(result))
    : guard;
}

/** A function of an author that is given the facts of the step beside those of the event. */
function informed(inner: Informed, { facts, onThrow }: Calling, refuse: (result: unknown) => void): Informed {
  const outer: Informed = (given, params) => {
    try {
      const result = inner({ ...given, event: { ...facts(), ...given.event } }, params);
      refuse(result);
      return result;
    } catch (error) {
      onThrow(error);
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
    return assign(informed(assignment as Informed, calling, refuseChange) as never);
  }
  const parts = mapValues(assignment as Record<string, unknown>, (part) =>
    typeof part === "function" ? informed(part as Informed, calling, (value) => refusePromise(value)) : part,
  );
  return assign(parts as never);
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
    invoke: eachOf((invoke) => changed(invoke, { onDone: edges, onError: edges, onSnapshot: edges })),
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
  if (typeof result === "object" && !Array.isArray(result)) return;
  throw new ResultError(
    `${shown(result)}, but must return the fields of the context that change`,
    "Return an object such as { rounds: context.rounds + 1 }.",
  );
}

/** The record with every value mapped. */
export function mapValues(
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
