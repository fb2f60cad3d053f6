// The machine events that the present levels call for, in the order in which they are tried. Nothing is remembered from
// an earlier look: after a missed watch event the same events are derived from what is there now.
import type { Json } from "../meta/object.ts";
import { edgesOf, type GraphIndex, type Leaves } from "../statechart/configuration.ts";
import type { GraphEdge } from "../statechart/graph.ts";
import type { Lifecycle } from "./graph/compile-lifecycle.ts";
import { wordsOf, type Observation } from "./observation.ts";
import type { EdgeTaker } from "./graph/edge-taker.ts";
import { describeDelay } from "./reporting/move-text.ts";
import { takeableEdges } from "./graph/takeable-edges.ts";
import type { Tasks } from "./tasks/tasks.ts";
import { elapsedTimers, type Timers } from "./timers/timers.ts";

/** The event by which `always` edges are tried again after a restore; no machine names it. */
const lookEvent = "lifecycle.look";

/** Changed paths that a cause names. */
const shownPaths = 5;

/** A machine event that may be taken. */
export interface DerivedEvent {
  readonly type: string;
  readonly taker: EdgeTaker;
  /** Why, for people. */
  readonly cause: string;
  /** Fields of the event besides spec and facts. */
  readonly payload?: Readonly<Record<string, Json>>;
  /** Invoke id of the task that it is about. */
  readonly task?: string;
}

/** The levels that events are derived from. */
export interface Levels {
  readonly leaves: Leaves;
  /** A human event that the current state declares. */
  readonly human: string | undefined;
  readonly tasks: Tasks;
  readonly observation: Observation | undefined;
  /** Dotted paths of the spec that differ from what was delivered to the application; undefined when nothing does. */
  readonly changed: readonly string[] | undefined;
  readonly timers: Timers;
  readonly now: number;
}

/** The human events that the current state declares, without their prefix. */
export function humanEventsOf(index: GraphIndex, leaves: Leaves): readonly string[] {
  const events = takeableEdges(index, leaves)
    .filter(
      ({ event, targets, actions }) => event.startsWith("human.") && targets.length + actions.length > 0,
    )
    .map((edge) => edge.event.slice("human.".length));
  return [...new Set(events)];
}

/** Whether an edge of the current state is named for this event. */
export function isDeclared(lifecycle: Lifecycle, leaves: Leaves, event: string): boolean {
  return edgesOf(lifecycle.index, leaves).some((edge) => edge.eventType === event);
}

/** All events but the desired one, which the planner names: human, tasks, observed, config, timers, `always`. */
export function deriveEvents(lifecycle: Lifecycle, levels: Levels): readonly DerivedEvent[] {
  const { leaves, human, tasks, observation, changed, timers, now } = levels;
  const events: DerivedEvent[] = [];
  if (human !== undefined) {
    events.push({ type: `human.${human}`, taker: "human", cause: `${human} was requested` });
  }
  events.push(...taskEvents(tasks));
  for (const word of wordsOf(observation)) {
    const cause = observation?.message ?? `the application is observed ${word}`;
    events.push({ type: `observed.${word}`, taker: "observation", cause });
  }
  if (changed !== undefined) events.push(configEvent(changed));
  for (const eventType of elapsedTimers(timers, now)) {
    events.push({
      type: eventType,
      taker: "timer",
      cause: `${describeDelay(timers[eventType]?.delay)} elapsed`,
    });
  }
  if (edgesOf(lifecycle.index, leaves).some((edge) => edge.kind === "always")) {
    events.push({ type: lookEvent, taker: "graph", cause: "the graph leads on" });
  }
  return events.filter(
    ({ type, taker, task }) =>
      type === lookEvent ||
      isDeclared(lifecycle, leaves, type) ||
      // A failure that no edge takes is for a person, unless nothing waits for the task at all.
      (taker === "failure" && isDeclared(lifecycle, leaves, `xstate.done.actor.${task}`)),
  );
}

function taskEvents(tasks: Tasks): DerivedEvent[] {
  return Object.entries(tasks).flatMap(([id, task]): DerivedEvent[] => {
    if (task.delivered === true) return [];
    if (task.phase === "Succeeded") {
      const payload = { output: task.output ?? null };
      return [{ type: `xstate.done.actor.${id}`, taker: "task", cause: `${id} is done`, payload, task: id }];
    }
    if (task.phase !== "Failed") return [];
    const message = task.message ?? "it failed";
    return [failureOf(id, message, `${id} failed: ${message}`)];
  });
}

/** The event of a task that has failed. */
export function failureOf(id: string, message: string, cause: string): DerivedEvent {
  return {
    type: `xstate.error.actor.${id}`,
    taker: "failure",
    cause,
    payload: { error: { message } },
    task: id,
  };
}

/** Whether an edge is one of those that may take an event. */
export function isMeantBy({ eventType, kind }: GraphEdge, { type }: DerivedEvent): boolean {
  return type === lookEvent ? kind === "always" : eventType === type;
}

function configEvent(changed: readonly string[]): DerivedEvent {
  const named = changed.length > shownPaths ? [...changed.slice(0, shownPaths), "…"] : changed;
  const cause = `the spec has changed${named.length === 0 ? "" : `: ${named.join(", ")}`}`;
  return { type: "config.changed", taker: "spec", cause, payload: { changed } };
}
