// How a line is written for those who collect it: the words for level, time and message, and where the fields go. Pure.
import type { LoggerOptions as PinoOptions } from "pino";
import type { LogFields } from "../ports/logger.ts";

/** Names of the forms of log lines. */
export type LogFormat = "json" | "ecs" | "gcp";

/** @internal */
interface Form extends Pick<PinoOptions, "formatters" | "messageKey" | "timestamp"> {
  /** Puts the fields of a line where the format has them; default as they are. */
  readonly arrange?: (fields: LogFields) => LogFields;
}

const iso = (): string => new Date().toISOString();

/**
 * The forms of log lines, by name.
 *
 * @internal
 */
export const logFormats: Readonly<Record<LogFormat, Form>> = {
  json: {
    formatters: { level: (label) => ({ level: label }) },
    timestamp: () => `,"time":"${iso()}"`,
  },
  // https://www.elastic.co/docs/reference/ecs : what is not of the schema has a namespace of its own.
  ecs: {
    formatters: { level: (label) => ({ "log.level": label }) },
    messageKey: "message",
    timestamp: () => `,"@timestamp":"${iso()}"`,
    arrange: ({ error, code, stack, trace_id: trace, span_id: span, trace_flags: _flags, ...rest }) => ({
      "ecs.version": "8.11.0",
      ...named("error", { message: textOf(error), code, stack_trace: stack }),
      ...named("trace", { id: trace }),
      ...named("span", { id: span }),
      ...named("xstate_operator", rest),
    }),
  },
  // https://cloud.google.com/logging/docs/structured-logging
  gcp: {
    formatters: { level: (label) => ({ severity: label === "warn" ? "WARNING" : label.toUpperCase() }) },
    messageKey: "message",
    timestamp: () => `,"time":"${iso()}"`,
    arrange: ({ stack, trace_id: trace, span_id: span, trace_flags: flags, ...rest }) => ({
      ...rest,
      ...(stack === undefined
        ? {}
        : { stack_trace: `Error: ${String(textOf(rest["error"]))}\n${indented(stack)}` }),
      ...(trace === undefined
        ? {}
        : {
            "logging.googleapis.com/trace": trace,
            "logging.googleapis.com/spanId": span,
            "logging.googleapis.com/trace_sampled": flags === "01",
          }),
    }),
  },
};

/** A group of fields under one name; nothing when none of them is there. */
function named(name: string, fields: LogFields): LogFields {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return present.length === 0 ? {} : { [name]: Object.fromEntries(present) };
}

function textOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return error;
  return (error as { readonly message?: unknown }).message;
}

/** A stack as Node prints it, by which error reporting knows one. */
function indented(stack: unknown): string {
  return String(stack)
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
