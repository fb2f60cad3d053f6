// What `send` works out before and after it writes: which events an object accepts, and what became of one. Pure.
import { acceptedHumanEvents } from "../lifecycle/human-request.ts";
import { readStatus } from "../lifecycle/stored/read-status.ts";
import type { HumanRecord } from "../lifecycle/stored/snapshot.ts";
import type { AnyObject } from "../meta/object.ts";
import { indexGraph, parseLeaves } from "../statechart/configuration.ts";
import type { MachineGraph } from "../statechart/graph.ts";

/** What an object accepts now. */
export interface Acceptance {
  /** Absent before the first state. */
  readonly state?: string;
  readonly paused: boolean;
  readonly events: readonly string[];
}

/** The human events that an object accepts, from its status and the graph of its kind. */
export function acceptanceOf(object: AnyObject, graph: MachineGraph): Acceptance {
  const { state, paused } = readStatus(lifecycleStatusOf(object));
  const index = indexGraph(graph);
  const leaves = state === undefined ? undefined : parseLeaves(index, state);
  const deleting = object.metadata.deletionTimestamp !== undefined;
  return {
    ...(state === undefined ? {} : { state }),
    paused: paused !== undefined,
    events: leaves === undefined ? [] : acceptedHumanEvents({ index, leaves, paused, deleting }),
  };
}

/** The record of the last event that the operator has dealt with. */
export function lastHumanEvent(object: AnyObject): HumanRecord | undefined {
  return readStatus(lifecycleStatusOf(object)).human;
}

function lifecycleStatusOf(object: AnyObject): unknown {
  return (object["status"] as { readonly lifecycle?: unknown } | undefined)?.lifecycle;
}
