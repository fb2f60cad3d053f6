// A move of a lifecycle, as it is reported to a program that follows an operator. Reported by application.ts once it is persisted.
import type { Moved } from "../../lifecycle/cycle-plan.ts";
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import { meaningOf, type StateMeaning } from "../../lifecycle/graph/roles.ts";
import { parseLeaves } from "../../statechart/configuration.ts";
import type { KubeObject } from "../../meta/object.ts";

/** A state of an application that has been left for another one. */
export interface Transition {
  /** The resource's kind. */
  readonly kind: string;
  /** Absent where resources live in no namespace. */
  readonly namespace?: string;
  /** The resource's name. */
  readonly name: string;
  /** The state before; absent when a life begins. Nested states are joined by colons. */
  readonly from?: string;
  /** The state that was entered. Nested states are joined by colons. */
  readonly to: string;
  /** What the state before meant; absent where there was none, and where an earlier version of the graph had it. */
  readonly left?: StateMeaning;
  /** What the new state means: `entered.roles.includes("failure")`. */
  readonly entered: StateMeaning;
  /** The event that took the edge, for instance `observed.Running`. */
  readonly event: string;
  /** Why, as a sentence for people. */
  readonly cause: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The transition of a custom resource. */
export function transitionOf(
  lifecycle: Pick<Lifecycle, "index" | "roles">,
  { kind, metadata: { namespace, name } }: KubeObject,
  { from, to, event, cause }: Moved,
  now: number,
): Transition {
  const meaning = (state: string): StateMeaning | undefined => {
    const leaves = parseLeaves(lifecycle.index, state);
    return leaves === undefined ? undefined : meaningOf(lifecycle, leaves);
  };
  const left = from === undefined ? undefined : meaning(from);
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(from === undefined ? {} : { from }),
    to,
    ...(left === undefined ? {} : { left }),
    entered: meaning(to) ?? { roles: [], tags: [] },
    event,
    cause,
    at: new Date(now).toISOString(),
  };
}
