// What an author's observer says about the application: the level from which machine events are derived.
import type { Json } from "../meta/object.ts";
import { meantBy } from "../ports/misspelling.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** How the application looks right now. Observation wins over the stored state. */
export interface Observation<TState extends string = string> {
  /**
   * The lifecycle state the application is observed to be in: becomes the machine event `observed.<State>`.
   * Any word is allowed, also one that is not a state (`Down`); absent while nothing is known.
   */
  readonly state?: TState | undefined;
  /** Facts for guards and for the status message; plain JSON, small. */
  readonly facts?: Readonly<Record<string, Json>>;
  /** A sentence for people, shown in the condition. */
  readonly message?: string;
}

const fieldNames: readonly (keyof Observation)[] = ["state", "facts", "message"];

/**
 * What an observer returned, if it is an observation; nothing, and an empty object, say that nothing is known.
 *
 * **Errors**: `OBSERVATION_INVALID`: authors need no compiler, so anything may come. A field that no observation has would be
 * ignored, and with it most often the state.
 */
export function readObservation(seen: unknown): Observation {
  if (seen === undefined) return {};
  const invalid = (what: string, hint = ""): OperatorError =>
    new OperatorError("OBSERVATION_INVALID", `observe returned ${what}`, {
      remedy: `${hint}Return an object: { state: "Running", message: "3 of 3 pods are ready", facts: { pods: 3 } }.`,
    });
  if (typeof seen !== "object" || seen === null || Array.isArray(seen)) throw invalid(describe(seen));
  const unknown = Object.keys(seen).find((name) => !(fieldNames as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const meant = meantBy(unknown, fieldNames);
    throw invalid(
      `an object with the field "${unknown}", which an observation does not have`,
      meant === undefined ? "" : `Did you mean "${meant}"? `,
    );
  }
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
