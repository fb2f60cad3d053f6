// The health of a running operator, as plain data that survives JSON. Reported by src/manager, shown by src/dashboard.

/** How an operator is. Instants are milliseconds since the epoch. */
export interface OperatorHealth {
  /** How far the process is; one that runs, or that stands by for a leader, can be ready. */
  readonly stage: "starting" | "standby" | "running" | "stopping";
  /** State of the manager's machine. */
  readonly state: string;
  /** Nothing is wrong that readiness looks at. */
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly problems: readonly string[];
  /** What is missing although it is ready: types that cannot be watched. */
  readonly warnings: readonly string[];
  /** Which part this process has among several; absent when it works alone. */
  readonly part?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How the copy of each type is kept equal to the server. */
  readonly watches: readonly {
    /** As in `kubectl get`: `plural.group`. */
    readonly resource: string;
    /** Absent: all namespaces. */
    readonly namespace?: string;
    /** What the watch is doing. */
    readonly state: "starting" | "listing" | "watching" | "backingOff" | "stopped";
    /** A list was complete; what is held may be believed as far as the watch is alive. */
    readonly synced: boolean;
    /** How many objects the copy has. */
    readonly objects: number;
    /** When the server was last heard: milliseconds since the epoch. */
    readonly lastActivity?: number;
    /** Since when no watch is alive: milliseconds since the epoch. */
    readonly lostSince?: number;
    /** Why it was last interrupted. */
    readonly lastError?: string;
    /** Why the type cannot be watched at all, and what to do. */
    readonly unavailable?: string;
  }[];
  /** How the controller of each kind is. */
  readonly controllers: readonly {
    /** The kind that it reconciles. */
    readonly kind: string;
    /** Reconciles that it may have under way at a time. */
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
    /** Some of the keys that are held back. */
    readonly held: readonly {
      /** `namespace/name`, or `name`. */
      readonly key: string;
      /** A reconcile loop, or a field that another client keeps overwriting. */
      readonly why: "hotLoop" | "fieldFight";
      /** What to do about it, for people. */
      readonly message: string;
    }[];
    /** How many reconciles failed within the last minutes, and the last of them, newest first. */
    readonly failureCount: number;
    /** The last failed reconciles, newest first; `at` in milliseconds since the epoch. */
    readonly failures: readonly { readonly at: number; readonly key: string; readonly message: string }[];
  }[];
}

/** How far a process is. */
export type OperatorStage = OperatorHealth["stage"];

/** How the copy of one type is kept equal to the server. */
export type WatchHealth = OperatorHealth["watches"][number];

/** How the controller of one kind is. */
export type ControllerHealth = OperatorHealth["controllers"][number];

/** A key that is held back. */
export type HeldKey = ControllerHealth["held"][number];

/** A reconcile that failed. */
export type ReconcileFailure = ControllerHealth["failures"][number];
