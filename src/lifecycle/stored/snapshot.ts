// What is persisted in `status.lifecycle`: its shape, its size, and the snapshot inside it.
// Written by cycle.ts, read back by restore.ts, declared to the API server by status-schema.ts.
import type { Json } from "../../meta/object.ts";
import type { Position } from "../../statechart/statechart.ts";
import { formatLeaves } from "../../statechart/configuration.ts";
import { fingerprintOfJson } from "../values/fingerprint.ts";
import type { SpecFields } from "./spec-fields.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import type { TimerRecord } from "../timers/timers.ts";
import type { TargetRecord } from "../targets/target-record.ts";

/** The actor's snapshot: what the condition does not say. */
export interface SnapshotEnvelope {
  /** `id@version` of the machine that wrote it. */
  readonly graph: string;
  /** The active states, as {@link formatLeaves} writes them. */
  readonly value: string;
  readonly context: Readonly<Record<string, Json>>;
  readonly history?: Readonly<Record<string, readonly string[]>>;
  /** How many moves this resource has made; part of every task's key, so that none is used twice. */
  readonly entry: number;
}

/** The spec that the application has been told about. */
export interface ConfigRecord {
  readonly generation: number;
  readonly hash: string;
  /** Hashes of its fields; of the last edit's, where edits wait. */
  readonly fields?: SpecFields;
  /** Later edits that wait for their turn, under the policy `queue`. */
  readonly edits?: readonly EditRecord[];
}

/** An edit of the spec that waits. */
export interface EditRecord {
  readonly hash: string;
  /** Dotted paths that differ from the edit before. */
  readonly changed: readonly string[];
}

/** The last human event that was taken or refused. */
export interface HumanRecord {
  readonly event: string;
  /** Tells one request from a repeated look at the same one. */
  readonly id: string;
  /** The field manager who asked. */
  readonly by?: string;
  /** Whether it was taken. */
  readonly accepted?: boolean;
  /** Why, with the events that would have been accepted. */
  readonly message?: string;
  /** The annotation is known to be gone: one that looks the same is another request. */
  readonly removed?: boolean;
}

/** A pause that a person has asked for. */
export interface PauseRecord {
  /** RFC 3339, UTC; there the time of timers, retries and deadlines stands still. */
  readonly at: string;
  /** The field manager who asked. */
  readonly by?: string;
}

/** The last move. */
export interface MoveRecord {
  readonly from?: string;
  readonly event: string;
  readonly cause: string;
}

/** `status.lifecycle`. */
export interface LifecycleStatus {
  /** The active states; equal to the reason of the condition `Lifecycle`. */
  readonly state: string;
  /** When the state was entered: RFC 3339, UTC. */
  readonly since: string;
  readonly target: TargetRecord;
  /** The states that remain until the desired one; the first is next. */
  readonly plan: readonly string[];
  readonly graph: string;
  readonly snapshot: SnapshotEnvelope;
  /** By invoke id; a task that is being ended because its state was left is kept under its key. */
  readonly tasks: Readonly<Record<string, TaskRecord>>;
  /** By event type of the `after` edge. */
  readonly timers: Readonly<Record<string, TimerRecord>>;
  readonly config: ConfigRecord;
  readonly human?: HumanRecord;
  /** Absent when the application is not paused. */
  readonly paused?: PauseRecord;
  readonly last?: MoveRecord;
  /** What the machine has come to, while it is at its end; left out when it is too large. */
  readonly output?: Json;
  /** Hash of what is decided on: tells an edit by somebody else. */
  readonly digest: string;
}

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

/** The parts that decide, as one hash. */
export function digestOf(
  status: Partial<Record<"target" | "snapshot" | "tasks" | "timers" | "config" | "paused", unknown>>,
): string {
  const { target, snapshot, tasks, timers, config, paused } = status;
  return fingerprintOfJson({ target, snapshot, tasks, timers, config, paused });
}
