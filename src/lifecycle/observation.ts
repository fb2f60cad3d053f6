// What an author's observer says about the application: the level from which machine events are derived.
import type { Json } from "../meta/object.ts";
import { regionOf, type GraphIndex, type Leaves, parseLeaves } from "../statechart/configuration.ts";
import { takerOf } from "./graph/edge-taker.ts";
import { meantBy } from "../ports/misspelling.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** How the application looks right now. Observation wins over the stored state. */
export interface Observation<TState extends string = string> {
  /**
   * The lifecycle state the application is observed to be in: becomes the machine event `observed.<State>`.
   * Any word is allowed, also one that is not a state (`Down`); absent while nothing is known.
   */
  readonly state?: TState | undefined;
  /**
   * The same for the regions of a parallel state, one word for each region: `["Data:Syncing", "Web:Serving"]`. Each becomes an event of its own, and
   * moves the regions that have an edge for it.
   */
  readonly states?: readonly TState[] | undefined;
  /** Facts for guards and for the status message; plain JSON, small. */
  readonly facts?: Readonly<Record<string, Json>>;
  /** A sentence for people, shown in the condition. */
  readonly message?: string;
}

const fieldNames: readonly (keyof Observation)[] = ["state", "states", "facts", "message"];

/** What was seen, in the order in which it is tried: each word once. */
export function wordsOf(observation: Observation | undefined): readonly string[] {
  const { state, states } = observation ?? {};
  if (states === undefined) return state === undefined ? [] : [state];
  return [...new Set(state === undefined ? states : [state, ...states])];
}

/** The configuration that was seen; undefined when no word is the path of a state. */
export function leavesSeen(index: GraphIndex, observation: Observation | undefined): Leaves | undefined {
  const words = wordsOf(observation);
  const paths = words.filter((word) => index.nodes.has(word));
  return paths.length === 0 ? undefined : parseLeaves(index, paths.join(","));
}

/**
 * What an observer returned, if it is an observation; nothing, and an empty object, say that nothing is known.
 *
 * **Errors**: `OBSERVATION_INVALID`: authors need no compiler, so anything may come. A field that no observation has would be
 * ignored, and with it most often the state. Two words for one region exclude each other.
 */
export function readObservation(seen: unknown, index?: GraphIndex): Observation {
  if (seen === undefined) return {};
  if (typeof seen !== "object" || seen === null || Array.isArray(seen)) throw invalid(describe(seen));
  const unknown = Object.keys(seen).find((name) => !(fieldNames as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const meant = meantBy(unknown, fieldNames);
    throw invalid(
      `an object with the field "${unknown}", which an observation does not have`,
      meant === undefined ? "" : `Did you mean "${meant}"? `,
    );
  }
  const { state, states, message, facts } = seen as Readonly<Record<string, unknown>>;
  if (state !== undefined && typeof state !== "string") throw invalid(`a state that is ${describe(state)}`);
  if (states !== undefined && (!Array.isArray(states) || states.some((each) => typeof each !== "string")))
    throw invalid("states that are not a list of words", 'Write states: ["Data:Syncing", "Web:Serving"]. ');
  if (message !== undefined && typeof message !== "string")
    throw invalid(`a message that is ${describe(message)}`);
  if (facts !== undefined && (typeof facts !== "object" || facts === null || Array.isArray(facts)))
    throw invalid(`facts that are ${describe(facts)}`);
  if (states !== undefined && index !== undefined) refuseContradiction(index, wordsOf(seen));
  return seen;
}

/** Two words for one region: only one of them can be so. */
function refuseContradiction(index: GraphIndex, words: readonly string[]): void {
  const known = new Map<string, string>();
  for (const word of words) {
    const regions = regionsOf(index, word);
    const [region] = regions;
    // A word that several regions have edges for says nothing of one alone.
    if (region === undefined || regions.size > 1) continue;
    const other = known.get(region);
    if (other !== undefined) {
      const where = region === "" ? "the application" : `the region ${region}`;
      throw invalid(
        `"${other}" and "${word}", two words for ${where}`,
        "Return one word for each region, the one that is so now. ",
      );
    }
    known.set(region, word);
  }
}

/** The regions that a word is about: where a state has this path, else where edges take it. */
function regionsOf(index: GraphIndex, word: string): ReadonlySet<string> {
  if (index.nodes.has(word)) return new Set([regionOf(index, word)]);
  const takers = index.graph.edges.filter(
    (edge) => takerOf(edge) === "observation" && edge.event === `observed.${word}`,
  );
  return new Set(takers.map(({ source }) => regionOf(index, source)));
}

function invalid(what: string, hint = ""): OperatorError {
  return new OperatorError("OBSERVATION_INVALID", `observe returned ${what}`, {
    remedy: `${hint}Return an object: { state: "Running", message: "3 of 3 pods are ready", facts: { pods: 3 } }.`,
  });
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
