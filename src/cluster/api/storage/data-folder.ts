// The storage on disk: a snapshot, and a log of each change after it. A change is handed to the system before it is answered, so that it
// outlasts the process however that ends; the disk has it a second later. Feeds the storage when a cluster begins, fed by it with each change.
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, TimerHandle } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import { messageOf, OperatorError } from "../../../ports/operator-error.ts";
import type { ApiObject } from "../api-object.ts";
import type { StoreJournal, StoredContent } from "./object-store.ts";
import {
  formatLine,
  formatRecord,
  isBegunLine,
  readLines,
  toRecord,
  type StoredRecord,
} from "./stored-record.ts";

/** Options of {@link DataFolder.open}. */
export interface DataFolderOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Bytes of the log after which a snapshot is written, unless the last one was larger; default 16 MiB. */
  readonly snapshotAfter?: number;
}

/** By what a cluster is known, beside its data. */
export const identityFile = "identity.json";
/** Milliseconds until what was written is on the disk. */
const syncDelay = 1_000;
/** Objects that are written to a snapshot at once. */
const chunk = 200;

/** A folder in which one cluster keeps its objects. */
export class DataFolder implements StoreJournal {
  readonly #path: string;
  readonly #options: DataFolderOptions;
  readonly #snapshotAfter: number;
  #file = -1;
  #size = 0;
  #snapshotSize = 0;
  #content: StoredContent | undefined;
  #timer: TimerHandle | undefined;
  #snapshot: Promise<void> | undefined;
  /** Why nothing can be written any more. */
  #broken: Error | undefined;
  #isClosed = false;

  private constructor(path: string, options: DataFolderOptions) {
    this.#path = path;
    this.#options = options;
    this.#snapshotAfter = options.snapshotAfter ?? 16 * 1_024 * 1_024;
  }

  /**
   * Reads what is in a folder, which has to be there, and begins to write after it. The beginning of a change at the end of the log,
   * which was being written when the process ended, is cut off, and that is said.
   *
   * **Errors**: `CLUSTER_DATA_DAMAGED` when anything else is not as it was written, or is not there any more; the folder is left as it is.
   */
  static async open(path: string, options: DataFolderOptions): Promise<DataFolder> {
    const folder = new DataFolder(path, options);
    await folder.#load();
    return folder;
  }

  /** What was stored, once. */
  takeContent(): StoredContent | undefined {
    const content = this.#content;
    this.#content = undefined;
    return content;
  }

  append(record: StoredRecord): void {
    if (this.#broken !== undefined) throw this.#broken;
    const bytes = Buffer.from(formatRecord(record));
    try {
      for (let written = 0; written < bytes.length;) {
        written += writeSync(this.#file, bytes, written, bytes.length - written, this.#size + written);
      }
    } catch (error) {
      this.#undo(error);
    }
    this.#size += bytes.length;
    this.#timer ??= this.#options.clock.setTimeout(() => this.#sync(), syncDelay);
  }

  /** Begins a snapshot when the log is long enough; `objects` are those of the last change. */
  settle(revision: number, objects: () => Iterable<readonly [space: string, object: ApiObject]>): void {
    if (this.#snapshot !== undefined || this.#size <= Math.max(this.#snapshotAfter, this.#snapshotSize))
      return;
    const all = [...objects()];
    const former = this.#file;
    this.#begin(revision);
    fdatasyncSync(former);
    closeSync(former);
    this.#snapshot = this.#writeSnapshot(revision, all)
      .catch((error: unknown) => {
        // The logs are still there: nothing is lost, and the next one may succeed.
        this.#options.log.warn(
          { error: messageOf(error), folder: this.#path },
          "no snapshot of the cluster's data",
        );
      })
      .finally(() => {
        this.#snapshot = undefined;
      });
  }

  /** Resolves when everything is on the disk; nothing is written any more. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#snapshot;
    fdatasyncSync(this.#file);
    closeSync(this.#file);
    this.#broken ??= new Error("the cluster has stopped");
  }

  async #load(): Promise<void> {
    const names = (await readdir(this.#path)).sort();
    for (const name of names) if (name.endsWith(".new")) await rm(join(this.#path, name));
    const snapshots = names.filter((name) => /^snapshot-\d+$/.test(name));
    const logs = names.filter((name) => /^log-\d+$/.test(name));
    const newest = snapshots.at(-1);
    const { revision, objects } =
      newest === undefined ? { revision: 1, objects: [] } : this.#readSnapshot(newest);
    const changes: StoredRecord[] = [];
    let begun: BegunLine | undefined;
    for (const name of logs) {
      const read = this.#readLog(name, name === logs.at(-1));
      begun = read.begun;
      for (const record of read.records) {
        const last = changes.at(-1)?.revision ?? revision;
        if (record.revision <= last) continue;
        if (record.revision > last + 1) throw incomplete(this.#path, last, record.revision);
        changes.push(record);
      }
    }
    const isEmpty = newest === undefined && changes.length === 0;
    // A cluster is known by something only once it has stored something.
    if (isEmpty && names.includes(identityFile)) throw emptied(this.#path);
    if (!isEmpty) this.#content = { revision, objects, changes };
    if (begun !== undefined) this.#cutOff(begun);
    const last = logs.at(-1);
    if (last === undefined) this.#begin(revision);
    else this.#continue(last);
  }

  #readSnapshot(name: string): Pick<StoredContent, "revision" | "objects"> {
    const path = join(this.#path, name);
    const bytes = readFileSync(path);
    const { values, intact } = readLines(bytes);
    const [head, ...rest] = values as readonly [{ readonly revision: number }, ...unknown[]];
    const end = rest.pop() as { readonly objects?: number } | undefined;
    if (intact < bytes.length || end?.objects !== rest.length) throw damaged(path, intact);
    this.#snapshotSize = bytes.length;
    return { revision: head.revision, objects: rest.map(toRecord) };
  }

  #readLog(
    name: string,
    isLast: boolean,
  ): { readonly records: readonly StoredRecord[]; readonly begun: BegunLine | undefined } {
    const path = join(this.#path, name);
    const bytes = readFileSync(path);
    const { values, intact } = readLines(bytes);
    const records = values.map(toRecord);
    if (intact === bytes.length) return { records, begun: undefined };
    if (!isLast || !isBegunLine(bytes.subarray(intact))) {
      throw damaged(path, intact, isLast ? `truncate -s ${intact} ${path}` : undefined);
    }
    return { records, begun: { path, at: intact, bytes: bytes.length - intact } };
  }

  #cutOff({ path, at, bytes }: BegunLine): void {
    const file = openSync(path, "r+");
    ftruncateSync(file, at);
    fdatasyncSync(file);
    closeSync(file);
    this.#options.log.warn({ file: path, bytes }, "the last change was not written wholly, and is cut off");
  }

  #begin(revision: number): void {
    this.#file = openSync(join(this.#path, `log-${String(revision).padStart(16, "0")}`), "w", 0o600);
    this.#size = 0;
  }

  #continue(name: string): void {
    this.#file = openSync(join(this.#path, name), "r+");
    this.#size = fstatSync(this.#file).size;
  }

  /** Takes back what was written of a change that was not written wholly. */
  #undo(error: unknown): never {
    const why = new OperatorError(
      "CLUSTER_DATA_UNWRITABLE",
      `the cluster's data cannot be written to ${this.#path}: ${messageOf(error)}`,
      {
        cause: error,
        remedy: "Free space there; what was acknowledged is stored.",
      },
    );
    try {
      ftruncateSync(this.#file, this.#size);
    } catch {
      // Then whatever follows would not be found again.
      this.#broken = why;
    }
    throw why;
  }

  #sync(): void {
    this.#timer = undefined;
    fdatasync(this.#file, (error) => {
      if (error === null || error.code === "EBADF") return;
      this.#options.log.error(
        { error: error.message, folder: this.#path },
        "the cluster's data is not on the disk",
      );
    });
  }

  async #writeSnapshot(revision: number, objects: readonly (readonly [string, ApiObject])[]): Promise<void> {
    const name = `snapshot-${String(revision).padStart(16, "0")}`;
    const path = join(this.#path, name);
    const file: FileHandle = await open(`${path}.new`, "w", 0o600);
    let size = 0;
    try {
      const write = async (text: string): Promise<void> => {
        await file.appendFile(text);
        size += Buffer.byteLength(text);
      };
      await write(formatLine({ revision }));
      for (let from = 0; from < objects.length; from += chunk) {
        const lines = objects
          .slice(from, from + chunk)
          .map(([space, object]) =>
            formatRecord({ space, object, type: "put", revision: Number(object.metadata.resourceVersion) }),
          );
        await write(lines.join(""));
      }
      await write(formatLine({ objects: objects.length }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await this.#syncFolder();
    this.#snapshotSize = size;
    // What is in the snapshot is needed no more.
    for (const each of await readdir(this.#path)) {
      const [, kind, digits = ""] = /^(log|snapshot)-(\d+)$/.exec(each) ?? [];
      if (kind !== undefined && Number(digits) < revision) await rm(join(this.#path, each));
    }
  }

  /** The names in it, too. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** The beginning of a change, at the end of a log. */
interface BegunLine {
  readonly path: string;
  readonly at: number;
  readonly bytes: number;
}

/** `cut` is the command that leaves what comes before. */
function damaged(path: string, offset: number, cut?: string): OperatorError {
  const goOn = cut === undefined ? "" : `, go on with what comes before (\`${cut}\`)`;
  return new OperatorError(
    "CLUSTER_DATA_DAMAGED",
    `${path} is not as it was written: what begins at byte ${offset} does not fit its checksum`,
    {
      fields: { path, offset },
      remedy: `Restore the folder from a copy${goOn}, or begin with an empty one.`,
    },
  );
}

function incomplete(path: string, before: number, after: number): OperatorError {
  return new OperatorError(
    "CLUSTER_DATA_DAMAGED",
    `${path} has changes up to ${before} and from ${after} on, but not those between them: a log is missing`,
    {
      fields: { path, before, after },
      remedy: "Restore the folder from a copy, or begin with an empty one.",
    },
  );
}

function emptied(path: string): OperatorError {
  return new OperatorError(
    "CLUSTER_DATA_DAMAGED",
    `${path} is the folder of a cluster that has stored something, and nothing of it is left: its logs and snapshots are missing or empty`,
    {
      fields: { path },
      remedy: `Restore the folder from a copy, or begin with an empty one: \`${identityFile}\` is removed, too.`,
    },
  );
}
