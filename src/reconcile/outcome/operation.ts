// One entry of the results of a run: what was done to which resource, and how it ended.

/** One entry of the results. */
export interface Operation {
  /** What was done. Authors may use words of their own. */
  readonly code:
    | "Fetched"
    | "Registered"
    | "Unreadable"
    | "Mutated"
    | "MutationFailed"
    | "MutationAsksRequeue"
    | "Unchanged"
    | "Created"
    | "CreationDelayed"
    | "Held"
    | "Updated"
    | "Deleted"
    | "WriteFailed"
    | "Terminating"
    | "Conflict"
    | "Finalizing"
    | "FinalizerAdded"
    | "FinalizerRemoved"
    | "StatusUpdated"
    | "StatusUpdateFailed"
    | "SameStatusError"
    | "HookFailed"
    | "RequeueAsked"
    | "GaveUp"
    | "Succeeded"
    | (string & {});
  /** `Kind/name` of the resource concerned; absent when it is about the custom resource. */
  readonly resource?: string;
  readonly error?: Error;
  /** Milliseconds after which to look again; absent when nothing was asked. */
  readonly requeueAfter?: number;
  /** True when something asked for is still outstanding: the run cannot claim full success. */
  readonly pending?: boolean;
  /** A sentence for people about what is outstanding. */
  readonly message?: string;
}

/** The code of an {@link Operation}. */
export type OperationCode = Operation["code"];
