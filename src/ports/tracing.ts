// Tracing as an injected port: a span is a piece of work with a beginning, an end and a parent. Implemented by
// src/manager/open-telemetry.ts. An attribute is a word, a name or a number, never a value of an object, and never the text
// of an error: either may be a secret.

/** What is reported of a span; the names are those of OpenTelemetry's semantic conventions where there is one. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** Names a span, also from another one's trace; plain JSON. */
export interface SpanReference {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** Options of {@link Tracing.begin}. */
export interface SpanOptions {
  readonly name: string;
  /** Which side of an exchange the work is; default internal. */
  readonly kind?: "internal" | "client" | "producer" | "consumer";
  readonly attributes?: SpanAttributes;
  /** Default the span within which this is called. */
  readonly parent?: SpanReference | undefined;
  /** Spans that led here besides the parent. */
  readonly links?: readonly SpanReference[];
  /** Milliseconds before now at which the work began; default 0. */
  readonly ago?: number;
}

/** Work that is being traced. */
export interface Span {
  /** Undefined when the span is not recorded anywhere. */
  readonly reference: SpanReference | undefined;
  /** Does a part of the work: what it begins belongs to this span, over every await. */
  within<T>(work: () => T): T;
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed, with a word of a small set: an error's code, a status. */
  fail(type: string): void;
  /** HTTP headers by which another process continues the trace. */
  headers(): Readonly<Record<string, string>>;
  /** Idempotent. */
  end(): void;
}

/** Where spans go. None of its functions throws. */
export interface Tracing {
  /** False: nothing is recorded, so the caller may skip costly work. */
  readonly on: boolean;
  /** Whether this is called within a span. */
  readonly inside: boolean;
  /** That span, if it is recorded or passed on. */
  readonly current: SpanReference | undefined;
  begin(options: SpanOptions): Span;
}

const noHeaders: Readonly<Record<string, string>> = {};

/** A span that is recorded nowhere. */
export const noSpan: Span = {
  reference: undefined,
  within: (work) => work(),
  set: () => undefined,
  fail: () => undefined,
  headers: () => noHeaders,
  end: () => undefined,
};

/** Records nothing. */
export const noTracing: Tracing = { on: false, inside: false, current: undefined, begin: () => noSpan };

/** The fields of a log line that belongs to a span, as OpenTelemetry names them outside of its own protocol. */
export function traceFields({
  traceId,
  spanId,
  traceFlags,
}: SpanReference): Readonly<Record<string, string>> {
  return {
    trace_id: traceId,
    span_id: spanId,
    trace_flags: traceFlags.toString(16).padStart(2, "0"),
  };
}
