// The process's logger: pino, with secrets taken out of fields and messages before it sees them.
import { pino, type Logger as PinoLogger } from "pino";
import { refuseWrongOptions } from "../options/option-problems.ts";
import { having, oneOf, optionsOf, required } from "../options/option-schemas.ts";
import type { LogFields, Logger } from "../ports/logger.ts";
import { logFormats, type LogFormat } from "./log-formats.ts";
import { redact } from "./redaction.ts";
import { maskStart, redactText } from "../meta/secret-text.ts";

/** Levels of {@link createLogger}, most talkative first. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** The lowest level that is written. */
  readonly level: LogLevel;
  /**
   * The names of the fields: `json` (default) has `level` as a word, `time` in ISO 8601 and `msg`; `ecs` is the Elastic Common
   * Schema, `gcp` what Google Cloud Logging reads.
   */
  readonly format?: LogFormat;
  /** Where lines are written; default standard error. */
  readonly destination?: { write(line: string): void };
}

const loggerOptions = optionsOf<LoggerOptions>()({
  level: required(oneOf("debug", "info", "warn", "error", "silent"), 'Write level: "info".'),
  format: oneOf("json", "ecs", "gcp").optional(),
  destination: having(
    ["write"],
    "a stream",
    "Write destination: process.stdout, or leave it out.",
  ).optional(),
});

/**
 * Creates a logger that writes one JSON object per line.
 *
 * **Errors**: `LOGGER_OPTIONS_INVALID` for an option that is unknown, missing or wrong.
 */
export function createLogger(options: LoggerOptions): Logger {
  refuseWrongOptions(loggerOptions, options, "createLogger", "LOGGER_OPTIONS_INVALID");
  const { level, format = "json", destination = pino.destination({ dest: 2, sync: true }) } = options;
  const { arrange, ...words } = logFormats[format];
  const logger = pino({ level, base: null, ...words }, destination);
  return arrange === undefined ? wrap(logger, () => logger) : arranged(logger, arrange, {});
}

/** A logger of a format in which the place of a field depends on the others. */
function arranged(logger: PinoLogger, arrange: (fields: LogFields) => LogFields, bound: LogFields): Logger {
  const at =
    (level: Exclude<LogLevel, "silent">) =>
    (fields: LogFields, message: string): void => {
      if (!logger.isLevelEnabled(level)) return;
      const all = redact({ ...bound, ...fields }) as LogFields;
      logger[level](arrange(all), maskStart(message, redactText));
    };
  return {
    child: (fields) => arranged(logger, arrange, { ...bound, ...fields }),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isLevelEnabled: (level) => logger.isLevelEnabled(level),
  };
}

/** `root` says which levels are logged; a child is made when its first line is, which for most of them is never. */
function wrap(root: PinoLogger, make: () => PinoLogger): Logger {
  let made: PinoLogger | undefined;
  const logger = (): PinoLogger => (made ??= make());
  const at =
    (level: Exclude<LogLevel, "silent">) =>
    (fields: LogFields, message: string): void => {
      // Before anything is copied: what is not logged costs nothing.
      if (root.isLevelEnabled(level)) logger()[level](redact(fields), maskStart(message, redactText));
    };
  return {
    child: (fields) => wrap(root, () => logger().child(redact(fields) as Record<string, unknown>)),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isLevelEnabled: (level) => root.isLevelEnabled(level),
  };
}
