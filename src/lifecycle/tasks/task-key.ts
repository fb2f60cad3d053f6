// The idempotency key of one attempt of one task: the same after a restart, different for everything else.
import { fingerprint } from "../values/fingerprint.ts";

/** What makes a key. */
export interface TaskIdentity {
  /** UID of the custom resource. */
  readonly uid: string;
  /** The move by which the state was entered. */
  readonly entry: number;
  /** Id of the invoke. */
  readonly id: string;
  readonly attempt: number;
}

const longestKey = 52;

const tailOfKey = /-(\d{1,15})-(\d{1,9})-[0-9a-f]{16}$/;

/** A valid Kubernetes object name of at most 52 characters: `backup-3-1-9f8a7b6c5d4e3f2a`. */
export function taskKeyOf({ uid, entry, id, attempt }: TaskIdentity): string {
  const tail = `-${entry}-${attempt}-${fingerprint(`${uid}\u0000${id}\u0000${entry}\u0000${attempt}`)}`;
  const name = id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, longestKey - tail.length)
    .replace(/-+$/, "");
  return `${name === "" ? "task" : name}${tail}`;
}

/** What a name says that is a key of this resource and this invoke; undefined for any other name. */
export function readTaskKey(
  name: string,
  { uid, id }: Pick<TaskIdentity, "uid" | "id">,
): TaskIdentity | undefined {
  const [, entryText, attemptText] = tailOfKey.exec(name) ?? [];
  if (entryText === undefined || attemptText === undefined) return undefined;
  const identity = { uid, id, entry: Number(entryText), attempt: Number(attemptText) };
  return taskKeyOf(identity) === name ? identity : undefined;
}

/** Whether a name has the form of a key, of whichever resource. */
export function isLikeTaskKey(name: string): boolean {
  return tailOfKey.test(name);
}

/** Whether a key is of the same task as another one: of this or another attempt of the same entry. */
export function isTaskOf(key: string, other: string): boolean {
  const taskOf = (each: string): string => each.replace(/-\d{1,9}-[0-9a-f]{16}$/, "");
  return isLikeTaskKey(key) && taskOf(key) === taskOf(other);
}
