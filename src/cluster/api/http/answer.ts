// Writes answers: JSON or YAML, with the headers of the real server, compressed when large and asked for.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import { textOf } from "./object-text.ts";

/** Sorted, and with quotes where a reader of YAML 1.1 would take a text for a time or a truth. */
const asGoWrites = { version: "1.1", sortMapEntries: true, indentSeq: false } as const;

const compressAbove = 131_072;

/** The type of texts that are for people. */
export const plainText = "text/plain; charset=utf-8";

/** What one answer carries. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Default JSON. */
  readonly contentType?: string;
  readonly yaml?: boolean;
  /** Texts of Warning headers. */
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is already text, or bytes. */
  readonly isText?: boolean;
}

/** Headers that every answer has. */
export function commonHeaders(): Record<string, string> {
  return { "Audit-Id": randomUUID(), "Cache-Control": "no-cache, private" };
}

const longestWarnings = 4_096;
const longestCutWarning = 256;

/** The values of the Warning headers for texts, each once. When they are long in all, each is cut and the last ones left out. */
export function warningHeaders(warnings: readonly string[]): string[] {
  // A header holds no control characters; Kubernetes leaves such a warning out too, and one that says nothing.
  const sendable = [...new Set(warnings)].filter((text) => text !== "" && !/\p{Cc}/u.test(text));
  const isLong = sendable.reduce((length, text) => length + text.length, 0) > longestWarnings;
  const cut = isLong
    ? sendable.slice(0, longestWarnings / longestCutWarning).map((text) => text.slice(0, longestCutWarning))
    : sendable;
  return cut.map((text) => `299 - "${asHeader(text.replaceAll(/[\\"]/g, "\\$&"))}"`);
}

/** Headers are bytes, one a character. */
function asHeader(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Sends an answer. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return;
  const { status, body, yaml = false, warnings = [], isText = false } = answer;
  const text = Buffer.isBuffer(body)
    ? body
    : isText
      ? String(body)
      : yaml
        ? stringify(body, asGoWrites)
        : encodeJson(request, body);
  // A short text is written in one piece with the headers.
  let content: string | Buffer = text;
  const headers: Record<string, string | string[]> = {
    ...commonHeaders(),
    "Content-Type": answer.contentType ?? (yaml ? "application/yaml" : "application/json"),
    ...answer.headers,
  };
  if (warnings.length > 0) headers["Warning"] = warningHeaders(warnings);
  const accepted = request.headers["accept-encoding"];
  let length = Buffer.byteLength(text);
  if (length > compressAbove && typeof accepted === "string" && takesGzip(accepted)) {
    content = gzipSync(text, { level: 1 });
    length = content.length;
    headers["Content-Encoding"] = "gzip";
    headers["Vary"] = "Accept-Encoding";
  }
  headers["Content-Length"] = String(length);
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : content);
}

/** Whether an `Accept-Encoding` allows gzip. */
function takesGzip(accepted: string): boolean {
  return accepted.split(",").some((each) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(each));
}

function encodeJson(request: IncomingMessage, body: unknown): string {
  if (isForPeople(request)) return JSON.stringify(body, undefined, 2);
  return `${typeof body === "object" && body !== null ? textOf(body) : JSON.stringify(body)}\n`;
}

/** Whether JSON is indented: as it is asked for, or else for browsers and tools on a command line. */
function isForPeople({ url = "", headers }: IncomingMessage): boolean {
  const [, given = ""] = /[?&]pretty=([^&#]*)/.exec(url) ?? [];
  if (given !== "") return /^(?:1|t|T|true|TRUE|True)$/.test(given);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}
