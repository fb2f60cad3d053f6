// What is remembered of the tasks: one file for each, written whole before a task begins and when it has ended, so that a key that
// was used once is known for good. A task that was running when its process went down is over: it is never begun a second time.
// A file that does not say what became of its task is kept apart, and its key is used up all the same.
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../meta/object.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { ProcessMark } from "./command-processes.ts";

/** A task as it is answered: what an observation of a task is made of. */
export interface TaskRecord {
  /** The idempotency key by which it was begun. */
  readonly id: string;
  readonly task: string;
  readonly phase: "Running" | "Succeeded" | "Failed";
  readonly progress?: Json;
  readonly message?: string;
  readonly output?: Json;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
}

/** What is stored besides. */
export interface StoredRecord extends TaskRecord {
  /** Tells one input from another. */
  readonly inputHash: string;
  /** The process of a command, by which it is found again. */
  readonly process?: ProcessMark;
}

/** A file that does not say what became of its task. */
export interface DamagedRecord {
  /** The key that it stands for. */
  readonly id: string;
  /** The name of the file that it is kept in. */
  readonly file: string;
  readonly why: string;
}

/** What a folder holds. */
export interface LoadedRecords {
  /** What was running when its process went down. */
  readonly running: readonly StoredRecord[];
  readonly damaged: readonly DamagedRecord[];
}

/** What a key may be: a name that is a file's as well. */
export const keyForm: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Finished records that are kept; the oldest go first. */
const keptRecords = 1_000;

const whole = ".json";
const damaged = ".damaged";

/** The records of one folder. */
export class TaskRecords {
  readonly #folder: string;
  readonly #records = new Map<string, StoredRecord>();
  readonly #damaged = new Map<string, DamagedRecord>();

  constructor(directory: string) {
    this.#folder = join(directory, "tasks");
  }

  /** Reads what was written before. */
  async load(): Promise<LoadedRecords> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const found: StoredRecord[] = [];
    for (const name of await readdir(this.#folder)) {
      // It was not begun: that comes after.
      if (name.endsWith(".tmp")) await rm(join(this.#folder, name), { force: true });
      if (name.endsWith(damaged)) this.#noteDamage(name, damaged, "it was damaged before");
      if (!name.endsWith(whole)) continue;
      const record = await this.#read(name);
      if (typeof record === "string") await this.#keepApart(name, record);
      else found.push(record);
    }
    found.sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
    for (const record of found) this.#records.set(record.id, record);
    return {
      running: found.filter(({ phase }) => phase === "Running"),
      damaged: [...this.#damaged.values()],
    };
  }

  get(id: string): StoredRecord | undefined {
    return this.#records.get(id);
  }

  /** The damaged record of a key. */
  damageOf(id: string): DamagedRecord | undefined {
    return this.#damaged.get(id);
  }

  /** What is known now, without the disk: progress is not worth a write. */
  note(record: StoredRecord): void {
    this.#records.set(record.id, record);
  }

  /** Resolves when the record is on the disk. */
  async store(record: StoredRecord): Promise<void> {
    this.note(record);
    const path = join(this.#folder, `${record.id}${whole}`);
    const file = await open(`${path}.tmp`, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.tmp`, path);
    await this.#prune();
  }

  /** The task has not begun after all. */
  forget(id: string): void {
    this.#records.delete(id);
  }

  /** The record in a file, or why it is none. */
  async #read(name: string): Promise<StoredRecord | string> {
    try {
      const record = JSON.parse(await readFile(join(this.#folder, name), "utf8")) as unknown;
      if (!isRecord(record)) return "it is no record of a task";
      return `${record.id}${whole}` === name ? record : `it is the record of ${record.id}`;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #keepApart(name: string, why: string): Promise<void> {
    const apart = `${name.slice(0, -whole.length)}${damaged}`;
    try {
      await rename(join(this.#folder, name), join(this.#folder, apart));
      this.#noteDamage(apart, damaged, why);
    } catch {
      // It stays where it is, and is found damaged again.
      this.#noteDamage(name, whole, why);
    }
  }

  #noteDamage(file: string, suffix: string, why: string): void {
    const id = file.slice(0, -suffix.length);
    this.#damaged.set(id, { id, file, why });
  }

  async #prune(): Promise<void> {
    if (this.#records.size <= keptRecords) return;
    for (const { id, phase } of this.#records.values()) {
      if (phase === "Running") continue;
      this.#records.delete(id);
      await rm(join(this.#folder, `${id}${whole}`), { force: true });
      if (this.#records.size <= keptRecords) return;
    }
  }
}

const phases: readonly unknown[] = ["Running", "Succeeded", "Failed"];

function isRecord(value: unknown): value is StoredRecord {
  if (typeof value !== "object" || value === null) return false;
  const { id, task, phase, startedAt, inputHash } = value as Readonly<Record<string, unknown>>;
  return [id, task, startedAt, inputHash].every((each) => typeof each === "string") && phases.includes(phase);
}
