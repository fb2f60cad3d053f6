// Why an edge was not walked, in one sentence that says what to add.
import type { GraphEdge } from "../../statechart/graph.ts";
import { describeStimulus, type Stimulus } from "./stimulus.ts";
import type { Subject } from "./subject.ts";

/** A try that did not take the edge it was meant for. */
export interface FailedAttempt {
  readonly stimulus: Stimulus;
  /** The edge that was taken in its place. */
  readonly instead: GraphEdge | undefined;
  /** What the author's code threw. */
  readonly problem: string | undefined;
  readonly restless: boolean;
}

/** What the search knows about an edge. */
export interface SearchFindings {
  /** Paths of the leaves that were active. */
  readonly entered: ReadonlySet<string>;
  readonly failed: readonly FailedAttempt[];
}

/** Why the edge was not walked. */
export function whyNot(subject: Subject, edge: GraphEdge, { entered, failed }: SearchFindings): string {
  const { facts, specs } = subject;
  const isEntered =
    edge.source === "" ||
    [...entered].some((path) => path === edge.source || path.startsWith(`${edge.source}:`));
  if (!isEntered) return `${edge.source} was never entered`;
  const problem = failed.find((each) => each.problem !== undefined)?.problem;
  if (problem !== undefined) return problem;
  if (failed.length === 0) return whyNotTried(subject, edge);
  if (failed.every(({ restless }) => restless)) return "the application never settles before it";
  const others = new Set(failed.flatMap(({ instead }) => (instead === undefined ? [] : [nameEdge(instead)])));
  const [first] = failed;
  const tries = `${failed.length} ${failed.length === 1 ? "try" : "tries"}, first: ${first === undefined ? "" : describeStimulus(first.stimulus)}`;
  if (failed.some(({ instead }) => instead === undefined) && edge.guard !== undefined) {
    return (
      `its guard "${edge.guard}" was never true (${tries}; samples: ${facts.length} of facts, ${specs.length} of specs); ` +
      "add a sample for which it is true to the options facts, specs or outputs"
    );
  }
  if (others.size > 0) return `${[...others].join(" or ")} is taken in its place (${tries})`;
  return `no sample takes it (${tries})`;
}

function whyNotTried({ specs }: Subject, edge: GraphEdge): string {
  if (edge.event.startsWith("desired.")) {
    return "no target needs it: every state that may be desired is reached by a shorter path";
  }
  if (edge.event === "config.changed" && specs.length < 2) {
    return "there is no second spec to change to: give the option specs at least two";
  }
  if (edge.kind === "after") return `the delay "${edge.delay}" is not defined`;
  return "the machine never takes it by itself";
}

/** An edge in words: `Running --observed.Down--> Start`. */
export function nameEdge({ source, event, guard, targets }: GraphEdge): string {
  const condition = guard === undefined ? "" : ` [${guard}]`;
  const to = targets.length === 0 ? "itself" : targets.join(", ");
  return `${source === "" ? "any state" : source} --${event}${condition}--> ${to}`;
}
