// What a route of a local web server answers with, and the headers that every answer carries. Pure.

import { importMapSource } from "./import-map.ts";

/** An answer whose body is there as a whole. */
export interface WebAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A short text, for instance why not. */
export function textAnswer(status: number, body: string): WebAnswer {
  return { status, contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}

/** A value as JSON. */
export function jsonAnswer(value: unknown, status = 200): WebAnswer {
  return { status, contentType: "application/json", body: JSON.stringify(value) };
}

/** Options of {@link pageAnswer}. */
export interface PageOptions {
  /** Origins whose pages may be shown inside the page. */
  readonly frames?: readonly string[];
}

/** A page: its scripts, styles and connections are those of its own server and of nobody else. */
export function pageAnswer(html: string, { frames = [] }: PageOptions = {}): WebAnswer {
  const policy = {
    "default-src": "'none'",
    "script-src": `'self' ${importMapSource}`,
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "frame-src": ["'self'", ...frames].join(" "),
    "frame-ancestors": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
  };
  const text = Object.entries(policy).map((entry) => entry.join(" "));
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    body: html,
    headers: { "content-security-policy": text.join("; ") },
  };
}

/** Headers of every answer. The address of a page holds its token, so no other site may learn where people come from. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};
