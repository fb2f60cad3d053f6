// What one run has come to so far: every operation, and the one answer they add up to.
// Fed by hooks, registry and pipeline; read by the pipeline to choose the next stage and the requeue.
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import { meaningOf, GiveUpError } from "./failure-meaning.ts";
import type { Operation, OperationCode, ReconcileResult } from "./reconcile-result.ts";

/** Longest delay that is ever asked of the queue: 6 hours, in milliseconds. */
export const longestRequeue = 6 * 3_600_000;

/** Delay after a conflict, in milliseconds: the change that caused it is on its way to the cache. */
export const conflictRequeue = 1_000;

/** What may be said about an operation besides its code. */
type OperationDetails = Omit<Operation, "code" | "error">;

/** What may be said about a failed operation. */
type ErrorDetails = OperationDetails & Partial<Pick<Operation, "code">>;

/**
 * The operations of one run and what they add up to.
 *
 * **Guarantees**: the first error wins, but a mere wait gives way to it; a give-up beats everything and is never replaced;
 * the delay is the smallest one asked for, at most 6 hours; a delay given together with an error is honoured. The
 * consolidated answer is right at any time.
 */
export class Results {
  readonly #operations: Operation[] = [];
  readonly #counters = new Map<string, number>();
  #errors = 0;
  #error: Error | undefined;
  #giveUp: { readonly reason: Error | undefined } | undefined;
  #requeueAfter: number | undefined;
  /** An error asked for no delay: the queue's backoff, sooner than any delay, unless the throttle overrides it. */
  #backoff = false;
  /** When creations go on that were held back, however long something else fails. */
  #creationsAfter: number | undefined;
  #pending: Operation | undefined;
  #waiting: "requeue" | "conflict" | undefined;

  /** Records an operation as it is. */
  add(operation: Operation): void {
    this.#record(operation, undefined);
  }

  /** Records something that went well. */
  success(code: OperationCode = "Succeeded", details: OperationDetails = {}): void {
    this.add({ ...details, code });
  }

  /**
   * Records a caught value according to what it means: a `TerminalError` gives up, a `RequeueError` waits its own delay,
   * a conflict looks again soon and is no failure, anything else is an error.
   */
  error(caught: unknown, details: ErrorDetails = {}): void {
    const { code = "HookFailed", ...rest } = details;
    const meaning = meaningOf(caught);
    switch (meaning.kind) {
      case "giveUp":
        this.#recordGiveUp(meaning.error, meaning.reported ? meaning.error : undefined, code, rest);
        return;
      case "wait":
        this.#wait("requeue", meaning.error, { requeueAfter: meaning.after, ...rest, code: "RequeueAsked" });
        return;
      case "conflict":
        this.#wait("conflict", meaning.error, { requeueAfter: conflictRequeue, ...rest, code: "Conflict" });
        return;
      case "aborted":
        this.add({ ...rest, code, error: meaning.error });
        return;
      case "retry": {
        const requeueAfter = rest.requeueAfter ?? meaning.after;
        const delay = requeueAfter === undefined ? {} : { requeueAfter };
        this.add({ ...rest, ...delay, code, error: meaning.error });
        return;
      }
    }
  }

  /**
   * Gives up: no retry until something changes. A reason is reported on the condition; without one the status is left alone.
   * Later operations are counted, but change nothing.
   */
  giveUp(reason?: string | Error, details: OperationDetails = {}): void {
    const error = reason instanceof Error ? reason : new GiveUpError(reason);
    this.#recordGiveUp(error, reason === undefined ? undefined : error, "GaveUp", details);
  }

  /** Asks to be reconciled again after a while; that alone does not hold back success. Errors: `DURATION_INVALID`. */
  requeueAfter(delay: Duration, details: OperationDetails = {}): void {
    this.add({ ...details, code: "RequeueAsked", requeueAfter: toMilliseconds(delay) });
  }

  /**
   * Says that something asked for is still outstanding, and when to look again: the condition does not claim success.
   * Errors: `DURATION_INVALID`.
   */
  pending(message: string, delay: Duration, details: OperationDetails = {}): void {
    const requeueAfter = toMilliseconds(delay);
    this.add({ code: "RequeueAsked", ...details, message, requeueAfter, pending: true });
  }

  /**
   * Takes what has failed so far, a give-up included, for something outstanding: it is reported and tried again after the
   * delay, and holds up nothing. Returns the error, if there was one.
   *
   * @internal
   */
  tolerate(requeueAfter: number): Error | undefined {
    const { error } = this.consolidated();
    if (error === undefined && !this.gaveUp) return undefined;
    const failed = this.#operations.find((operation) => operation.error === error);
    const resource = failed?.resource === undefined ? {} : { resource: failed.resource };
    this.#error = undefined;
    this.#giveUp = undefined;
    this.#waiting = undefined;
    this.#backoff = false;
    const message = error?.message ?? "the reconcile gave up";
    this.add({ ...resource, code: "RequeueAsked", requeueAfter, pending: true, message });
    return error;
  }

  /** All operations so far, in order. */
  get operations(): readonly Operation[] {
    return this.#operations;
  }

  /** How many operations had this code. */
  count(code: OperationCode): number {
    return this.#counters.get(code) ?? 0;
  }

  /** How many operations had each code. */
  get counters(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counters);
  }

  /** How many operations were errors; a give-up counts as one. */
  get errors(): number {
    return this.#errors;
  }

  /** Whether the run gave up. */
  get gaveUp(): boolean {
    return this.#giveUp !== undefined;
  }

  /** Whether an error was recorded that is not a give-up. */
  get failed(): boolean {
    return this.#error !== undefined && this.#giveUp === undefined;
  }

  /** Set when the only errors are waits: a `RequeueError`, or a conflict with another writer. */
  get waiting(): "requeue" | "conflict" | undefined {
    return this.failed ? this.#waiting : undefined;
  }

  /** The first operation that is still outstanding. */
  get outstanding(): Operation | undefined {
    return this.#pending;
  }

  /** What all operations so far add up to. */
  consolidated(): ReconcileResult {
    const pending = this.#pending !== undefined;
    if (this.#giveUp !== undefined) {
      return { kind: "gaveUp", error: this.#giveUp.reason, requeueAfter: undefined, pending };
    }
    return {
      kind: this.#error === undefined ? "settled" : this.#waiting === undefined ? "failed" : "waiting",
      error: this.#error,
      requeueAfter: this.#backoff ? undefined : earlier(this.#requeueAfter, this.#creationsAfter),
      pending,
    };
  }

  /** Forgets everything. */
  reset(): void {
    this.#operations.length = 0;
    this.#counters.clear();
    this.#errors = 0;
    this.#error = undefined;
    this.#giveUp = undefined;
    this.#requeueAfter = undefined;
    this.#creationsAfter = undefined;
    this.#backoff = false;
    this.#pending = undefined;
    this.#waiting = undefined;
  }

  #record(operation: Operation, waiting: "requeue" | "conflict" | undefined): void {
    const { code, error, requeueAfter } = operation;
    this.#operations.push(operation);
    this.#counters.set(code, this.count(code) + 1);
    if (operation.pending === true) this.#pending ??= operation;
    if (error !== undefined) {
      this.#errors += 1;
      if (this.#error === undefined || (this.#waiting !== undefined && waiting === undefined)) {
        this.#error = error;
        this.#waiting = waiting;
      }
      if (requeueAfter === undefined) this.#backoff = true;
    }
    if (code === "CreationDelayed") this.#creationsAfter = earlier(this.#creationsAfter, requeueAfter);
    if (requeueAfter !== undefined) this.#askFor(requeueAfter, code === "SameStatusError");
  }

  #recordGiveUp(
    error: Error,
    reason: Error | undefined,
    code: OperationCode,
    details: OperationDetails,
  ): void {
    this.#giveUp ??= { reason };
    this.add({ ...details, code, error });
  }

  #wait(waiting: "requeue" | "conflict", error: Error, operation: Operation): void {
    this.#record({ pending: true, message: error.message, ...operation, error }, waiting);
  }

  #askFor(requeueAfter: number, overrides: boolean): void {
    const asked = Math.min(Math.max(0, requeueAfter), longestRequeue);
    if (overrides) this.#backoff = false;
    this.#requeueAfter =
      overrides || this.#requeueAfter === undefined ? asked : Math.min(this.#requeueAfter, asked);
  }
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
