// What `--until` waits for: a state, a condition, or the end of the object. Pure.
import type { Explanation } from "../../explain/explanation.ts";
import { isActive, parseLeaves, type GraphIndex } from "../../statechart/configuration.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { UsageError } from "../usage-error.ts";

/** Something that an object may come to. */
export type Goal =
  | { readonly kind: "state"; readonly path: string }
  | { readonly kind: "condition"; readonly type: string; readonly status: string }
  | { readonly kind: "deleted" };

/**
 * Reads `Running`, `state=Running`, `Ready`, `condition=Ready`, `condition=Ready=False` or `deleted`. A bare word is a state
 * where the graph has one of that name, and else a condition.
 *
 * **Errors**: `USAGE` for a state that the graph does not have, and for a bare word that is nearly one, with those that it has.
 */
export function parseGoal(text: string, index: GraphIndex | undefined): Goal {
  if (text === "deleted") return { kind: "deleted" };
  const [, form, rest = text] = /^(state|condition)=(.*)$/.exec(text) ?? [];
  const isState = index?.nodes.has(rest) === true && index.nodes.get(rest)?.type !== "history";
  if (isState && form !== "condition") return { kind: "state", path: rest };
  const [, type, status = "True"] = /^([A-Za-z][A-Za-z0-9./-]*)(?:=(True|False|Unknown))?$/.exec(rest) ?? [];
  const states = (index?.graph.nodes ?? []).filter((node) => node.type !== "history").map(({ path }) => path);
  // A misspelt state would be waited for without an end, as a condition that never comes.
  const meant = form === undefined ? meantBy(rest, states) : undefined;
  if (form === "state" || type === undefined || meant !== undefined) {
    throw new UsageError(
      `there is no state "${rest}"`,
      `${meant === undefined ? "" : `Did you mean ${meant}? `}The states are: ${states.join(", ") || "none, because the kind has no lifecycle"}. Write conditions as condition=TYPE[=STATUS].`,
    );
  }
  return { kind: "condition", type, status };
}

/**
 * Whether an object has come to it; the explanation is undefined once it is gone. A condition that speaks of an older
 * generation does not count.
 */
export function isReached(
  goal: Goal,
  explanation: Explanation | undefined,
  index: GraphIndex | undefined,
): boolean {
  if (explanation === undefined || goal.kind === "deleted") {
    return explanation === undefined && goal.kind === "deleted";
  }
  const { state, conditions, object } = explanation;
  if (goal.kind === "state") {
    const leaves = state === undefined || index === undefined ? undefined : parseLeaves(index, state.name);
    return leaves !== undefined && isActive(leaves, goal.path);
  }
  return conditions.some(
    ({ type, status, observedGeneration = Number.POSITIVE_INFINITY }) =>
      type === goal.type && status === goal.status && observedGeneration >= (object.generation ?? 0),
  );
}

/** What to tell of a wait for a condition that an object does not have: it may come, or be misspelt. */
export function doubtAbout(goal: Goal, { conditions }: Explanation): string | undefined {
  if (goal.kind !== "condition" || conditions.some(({ type }) => type === goal.type)) return undefined;
  const types = conditions.map(({ type }) => type).join(", ");
  return `There is no condition ${goal.type} yet; present conditions: ${types || "none"}.`;
}

/** The goal as a sentence says it. */
export function describeGoal(goal: Goal): string {
  if (goal.kind === "deleted") return "deletion";
  return goal.kind === "state" ? `the state ${goal.path}` : `the condition ${goal.type} to be ${goal.status}`;
}
