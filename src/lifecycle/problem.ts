// Something wrong that is told, not thrown: found by the checks of a machine, or met during a cycle.

/** One finding, for people and for tests. */
export interface Problem {
  /** Stable; listed with the error codes. */
  readonly code: string;
  /** An error keeps a lifecycle from being used; a warning does not. */
  readonly severity: "error" | "warning";
  /** Path of the state it is about. */
  readonly state?: string;
  /** The event of the edge it is about, in the author's words. */
  readonly event?: string;
  /** What, where and why. */
  readonly message: string;
  readonly remedy: string;
}

/** Something stored that is not as it should be, and is derived again. */
export function damage(message: string): Problem {
  return {
    code: "SNAPSHOT_INVALID",
    severity: "warning",
    message,
    remedy:
      "Nothing: the rest is derived again. If nobody edited the status, report it with the object's YAML.",
  };
}
