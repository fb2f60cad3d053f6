// Fields that an apply would change although others own them, and the 409 answer about them.
// Returned by server-side apply without `force`.
import type { ManagerIdentity } from "./managed-fields.ts";
import { printPath } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";

/** One field and one of its owners. */
export interface ApplyConflict {
  /** The owner as messages print it, such as `"m1" using v1`. */
  readonly manager: string;
  /** The field, such as `.spec.envs[name="a"].value`. */
  readonly field: string;
}

/** An entry of `details.causes` in the answer to a conflict. */
export interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

/** A conflict over a field of a manager. */
export function conflictWith(
  owner: ManagerIdentity,
  path: readonly PathElement[],
  time?: string,
): ApplyConflict {
  return { manager: printManager(owner, time), field: printPath(path) };
}

/** The causes of the 409 answer. */
export function conflictCauses(conflicts: readonly ApplyConflict[]): readonly ConflictCause[] {
  return conflicts.map(({ manager, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${manager}`,
    field,
  }));
}

/** The message of the 409 answer. */
export function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`;
  }
  const managers = [...new Set(conflicts.map(({ manager }) => manager))];
  const lines = managers.flatMap((manager) => [
    `conflicts with ${manager}:`,
    ...conflicts.filter((each) => each.manager === manager).map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function printManager(owner: ManagerIdentity, time: string | undefined): string {
  const at = time === undefined ? "" : ` at ${time}`;
  return [
    JSON.stringify(owner.manager),
    ...(owner.subresource === undefined ? [] : [`with subresource ${JSON.stringify(owner.subresource)}`]),
    ...(owner.operation === "Update" ? [`using ${owner.apiVersion}${at}`] : []),
  ].join(" ");
}
