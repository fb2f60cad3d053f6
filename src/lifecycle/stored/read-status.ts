// Reads a stored `status.lifecycle` that anyone may have written: each part that is whole is returned in its type, each
// part that is not is left out and reported. Decides nothing; restore.ts does.
import { parseLeaves, type Leaves } from "../../statechart/configuration.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { renamedPath } from "../graph/rename.ts";
import { inPresentWords } from "./former-words.ts";
import { digestOf, lifecycleStatus, snapshotEnvelope, type LifecycleStatus } from "./snapshot.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { Timers } from "../timers/timers.ts";
import { readWhole } from "../values/read-whole.ts";
import type { Stored } from "../values/stored-values.ts";
import { readFields, readInstant } from "../values/untrusted.ts";

/** The status of which any part may be missing. */
const parts = lifecycleStatus.extend({ snapshot: snapshotEnvelope.partial() }).partial();

type Parts = Stored<typeof parts>;

/** The parts of a status that could be read. */
export interface StoredStatus
  extends
    Omit<Parts, "since" | "snapshot" | "tasks" | "timers" | "digest">,
    Omit<NonNullable<Parts["snapshot"]>, "graph"> {
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly tasks: Tasks;
  readonly timers: Timers;
  /** Another client has changed what is decided on. */
  readonly edited: boolean;
  /** The names of the parts that are there and are not whole. */
  readonly damaged: readonly string[];
}

/** Statuses that were decided on in this process and have not been stored yet: nobody else can have written them. */
const ownDrafts = new WeakSet<object>();

/** Notes that a status is as this process has decided: it is read as it is. */
export function noteOwnDraft(status: LifecycleStatus): void {
  ownDrafts.add(status);
}

/** Whether a status was noted as this process's own. */
export function isOwnDraft(stored: unknown): stored is LifecycleStatus {
  return typeof stored === "object" && stored !== null && ownDrafts.has(stored);
}

/** Reads what is whole. Never throws. */
export function readStatus(stored: unknown): StoredStatus {
  if (isOwnDraft(stored)) return { ...statusOf(withoutDigest(stored)), edited: false, damaged: [] };
  const fields = readFields(stored);
  const status = inPresentWords(fields ?? {});
  const { value = {}, damaged } = readWhole(parts, status);
  const { digest } = value;
  return {
    ...statusOf(value),
    edited: digest !== undefined && digest !== digestOf(status),
    damaged: [
      ...(stored === undefined || fields !== undefined ? [] : ["status"]),
      ...damaged.filter(isPart).map((path) => path.join(".")),
    ],
  };
}

/** A copy for which the digest is not worked out. */
function withoutDigest(status: LifecycleStatus): Parts {
  const parts: Record<string, unknown> = {};
  for (const name in status) if (name !== "digest") parts[name] = status[name as keyof LifecycleStatus];
  return parts;
}

/** The parts of a status, side by side. */
function statusOf({
  snapshot,
  since,
  tasks = {},
  timers = {},
  digest: _digest,
  ...others
}: Parts): Omit<StoredStatus, "edited" | "damaged"> {
  const entered = readInstant(since);
  return { ...others, ...snapshot, ...(entered === undefined ? {} : { since: entered }), tasks, timers };
}

/** Inside a record nothing is reported: a writer may leave out what is null, or write it. */
function isPart([part = "", ...within]: readonly PropertyKey[]): boolean {
  return (
    within.length === 0 || (within.length === 1 && ["snapshot", "tasks", "timers"].includes(String(part)))
  );
}

/** The leaves that a text names, as the present graph calls them or once did; undefined when it has no such configuration. */
export function readLeaves(lifecycle: Lifecycle, text: string | undefined): Leaves | undefined {
  if (text === undefined) return undefined;
  return parseLeaves(lifecycle.index, text) ?? readFormerLeaves(lifecycle, text);
}

/** The leaves that a text of another graph means: a state that was renamed is meant even where its old name is in use again. */
export function readFormerLeaves(lifecycle: Lifecycle, text: string | undefined): Leaves | undefined {
  const { index, options } = lifecycle;
  const renamed = text?.split(",").map((path) => renamedPath(index, options.renames, path));
  return renamed === undefined ? undefined : parseLeaves(index, renamed.join(","));
}
