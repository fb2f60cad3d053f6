// What is persisted in `status.lifecycle`: one schema, from which come its type, what a reader takes for whole
// (read-status.ts) and what the CRD declares. Written by cycle.ts, read back by restore.ts.
import { z } from "zod";
import { keptGetter } from "../../collections/shared-getters.ts";
import type { Position } from "../../statechart/statechart.ts";
import { formatLeaves } from "../../statechart/configuration.ts";
import { fingerprintOfJson } from "../values/fingerprint.ts";
import { countedProgress, taskRecord } from "../tasks/task-record.ts";
import { timerRecord } from "../timers/timers.ts";
import { targetRecord } from "../targets/target-record.ts";
import {
  count,
  entryNumber,
  flag,
  instant,
  json,
  jsonFields,
  recordOf,
  text,
  texts,
  type Stored,
} from "../values/stored-values.ts";

/** The schema of {@link SnapshotEnvelope}. */
export const snapshotEnvelope = z.object({
  /** `id@version` of the machine that wrote it. */
  graph: text,
  /** The active states, as {@link formatLeaves} writes them. */
  value: text,
  context: jsonFields,
  history: recordOf(texts).exactOptional(),
  /** How many moves this resource has made; part of every task's key, so that none is used twice. */
  entry: entryNumber,
});

/** The actor's snapshot: what the condition does not say. */
export type SnapshotEnvelope = Stored<typeof snapshotEnvelope>;

const editRecord = z.object({
  hash: text,
  /** Dotted paths that differ from the edit before. */
  changed: texts,
});

/** An edit of the spec that waits. */
export type EditRecord = Stored<typeof editRecord>;

const configRecord = z.object({
  generation: count,
  hash: text,
  /** Hashes of its fields; of the last edit's, where edits wait. */
  fields: recordOf(z.string()).exactOptional(),
  /** Later edits that wait for their turn, under the policy `queue`. */
  edits: z.array(editRecord).exactOptional(),
});

/** The spec that was delivered to the application. */
export type ConfigRecord = Stored<typeof configRecord>;

const humanRecord = z.object({
  event: text,
  /** Tells one request from a repeated look at the same one. */
  id: text,
  /** The field manager who asked. */
  by: text.exactOptional(),
  /** Whether it was taken. */
  accepted: flag.exactOptional(),
  /** Why, with the events that would have been accepted. */
  message: text.exactOptional(),
  /** The annotation is known to be gone: one that looks the same is another request. */
  removed: flag.exactOptional(),
});

/** The last human event that was taken or refused. */
export type HumanRecord = Stored<typeof humanRecord>;

const pauseRecord = z.object({
  /** There the time of timers, retries and deadlines stands still. */
  at: instant,
  /** The field manager who asked. */
  by: text.exactOptional(),
});

/** A pause that a person has asked for. */
export type PauseRecord = Stored<typeof pauseRecord>;

const moveRecord = z.object({ from: text.exactOptional(), event: text, cause: text });

/** The last move. */
export type MoveRecord = Stored<typeof moveRecord>;

/** The schema of {@link LifecycleStatus}. */
export const lifecycleStatus = z.object({
  /**
   * The active states; equal to the reason of the condition `Lifecycle`, and no longer than one may be: rules that take it
   * apart need a limit.
   */
  state: text.max(1_024).describe("The active states."),
  /** When the state was entered. */
  since: instant.describe("When the state was entered."),
  target: targetRecord.describe("The state that the operator leads the application to, and the progress."),
  /** The states that remain until the desired one; the first is next. */
  plan: texts.describe("The states that remain on the path to the target."),
  graph: text.describe("Id and version of the machine."),
  snapshot: snapshotEnvelope,
  /** By invoke id; a task that is being ended because its state was left is kept under its key. */
  tasks: recordOf(taskRecord),
  /** By event type of the `after` edge. */
  timers: recordOf(timerRecord),
  config: configRecord,
  human: humanRecord.exactOptional(),
  /** Absent when the application is not paused. */
  paused: pauseRecord.describe("Since when, and by whom, the lifecycle has been paused.").exactOptional(),
  last: moveRecord.exactOptional(),
  progress: countedProgress
    .describe(
      "How far the work is that is under way: a task's, or the pods of children that are being replaced.",
    )
    .exactOptional(),
  /** What the machine has come to, while it is at its end; left out when it is too large. */
  output: json.describe("The output of the lifecycle, while it is in its final state.").exactOptional(),
  /** Hash of what is decided on: detects edits by other clients. */
  digest: text,
});

/** `status.lifecycle`. */
export type LifecycleStatus = Stored<typeof lifecycleStatus>;

/** The snapshot of a position. */
export function toSnapshot(graph: string, position: Position, entry: number): SnapshotEnvelope {
  const { leaves, context, history } = position;
  return {
    graph,
    value: formatLeaves(leaves),
    context,
    ...(history === undefined ? {} : { history }),
    entry,
  };
}

/** What is decided on. */
type Decisive = Partial<Record<"target" | "snapshot" | "tasks" | "timers" | "config" | "paused", unknown>>;

/** The parts that decide, as one hash. */
export function digestOf({ target, snapshot, tasks, timers, config, paused }: Decisive): string {
  return fingerprintOfJson({ config, paused, snapshot, target, tasks, timers });
}

/** Bytes that the digest takes in a status that is stored. */
export const digestSize = ',"digest":"0123456789abcdef"'.length;

const keepDigest = keptGetter("digest", digestOf);

/** The status with its digest, which is worked out when it is asked for: most of what is passed through within one run is never stored. */
export function withDigest(status: Omit<LifecycleStatus, "digest">): LifecycleStatus {
  return keepDigest(status, status);
}
