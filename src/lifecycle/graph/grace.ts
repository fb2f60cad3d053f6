// How long an application may be in transition in a state before that is reported: `meta: { grace: "10m" }` on the state.
// Longer than that it is degraded, twice as long stalled; nothing is moved.
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import { isOperatorError, type OperatorError } from "../../ports/operator-error.ts";
import type { GraphIndex } from "../../statechart/configuration.ts";
import type { Problem } from "../../ports/problem.ts";
import { readField, readFields } from "../values/untrusted.ts";

/** Milliseconds by path of the state; a grace that is not a duration is left out. */
export function graceOf(index: GraphIndex): ReadonlyMap<string, number> {
  const read = index.graph.nodes.flatMap(({ path, meta }) => {
    const grace = readGrace(meta);
    return typeof grace === "number" ? [[path, grace] as const] : [];
  });
  return new Map(read);
}

/** What is wrong with the graces of a machine. */
export function checkGrace(index: GraphIndex): readonly Problem[] {
  return index.graph.nodes.flatMap(({ path, meta }): Problem[] => {
    const grace = readGrace(meta);
    if (grace === undefined || typeof grace === "number") return [];
    return [
      {
        code: "GRACE_INVALID",
        severity: "error",
        state: path,
        message: `the grace of ${path} is not a duration: ${grace.message}`,
        remedy: 'Write meta: { grace: "10m" }, or a number of milliseconds.',
      },
    ];
  });
}

function readGrace(meta: unknown): number | OperatorError | undefined {
  const grace = readField(readFields(meta) ?? {}, "grace");
  if (grace === undefined) return undefined;
  try {
    return toMilliseconds(grace as Duration);
  } catch (error: unknown) {
    if (!isOperatorError(error, "DURATION_INVALID")) throw error;
    return error;
  }
}
