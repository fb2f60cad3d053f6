// What hooks receive about the application: as this run has seen it, after its move.
import type { Json } from "../meta/object.ts";

/** The application as a run has seen it. */
export interface ApplicationView<TState extends string = string> {
  /** The lifecycle's state after this run's move; nested states are joined by colons. */
  readonly state: TState;
  /** What the observer said in this run; absent when it failed. */
  readonly observed?: string;
  /** The observer's facts. */
  readonly facts: Readonly<Record<string, Json>>;
  readonly message?: string;
  /** A person has paused it: the registry writes nothing, and neither should hooks. */
  readonly paused: boolean;
}
