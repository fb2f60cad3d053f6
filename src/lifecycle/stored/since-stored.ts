// When a state was entered, for a run that has left it and come back before anything was stored: a child was lost and made again. With
// all else as it is stored, nobody can have seen that, and a status of which only this instant differs is not worth a write.
import { isEqualJson } from "../../meta/changed-paths.ts";
import { readField, readFields, readInstantText } from "../values/untrusted.ts";
import { noteOwnDraft } from "./read-status.ts";
import type { LifecycleStatus } from "./snapshot.ts";

/** The status to be stored: with the instant that is stored, if that is all in which they differ. */
export function withSinceStored(stored: unknown, status: LifecycleStatus): LifecycleStatus {
  const since = readInstantText(readField(readFields(stored) ?? {}, "since"));
  if (since === undefined || since === status.since) return status;
  const same = { ...status, since };
  if (!isEqualJson(stored, same)) return status;
  noteOwnDraft(same);
  return same;
}
