// What an author's observer says about the application: the level from which machine events are derived.
import type { Json } from "../meta/object.ts";

/** How the application looks right now. Observation wins over the stored state. */
export interface Observation {
  /**
   * The lifecycle state the application is seen to be in: becomes the machine event `observed.<State>`.
   * Any word is allowed, also one that is no state (`Down`); absent when the look said nothing.
   */
  readonly state?: string;
  /** Facts for guards and for the status message; plain JSON, small. */
  readonly facts?: Readonly<Record<string, Json>>;
  /** A sentence for people, shown in the condition. */
  readonly message?: string;
}
