// What keeps going wrong is said once, not at every try.
import type { Logger } from "../ports/logger.ts";
import { isOperatorError, messageOf } from "../ports/operator-error.ts";

/** Logs a failure as a warning, and then not again until it is another one or something has worked in between. */
export class FailureLog {
  readonly #log: Logger;
  readonly #subject: string;
  #last: string | undefined;

  /** `subject` is the message of each line. */
  constructor(log: Logger, subject: string) {
    this.#log = log;
    this.#subject = subject;
  }

  failed(what: string, error?: unknown): void {
    const text = error === undefined ? what : `${what}: ${messageOf(error)}`;
    if (text !== this.#last) {
      const remedy = isOperatorError(error) ? error.remedy : undefined;
      this.#log.warn({ error: text, ...(remedy && { remedy }) }, this.#subject);
    }
    this.#last = text;
  }

  worked(): void {
    this.#last = undefined;
  }
}
