// Gives an author's guards and actions the facts of the step, also on the events that XState raises by itself.
import { assign } from "xstate";

/** A guard or action of an author. */
type Informed = (given: { readonly event: object }, params?: unknown) => unknown;

/** What every event of a step carries. */
export type Facts = Readonly<Record<string, unknown>>;

/** What a function of an author is called with. */
export interface Calling {
  readonly facts: () => Facts;
  /** Told what the function throws, which is thrown on. */
  readonly onThrow: (error: unknown) => void;
}

/** A guard that is given the facts of the step; anything but a function stays as it is. */
export function informedGuard(guard: unknown, calling: Calling): unknown {
  return typeof guard === "function" ? informed(guard as Informed, calling) : guard;
}

/** A function of an author that is given the facts of the step beside those of the event. */
function informed(inner: Informed, { facts, onThrow }: Calling): Informed {
  const outer: Informed = (given, params) => {
    try {
      return inner({ ...given, event: { ...facts(), ...given.event } }, params);
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
  const { type, assignment } = action as { type?: unknown; assignment?: unknown };
  if (type !== "xstate.assign") return action;
  if (typeof assignment === "function") return assign(informed(assignment as Informed, calling) as never);
  const parts = mapValues(assignment as Record<string, unknown>, (part) =>
    typeof part === "function" ? informed(part as Informed, calling) : part,
  );
  return assign(parts as never);
}

/** The record with every value mapped. */
export function mapValues(
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
