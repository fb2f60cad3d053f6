// The shape of a custom resource: the author's spec and status, with what the operator adds to every kind.
import type { Condition } from "../meta/condition.ts";
import type { ClusterObject, Json, KubeObject, NamespacedObject } from "../meta/object.ts";

/** What a kind with a lifecycle adds to the spec. */
export interface LifecycleSpecField<TState extends string = string> {
  /** What is desired of the application; absent: the default target. */
  readonly lifecycle?: {
    /** The desired state. */
    readonly desiredState?: TState;
    /** Any text; changing it asks once more for the same state. */
    readonly request?: string;
  };
}

/** What a kind with a lifecycle adds to the status. */
export interface LifecycleStatusField {
  /** Absent until the first cycle; written by the operator alone. What else is in it is the operator's own. */
  readonly lifecycle?: {
    /** The active states. */
    readonly state?: string;
    /** When the state was entered: RFC 3339, UTC. */
    readonly since?: string;
    /** What the operator leads the application to. */
    readonly target?: {
      /** The path of the desired state. */
      readonly state: string;
      /** The `request` in the spec that it answers. */
      readonly request?: string;
      /** The generation in which it was first asked. */
      readonly generation: number;
      /** A stable state: the application is there now. A transient one: its work was done. */
      readonly reached: boolean;
      /** Why a target is given up although it is not reached: a new request starts again. */
      readonly outcome?: "failed" | "aborted" | "lost";
      /** What made it, or the last try of the way there, fail; of one that a person ended: by which event. */
      readonly cause?: string;
    };
    /** The states that remain until the desired one; the first is next. */
    readonly plan?: readonly string[];
    /** `id@version` of the machine. */
    readonly graph?: string;
    /** The last move, and what caused it. */
    readonly last?: { readonly from?: string; readonly event: string; readonly cause: string };
    /** The tasks of the active states, by invoke id. */
    readonly tasks?: Readonly<
      Record<
        string,
        {
          /** The name under which it is declared. */
          readonly src: string;
          /** Idempotency key of this attempt. */
          readonly key: string;
          /** 1 for the first. */
          readonly attempt: number;
          /** `Intended`: it is recorded, and may not have been started yet. */
          readonly phase: "Intended" | "Running" | "Succeeded" | "Failed" | "Cancelling" | "Compensating";
          /** RFC 3339, UTC. */
          readonly startedAt?: string;
          /** 0 to 1, in whole percent. */
          readonly progress?: number;
          /** What its observer has said, or why it failed. */
          readonly message?: string;
        }
      >
    >;
    /** How far the work is that is under way; absent while no task and no child reports that. */
    readonly progress?: { readonly done: number; readonly total?: number; readonly what?: string };
    /** Since when, and by whom, the application is paused. */
    readonly paused?: { readonly at: string; readonly by?: string };
    /** What the machine has come to, while it is at its end; left out when it is too large. */
    readonly output?: Json;
  };
}

/** Whether the instances of a kind live in namespaces. */
export type Scope = "Namespaced" | "Cluster";

/**
 * An instance of a kind made by `defineKind`.
 * The status is written piece by piece, so each of its fields may be missing.
 */
export interface CustomResource<
  TSpec = unknown,
  TStatus = unknown,
  TScope extends Scope = "Namespaced",
> extends KubeObject {
  /** Its name, labels, owners, and what the server keeps of it. */
  readonly metadata: (TScope extends "Cluster" ? ClusterObject : NamespacedObject)["metadata"];
  /** What its users want. */
  readonly spec: TSpec;
  /** What the operator answers; absent until the first reconcile. */
  readonly status?: Partial<TStatus> & {
    /** Observations with their reasons: `Ready`, `ReconciliationSuccess`, `Lifecycle`. */
    readonly conditions?: readonly Condition[];
    /** The generation that the status speaks about. */
    readonly observedGeneration?: number;
  };
}
