// Checks of the names in a machine: events that something raises, and guards, actions, delays and tasks that exist.
// XState accepts any name: an unknown delay fires at once, an unknown action does nothing.
import { defaultDelays } from "../../../machines/lifecycle-machine.ts";
import { durationOf } from "../../ports/duration.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { ownActions, type GraphEdge, type MachineGraph } from "../../statechart/graph.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { pauseEvents } from "../pause.ts";
import { takerOf } from "../graph/edge-taker.ts";
import type { Problem } from "../../ports/problem.ts";

/** The names that the operator around a machine provides; a list left out is not checked. */
export interface KnownNames {
  readonly tasks?: readonly string[];
  /** What the operator carries out: the machine's effects must be among them. */
  readonly actions?: readonly string[];
}

/** XState's own actions that are pure: the others would never be carried out. */
const pureActions = ["xstate.assign", "xstate.raise", "xstate.enqueueActions"];

/** What may stand behind the first dot of an event: it is typed, put into an annotation and read in a table. */
const eventName = /^[^\s\p{C}]{1,100}$/u;

/** The problems of a machine's names. */
export function checkNames(lifecycle: Lifecycle, known: KnownNames): readonly Problem[] {
  const { graph } = lifecycle.index;
  return [
    ...checkPause(graph),
    ...checkUnused(lifecycle),
    ...graph.edges.flatMap((edge) => [
      ...checkEvent(lifecycle, edge),
      ...checkStay(edge),
      ...checkGuard(lifecycle, edge),
      ...checkDelay(lifecycle, edge),
      ...checkActions(lifecycle, known, edge.source, edge.actions),
    ]),
    ...graph.nodes.flatMap((node) => [
      ...checkActions(lifecycle, known, node.path, [...node.entry, ...node.exit]),
      ...node.invokes.flatMap(({ src }) => checkTask(known, node.path, src)),
    ]),
  ];
}

/** The operator's own words keep their meaning only while the machine does not draw them. */
function checkPause({ edges }: MachineGraph): Problem[] {
  const own = edges.find((edge) => pauseEvents.some((name) => edge.event === `human.${name}`));
  if (own === undefined) return [];
  return [
    {
      code: "PAUSE_REDEFINED",
      severity: "warning",
      ...placeOf(own),
      message: `${where(own)} has an edge for "${own.event}", so that the operator's own pause and resume do not exist here`,
      remedy: "Give the event another name, unless the machine is meant to pause in its own way.",
    },
  ];
}

const unusedCodes = { guard: "GUARD_UNUSED", action: "ACTION_UNUSED", delay: "DELAY_UNUSED" } as const;

/** What was given for guards, actions and delays, and is named nowhere: a slip, or what is left of an earlier graph. */
function checkUnused({ chart, index }: Lifecycle): Problem[] {
  const { nodes, edges } = index.graph;
  const guards = edges.flatMap(({ guard, guardNames }) => guardNames ?? (guard === undefined ? [] : [guard]));
  const actions = [
    ...ownActions(chart.config),
    ...nodes.flatMap(({ entry, exit }) => [...entry, ...exit]),
    ...edges.flatMap((e) => e.actions),
  ];
  const unused = (
    kind: "guard" | "action" | "delay",
    given: Iterable<string>,
    used: readonly (string | undefined)[],
  ): Problem[] =>
    [...given]
      .filter((name) => !used.includes(name))
      .map((name) => ({
        code: unusedCodes[kind],
        severity: "warning",
        message: `the machine has the ${kind} "${name}", which no state and no edge names`,
        remedy: "Leave it out, or name it where it was meant.",
      }));
  // Logic written into the machine may name others.
  const isOpaque = [...guards, ...actions].some(
    (name) => name === "inline" || name === "xstate.enqueueActions",
  );
  if (isOpaque) return [];
  // What every machine is given need not be named.
  const delays = namesOfDelays(chart).filter((name) => !Object.hasOwn(defaultDelays, name));
  return [
    ...unused(
      "delay",
      delays,
      edges.map((edge) => edge.delay),
    ),
    ...unused("guard", chart.registered.guards, guards),
    ...unused("action", chart.registered.actions, actions),
  ];
}

function checkEvent({ states }: Lifecycle, edge: GraphEdge): Problem[] {
  if (edge.kind !== "event") return [];
  const at = placeOf(edge);
  if (edge.event.includes("*")) {
    return [
      {
        code: "EVENT_WILDCARD",
        severity: "error",
        ...at,
        message: `${where(edge)} has an edge for "${edge.event}", which also takes events it was not meant for`,
        remedy: "Name each event.",
      },
    ];
  }
  const taker = takerOf(edge);
  if (taker === "nobody") {
    return [
      {
        code: "EVENT_UNKNOWN",
        severity: "error",
        ...at,
        message: `${where(edge)} has an edge for "${edge.event}", which nothing raises`,
        remedy: "Name it observed.<State>, desired.<State>, human.<name> or config.changed.",
      },
    ];
  }
  const name = edge.event.slice(edge.event.indexOf(".") + 1);
  if (!edge.event.includes(".")) {
    const rest = taker === "human" ? "<name>" : "<State>";
    return [
      {
        code: "EVENT_NAME_INVALID",
        severity: "error",
        ...at,
        message: `${where(edge)} has an edge for "${edge.event}", which does not say what is ${taker === "human" ? "asked for" : edge.event}`,
        remedy: `Write ${edge.event}.${rest}, such as ${edge.event}.${taker === "human" ? "approve" : (states[0] ?? "Running")}.`,
      },
    ];
  }
  if (!eventName.test(name)) {
    return [
      {
        code: "EVENT_NAME_INVALID",
        severity: "error",
        ...at,
        message: `${where(edge)} has an edge for ${JSON.stringify(edge.event)}, which can be neither sent nor observed`,
        remedy: "Write a word of at most 100 characters behind the first dot, without blanks.",
      },
    ];
  }
  if (states.includes(name)) return checkLoop(edge, taker);
  const close = meantBy(name, states);
  if (taker === "operator") {
    return [
      {
        code: "STATE_UNKNOWN",
        severity: "error",
        ...at,
        message: `${where(edge)} has an edge for "${edge.event}", and there is no state ${name}`,
        remedy: `Name one of ${states.join(", ")}.`,
      },
    ];
  }
  if (taker !== "observation" || close === undefined) return checkLoop(edge, taker);
  return [
    {
      code: "STATE_UNKNOWN",
      severity: "warning",
      ...at,
      message: `${where(edge)} has an edge for "${edge.event}", and there is no state ${name}`,
      remedy: `If it was meant to be a state, write observed.${close}; an observer may say any other word.`,
    },
  ];
}

function checkLoop(edge: GraphEdge, taker: string): Problem[] {
  const stays = edge.targets.every((target) => target === edge.source);
  if (!stays || taker === "human" || taker === "spec") return [];
  return [
    {
      code: "EDGE_REPEATS",
      severity: "warning",
      ...placeOf(edge),
      message: `${where(edge)} stays where it is by "${edge.event}", which would repeat in every cycle: it is never taken`,
      remedy: "Lead to another state, or leave the edge out.",
    },
  ];
}

/** XState neither leaves nor enters a state that is its own target, unless the edge says `reenter`. */
function checkStay(edge: GraphEdge): Problem[] {
  const stays = edge.targets.length > 0 && edge.targets.every((target) => target === edge.source);
  if (!stays || edge.reenter || edge.kind === "event" || edge.kind === "always") return [];
  return [
    {
      code: "EDGE_STAYS",
      severity: "warning",
      ...placeOf(edge),
      message: `${where(edge)} leads to itself by ${edge.event} without being entered again: its tasks and timers do not restart`,
      remedy: "Add reenter: true to the edge, or lead to another state.",
    },
  ];
}

function checkGuard({ chart }: Lifecycle, edge: GraphEdge): Problem[] {
  const names = edge.guardNames ?? (edge.guard === undefined ? [] : [edge.guard]);
  return names
    .filter((name) => name !== "inline" && name !== "stateIn" && !chart.registered.guards.has(name))
    .map((name) => ({
      code: "GUARD_UNKNOWN",
      severity: "error",
      ...placeOf(edge),
      message: `${where(edge)} is guarded by "${name}" on ${edge.event}, which does not exist`,
      remedy: `Add it to guards; known are: ${listOf(chart.registered.guards)}.`,
    }));
}

function checkDelay({ chart, initialContext }: Lifecycle, edge: GraphEdge): Problem[] {
  if (edge.delay === undefined) return [];
  const position = { leaves: [edge.source], context: initialContext };
  try {
    if (chart.delayOf(edge.delay, position, { type: "check", spec: {}, facts: {} }) !== undefined) return [];
  } catch {
    // It exists, and needs a real spec.
    return [];
  }
  return [
    {
      code: "DELAY_UNKNOWN",
      severity: "error",
      ...placeOf(edge),
      message: `${where(edge)} waits for "${edge.delay}", which is neither a delay nor a duration`,
      remedy: `Add it to delays, or write a duration such as "10m"; known are: ${listOf(namesOfDelays(chart))}.`,
    },
  ];
}

/** The delays that have a name: durations are written where they are needed. */
function namesOfDelays({ registered }: Lifecycle["chart"]): readonly string[] {
  return [...registered.delays].filter((name) => durationOf(name) === undefined);
}

function checkActions(
  { chart }: Lifecycle,
  known: KnownNames,
  state: string,
  actions: readonly string[],
): Problem[] {
  const unknown = actions.filter(
    (name) =>
      !pureActions.includes(name) &&
      !chart.registered.actions.has(name) &&
      known.actions?.includes(name) !== true,
  );
  const undone = actions.filter((name) => chart.registered.actions.has(name) && chart.isEffect(name));
  return [
    ...[...new Set(undone)]
      .filter((name) => known.actions?.includes(name) === false)
      .map((name): Problem => ({
        code: "ACTION_UNKNOWN",
        severity: "error",
        ...(state === "" ? {} : { state }),
        message: `${state || "the machine"} asks for the effect "${name}", which is not implemented`,
        remedy: `Add it to application.actions; known are: ${listOf(known.actions ?? [])}.`,
      })),
    ...[...new Set(unknown)].map((name): Problem => {
      const isName = name !== "inline" && !name.startsWith("xstate.");
      return {
        code: "ACTION_UNKNOWN",
        severity: "error",
        ...(state === "" ? {} : { state }),
        message: isName
          ? `${state || "the machine"} asks for the action "${name}", which does not exist`
          : `${state || "the machine"} has an action written into it (${name}), which would never run`,
        remedy: isName
          ? `Add it to actions or effects; known are: ${listOf(chart.registered.actions)}.`
          : "Give the action a name, and add it to actions (pure) or effects.",
      };
    }),
  ];
}

function checkTask(known: KnownNames, state: string, src: string): Problem[] {
  if (known.tasks === undefined || src === "inline" || known.tasks.includes(src)) return [];
  return [
    {
      code: "TASK_UNKNOWN",
      severity: "error",
      state,
      message: `${state} invokes the task "${src}", which does not exist`,
      remedy: `Add it to application.tasks; known are: ${listOf(known.tasks)}.`,
    },
  ];
}

function placeOf({ source, event }: GraphEdge): { state?: string; event: string } {
  return { ...(source === "" ? {} : { state: source }), event };
}

function where(edge: GraphEdge): string {
  return edge.source === "" ? "the machine" : edge.source;
}

function listOf(names: Iterable<string>): string {
  return [...names].join(", ") || "none";
}
