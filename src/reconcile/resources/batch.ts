// What a call of the registry is told, and what it tells.

/** Options of the registry's calls. */
export interface BatchOptions {
  /** Ends the call at the first failure; default false: every resource is tried. */
  readonly stopOnError?: boolean;
}

/** Options of calls that create. */
export interface CreationOptions extends BatchOptions {
  /** Creations in this call; the rest follow 4 s later. 0 or absent: the controller's limit. */
  readonly maxCreations?: number;
}

/** One resource that a call failed on. */
export interface BatchFailure {
  /** `Kind/name`. */
  readonly resource: string;
  readonly error: Error;
}

/** What a call did. */
export interface BatchReport {
  /** `Kind/name` of the resources that were written. */
  readonly written: readonly string[];
  /** `Kind/name` of the resources whose creation waits for the next run. */
  readonly delayed: readonly string[];
  /** Every failure, in the order of registration. */
  readonly failures: readonly BatchFailure[];
}

/** A report while it is being made. */
export interface Batch {
  readonly written: string[];
  readonly delayed: string[];
  readonly failures: BatchFailure[];
  /** Creations tried: a failed one counts, or a broken type would be hammered. */
  created: number;
}

/** A report of nothing yet. */
export function emptyBatch(): Batch {
  return { written: [], delayed: [], failures: [], created: 0 };
}
