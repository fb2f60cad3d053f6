// The one macrostep of a cycle: the first derived event that an edge takes, else the next hop towards the target.
// Whatever a guard or an action throws is reported, and the position stays the last good one; but the end of a task whose edge throws is a
// failure of it, where an edge is drawn for that, and a deletion goes on without what throws.
import { edgesOf, enter, formatLeaves, isActive, type Leaves } from "../statechart/configuration.ts";
import type { GraphEdge } from "../statechart/graph.ts";
import type { Position, StatechartEvent, Step } from "../statechart/statechart.ts";
import type { Lifecycle } from "./graph/compile-lifecycle.ts";
import type { CycleInput } from "./cycle-plan.ts";
import { deriveEvents, failureOf, isDeclared, isMeantBy, type DerivedEvent } from "./derive-events.ts";
import {
  actorEvents,
  exitTargets,
  forgetRestart,
  interventionLeaves,
  libraryEvents,
} from "./graph/library-edges.ts";
import { wordsOf } from "./observation.ts";
import { restoreAt } from "./graph/restore-at.ts";
import { takerOf, type EdgeTaker } from "./graph/edge-taker.ts";
import { beginEvent, type Hop } from "./graph/possible-hops.ts";
import { isAtRest, isIntervening } from "./graph/roles.ts";
import { placedMessage, type Problem } from "../ports/problem.ts";
import { planToTarget, pathToTarget, type Attempt, type PathToTarget } from "./targets/path-to-target.ts";
import type { Tasks } from "./tasks/tasks.ts";
import type { Timers } from "./timers/timers.ts";
import { undoneBy, type UndoneTask } from "./tasks/undone-work.ts";
import type { TargetRecord } from "./targets/target-record.ts";
import { isPutOff, isSettled } from "./targets/target-rules.ts";
import { machineFailure } from "./values/machine-failure.ts";

/** One macrostep and why it was made. */
export interface Move {
  readonly step: Step;
  /** The machine's own name of the event. */
  readonly type: string;
  /** The event in the author's words. */
  readonly event: string;
  readonly taker: EdgeTaker | "runtime";
  readonly cause: string;
  /** Invoke id of the task that led here. */
  readonly task?: string;
  /** Where the edge itself led. */
  readonly hop?: Hop;
  /** A deletion led out of a dead end. */
  readonly forced?: boolean;
  /** The tasks that it ends before they are done; absent for none. */
  readonly undone?: readonly UndoneTask[];
}

/** The levels of one cycle. */
export interface Situation {
  readonly position: Position;
  readonly tasks: Tasks;
  readonly timers: Timers;
  readonly target: TargetRecord;
  /** What was asked for may not be desired: nothing is done for it. */
  readonly refused: boolean;
  readonly human: string | undefined;
  /** What is yet to be delivered of the spec; undefined when nothing. */
  readonly changed: readonly string[] | undefined;
}

/** What was chosen. */
export interface Choice {
  readonly move?: Move;
  /** The way to the target, when it was looked for. */
  readonly path?: PathToTarget;
  /** The application was asked whether the changed spec concerns it. */
  readonly configDelivered: boolean;
  readonly problems: readonly Problem[];
}

/** Chooses the macrostep of a cycle, if there is one. Never throws. */
export function chooseMove(input: CycleInput, situation: Situation): Choice {
  const { lifecycle, now, observation } = input;
  const { position, target } = situation;
  const { leaves } = position;
  const problems: Problem[] = [];
  const tried = (type: string, payload: Readonly<Record<string, unknown>> = {}): Attempt => {
    const known = problems.length;
    const event = { ...payload, type };
    const step = attempt(input, position, problems, event);
    if (step !== undefined || problems.length === known) return step ?? "closed";
    return (
      (target.deletion === true ? attemptWithoutThrowing(input, position, event) : undefined) ?? "failed"
    );
  };
  /** Edges whose cause is there, and that cannot be taken because something throws. */
  const failing = new Set<GraphEdge>();
  if (isAtEnd(lifecycle, leaves)) {
    const again =
      !situation.refused &&
      !isPutOff(target, now) &&
      !isSettled(lifecycle, target) &&
      !isActive(leaves, target.state);
    return again
      ? {
          move: beginLife(
            input,
            problems,
            `the application starts again after its end: ${target.state} is desired`,
          ),
          configDelivered: true,
          problems,
        }
      : { configDelivered: true, problems };
  }
  const events = deriveEvents(lifecycle, { ...situation, leaves, observation, now });
  let configDelivered = situation.changed !== undefined && !events.some((event) => event.taker === "spec");
  for (const event of events) {
    const attempted = tried(event.type, event.payload);
    const step = typeof attempted === "string" ? undefined : attempted;
    if (event.taker === "spec") configDelivered = true;
    if (attempted === "failed") {
      for (const edge of edgesOf(lifecycle.index, leaves).filter((each) => isMeantBy(each, event))) {
        failing.add(edge);
      }
      const failed = failInstead(input, situation, problems, event);
      if (failed !== undefined) return { move: failed, configDelivered: false, problems };
    }
    if (step !== undefined && (!isLevel(event) || changesState(position, step))) {
      return {
        move: describeUndone(lifecycle, situation, { ...event, step, event: nameOf(input, event) }),
        configDelivered: event.taker === "spec",
        problems,
      };
    }
    if (event.taker === "failure" && step === undefined && !isIntervening(lifecycle, leaves)) {
      return {
        move: interveneFor(input, situation, problems, event),
        configDelivered: false,
        problems,
      };
    }
  }
  if (
    situation.changed !== undefined &&
    lifecycle.options.specEdits === "restart" &&
    !isAtRest(lifecycle, leaves)
  ) {
    const step = takeLibraryEdge(input, problems, {
      from: position,
      event: libraryEvents.restart,
      to: leaves,
    });
    const cause = "the spec has changed; the work in progress is restarted";
    const move: Move = {
      step: forgetRestart(step),
      type: libraryEvents.restart,
      event: "config.changed",
      taker: "runtime",
      cause,
    };
    return { move, configDelivered: true, problems };
  }
  // In a state that is left by itself, the change waits until the application is at rest.
  const delivered = configDelivered && isAtRest(lifecycle, leaves);
  if (situation.refused || isPutOff(target, now)) return { configDelivered: delivered, problems };
  const ended = endWithNamespace(input, situation, problems);
  if (ended !== undefined) return { move: ended, configDelivered: delivered, problems };
  const forced = forceDeletion(input, situation, problems, failing);
  if (forced !== undefined) return { move: forced, configDelivered: delivered, problems };
  const path = pathToTarget(lifecycle, target, leaves, (event, { edge }) => {
    const step = tried(event);
    if (step === "failed") failing.add(edge);
    return typeof step === "string" || leadsOn(situation, step) ? step : "returning";
  });
  const { hop, step } = path;
  if (hop === undefined || step === undefined) {
    const around = path.failed === undefined ? undefined : forceDeletion(input, situation, problems, failing);
    return { ...(around === undefined ? {} : { move: around }), path, configDelivered: delivered, problems };
  }
  const request = target.request === undefined ? "" : ` for "${target.request}"`;
  const cause =
    target.deletion === true ? "the resource is being deleted" : `${target.state} is desired${request}`;
  const move: Move = { step, type: hop.edge.eventType, event: hop.edge.event, taker: "operator", cause, hop };
  return { move, path, configDelivered: delivered, problems };
}

/** The step that an event would make; undefined when no edge takes it, or when something throws, which is then a problem. */
export function attempt(
  input: CycleInput,
  position: Position,
  problems: Problem[],
  event: StatechartEvent,
): Step | undefined {
  const given = { ...event, ...factsOf(input), observed: observedOf(input) };
  return contained(
    problems,
    () => input.lifecycle.chart.take(position, given),
    formatLeaves(position.leaves),
  );
}

/** The same step without what throws; undefined when there is none, which is known of already. */
function attemptWithoutThrowing(
  input: CycleInput,
  position: Position,
  event: StatechartEvent,
): Step | undefined {
  const given = { ...event, ...factsOf(input), observed: observedOf(input) };
  return contained([], () => input.lifecycle.chart.takeWithoutThrowing(position, given));
}

/**
 * The move for a task that is done and whose edge throws: that it has failed, where an edge is drawn for that. Else it stays done, and the
 * edge is taken once nothing throws any more.
 */
function failInstead(
  input: CycleInput,
  situation: Situation,
  problems: Problem[],
  done: DerivedEvent,
): Move | undefined {
  const { lifecycle } = input;
  const { position } = situation;
  const { task } = done;
  const problem = problems.at(-1);
  if (done.taker !== "task" || task === undefined || problem === undefined) return undefined;
  const message = placedMessage(problem);
  const failed = failureOf(task, message, `${task} is done, but ${message}`);
  if (!isDeclared(lifecycle, position.leaves, failed.type)) return undefined;
  const step = attempt(input, position, problems, { ...failed.payload, type: failed.type });
  if (step === undefined) return undefined;
  return describeUndone(lifecycle, situation, { ...failed, step, event: nameOf(input, failed) });
}

/** The first step of a life; a machine that cannot begin goes to a person. */
export function beginLife(input: CycleInput, problems: Problem[], cause: string): Move {
  const begun = contained(problems, () => input.lifecycle.chart.begin(factsOf(input)));
  if (begun !== undefined)
    return { step: begun, type: actorEvents.begin, event: beginEvent, taker: "runtime", cause };
  const problem = problems.at(-1);
  const why = `the lifecycle cannot begin: ${problem === undefined ? "unknown" : placedMessage(problem)}`;
  return intervene(input, problems, { event: beginEvent, cause: why });
}

/** What leads to the intervention state. */
interface Intervention {
  /** The event that no edge takes, in the author's words. */
  readonly event: string;
  readonly cause: string;
  /** Absent for a life that has not begun. */
  readonly from?: Position;
  /** The end of a task. */
  readonly failed?: DerivedEvent;
}

/** The move to the state that waits for manual intervention. */
export function intervene(
  input: CycleInput,
  problems: Problem[],
  { event, cause, from, failed }: Intervention,
): Move {
  const { lifecycle } = input;
  const type = libraryEvents.intervene;
  const to = interventionLeaves(lifecycle.index, lifecycle.intervention);
  const step = takeLibraryEdge(input, problems, { from, event: type, to, payload: failed?.payload });
  const task = failed?.task;
  return { step, type, event, taker: "runtime", cause, ...(task === undefined ? {} : { task }) };
}

/** The move for a failed task whose failure no edge takes. */
function interveneFor(
  input: CycleInput,
  { position, tasks }: Situation,
  problems: Problem[],
  failed: DerivedEvent,
): Move {
  const { task = "" } = failed;
  const cause = `task ${task} failed (no onError): ${tasks[task]?.message ?? "it failed"}`;
  return intervene(input, problems, { event: `error.${task}`, cause, from: position, failed });
}

/** An edge that every lifecycle has. */
export interface LibraryEdge {
  /** Absent for a life that has not begun: then the edge leads out of where it would. */
  readonly from: Position | undefined;
  readonly event: string;
  /** Where it leads. */
  readonly to: Leaves;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
}

/** Its step, without what throws; the application is taken to be there all the same, as nothing else leads on. */
export function takeLibraryEdge(
  input: CycleInput,
  problems: Problem[],
  { from, event, to, payload }: LibraryEdge,
): Step {
  const { lifecycle } = input;
  const { index, initial, initialContext } = lifecycle;
  const position = from ?? { leaves: enter(index, [initial]), context: initialContext };
  const given = { ...payload, type: event };
  const step = attempt(input, position, problems, given) ?? attemptWithoutThrowing(input, position, given);
  return step ?? restoreAt(lifecycle, to, from);
}

/** The move with what it leaves undone, which its cause names where nobody meant to end it. */
function describeUndone(lifecycle: Lifecycle, { position, tasks }: Situation, move: Move): Move {
  const undone = undoneBy(lifecycle, tasks, position.leaves, move.step);
  if (undone.length === 0) return move;
  if (move.taker === "human" || move.taker === "failure") return { ...move, undone };
  const cause = `${move.cause}, before ${undone.map(({ id }) => id).join(", ")} was done`;
  return { ...move, undone, cause };
}

/** Whether a step leads to other states. */
export function changesState(position: Position, step: Step): boolean {
  return formatLeaves(position.leaves) !== formatLeaves(step.position.leaves);
}

/** Whether anything comes of a step for the target: it leads away, or the desired state begins again. */
function leadsOn({ position, target }: Situation, step: Step): boolean {
  const begins = step.invoked.length > 0 || step.armed.length > 0;
  return changesState(position, step) || (begins && isActive(position.leaves, target.state));
}

/** Whether the last state was reached: only a new life leads out of it. */
export function isAtEnd({ index }: Pick<Lifecycle, "index">, leaves: Leaves): boolean {
  return leaves.every((leaf) => {
    const node = index.nodes.get(leaf);
    return node?.type === "final" && node.parent === undefined;
  });
}

/** A level that leads back to where it is would do so in every cycle: it must change the state. */
function isLevel({ taker }: DerivedEvent): boolean {
  return taker === "observation" || taker === "graph";
}

/**
 * Where the namespace goes too, no task can make what it needs any more: once the edges that are drawn for the failure lead nowhere,
 * the lifecycle ends.
 */
function endWithNamespace(
  input: CycleInput,
  { position, target }: Situation,
  problems: Problem[],
): Move | undefined {
  const { lifecycle } = input;
  const { final } = lifecycle;
  if (target.namespaceGoing !== true || target.deletion !== true || final === undefined) return undefined;
  if (!isIntervening(lifecycle, position.leaves) && !isAtRest(lifecycle, position.leaves)) return undefined;
  const type = libraryEvents.end;
  const to = enter(lifecycle.index, [final]);
  const step = takeLibraryEdge(input, problems, { from: position, event: type, to });
  const cause = "the resource is being deleted with its namespace, in which nothing can be created any more";
  return { step, type, event: `desired.${final}`, taker: "runtime", cause, forced: true };
}

/**
 * Nothing overrides a deletion: out of a state that only a person leads out of, it leads by itself, once; and past edges that throw, as often
 * as they do.
 */
function forceDeletion(
  input: CycleInput,
  { position, target }: Situation,
  problems: Problem[],
  failing: ReadonlySet<GraphEdge>,
): Move | undefined {
  const { lifecycle } = input;
  const { index, final } = lifecycle;
  const isForced = target.forced === true;
  if (target.deletion !== true || final === undefined || (isForced && failing.size === 0)) return undefined;
  const plan = planToTarget(lifecycle, target, position.leaves, { without: failing });
  const [hop] = plan ?? [];
  if (plan !== undefined && (hop === undefined || !["human", "spec"].includes(takerOf(hop.edge)))) {
    return undefined;
  }
  const stop = enter(index, exitTargets(index, final) ?? [final]);
  const isThere = formatLeaves(stop) === formatLeaves(position.leaves);
  if (isThere && failing.size === 0) return undefined;
  const isStraight = isForced || isThere;
  const [type, to] = isStraight ? [libraryEvents.end, enter(index, [final])] : [libraryEvents.stop, stop];
  const step = takeLibraryEdge(input, problems, { from: position, event: type, to });
  const why =
    failing.size === 0
      ? "only manual intervention leads out of this state"
      : `what leads out of this state fails: ${problems.map(placedMessage).join("; ")}`;
  const cause = `the resource is being deleted, and ${why}`;
  return { step, type, event: `desired.${final}`, taker: "runtime", cause, forced: true };
}

function factsOf({ spec, observation }: CycleInput): Readonly<Record<string, unknown>> {
  return { spec, facts: observation?.facts ?? {} };
}

function observedOf({ observation }: CycleInput): string | undefined {
  const words = wordsOf(observation);
  return words.length === 0 ? undefined : formatLeaves(words);
}

function nameOf({ lifecycle }: CycleInput, { type, taker }: DerivedEvent): string {
  if (taker === "graph") return "always";
  return lifecycle.index.graph.edges.find((edge) => edge.eventType === type)?.event ?? type;
}

function contained(problems: Problem[], act: () => Step | undefined, state?: string): Step | undefined {
  try {
    return act();
  } catch (error: unknown) {
    problems.push(machineFailure(error, state));
    return undefined;
  }
}
