// Logging as an injected port. The message is constant; what varies is in the fields.

/** Data of one log line; never a whole object, never a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured logger; pino satisfies it. */
export interface Logger {
  /** A logger that adds these fields to each line. */
  child(fields: Record<string, unknown>): Logger;
  /** What one needs to find a fault in the operator. */
  debug(fields: LogFields, message: string): void;
  /** What an operator does. */
  info(fields: LogFields, message: string): void;
  /** What needs attention, and goes on by itself. */
  warn(fields: LogFields, message: string): void;
  /** What failed. */
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
