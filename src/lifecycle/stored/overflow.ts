// What is reported when `status.lifecycle` would not fit into its budget: what does not fit, how much, and what takes the room.
import type { Problem } from "../../ports/problem.ts";
import { sizeOf } from "../values/json-size.ts";
import type { LifecycleStatus } from "./snapshot.ts";

/** Code of the problem. */
export const overflowCode = "SNAPSHOT_TOO_LARGE";

/** What would not fit. */
export interface Overflow {
  /** The states that stay. */
  readonly state: string;
  /** The move that would not fit; absent where even staying does not. */
  readonly move?: { readonly to: string; readonly event: string };
  readonly status: LifecycleStatus;
  /** Bytes. */
  readonly budget: number;
}

/** The problem, with the edge and with what takes most room. */
export function overflowProblem({ state, move, status, budget }: Overflow): Problem {
  const size = `status.lifecycle would take ${sizeOf(status)} bytes, the budget is ${budget}`;
  const [name, bytes] = largestPart(status);
  const what =
    move === undefined
      ? `${size}; the previous one stays`
      : `the move ${state} → ${move.to} by ${move.event} is not made: ${size}`;
  return {
    code: overflowCode,
    severity: "error",
    state,
    ...(move === undefined ? {} : { event: move.event }),
    message: `${what}; most of it is ${name} with ${bytes}`,
    remedy: `Keep large values out of ${name} (out of the context, and out of the handles and outputs of tasks), or raise \`snapshotBudget\` in defineKind.`,
  };
}

/** The largest field, task or other part, as it is found in the status. */
function largestPart({
  snapshot,
  tasks,
  ...others
}: LifecycleStatus): readonly [name: string, bytes: number] {
  const parts = [
    ...Object.entries(snapshot.context).map(([name, value]) => [`snapshot.context.${name}`, value] as const),
    ...Object.entries(tasks).map(([id, task]) => [`tasks.${id}`, task] as const),
    ...Object.entries(others),
  ].map(([name, value]) => [name, sizeOf(value)] as const);
  return parts.reduce((largest, part) => (part[1] > largest[1] ? part : largest), ["status.lifecycle", 0]);
}
