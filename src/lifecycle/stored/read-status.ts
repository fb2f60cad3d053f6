// Reads a stored `status.lifecycle` that anyone may have written: each part that is whole is returned in its type, each
// part that is not is left out and reported. Decides nothing; restore.ts does.
import type { Json } from "../../meta/object.ts";
import { parseLeaves, type Leaves } from "../../statechart/configuration.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { renamedPath } from "../graph/rename.ts";
import { inPresentWords } from "./former-words.ts";
import {
  digestOf,
  type ConfigRecord,
  type EditRecord,
  type HumanRecord,
  type MoveRecord,
  type PauseRecord,
} from "./snapshot.ts";
import type { SpecFields } from "./spec-fields.ts";
import { taskHooks, taskPhases, type HangingHook, type TaskRecord } from "../tasks/task-record.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { TimerRecord, Timers } from "../timers/timers.ts";
import {
  readCount,
  readEntries,
  readField,
  readFields,
  readFlag,
  readInstant,
  readInstantText,
  readJson,
  readText,
  readTexts,
  readWord,
  type Fields,
} from "../values/untrusted.ts";
import type { WaitingTarget, TargetRecord } from "../targets/target-record.ts";

/** The parts of a status that could be read. */
export interface StoredStatus {
  readonly state?: string;
  readonly since?: number;
  readonly graph?: string;
  readonly value?: string;
  readonly context?: Readonly<Record<string, Json>>;
  readonly history?: Readonly<Record<string, readonly string[]>>;
  readonly entry?: number;
  readonly target?: TargetRecord;
  readonly tasks: Tasks;
  readonly timers: Timers;
  readonly config?: ConfigRecord;
  readonly human?: HumanRecord;
  readonly last?: MoveRecord;
  readonly output?: Json;
  readonly paused?: PauseRecord;
  /** Somebody else has changed what is decided on. */
  readonly edited: boolean;
  /** The names of the parts that are there and are not whole. */
  readonly damaged: readonly string[];
}

/** Reads what is whole. Never throws. */
export function readStatus(stored: unknown): StoredStatus {
  const status = inPresentWords(readFields(stored) ?? {});
  const snapshot = readFields(readField(status, "snapshot")) ?? {};
  const damaged: string[] = stored !== undefined && readFields(stored) === undefined ? ["status"] : [];
  const part = <T>(of: Fields, name: string, read: (value: unknown) => T | undefined): T | undefined => {
    const value = readField(of, name);
    const result = value === undefined ? undefined : read(value);
    if (value !== undefined && result === undefined) damaged.push(name);
    return result;
  };
  const records = <T>(name: string, read: (value: unknown) => T | undefined): Record<string, T> => {
    part(status, name, readFields);
    const entries = readEntries(readField(status, name)).flatMap(([key, value]) => {
      const record = read(value);
      if (record === undefined) damaged.push(`${name}.${key}`);
      return record === undefined ? [] : [[key, record] as const];
    });
    return Object.fromEntries(entries);
  };
  const parts = {
    state: part(status, "state", readText),
    since: part(status, "since", readInstant),
    graph: part(snapshot, "graph", readText) ?? part(status, "graph", readText),
    value: part(snapshot, "value", readText),
    context: part(snapshot, "context", readContext),
    history: part(snapshot, "history", readHistory),
    entry: part(snapshot, "entry", readCount),
    target: part(status, "target", readTarget),
    config: part(status, "config", readConfig),
    human: part(status, "human", readHuman),
    last: part(status, "last", readMove),
    output: part(status, "output", readJson),
    paused: part(status, "paused", readPause),
  };
  const digest = part(status, "digest", readText);
  return {
    ...present(parts),
    edited: digest !== undefined && digest !== digestOf(status),
    tasks: records("tasks", readTask),
    timers: records("timers", readTimer),
    damaged,
  };
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

function readContext(value: unknown): Readonly<Record<string, Json>> | undefined {
  const json = readFields(value) === undefined ? undefined : readJson(value);
  return json === undefined ? undefined : (json as Readonly<Record<string, Json>>);
}

function readHistory(value: unknown): Readonly<Record<string, readonly string[]>> | undefined {
  const fields = readFields(value);
  if (fields === undefined) return undefined;
  const entries = readEntries(fields).map(([path, paths]) => [path, readTexts(paths)] as const);
  return entries.every(([, paths]) => paths !== undefined)
    ? (Object.fromEntries(entries) as Record<string, readonly string[]>)
    : undefined;
}

function readTarget(value: unknown): TargetRecord | undefined {
  const target = readFields(value);
  const waiting = target === undefined ? undefined : readWaiting(readField(target, "waiting"));
  const asked = readAsked(value);
  const reached = target === undefined ? undefined : readFlag(readField(target, "reached"));
  if (target === undefined || asked === undefined || reached === undefined) return undefined;
  return {
    ...asked,
    reached,
    ...present({
      entered: readFlag(readField(target, "entered")),
      outcome: readWord(readField(target, "outcome"), ["failed", "aborted", "lost"] as const),
      cause: readText(readField(target, "cause")),
      failures: readCount(readField(target, "failures")),
      notBefore: readInstantText(readField(target, "notBefore")),
      deletion: readFlag(readField(target, "deletion")),
      forced: readFlag(readField(target, "forced")),
      waiting,
    }),
  };
}

function readAsked(value: unknown): WaitingTarget | undefined {
  const target = readFields(value);
  if (target === undefined) return undefined;
  const state = readText(readField(target, "state"));
  const generation = readCount(readField(target, "generation"));
  const request = readField(target, "request");
  if (state === undefined || generation === undefined) return undefined;
  const name = readText(readField(target, "asked"));
  return {
    state,
    ...(name === undefined ? {} : { asked: name }),
    ...(typeof request === "string" ? { request } : {}),
    generation,
  };
}

function readWaiting(value: unknown): readonly WaitingTarget[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const targets = value.map(readAsked);
  return targets.every((target) => target !== undefined) ? targets : undefined;
}

function readTask(value: unknown): TaskRecord | undefined {
  const task = readFields(value);
  if (task === undefined) return undefined;
  const src = readText(readField(task, "src"));
  const key = readText(readField(task, "key"));
  const entry = readCount(readField(task, "entry"));
  const attempt = readCount(readField(task, "attempt"));
  const phase = readWord(readField(task, "phase"), taskPhases);
  if (
    src === undefined ||
    key === undefined ||
    entry === undefined ||
    attempt === undefined ||
    phase === undefined
  ) {
    return undefined;
  }
  const instant = (name: string): string | undefined => readInstantText(readField(task, name));
  const progress = readField(task, "progress");
  return {
    src,
    key,
    entry,
    attempt: Math.max(1, attempt),
    phase,
    ...present({
      id: readText(readField(task, "id")),
      handle: readJson(readField(task, "handle")),
      startedAt: instant("startedAt"),
      deadline: instant("deadline"),
      nextAttempt: instant("nextAttempt"),
      progress: typeof progress === "number" && progress >= 0 && progress <= 1 ? progress : undefined,
      message: readText(readField(task, "message")),
      output: readJson(readField(task, "output")),
      hanging: readHanging(readField(task, "hanging")),
      delivered: readFlag(readField(task, "delivered")),
      cancels: readCount(readField(task, "cancels")),
      compensations: readCount(readField(task, "compensations")),
      failure: readText(readField(task, "failure")),
      earlier: readTexts(readField(task, "earlier")),
      lost: readFlag(readField(task, "lost")),
    }),
  };
}

function readHanging(value: unknown): HangingHook | undefined {
  const fields = readFields(value) ?? {};
  const hook = readWord(readField(fields, "hook"), taskHooks);
  const since = readInstantText(readField(fields, "since"));
  return hook === undefined || since === undefined ? undefined : { hook, since };
}

function readTimer(value: unknown): TimerRecord | undefined {
  const timer = readFields(value);
  if (timer === undefined) return undefined;
  const state = readText(readField(timer, "state"));
  const delay = readText(readField(timer, "delay"));
  const due = readField(timer, "due");
  if (state === undefined || delay === undefined || readInstant(due) === undefined) return undefined;
  return {
    state,
    delay,
    due: due as string,
    ...present({ delivered: readFlag(readField(timer, "delivered")) }),
  };
}

function readConfig(value: unknown): ConfigRecord | undefined {
  const config = readFields(value);
  if (config === undefined) return undefined;
  const generation = readCount(readField(config, "generation"));
  const hash = readText(readField(config, "hash"));
  if (generation === undefined || hash === undefined) return undefined;
  return {
    generation,
    hash,
    ...present({
      fields: readHashes(readField(config, "fields")),
      edits: readEdits(readField(config, "edits")),
    }),
  };
}

function readHashes(value: unknown): SpecFields | undefined {
  const entries = readEntries(value);
  const whole = readFields(value) !== undefined && entries.every(([, hash]) => typeof hash === "string");
  return whole ? (Object.fromEntries(entries) as SpecFields) : undefined;
}

function readEdits(value: unknown): readonly EditRecord[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const edits = value.map((each: unknown) => {
    const fields = readFields(each) ?? {};
    const hash = readText(readField(fields, "hash"));
    const changed = readTexts(readField(fields, "changed"));
    return hash === undefined || changed === undefined ? undefined : { hash, changed };
  });
  return edits.every((edit) => edit !== undefined) ? edits : undefined;
}

function readHuman(value: unknown): HumanRecord | undefined {
  const human = readFields(value);
  if (human === undefined) return undefined;
  const event = readText(readField(human, "event"));
  const id = readText(readField(human, "id"));
  if (event === undefined || id === undefined) return undefined;
  return {
    event,
    id,
    ...present({
      by: readText(readField(human, "by")),
      accepted: readFlag(readField(human, "accepted")),
      message: readText(readField(human, "message")),
      removed: readFlag(readField(human, "removed")),
    }),
  };
}

function readPause(value: unknown): PauseRecord | undefined {
  const pause = readFields(value);
  const at = pause === undefined ? undefined : readInstantText(readField(pause, "at"));
  if (pause === undefined || at === undefined) return undefined;
  return { at, ...present({ by: readText(readField(pause, "by")) }) };
}

function readMove(value: unknown): MoveRecord | undefined {
  const move = readFields(value);
  if (move === undefined) return undefined;
  const event = readText(readField(move, "event"));
  const cause = readText(readField(move, "cause"));
  if (event === undefined || cause === undefined) return undefined;
  return { ...present({ from: readText(readField(move, "from")) }), event, cause };
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that are defined, in the same order. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
