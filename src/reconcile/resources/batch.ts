// The input and the result of a call of the registry.

/** Options of the registry's calls. */
export interface BatchOptions {
  /** Ends the call at the first failure; default false: every resource is tried. */
  readonly stopOnError?: boolean;
  /** Of calls that create: creations in this call; the rest follow 4 s later. 0 or absent: the controller's limit. */
  readonly maxCreations?: number;
}

/** What a call did. */
export interface BatchReport {
  /** `Kind/name` of the resources that were written. */
  readonly written: readonly string[];
  /** `Kind/name` of the resources whose creation waits for the next run. */
  readonly delayed: readonly string[];
  /** Every failure, in the order of registration. */
  readonly failures: readonly {
    /** `Kind/name`. */
    readonly resource: string;
    readonly error: Error;
  }[];
}

/** A report while it is being made. */
export interface Batch {
  readonly written: string[];
  readonly delayed: string[];
  readonly failures: BatchReport["failures"][number][];
  /** Creations tried: a failed one counts, or a broken type would be hammered. */
  created: number;
}

/** A report of nothing yet. */
export function emptyBatch(): Batch {
  return { written: [], delayed: [], failures: [], created: 0 };
}
