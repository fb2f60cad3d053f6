// The seam between a kind and its lifecycle: what kinds know of a compiled lifecycle.
// Fed by defineKind with the author's machine; read by crd.ts for the schema, the columns and the graph annotation.

/** The author's statechart, as `setupLifecycle().createMachine()` makes it. */
export interface LifecycleMachine {
  readonly id: string;
  readonly config: object;
}

/** A lifecycle that passed the static checks. */
export interface KindLifecycle {
  readonly machine: LifecycleMachine;
  /** Names of the tasks that its states invoke. */
  readonly taskNames: readonly string[];
}
