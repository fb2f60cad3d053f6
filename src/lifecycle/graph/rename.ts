// What a state of an earlier graph is called in the present one. Read for snapshots of another version, for targets that a
// manifest still makes by an old name, and for the names that the CRD goes on accepting.
import { lineageOf, type GraphIndex } from "../../statechart/configuration.ts";
import type { Roles } from "./roles.ts";

/** Old path to new path; the states inside a renamed state come along. */
export type Renames = Readonly<Record<string, string>>;

/**
 * The present path of a state that an earlier graph called so; a name that was renamed again is followed to the last one.
 *
 * **Guarantees**: ends also where names lead in a circle; the path itself where nothing is known of it.
 */
export function renamedPath(index: GraphIndex, renames: Renames, path: string): string {
  const seen = new Set<string>();
  let current = path;
  while (!seen.has(current)) {
    seen.add(current);
    current = renameOnce(renames, current) ?? current;
    if (index.nodes.has(current)) break;
  }
  return current;
}

/** The state that a name means now: the state of that name, else the one that was once called so. */
function presentPath(index: GraphIndex, renames: Renames, name: string): string {
  return index.nodes.has(name) ? name : renamedPath(index, renames, name);
}

/** What the names of targets are read by. */
export interface DesirableStates {
  readonly index: GraphIndex;
  readonly roles: Pick<Roles, "transient">;
  readonly desirable: readonly string[];
}

/**
 * The state that a target means now: the state of that name, else the one that was once called so. Where that became a part
 * of a state, and is done once and no longer desired by itself, the target is for the state of which it is a part.
 */
export function desiredPath(
  { index, roles, desirable }: DesirableStates,
  renames: Renames,
  name: string,
): string {
  const path = presentPath(index, renames, name);
  if (path === name) return name;
  const isDoneOnce = (each: string): boolean => roles.transient.has(each);
  const whole = lineageOf(path).find((each) => desirable.includes(each));
  return whole !== undefined && isDoneOnce(path) && isDoneOnce(whole) ? whole : path;
}

/** Whether the author has said what became of this state. */
export function isRenamed(renames: Renames, path: string): boolean {
  return renameOnce(renames, path) !== undefined;
}

function renameOnce(renames: Renames, path: string): string | undefined {
  const outer = lineageOf(path).find((each) => Object.hasOwn(renames, each));
  return outer === undefined ? undefined : `${renames[outer] ?? outer}${path.slice(outer.length)}`;
}
