// The tasks of a sidecar: begun once for each key, however often that is asked for, and remembered.
import { createHash } from "node:crypto";
import type { Json } from "../meta/object.ts";
import type { Clock } from "../ports/clock.ts";
import { limitedSignal } from "../ports/deadline.ts";
import { toMilliseconds } from "../ports/duration.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import { killLeftOver, runCommand } from "./run-command.ts";
import type { SidecarTask } from "./sidecar-options.ts";
import { TaskRecords, type StoredRecord, type TaskRecord } from "./task-record.ts";

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

/** What the process of a task can be recognized by. */
const keyVariable = "IDEMPOTENCY_KEY";
const longestMessage = 500;

/** See the head of this file. */
export class SidecarTasks {
  readonly #options: SidecarTasksOptions;
  readonly #records: TaskRecords;
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  /** Keys that are being stored, for those who ask meanwhile. */
  readonly #beginning = new Map<string, Promise<Begun>>();
  #isStopping = false;

  constructor(options: SidecarTasksOptions) {
    this.#options = options;
    this.#records = new TaskRecords(options.directory);
  }

  /** Reads the records; what was running when the sidecar went down has failed. */
  async load(): Promise<void> {
    for (const record of await this.#records.load()) {
      killLeftOver(`${keyVariable}=${record.id}`);
      await this.#end(record, {
        phase: "Failed",
        message: "the sidecar ended while this ran; it was not begun again",
      });
      this.#options.log.warn({ task: record.task }, "a task ended with the sidecar before this one");
    }
  }

  get(id: string): TaskRecord | undefined {
    const record = this.#records.get(id);
    return record === undefined ? undefined : shownOf(record);
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
      const now = this.#records.get(key) ?? record;
      const next = {
        ...now,
        progress,
        ...(message === undefined ? {} : { message: message.slice(0, longestMessage) }),
      };
      this.#records.note(next);
      this.#changed(next);
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
    const { exitCode, stdout, stderr } = await runCommand({
      command: definition.command,
      env: { [keyVariable]: key },
      stdin: JSON.stringify({ key, input }),
      signal,
      grace,
      clock,
      maxOutput,
      onLine: (line) => {
        const said = line.startsWith("{") ? fieldsIn(line) : undefined;
        if (said?.["output"] !== undefined) output = said["output"];
        if (said?.["progress"] !== undefined) {
          report(said["progress"], typeof said["message"] === "string" ? said["message"] : undefined);
        }
        return said?.["output"] !== undefined || said?.["progress"] !== undefined;
      },
    });
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr.trim().slice(-longestMessage)}`);
    return this.#kept(output ?? (stdout.trim() === "" ? undefined : stdout.trim()));
  }

  /** The output, if it fits; else the end of its text. */
  #kept(output: Json | undefined): Json | undefined {
    const text = output === undefined ? "" : JSON.stringify(output);
    return Buffer.byteLength(text) <= this.#options.maxOutput ? output : text.slice(-this.#options.maxOutput);
  }

  async #end(record: StoredRecord, end: Pick<TaskRecord, "phase" | "message" | "output">): Promise<void> {
    const { message: _, ...rest } = record;
    const ended = { ...rest, ...end, endedAt: new Date(this.#options.clock.now()).toISOString() };
    await this.#records.store(ended);
    this.#changed(ended);
  }

  #changed(record: StoredRecord): void {
    this.#options.onChange(shownOf(record));
  }
}

function shownOf(stored: StoredRecord): TaskRecord {
  const { inputHash: _, ...record } = stored;
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
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : undefined;
}
