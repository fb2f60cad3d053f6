// What a lifecycle remembers and what reaches its guards and actions: the vocabulary of everybody who writes one.
import type { Json } from "../src/meta/object.ts";

/** What a lifecycle remembers by itself: plain JSON, small, persisted on the custom resource. */
export type LifecycleContext = Record<string, Json>;

/** The spec of a kind, when the type parameter has one. */
export type SpecOf<TKind> = TKind extends { readonly spec: infer TSpec }
  ? TSpec
  : Readonly<Record<string, unknown>>;

/** What every lifecycle event carries, for guards and actions. */
export interface LifecycleFacts<TKind> {
  /** The custom resource's spec when the event was derived. */
  readonly spec: SpecOf<TKind>;
  /** The facts of the last observation; empty when nothing could be observed. */
  readonly facts: Readonly<Record<string, Json>>;
}

/**
 * The events of a lifecycle, by family: what is seen (`observed.Running`), what is desired (`desired.End`), what a person
 * says (`human.retry`), and a changed spec (`config.changed`). Tasks and timers have `onDone`, `onError` and `after`.
 */
export type LifecycleEvent<TKind> = LifecycleFacts<TKind> & {
  /** The event, by its family. */
  readonly type: `observed.${string}` | `desired.${string}` | `human.${string}` | "config.changed";
} & ChangedSpec;

/** What `config.changed` says besides. */
export interface ChangedSpec {
  /**
   * Dotted paths that differ from the spec that the application last received, in order of the alphabet: of leaves,
   * or of top-level fields where the spec is large. Every top-level field when the earlier spec is not known any more.
   * Present on `config.changed` alone.
   */
  readonly changed?: readonly string[];
}

/**
 * Whether a field of the spec, something inside it or something around it is among the changed ones: for guards.
 *
 * @example
 * guards: { needsRestart: ({ event }) => specChanged(event, "parameters", "port") }
 */
export function specChanged(event: ChangedSpec, ...paths: readonly string[]): boolean {
  const isSame = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
  return (event.changed ?? []).some((changed) => paths.some((path) => isSame(changed, path)));
}

/** What guards and actions are given. */
export interface LifecycleArguments<TKind> {
  /** What the machine remembers. */
  readonly context: LifecycleContext;
  /** `output` on the end of a task, `error` on its failure. */
  readonly event: LifecycleFacts<TKind> & {
    /** The event; `xstate.done.actor.ID` at the end of a task. */
    readonly type: string;
    /** What a task has come to. */
    readonly output?: Json;
    /** Why a task failed. */
    readonly error?: unknown;
  } & ChangedSpec;
}
