// A move of a lifecycle, as it is reported to a program that follows an operator. Reported by application.ts once it is persisted.
import type { Moved } from "../../lifecycle/cycle-plan.ts";
import type { KubeObject } from "../../meta/object.ts";

/** A state of an application that has been left for another one. */
export interface Transition {
  readonly kind: string;
  /** Absent where resources live in no namespace. */
  readonly namespace?: string;
  readonly name: string;
  /** The state before; absent when a life begins. Nested states are joined by colons. */
  readonly from?: string;
  readonly to: string;
  /** The event that took the edge, for instance `observed.Running`. */
  readonly event: string;
  /** Why, as a sentence for people. */
  readonly cause: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The transition of a custom resource. */
export function transitionOf(
  { kind, metadata: { namespace, name } }: KubeObject,
  { from, to, event, cause }: Moved,
  now: number,
): Transition {
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(from === undefined ? {} : { from }),
    to,
    event,
    cause,
    at: new Date(now).toISOString(),
  };
}
