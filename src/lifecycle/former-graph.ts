// A snapshot that another version of the graph has written: what the author's migrations and renames make of it.
// Called by restore.ts; nothing that an author's function does or returns can make it throw.
import type { Json } from "../meta/object.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { Leaves } from "../statechart/configuration.ts";
import type { Lifecycle } from "./compile-lifecycle.ts";
import { damage, type Problem } from "./problem.ts";
import { readFormerLeaves, type StoredStatus } from "./read-status.ts";
import { isRenamed } from "./rename.ts";
import { readFields, readJson, readText } from "./untrusted.ts";

/** Where a snapshot of another graph leads. */
export interface MigratedPosition {
  readonly leaves: Leaves;
  readonly context: Readonly<Record<string, Json>> | undefined;
}

/** What the author's functions and renames make of a snapshot of another graph. Undefined, with the problem told, when that is no state. */
export function migratePosition(
  lifecycle: Lifecycle,
  read: StoredStatus,
  value: string | undefined,
  problems: Problem[],
): MigratedPosition | undefined {
  const { graphId, options } = lifecycle;
  const [, id, version] = /^(.*)@(.*)$/.exec(read.graph ?? "") ?? [];
  const foreign = `the snapshot is of ${read.graph}, the lifecycle is ${graphId}`;
  if (id !== lifecycle.id || version === undefined || value === undefined) {
    problems.push(damage(foreign));
    return undefined;
  }
  try {
    const old = { value, context: structuredClone(read.context ?? {}) };
    const migrated = readFields(options.migrate(old, version));
    if (migrated === undefined && value.split(",").every((path) => isRenamed(options.renames, path))) {
      const leaves = readFormerLeaves(lifecycle, value);
      if (leaves !== undefined) return { leaves, context: read.context };
    }
    const leaves = readFormerLeaves(lifecycle, readText(migrated?.["value"]));
    if (leaves !== undefined) {
      return { leaves, context: readFields(readJson(migrated?.["context"])) as MigratedPosition["context"] };
    }
    const nowhere = `the migration from version ${version} leads to ${JSON.stringify(migrated?.["value"])}, which is no state`;
    problems.push(damage(migrated === undefined ? foreign : nowhere));
  } catch (error: unknown) {
    problems.push(damage(`the migration from version ${version} failed: ${messageOf(error)}`));
  }
  return undefined;
}
