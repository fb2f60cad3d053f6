// What is reported of each run of the reconciliation pipeline once it is over. Reported by src/controller, kept by src/dashboard.

/** Why a run took place; see the queue's causes. */
export interface JournalCause {
  /** One word: `initialList`, `modified`, `retry`. */
  readonly reason: string;
  /** The kind of the object that changed. */
  readonly kind?: string;
  /** That object: `namespace/name`, or `name`. */
  readonly object?: string;
  /** More of it, for people. */
  readonly detail?: string;
}

/** It as a text: `modified ConfigMap team/web (data)`. */
export function causeText({ reason, kind, object, detail }: JournalCause): string {
  const what = [reason, kind, object].filter((part) => part !== undefined).join(" ");
  return detail === undefined ? what : `${what} (${detail})`;
}

/** One run. Instants are milliseconds since the epoch, lengths milliseconds. */
export interface JournalRun {
  /** As in the log. */
  readonly id: string;
  readonly kind: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly startedAt: number;
  readonly took: number;
  readonly causes: readonly JournalCause[];
  /** The stages that were entered, in order, each with when. */
  readonly stages: readonly { readonly stage: string; readonly at: number }[];
  /** Write requests. */
  readonly writes: number;
  /** What was done to which resource, without what changed nothing. */
  readonly operations: readonly { readonly code: string; readonly resource?: string }[];
  readonly error?: string;
  /** Where it failed: the stage, and the lines of the author's code, innermost first. */
  readonly failure?: { readonly stage?: string; readonly remedy?: string; readonly stack?: string };
  readonly requeueAfter?: number;
}

/** Takes runs. Must not throw. */
export interface RunJournal {
  record(run: JournalRun): void;
}
