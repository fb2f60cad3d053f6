// Conditions that an earlier version kept on every resource: `Progressing`, and `Paused` and `Degraded` while they were False.
// They are removed together with the next change of the status, and are no reason for a write of their own: a new version that
// starts among thousands of resources at rest writes none of them.
import type { Condition } from "../../meta/condition.ts";

const retired = [
  { type: "Progressing", text: /^the application (is leaving|stays in) / },
  { type: "Degraded", text: /^the application is not degraded in / },
  { type: "Paused", text: /^the lifecycle is not paused$/ },
] as const;

/** Whether a condition is one that only an earlier version writes; an author's own of that type is not. */
export function isRetired({ type, message }: Pick<Condition, "type" | "message">): boolean {
  return retired.some((each) => each.type === type && each.text.test(message));
}
