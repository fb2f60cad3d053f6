// A word that the observer says and that no edge takes: most likely misspelt, and waited on for ever. Reported while the
// target is not reached.
import { edgesOf, type GraphIndex, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { takerOf } from "../graph/edge-taker.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { wordsOf, type Observation } from "../observation.ts";

/** What is to be said of words that no edge takes, no state is named by, and nobody has declared; undefined for any other. */
export function unknownObservation(
  { index, observations }: Pick<Lifecycle, "index" | "observations">,
  leaves: Leaves,
  observation: Observation | undefined,
): string | undefined {
  // Where no edge waits for an observation, its word is for people.
  if (!edgesOf(index, leaves).some(isObserved)) return undefined;
  const { words, states } = knownWords(index);
  const unknown = wordsOf(observation).filter(
    (word) => !observations.has(word) && !states.has(word) && !words.includes(word) && !words.includes("*"),
  );
  if (unknown.length === 0) return undefined;
  return unknown
    .map((word) => {
      const meant = meantBy(word, words) ?? words.find((each) => each.length >= 3 && word.startsWith(each));
      return `observe returned "${word}", which no edge takes${meant === undefined ? "" : `; did you mean "${meant}" (observed.${meant})?`}`;
    })
    .join("; ");
}

interface KnownWords {
  /** That edges wait for. */
  readonly words: readonly string[];
  /** Paths and names of states. */
  readonly states: ReadonlySet<string>;
}

const known = new WeakMap<GraphIndex, KnownWords>();

function knownWords(index: GraphIndex): KnownWords {
  const { edges, nodes } = index.graph;
  const found = known.get(index) ?? {
    words: edges.filter(isObserved).map(({ event }) => event.slice(event.indexOf(".") + 1)),
    states: new Set(nodes.flatMap(({ path, name }) => [path, name])),
  };
  known.set(index, found);
  return found;
}

function isObserved(edge: GraphEdge): boolean {
  return takerOf(edge) === "observation";
}
