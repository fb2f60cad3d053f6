// The process's logger: pino, with secrets redacted by field name wherever they turn up.
import { pino, type DestinationStream } from "pino";
import type { Logger } from "../ports/logger.ts";

/** Field names whose values never reach a log, at the top and one level down. */
const secretFields = ["token", "password", "authorization", "clientKey", "key-data", "stringData", "data"];

/** Levels of {@link createLogger}, most talkative first. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Creates a logger that writes one JSON object per line; default to standard error. */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly destination?: DestinationStream;
}): Logger {
  const paths = secretFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`]);
  return pino(
    { level: options.level, base: null, redact: { paths, censor: "[redacted]" } },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
}
