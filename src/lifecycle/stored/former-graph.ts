// A snapshot that another version of the graph has written: what the author's migrations and renames make of it.
// Called by restore.ts; nothing that an author's function does or returns can make it throw.
import type { Json } from "../../meta/object.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { Leaves } from "../../statechart/configuration.ts";
import type { Position } from "../../statechart/statechart.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { damage } from "../values/damage.ts";
import type { Problem } from "../../ports/problem.ts";
import { readFormerLeaves, type StoredStatus } from "./read-status.ts";
import { isRenamed, renamedPath } from "../graph/rename.ts";
import { readFields, readJson, readText } from "../values/untrusted.ts";

/** Where a snapshot of another graph leads. */
export interface MigratedPosition {
  readonly leaves: Leaves;
  readonly context: Readonly<Record<string, Json>> | undefined;
  /** What was left, under the present names. */
  readonly history: Position["history"];
}

/** What the author's functions and renames make of a snapshot of another graph. Undefined, with the problem reported, when that is not a state. */
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
    const history = presentHistory(lifecycle, read.history);
    // Side by side, the regions that the author does not name are where they were.
    if (migrated === undefined && value.split(",").some((path) => isRenamed(options.renames, path))) {
      const leaves = readFormerLeaves(lifecycle, value);
      if (leaves !== undefined) return { leaves, context: read.context, history };
    }
    const leaves = readMigrated(lifecycle, readText(migrated?.["value"]));
    if (leaves !== undefined) {
      const context = readFields(readJson(migrated?.["context"])) as MigratedPosition["context"];
      return { leaves, context, history };
    }
    problems.push(
      migrated === undefined ? damage(foreign) : leadsNowhere(lifecycle, version, migrated["value"]),
    );
  } catch (error: unknown) {
    problems.push(damage(`the migration from version ${version} failed: ${messageOf(error)}`));
  }
  return undefined;
}

/** The leaves that a migration names; it may part the states of a path by dots, as the targets of edges do. */
function readMigrated(lifecycle: Lifecycle, value: string | undefined): Leaves | undefined {
  return readFormerLeaves(lifecycle, value) ?? readFormerLeaves(lifecycle, value?.replaceAll(".", ":"));
}

function leadsNowhere({ index }: Lifecycle, version: string, value: unknown): Problem {
  const states = [...index.nodes.keys()].filter((path) => path !== "");
  return {
    ...damage(
      `the migration from version ${version} leads to ${JSON.stringify(value)}, which is not a state`,
    ),
    remedy: `Return the path of a state as its value, several separated by commas: ${states.slice(0, namedStates).join(", ")}${states.length > namedStates ? ", …" : ""}.`,
  };
}

/** States that a remedy names. */
const namedStates = 20;

/** What each history state remembers, under the present names; one that leads to no state any more is forgotten. */
function presentHistory(
  { index, options }: Lifecycle,
  history: StoredStatus["history"],
): Position["history"] {
  const present = (path: string): string => renamedPath(index, options.renames, path);
  const known = Object.entries(history ?? {})
    .map(([path, paths]) => [present(path), paths.map(present)] as const)
    .filter(
      ([path, paths]) =>
        index.nodes.get(path)?.type === "history" && paths.every((each) => index.nodes.has(each)),
    );
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
