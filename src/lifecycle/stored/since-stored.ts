// What is stored of a run that has left a state and come back to it before anything was stored: a child was lost and made again. With all
// else as it is stored, nobody can have seen that, and a status of which only the instant differs is not worth a write.
import { isEqualJson } from "../../meta/changed-paths.ts";
import { readField, readFields, readInstantText } from "../values/untrusted.ts";
import { isOwnDraft, noteOwnDraft } from "./read-status.ts";
import type { LifecycleStatus } from "./snapshot.ts";

/** The status to be stored: with the instant that is stored, if that is all in which they differ. */
export function withSinceStored(stored: unknown, status: LifecycleStatus): LifecycleStatus {
  const since = readInstantText(readField(readFields(stored) ?? {}, "since"));
  if (since === undefined) return status;
  // What this process has stored has the digest of what is in it: that of the other need not be worked out.
  if (isOwnDraft(stored) && isSameButSince(stored, status)) return stored;
  if (since === status.since) return status;
  const same = { ...status, since };
  if (!isEqualJson(stored, same)) return status;
  noteOwnDraft(same);
  return same;
}

function isSameButSince(one: LifecycleStatus, other: LifecycleStatus): boolean {
  const isSame = (name: string): boolean =>
    name === "since" ||
    name === "digest" ||
    isEqualJson(one[name as keyof LifecycleStatus], other[name as keyof LifecycleStatus]);
  for (const name in one) if (!isSame(name)) return false;
  for (const name in other) if (!isSame(name)) return false;
  return true;
}
