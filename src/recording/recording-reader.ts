// Reads recordings of any size: one pass finds where each run is, and a run is read from the file when it is looked at.
// A file is taken as anyone may have left it: cut, edited, or nothing of ours.
import { open, type FileHandle } from "node:fs/promises";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import {
  formatOf,
  formatVersion,
  readLine,
  type HeaderLine,
  type RecordedKind,
  type RunLine,
} from "./recording-format.ts";
import { predecessorOf } from "./recording-file.ts";

/** Where a run is. */
export interface IndexedRun {
  /** Instant of its end. */
  readonly at: number;
  /** 0 for the predecessor where there is one. */
  readonly file: number;
  readonly offset: number;
  readonly length: number;
  /** It says what the resource owns; the others do when that has changed. */
  readonly hasChildren: boolean;
}

/** One resource of a recording: another uid is another resource. */
export interface RecordedResource {
  readonly kind: string;
  readonly key: string;
  readonly uid: string;
  /** By the instants of their ends. */
  readonly runs: readonly IndexedRun[];
  /** When it was found to be gone, or another one to have its name. */
  readonly goneAt?: number;
}

/** What of a recording cannot be read. */
export interface RecordingDamage {
  /** Lines that a killed process has cut. */
  readonly cut: number;
  /** Other lines that are not whole. */
  readonly unreadable: number;
  /** Where the first of these are: `FILE:LINE`. */
  readonly places: readonly string[];
}

/** A recording as a whole. Instants are milliseconds since the epoch. */
export interface RecordingIndex {
  readonly headers: readonly HeaderLine[];
  /** The newest description of each kind. */
  readonly kinds: readonly RecordedKind[];
  /** In the order of their first runs. */
  readonly resources: readonly RecordedResource[];
  readonly from: number;
  readonly to: number;
  readonly runs: number;
  /** Runs that the operator could not keep. */
  readonly dropped: number;
  readonly damage: RecordingDamage;
}

/** An open recording. */
export interface RecordingReader extends RecordingIndex {
  /** Rejects when the file has changed since. */
  read(run: IndexedRun): Promise<RunLine>;
  close(): Promise<void>;
}

/** Bytes of one read. */
const chunkSize = 1024 * 1024;
/** A longer line is none of ours, and is not kept in memory. */
const longestLine = 32 * 1024 * 1024;
/** Places of damage that are reported. */
const mostPlaces = 5;

/**
 * Opens a recording, with its predecessor where there is one.
 *
 * **Errors**: `RECORDING_INVALID` when the file cannot be read or is not a recording, `RECORDING_NEWER` when a newer version has
 * written it.
 */
export async function readRecording(file: string): Promise<RecordingReader> {
  const opened: { readonly name: string; readonly handle: FileHandle }[] = [];
  try {
    const former = await openIfRecording(predecessorOf(file));
    if (former !== undefined) opened.push({ name: predecessorOf(file), handle: former });
    opened.push({ name: file, handle: await openRegular(file) });
    const builder = new IndexBuilder();
    for (const [number, { name, handle }] of opened.entries()) {
      await refuseOther(name, handle);
      for await (const line of linesOf(handle)) builder.take(line, number, name);
    }
    const index = builder.index();
    if (index.headers.length === 0 && index.runs === 0) throw notOurs(file, "it does not have a whole line");
    return {
      ...index,
      read: (run) => readRun(opened[run.file]?.handle, run),
      close: async () => {
        for (const { handle } of opened) await handle.close();
      },
    };
  } catch (error) {
    for (const { handle } of opened) await handle.close();
    if (error instanceof OperatorError) throw error;
    throw new OperatorError("RECORDING_INVALID", `${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
      remedy: "Check the path and its permissions; a recording is readable by its owner only.",
    });
  }
}

async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, "r");
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notOurs(file);
}

/** A predecessor that is not a recording is not ours. */
async function openIfRecording(file: string): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await openRegular(file);
    if ((await formatIn(handle)) !== undefined) return handle;
  } catch {
    // There is none, or none for us.
  }
  await handle?.close();
  return undefined;
}

async function refuseOther(file: string, handle: FileHandle): Promise<void> {
  const format = await formatIn(handle);
  if (format === undefined) throw notOurs(file);
  if (format > formatVersion) throw newer(file, format);
}

function newer(place: string, format: number): OperatorError {
  return new OperatorError(
    "RECORDING_NEWER",
    `${place} has format ${format}; this version reads up to ${formatVersion}`,
    { remedy: "Use the version of xstate-operator that the line names, or a newer one." },
  );
}

function notOurs(file: string, why = "it does not begin with the line of one"): OperatorError {
  return new OperatorError("RECORDING_INVALID", `${file} is not a recording: ${why}`, {
    remedy: "Name a file that was written by `xstate-operator run --record`.",
  });
}

async function formatIn(handle: FileHandle): Promise<number | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(128), 0, 128, 0);
  return formatOf(buffer.toString("utf8", 0, bytesRead));
}

async function readRun(handle: FileHandle | undefined, { offset, length }: IndexedRun): Promise<RunLine> {
  const { buffer, bytesRead } = (await handle?.read(Buffer.alloc(length), 0, length, offset)) ?? {};
  const line = readLine(buffer?.toString("utf8", 0, bytesRead) ?? "");
  if (line?.type === "run") return line;
  throw new OperatorError("RECORDING_INVALID", "the recording was changed while it was read", {
    remedy: "Read a copy of it.",
  });
}

interface FoundLine {
  /** Absent when it is too long. */
  readonly text?: string;
  readonly offset: number;
  /** Bytes, without its end. */
  readonly length: number;
  readonly number: number;
  /** The file ends with it, and it has no end. */
  readonly isCut: boolean;
}

async function* linesOf(handle: FileHandle): AsyncGenerator<FoundLine> {
  const buffer = Buffer.alloc(chunkSize);
  let parts: Buffer[] = [];
  let [start, length, number, position] = [0, 0, 0, 0];
  const take = (bytes: Buffer): void => {
    length += bytes.length;
    if (length <= longestLine) parts.push(Buffer.from(bytes));
    else parts = [];
  };
  const finish = (isCut: boolean): FoundLine => {
    number += 1;
    const text = length > longestLine ? {} : { text: Buffer.concat(parts).toString("utf8") };
    const line = { ...text, offset: start, length, number, isCut };
    parts = [];
    start += length + 1;
    length = 0;
    return line;
  };
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, chunkSize, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = buffer.subarray(0, bytesRead);
    let at = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, at)) {
      take(bytes.subarray(at, end));
      at = end + 1;
      yield finish(false);
    }
    take(bytes.subarray(at));
  }
  if (length > 0) yield finish(true);
}

interface ResourceUnderIndex {
  readonly kind: string;
  readonly key: string;
  readonly uid: string;
  readonly runs: IndexedRun[];
  goneAt?: number;
}

/** Of one name there is one resource at a time: nobody may have been there to see its end, but the next one has come. */
function endReplaced(resources: readonly ResourceUnderIndex[]): void {
  const startOf = ({ runs }: ResourceUnderIndex): number => runs[0]?.at ?? 0;
  const holders = new Map<string, ResourceUnderIndex>();
  for (const resource of resources.toSorted((one, other) => startOf(one) - startOf(other))) {
    const called = `${resource.kind} ${resource.key}`;
    const former = holders.get(called);
    if (former !== undefined)
      former.goneAt = Math.min(former.goneAt ?? Number.POSITIVE_INFINITY, startOf(resource));
    holders.set(called, resource);
  }
}

class IndexBuilder {
  readonly #headers: HeaderLine[] = [];
  readonly #kinds = new Map<string, RecordedKind>();
  readonly #resources = new Map<string, ResourceUnderIndex>();
  /** The uid that each name had last. */
  readonly #latest = new Map<string, string>();
  /** An unreadable line that is cut if the next one begins what another process has written. */
  #doubtful: string | undefined;
  #damage = { cut: 0, unreadable: 0, places: new Array<string>() };
  #from = Number.POSITIVE_INFINITY;
  #to = 0;
  #runs = 0;
  #dropped = 0;

  take({ text, offset, length, number, isCut }: FoundLine, file: number, name: string): void {
    if (length === 0) return;
    const line = text === undefined ? undefined : readLine(text);
    if (line === undefined) {
      this.#settleDoubt(false);
      if (isCut) this.#damage.cut += 1;
      else this.#doubtful = `${name}:${number}`;
      return;
    }
    this.#settleDoubt(line.type === "header");
    switch (line.type) {
      case "header":
        // A newer version may have gone on in the file of an older one.
        if (line.format > formatVersion) throw newer(`${name}:${number}`, line.format);
        this.#headers.push(line);
        for (const kind of line.kinds) this.#kinds.set(kind.kind, kind);
        this.#spans(line.startedAt);
        return;
      case "run":
        this.#addRun(line, {
          at: line.startedAt + line.took,
          file,
          offset,
          length,
          hasChildren: line.children !== undefined,
        });
        return;
      case "gone": {
        const resource = this.#resources.get(this.#latest.get(`${line.kind} ${line.key}`) ?? "");
        if (resource !== undefined) resource.goneAt ??= line.at;
        this.#spans(line.at);
        return;
      }
      case "dropped":
        this.#dropped += line.runs;
        return;
      case "end":
        this.#spans(line.at);
        return;
    }
  }

  index(): RecordingIndex {
    this.#settleDoubt(false);
    const resources = [...this.#resources.values()];
    for (const { runs } of resources) runs.sort((one, other) => one.at - other.at);
    endReplaced(resources);
    return {
      headers: this.#headers,
      kinds: [...this.#kinds.values()],
      resources,
      from: Math.min(this.#from, this.#to),
      to: this.#to,
      runs: this.#runs,
      dropped: this.#dropped,
      damage: this.#damage,
    };
  }

  #addRun({ kind, key, uid, startedAt }: RunLine, run: IndexedRun): void {
    const resource = this.#resources.get(uid) ?? { kind, key, uid, runs: [] };
    resource.runs.push(run);
    this.#resources.set(uid, resource);
    this.#latest.set(`${kind} ${key}`, uid);
    this.#runs += 1;
    this.#spans(startedAt);
    this.#spans(run.at);
  }

  #spans(at: number): void {
    this.#from = Math.min(this.#from, at);
    this.#to = Math.max(this.#to, at);
  }

  #settleDoubt(isCut: boolean): void {
    if (this.#doubtful === undefined) return;
    if (isCut) this.#damage.cut += 1;
    else {
      this.#damage.unreadable += 1;
      if (this.#damage.places.length < mostPlaces) this.#damage.places.push(this.#doubtful);
    }
    this.#doubtful = undefined;
  }
}
