// What is remembered of the tasks: one file for each, written whole before a task begins and when it has ended, so that a key that
// was used once is known for good. A task that was running when its process went down is over: it is never begun a second time.
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../meta/object.ts";

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
}

/** What a key may be: a name that is a file's as well. */
export const keyForm: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Finished records that are kept; the oldest go first. */
const keptRecords = 1_000;

/** The records of one folder. */
export class TaskRecords {
  readonly #folder: string;
  readonly #records = new Map<string, StoredRecord>();

  constructor(directory: string) {
    this.#folder = join(directory, "tasks");
  }

  /** Reads what was written before; files that are not whole are left alone. Returns what was running then. */
  async load(): Promise<readonly StoredRecord[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const found: StoredRecord[] = [];
    for (const name of await readdir(this.#folder)) {
      if (name.endsWith(".tmp")) await rm(join(this.#folder, name), { force: true });
      if (!name.endsWith(".json")) continue;
      const record = parsed(await readFile(join(this.#folder, name), "utf8"));
      if (record !== undefined && `${record.id}.json` === name) found.push(record);
    }
    found.sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
    for (const record of found) this.#records.set(record.id, record);
    return found.filter(({ phase }) => phase === "Running");
  }

  get(id: string): StoredRecord | undefined {
    return this.#records.get(id);
  }

  /** What is known now, without the disk: progress is not worth a write. */
  note(record: StoredRecord): void {
    this.#records.set(record.id, record);
  }

  /** Resolves when the record is on the disk. */
  async store(record: StoredRecord): Promise<void> {
    this.note(record);
    const path = join(this.#folder, `${record.id}.json`);
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

  async #prune(): Promise<void> {
    if (this.#records.size <= keptRecords) return;
    for (const { id, phase } of this.#records.values()) {
      if (phase === "Running") continue;
      this.#records.delete(id);
      await rm(join(this.#folder, `${id}.json`), { force: true });
      if (this.#records.size <= keptRecords) return;
    }
  }
}

function parsed(text: string): StoredRecord | undefined {
  try {
    const record = JSON.parse(text) as StoredRecord;
    return typeof record.id === "string" && typeof record.phase === "string" ? record : undefined;
  } catch {
    // Not whole, or nobody's: what it was about is not known.
    return undefined;
  }
}
