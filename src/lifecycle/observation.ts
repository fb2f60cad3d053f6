// What an author's observer says about the application: the level from which machine events are derived.
import type { Json } from "../meta/object.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** How the application looks right now. Observation wins over the stored state. */
export interface Observation<TState extends string = string> {
  /**
   * The lifecycle state the application is observed to be in: becomes the machine event `observed.<State>`.
   * Any word is allowed, also one that is not a state (`Down`); absent when the look said nothing.
   */
  readonly state?: TState | undefined;
  /** Facts for guards and for the status message; plain JSON, small. */
  readonly facts?: Readonly<Record<string, Json>>;
  /** A sentence for people, shown in the condition. */
  readonly message?: string;
}

/**
 * What an observer returned, if it is an observation; nothing counts as one that says nothing.
 *
 * **Errors**: `OBSERVATION_INVALID`: authors need no compiler, so anything may come.
 */
export function readObservation(seen: unknown): Observation {
  if (seen === undefined) return {};
  const invalid = (what: string): OperatorError =>
    new OperatorError("OBSERVATION_INVALID", `observe returned ${what}`, {
      remedy: 'Return an object: { state: "Running", message: "3 of 3 pods are ready", facts: { pods: 3 } }.',
    });
  if (typeof seen !== "object" || seen === null || Array.isArray(seen)) throw invalid(describe(seen));
  const { state, message, facts } = seen as Readonly<Record<string, unknown>>;
  if (state !== undefined && typeof state !== "string") throw invalid(`a state that is ${describe(state)}`);
  if (message !== undefined && typeof message !== "string")
    throw invalid(`a message that is ${describe(message)}`);
  if (facts !== undefined && (typeof facts !== "object" || facts === null || Array.isArray(facts)))
    throw invalid(`facts that are ${describe(facts)}`);
  return seen;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
