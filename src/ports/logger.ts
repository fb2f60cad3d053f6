// Logging as an injected port. The message is constant; what varies is in the fields.

/** Data of one log line; never a whole object, never a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured logger; pino satisfies it. */
export interface Logger {
  child(fields: Record<string, unknown>): Logger;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Whether a line of that level goes anywhere; where it is absent, any may. */
  isLevelEnabled?(level: "debug" | "info" | "warn" | "error"): boolean;
}

/** A logger that drops everything. */
export const silentLogger: Logger = {
  child: () => silentLogger,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isLevelEnabled: () => false,
};
