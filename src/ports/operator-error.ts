// The base of all our errors. Identity is the code, never the text; the retry meaning is the class.

/** An error with a stable code; every code is listed in `docs/errors.md`. */
export class OperatorError extends Error {
  /** In capitals: `CR_INVALID`. A program decides by it, never by the message. */
  readonly code: string;
  /** Typed facts for logs: object key, kind, operation. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the reader should do about it, as a sentence. */
  readonly remedy: string | undefined;

  constructor(code: string, message: string, options: OperatorErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.fields = options.fields ?? {};
    this.remedy = options.remedy;
  }
}

/** What an error carries besides its message. */
export type OperatorErrorOptions = Partial<Pick<OperatorError, "cause" | "fields" | "remedy">>;

/** Says that retrying is useless until something changes; the reconcile is not requeued. */
export class TerminalError extends OperatorError {}

/** Asks for another reconcile after a delay instead of the backoff. */
export class RequeueError extends OperatorError {
  /** Milliseconds. */
  readonly after: number;

  constructor(code: string, message: string, after: number, options: OperatorErrorOptions = {}) {
    super(code, message, options);
    this.after = after;
  }
}

/** Whether a caught value is one of ours, with this code when one is given. */
export function isOperatorError(error: unknown, code?: string): error is OperatorError {
  return error instanceof OperatorError && (code === undefined || error.code === code);
}

/** The text of any caught value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
