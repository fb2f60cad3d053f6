// How a running operator is, as plain data that survives JSON. Told by src/manager, shown by src/dashboard.
// Instants are milliseconds since the epoch.

/** How far a process is; one that runs, or that stands by for a leader, can be ready. */
export type OperatorStage = "starting" | "standby" | "running" | "stopping";

/** How the copy of one type is kept equal to the server. */
export interface WatchHealth {
  /** As in `kubectl get`: `plural.group`. */
  readonly resource: string;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly state: "starting" | "listing" | "watching" | "backingOff" | "stopped";
  /** A list was complete; what is held may be believed as far as the watch is alive. */
  readonly synced: boolean;
  readonly objects: number;
  /** When the server was last heard. */
  readonly lastActivity?: number;
  /** Since when no watch is alive. */
  readonly lostSince?: number;
  readonly lastError?: string;
}

/** A key that is held back. */
export interface HeldKey {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly why: "hotLoop" | "fieldFight";
  readonly message: string;
}

/** A reconcile that failed. */
export interface ReconcileFailure {
  readonly at: number;
  readonly key: string;
  readonly message: string;
}

/** How the controller of one kind is. */
export interface ControllerHealth {
  readonly kind: string;
  readonly workers: number;
  /** Workers that have a key. */
  readonly busy: number;
  /** Keys ready to be taken. */
  readonly queued: number;
  /** Keys that wait for an instant. */
  readonly delayed: number;
  /** The reconcile that has been under way for longest. */
  readonly longest?: { readonly key: string; readonly stage?: string; readonly since: number };
  /** How many keys are held back, and some of them. */
  readonly heldCount: number;
  readonly held: readonly HeldKey[];
  /** How many reconciles failed within the last minutes, and the last of them, newest first. */
  readonly failureCount: number;
  readonly failures: readonly ReconcileFailure[];
}

/** How an operator is. */
export interface OperatorHealth {
  readonly stage: OperatorStage;
  /** State of the manager's machine. */
  readonly state: string;
  /** Nothing is wrong that readiness looks at. */
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly problems: readonly string[];
  /** Which part this process has among several; absent when it works alone. */
  readonly part?: string;
  readonly startedAt: number;
  readonly watches: readonly WatchHealth[];
  readonly controllers: readonly ControllerHealth[];
}
