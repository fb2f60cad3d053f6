// One change of the storage as a line of a file: a checksum, then JSON. Pure.
import { crc32 } from "node:zlib";
import type { ApiObject } from "../api-object.ts";

/** A change: an object that was put, or the last state of one that was removed. */
export interface StoredRecord {
  readonly space: string;
  readonly revision: number;
  readonly type: "put" | "remove";
  readonly object: ApiObject;
}

/** The line of a value; ends with a line break. */
export function formatLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`;
}

/** The line of a change. */
export function formatRecord({ space, revision, type, object }: StoredRecord): string {
  return formatLine(type === "put" ? [revision, space, object] : [revision, space, object, "removed"]);
}

/** The change that a value from a line tells of. */
export function toRecord(value: unknown): StoredRecord {
  const [revision, space, object, removed] = value as readonly [number, string, ApiObject, string?];
  return { revision, space, object, type: removed === undefined ? "put" : "remove" };
}

/** The values of whole lines, and where the first line begins that is not as it was written; the length where all are. */
export function readLines(bytes: Buffer): { readonly values: readonly unknown[]; readonly intact: number } {
  const values: unknown[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    const value = end < 0 ? undefined : readLine(bytes.subarray(start, end));
    if (value === undefined) break;
    values.push(value);
    start = end + 1;
  }
  return { values, intact: start };
}

/**
 * Whether the end of a file is the beginning of a line that was being written, and nothing else: it has no line break, and reads as a line
 * begins. A machine that lost its power may have left zeros after it.
 */
export function isBegunLine(bytes: Buffer): boolean {
  if (bytes.includes(0x0a)) return false;
  const text = bytes.toString("latin1").replace(/\0+$/, "");
  return /^(?:[0-9a-f]{0,8}|[0-9a-f]{8} (?:\[[^]*)?)$/.test(text);
}

function readLine(line: Buffer): unknown {
  if (line.length < 10 || line[8] !== 0x20) return undefined;
  const json = line.subarray(9);
  if (Number.parseInt(line.toString("latin1", 0, 8), 16) !== crc32(json)) return undefined;
  return JSON.parse(json.toString("utf8")) as unknown;
}
