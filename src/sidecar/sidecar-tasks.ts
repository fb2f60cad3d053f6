// The tasks of a sidecar: begun once for each key, however often that is asked for, and remembered.
import { createHash } from "node:crypto";
import type { Json } from "../meta/object.ts";
import type { Clock, TimerHandle } from "../ports/clock.ts";
import { limitedSignal } from "../ports/deadline.ts";
import { toMilliseconds } from "../ports/duration.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import { endLeftOver, keyVariable, markOf } from "./command-processes.ts";
import { isTooDeep } from "./nesting.ts";
import { runCommand } from "./run-command.ts";
import type { SidecarTask } from "./sidecar-options.ts";
import { TaskRecords, type DamagedRecord, type StoredRecord, type TaskRecord } from "./task-record.ts";

/** What {@link SidecarTasks} needs. */
export interface SidecarTasksOptions {
  readonly directory: string;
  readonly tasks: Readonly<Record<string, SidecarTask>>;
  readonly maxTasks: number;
  readonly maxOutput: number;
  /** Milliseconds. */
  readonly grace: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with each change of a record. */
  readonly onChange: (record: TaskRecord) => void;
}

/** What became of a request to begin a task. */
export type Begun =
  | { readonly kind: "begun" | "known"; readonly record: TaskRecord }
  | { readonly kind: "unknownTask" | "full" | "otherInput" | "notStored" };

const longestMessage = 500;
/** Milliseconds in which the progress of a task is announced once, however often it is reported. */
const progressEvery = 20;

/** What is said of what a task has left running, once it was looked for. */
const leftOverTexts = {
  gone: "",
  alive: ", but something that it has started could not be ended, and may still run",
  unknown: "; whether something that it has started still runs is not known",
} as const;

/** See the head of this file. */
export class SidecarTasks {
  readonly #options: SidecarTasksOptions;
  readonly #records: TaskRecords;
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  /** Keys that are being stored, for those who ask meanwhile. */
  readonly #beginning = new Map<string, Promise<Begun>>();
  /** Progress that is yet to be announced, by key. */
  readonly #progressing = new Map<string, TimerHandle>();
  #isStopping = false;

  constructor(options: SidecarTasksOptions) {
    this.#options = options;
    this.#records = new TaskRecords(options.directory);
  }

  /** Reads the records; what was running when the sidecar went down has failed, and is ended. */
  async load(): Promise<void> {
    const { clock, log } = this.#options;
    const { running, damaged } = await this.#records.load();
    await Promise.all([
      ...running.map(async (record) => {
        const left = await this.#endLeftOver(record);
        const message = `the sidecar ended while this ran; it was not begun again${left}`;
        await this.#end(record, { phase: "Failed", message });
        log.warn({ task: record.task, message }, "a task ended with the sidecar before this one");
      }),
      ...damaged.map(async ({ id, file, why }) => {
        await endLeftOver(id, undefined, clock);
        log.error(
          { key: id, file, why },
          "the record of a task is damaged: it is kept apart, and its key is used up",
        );
      }),
    ]);
  }

  /** Ends what a task has left running; what is to be said of that which may run on. */
  async #endLeftOver({ id, task, process }: StoredRecord): Promise<string> {
    const { tasks, clock } = this.#options;
    const definition = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
    if (typeof definition === "function") return "";
    if (definition !== undefined && "url" in definition) return ", but the application may still do it";
    return leftOverTexts[await endLeftOver(id, process, clock)];
  }

  get(id: string): TaskRecord | undefined {
    const record = this.#records.get(id);
    if (record !== undefined) return shownOf(record);
    const damage = this.#records.damageOf(id);
    return damage === undefined ? undefined : this.#shownDamage(damage, "unknown");
  }

  /** A key whose record is damaged was used: what became of its task nobody can say. */
  #shownDamage({ id, file }: DamagedRecord, task: string): TaskRecord {
    const at = new Date(this.#options.clock.now()).toISOString();
    const message = `the record of this task is damaged, and kept as ${file}: what became of it is not known; it was not begun again`;
    return { id, task, phase: "Failed", message, startedAt: at, endedAt: at };
  }

  /** Begins a task, unless its key is known. */
  async begin(task: string, key: string, input: Json | undefined): Promise<Begun> {
    const { tasks } = this.#options;
    const definition = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
    if (definition === undefined) return { kind: "unknownTask" };
    await this.#beginning.get(key);
    const inputHash = hashOf(input);
    const known = this.#records.get(key);
    if (known !== undefined) {
      if (known.task !== task || known.inputHash !== inputHash) return { kind: "otherInput" };
      return { kind: "known", record: shownOf(known) };
    }
    const damage = this.#records.damageOf(key);
    if (damage !== undefined) return { kind: "known", record: this.#shownDamage(damage, task) };
    // One that has ended and is being recorded takes no place any more.
    const running = [...this.#running.keys()].filter((id) => this.#records.get(id)?.phase === "Running");
    if (this.#isStopping || running.length + this.#beginning.size >= this.#options.maxTasks)
      return { kind: "full" };
    const startedAt = new Date(this.#options.clock.now()).toISOString();
    const record: StoredRecord = { id: key, task, phase: "Running", startedAt, inputHash };
    const beginning = this.#store(record, definition, input);
    this.#beginning.set(key, beginning);
    try {
      return await beginning;
    } finally {
      this.#beginning.delete(key);
    }
  }

  /** Ends a task early; undefined for a key that is not known. What has ended already stays as it is. */
  cancel(id: string): TaskRecord | undefined {
    this.#running.get(id)?.abort.abort(new Error("it was cancelled"));
    return this.get(id);
  }

  /** Ends all tasks, and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled(this.#beginning.values());
    for (const { abort } of this.#running.values()) abort.abort(new Error("the sidecar stopped"));
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #store(record: StoredRecord, definition: SidecarTask, input: Json | undefined): Promise<Begun> {
    try {
      // Before it begins: whatever happens then, it is not begun twice.
      await this.#records.store(record);
    } catch (error) {
      this.#records.forget(record.id);
      this.#options.log.error({ task: record.task, error: messageOf(error) }, "a task could not be recorded");
      return { kind: "notStored" };
    }
    if (this.#isStopping) {
      await this.#end(record, { phase: "Failed", message: "the sidecar stopped before this began" });
      return { kind: "known", record: shownOf(this.#records.get(record.id) ?? record) };
    }
    const abort = new AbortController();
    this.#running.set(record.id, { abort, ended: this.#run(record, definition, { input, abort }) });
    this.#changed(record);
    return { kind: "begun", record: shownOf(record) };
  }

  async #run(
    record: StoredRecord,
    definition: SidecarTask,
    { input, abort }: { readonly input: Json | undefined; readonly abort: AbortController },
  ): Promise<void> {
    const { clock, log } = this.#options;
    const timeout =
      typeof definition === "function" || definition.timeout === undefined
        ? undefined
        : toMilliseconds(definition.timeout);
    const late = (): Error => new Error(`it took longer than ${timeout} ms`);
    const limits = limitedSignal({ clock, signals: [abort.signal], timeout, late });
    const begun = clock.now();
    let end: Pick<TaskRecord, "phase" | "message" | "output">;
    try {
      const output = await this.#work(record, definition, { input, signal: limits.signal });
      end = { phase: "Succeeded", ...(output === undefined ? {} : { output }) };
    } catch (error) {
      const reason: unknown = limits.signal.aborted ? limits.signal.reason : error;
      end = { phase: "Failed", message: messageOf(reason).slice(0, longestMessage) };
    }
    limits.release();
    try {
      await this.#end(this.#records.get(record.id) ?? record, end);
    } catch (error) {
      log.error({ task: record.task, error: messageOf(error) }, "the end of a task could not be recorded");
    }
    this.#running.delete(record.id);
    log.info({ task: record.task, phase: end.phase, milliseconds: clock.now() - begun }, "a task has ended");
  }

  /** What the task comes to; rejects when it fails. */
  async #work(
    record: StoredRecord,
    definition: SidecarTask,
    { input, signal }: { readonly input: Json | undefined; readonly signal: AbortSignal },
  ): Promise<Json | undefined> {
    const { id: key } = record;
    const report = (progress: Json, message?: string): void => {
      if (signal.aborted) return;
      if (isTooDeep(progress)) throw new Error("what is reported is nested too deeply");
      const now = this.#records.get(key) ?? record;
      const next = {
        ...now,
        progress,
        ...(message === undefined ? {} : { message: message.slice(0, longestMessage) }),
      };
      this.#records.note(next);
      this.#announce(key);
    };
    if (typeof definition === "function") {
      return this.#kept((await definition({ key, input, signal, report })) as Json | undefined);
    }
    if ("url" in definition) {
      const answer = await fetch(definition.url, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(input ?? {}),
        redirect: "error",
        signal,
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`the application answered ${answer.status}`);
      return this.#kept(jsonOf(text));
    }
    const { clock, grace, maxOutput } = this.#options;
    let output: Json | undefined;
    let marked: Promise<void> | undefined;
    const { exitCode, stdout, stderr } = await runCommand({
      command: definition.command,
      env: { [keyVariable]: key },
      stdin: JSON.stringify({ key, input }),
      signal,
      grace,
      clock,
      maxOutput,
      onStart: (pid) => {
        marked = this.#mark(record, pid);
      },
      onLine: (line) => {
        const said = line.startsWith("{") ? fieldsIn(line) : undefined;
        if (said?.["output"] !== undefined) output = said["output"];
        if (said?.["progress"] !== undefined) {
          report(said["progress"], typeof said["message"] === "string" ? said["message"] : undefined);
        }
        return said?.["output"] !== undefined || said?.["progress"] !== undefined;
      },
    });
    await marked;
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr.trim().slice(-longestMessage)}`);
    return this.#kept(output ?? (stdout.trim() === "" ? undefined : stdout.trim()));
  }

  /** Records by what the process of a command is found again, should the sidecar be killed. */
  async #mark(record: StoredRecord, pid: number): Promise<void> {
    const process = markOf(pid);
    if (process === undefined) return;
    try {
      await this.#records.store({ ...(this.#records.get(record.id) ?? record), process });
    } catch (error) {
      this.#options.log.warn(
        { task: record.task, error: messageOf(error) },
        "the process of a task could not be recorded",
      );
    }
  }

  /** The output, if it fits; else the end of its text. */
  #kept(output: Json | undefined): Json | undefined {
    if (isTooDeep(output)) throw new Error("what it came to is nested too deeply");
    const text = output === undefined ? "" : JSON.stringify(output);
    const { maxOutput } = this.#options;
    if (Buffer.byteLength(text) <= maxOutput) return output;
    return endOf(typeof output === "string" ? output : text, maxOutput);
  }

  async #end(record: StoredRecord, end: Pick<TaskRecord, "phase" | "message" | "output">): Promise<void> {
    const { message: _, process: _process, ...rest } = record;
    this.#endProgress(record.id);
    const ended = { ...rest, ...end, endedAt: new Date(this.#options.clock.now()).toISOString() };
    await this.#records.store(ended);
    this.#changed(ended);
  }

  /** Announces progress soon: a task may report it with every line that it prints. */
  #announce(id: string): void {
    if (this.#progressing.has(id)) return;
    const timer = this.#options.clock.setTimeout(() => {
      this.#progressing.delete(id);
      const record = this.#records.get(id);
      if (record !== undefined) this.#changed(record);
    }, progressEvery);
    this.#progressing.set(id, timer);
  }

  #endProgress(id: string): void {
    const timer = this.#progressing.get(id);
    if (timer !== undefined) this.#options.clock.clearTimeout(timer);
    this.#progressing.delete(id);
  }

  #changed(record: StoredRecord): void {
    this.#options.onChange(shownOf(record));
  }
}

/** The end of a text that is as long as may be, in bytes and as JSON. */
function endOf(text: string, bytes: number): string {
  let end = text.slice(-bytes);
  for (;;) {
    const excess = Buffer.byteLength(JSON.stringify(end)) - bytes;
    if (excess <= 0 || end === "") return end;
    // A character takes six bytes at most.
    end = end.slice(Math.ceil(excess / 6));
  }
}

function shownOf(stored: StoredRecord): TaskRecord {
  const { inputHash: _, process: _process, ...record } = stored;
  return record;
}

function hashOf(input: Json | undefined): string {
  return createHash("sha256")
    .update(JSON.stringify(input ?? null))
    .digest("hex");
}

function jsonOf(text: string): Json | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Not JSON: the text itself.
    return text;
  }
}

function fieldsIn(line: string): Readonly<Record<string, Json>> | undefined {
  const value = jsonOf(line);
  // What is nested without end is text like any other.
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isTooDeep(value)
    ? (value as Readonly<Record<string, Json>>)
    : undefined;
}
