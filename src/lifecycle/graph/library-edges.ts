// The edges that every lifecycle has beside its author's: to the state that waits for a person, to the end of a resource that
// is deleted, and back into the present state under a changed spec. They are part of the machine that runs, so that exit and
// entry actions run on them as on any edge; what is planned, checked and offered is the author's graph without them.
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { enter, indexGraph, type GraphIndex, type Leaves } from "../../statechart/configuration.ts";
import { readConfigGraph, type GraphEdge, type MachineGraph } from "../../statechart/graph.ts";
import type { Position, Step } from "../../statechart/statechart.ts";
import { rolesOf } from "./roles.ts";

/** The events of these edges. No machine may draw them at its top, and nobody but the cycle raises them. */
export const libraryEvents = {
  /** To the intervention state: a task failed and no edge takes that, or nobody knows where the application is. */
  intervene: "lifecycle.intervene",
  /** What is under way begins again in the same state. */
  restart: "lifecycle.restart",
  /** Where a deletion leads out of a dead end: as the author's edge for the desired end does, else to the end. */
  stop: "lifecycle.stop",
  /** Straight to the end. */
  end: "lifecycle.end",
} as const;

/** The history state to which a restart leads; no author's state can have this name. */
const restartState = "_restart";

/** What the actor of a lifecycle is sent besides: no edge takes it, and viewers see it as an event of the library. */
export const actorEvents = {
  /** All that a cycle decides on. */
  levels: "lifecycle.levels",
  /** Something else is stored than the actor knows of. */
  stored: "lifecycle.stored",
  /** The initial state was entered. */
  begin: "lifecycle.begin",
  /** The application was found in a state, and is taken to be in it. */
  restore: "lifecycle.restore",
} as const;

const descriptions: Readonly<Record<string, string>> = {
  [actorEvents.levels]:
    "A cycle: what is observed, desired, requested and stored. A move follows under its own event.",
  [actorEvents.stored]: "The stored status has changed; the actor continues from it.",
  [actorEvents.begin]: "The initial state was entered.",
  [actorEvents.restore]: "The state was restored, because nothing usable was stored.",
};

const names: ReadonlySet<string> = new Set([...Object.values(libraryEvents), ...Object.values(actorEvents)]);

/** The configuration with {@link actorEvents} declared, for viewers: what an actor is sent is part of what they show. */
export function withActorEvents(config: object): object {
  const { on = {} } = config as { readonly on?: object };
  const declared = Object.entries(descriptions).map(
    ([event, description]) => [event, { description }] as const,
  );
  return { ...config, on: { ...Object.fromEntries(declared), ...on } };
}

/** Where an intervention leads: to the state that has the tag, else back to the beginning. */
export function interventionLeaves(index: GraphIndex, intervention: string | undefined): Leaves {
  return enter(index, [intervention ?? index.graph.initial]);
}

/** Where a deletion leads out of a dead end; undefined for a graph without an end. */
export function exitTargets({ graph }: GraphIndex, end: string | undefined): readonly string[] | undefined {
  if (end === undefined) return undefined;
  const drawn = graph.edges.find((edge) => edge.event === `desired.${end}` && edge.targets.length > 0);
  return drawn?.targets ?? [end];
}

/**
 * The configuration with the edges of {@link libraryEvents}.
 *
 * **Errors**: `LIFECYCLE_INVALID` when it draws one of them itself; XState's own for a configuration that it refuses.
 */
export function withLibraryEdges(config: LifecycleMachine["config"]): LifecycleMachine["config"] {
  const { on = {}, states } = config as { readonly on?: object; readonly states?: object };
  const own = Object.keys(on).find((event) => names.has(event));
  if (own !== undefined) {
    throw new OperatorError(
      "LIFECYCLE_INVALID",
      `the machine has an edge for ${own}, which every lifecycle has`,
      {
        remedy: "Leave it out, or name the event human.<name>.",
      },
    );
  }
  if (states === undefined) return config;
  const index = indexGraph(readConfigGraph(config));
  const { end, interventionState } = rolesOf(index);
  const target = (paths: readonly string[]): string | readonly string[] => {
    const [only, ...others] = paths.map((path) => `.${path.replaceAll(":", ".")}`);
    return others.length === 0 && only !== undefined ? only : [only ?? "", ...others];
  };
  const exit = exitTargets(index, end);
  // They lead from the top to a state inside, so that the state is left and entered, and the machine itself is not. A restart
  // begins all of it again: a history is remembered when the machine is left.
  const added = {
    [libraryEvents.intervene]: {
      target: target(
        interventionState === undefined ? interventionLeaves(index, undefined) : [interventionState],
      ),
      description: "The operator cannot go on by itself.",
    },
    [libraryEvents.restart]: {
      target: `.${restartState}`,
      reenter: true,
      description: "The spec has changed: what is under way begins again.",
    },
    ...(exit === undefined || end === undefined
      ? {}
      : {
          [libraryEvents.stop]: {
            target: target(exit),
            description: "The resource is deleted, and no other edge leads on.",
          },
          [libraryEvents.end]: {
            target: target([end]),
            description: "The resource is deleted before its life has begun.",
          },
        }),
  };
  const again = { type: "history", history: "deep" };
  return { ...config, on: { ...on, ...added }, states: { ...states, [restartState]: again } } as never;
}

/** Whether an event, or the label of an edge in a drawing, is one of {@link libraryEvents}. */
export function isLibraryEvent(event: string): boolean {
  return names.has(event);
}

/** Whether an edge is one of {@link libraryEvents}, rather than the author's. */
function isLibraryEdge({ source, event }: GraphEdge): boolean {
  return source === "" && names.has(event);
}

/**
 * The graph of a machine that runs, with the new life after an end. XState lets no edge lead out of a final state: the operator starts the machine again
 * from its initial state, with a new context.
 */
export function completeGraph(graph: MachineGraph): MachineGraph {
  const ends = graph.nodes.filter(({ type, parent }) => type === "final" && parent === undefined);
  const begins = ends.map(({ path }): GraphEdge => ({
    source: path,
    targets: [graph.initial],
    event: actorEvents.begin,
    kind: "event",
    eventType: actorEvents.begin,
    actions: [],
    reenter: false,
    description: "A new life: after the end, another state is desired, and the machine is started again.",
  }));
  return { ...graph, edges: [...graph.edges, ...begins] };
}

/** The graph as its author has drawn it. */
export function authoredGraph(graph: MachineGraph): MachineGraph {
  return {
    ...graph,
    nodes: graph.nodes.filter(({ path }) => path !== restartState),
    edges: graph.edges.filter((edge) => !isLibraryEdge(edge)),
  };
}

/** A step without what the machine remembers of a restart. */
export function forgetRestart(step: Step): Step {
  const { history, ...position }: Position = step.position;
  if (history === undefined) return step;
  const { [restartState]: _restart, ...rest } = history;
  return { ...step, position: Object.keys(rest).length === 0 ? position : { ...position, history: rest } };
}
