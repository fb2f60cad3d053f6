// The process's logger: pino, with secrets taken out of fields and messages before it sees them.
import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";
import type { LogFields, Logger } from "../ports/logger.ts";
import { redact } from "./redaction.ts";
import { redactText } from "../meta/secret-text.ts";

/** Levels of {@link createLogger}, most talkative first. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Creates a logger that writes one JSON object per line; default to standard error. */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly destination?: DestinationStream;
}): Logger {
  const logger = pino(
    { level: options.level, base: null },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return wrap(logger, () => logger);
}

/** Most characters of one text: an error that quotes a whole object is logged with every attempt. */
const longestText = 16_384;

function shorten(text: string): string {
  const more = text.length - longestText;
  return more > 0 ? `${text.slice(0, longestText)}… (${more} more characters)` : text;
}

/** `root` says which levels are logged; a child is made when its first line is, which for most of them is never. */
function wrap(root: PinoLogger, make: () => PinoLogger): Logger {
  let made: PinoLogger | undefined;
  const logger = (): PinoLogger => (made ??= make());
  const at =
    (level: Exclude<LogLevel, "silent">) =>
    (fields: LogFields, message: string): void => {
      // Before anything is copied: what is not logged costs nothing.
      if (root.isLevelEnabled(level)) logger()[level](redact(fields, shorten), shorten(redactText(message)));
    };
  return {
    child: (fields) => wrap(root, () => logger().child(redact(fields, shorten) as Record<string, unknown>)),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isLevelEnabled: (level) => root.isLevelEnabled(level),
  };
}
