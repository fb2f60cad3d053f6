// Where a validation walk is: the path for messages, the prefix for causes, and the value that was there before.
// Shared by the validators of this folder.
import { noField } from "./status-cause.ts";

/** Where the walk is, and what was there before. */
export interface Place {
  /** Path below the validated value, as messages print it. */
  readonly path: string;
  /** What the causes' field has in front of it. */
  readonly prefix: string;
  readonly old: unknown;
}

/** The field of a cause at a place. */
export function fieldAt(place: Place): string {
  if (place.prefix === "") return place.path === "" ? noField : place.path;
  if (place.path === "") return place.prefix;
  return place.path.startsWith("[") ? `${place.prefix}${place.path}` : `${place.prefix}.${place.path}`;
}

/** The field of a cause that is about the validated value as a whole, wherever in it something is wrong. */
export function wholeOf({ prefix }: Place): string {
  return prefix === "" ? noField : prefix;
}
