// The file of a recording: begun with a header or gone on with, appended to, and moved away when it is full.
import { constants, lstatSync, renameSync, type Stats } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import type { Clock } from "../ports/clock.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { formatLine, formatOf, formatVersion, type HeaderLine } from "./recording-format.ts";

/** Options of {@link openRecordingFile}. */
export interface RecordingFileOptions {
  readonly file: string;
  /** What the first line says, but for what is known here. */
  readonly about: Pick<HeaderLine, "session" | "package" | "operator" | "pid" | "kinds">;
  /** Bytes that the file and its predecessor may take together. */
  readonly limit: number;
  readonly clock: Clock;
}

/** The smallest limit. */
export const smallestLimit = 1024 * 1024;

/** The file to which a full recording is moved. */
export function predecessorOf(file: string): string {
  return `${file}.1`;
}

/**
 * Opens the file, or goes on with the recording that it holds.
 *
 * **Guarantees**: nothing is ever overwritten but a predecessor that is a recording itself; the file is ours, and readable by
 * its owner only; a line that a killed process has cut stays a line of its own.
 * **Errors**: `RECORDING_UNUSABLE` when the file is something else (a link, for instance), belongs to another user, or cannot
 * be written.
 */
export async function openRecordingFile(options: RecordingFileOptions): Promise<RecordingFile> {
  try {
    await refuseOther(predecessorOf(options.file));
    await refuseOther(options.file);
    const opened = new RecordingFile(options);
    await opened.open(false);
    return opened;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError("RECORDING_UNUSABLE", `${options.file} cannot be written: ${messageOf(error)}`, {
      cause: error,
      remedy: "Name a file in a folder that this process may write to.",
    });
  }
}

/** Refuses what is there and is not a recording that this version may go on with. */
async function refuseOther(file: string): Promise<void> {
  const info = await statOf(file);
  if (info === undefined) return;
  const refuse = (what: string): never => {
    throw new OperatorError("RECORDING_UNUSABLE", `${file} ${what}`, {
      remedy: "Name another file, or move this one away: nothing is overwritten.",
    });
  };
  if (!info.isFile()) refuse("is not a regular file");
  if (!isOurs(info)) refuse("belongs to another user");
  if (info.size === 0) return;
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(128), 0, 128, 0);
    const format = formatOf(buffer.toString("utf8", 0, bytesRead));
    if (format === undefined) refuse("exists and is not a recording");
    if ((format ?? 0) > formatVersion) refuse(`is a recording of a newer version (format ${format})`);
  } finally {
    await handle.close();
  }
}

async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Moves the file away if it is still the one that is meant: another process may have done so, and begun a new one. */
function moveAway(file: string, meant: Stats | undefined): void {
  // Without a turn of the loop in between, so that hardly anything fits in.
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there !== undefined && isSame(there, meant)) renameSync(file, predecessorOf(file));
}

/** Whoever owns a file reads it, whatever its mode says later. */
function isOurs({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev;
}

/** A file that is written to by one caller after the other. */
export class RecordingFile {
  readonly #options: RecordingFileOptions;
  #handle: FileHandle | undefined;
  #size = 0;
  /** Bytes of the file's own beginning: a file is not full with it alone. */
  #headerSize = 0;
  /** The file may end within a line. */
  #isTorn = false;

  constructor(options: RecordingFileOptions) {
    this.#options = options;
  }

  /** Opens the file and begins it with a header, or goes on with one of an earlier process. */
  async open(continued: boolean): Promise<void> {
    const { file, about, clock } = this.#options;
    const former = await statOf(file);
    // Processes that end soon after their start fill it too.
    if (former !== undefined && former.size > this.#options.limit / 2) moveAway(file, former);
    const { O_RDWR, O_CREAT, O_APPEND, O_NONBLOCK, O_NOFOLLOW } = constants;
    const handle = await open(file, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW, 0o600);
    try {
      const info = await handle.stat();
      // It may have come since it was looked at.
      if (!isOurs(info)) throw new Error("it belongs to another user");
      if ((info.mode & 0o077) !== 0) await handle.chmod(0o600);
      this.#size = info.size;
      this.#isTorn =
        info.size > 0 && (await handle.read(Buffer.alloc(1), 0, 1, info.size - 1)).buffer[0] !== 10;
      this.#handle = handle;
      const header = formatLine({
        type: "header",
        recording: "xstate-operator",
        format: formatVersion,
        ...about,
        startedAt: clock.now(),
        ...(continued ? { continued } : {}),
      });
      await this.append(header);
      this.#headerSize = info.size === 0 ? this.#size : 0;
    } catch (error) {
      this.#handle = undefined;
      await handle.close();
      throw error;
    }
  }

  /**
   * Makes room for a text: begins a new file when it would not fit, or when the current one has been moved away. Resolves to whether it is
   * a new file.
   */
  async makeRoom(text: string): Promise<boolean> {
    const before = this.#handle;
    if (before === undefined || !(await this.#isInPlace(before))) await this.#reopen();
    const isFull = this.#size + Buffer.byteLength(text) > this.#options.limit / 2;
    if (isFull && this.#size > this.#headerSize) await this.#rotate();
    return this.#handle !== before;
  }

  /** Appends whole lines. What a rejected write has written stays. */
  async append(text: string): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) throw new Error("the file is not open");
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, null);
        written += bytesWritten;
      }
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn ||= written > 0;
      throw error;
    } finally {
      this.#size += written;
    }
  }

  /** Puts everything on the disk, and closes the file. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.datasync();
    await handle?.close();
  }

  /** Moves the full file away and begins a new one. */
  async #rotate(): Promise<void> {
    const { file } = this.#options;
    await refuseOther(predecessorOf(file));
    moveAway(file, await this.#handle?.stat());
    await this.#reopen();
  }

  /** Goes on with what is there now. */
  async #reopen(): Promise<void> {
    const left = this.#handle;
    this.#handle = undefined;
    try {
      await refuseOther(this.#options.file);
      await this.open(true);
    } finally {
      await left?.datasync();
      await left?.close();
    }
  }

  /** Whether the file is still under its name: another process that writes it, or a person, may have moved it away. */
  async #isInPlace(handle: FileHandle): Promise<boolean> {
    const [own, there] = await Promise.all([handle.stat(), statOf(this.#options.file)]);
    // With what others have appended.
    this.#size = own.size;
    return isSame(own, there);
  }
}
