// The rules of targets. A stable state is maintained; a transient one is reached once; a deletion overrides everything.
import type { NewCondition } from "../../meta/condition.ts";
import { backoffDelay, type Backoff } from "../../ports/backoff.ts";
import { isActive, isWithin, type Leaves } from "../../statechart/configuration.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import type { EdgeTaker } from "../graph/edge-taker.ts";
import { desiredPath } from "../graph/rename.ts";
import { isIntervening } from "../graph/roles.ts";
import { isTooLate, type UndoneTask } from "../tasks/undone-work.ts";
import { formatInstant, readInstant } from "../values/untrusted.ts";
import { type DesiredState, type WaitingTarget, type TargetRecord } from "./target-record.ts";

/** Targets kept waiting under the policy `queue`; a later one replaces the last. */
const longestQueue = 16;

/** How long a target is left alone after failures on the path to it. */
const retries: Backoff = { first: 5_000, longest: 10 * 60_000 };

/** What {@link acceptTarget} decides with. */
export interface TargetQuestion {
  readonly asked: DesiredState;
  /** The resource is being deleted. */
  readonly deleting: boolean;
  readonly generation: number;
  /** The target of the status; absent when nothing is stored or it was lost. */
  readonly before: TargetRecord | undefined;
  /** The active states; absent before the first life. */
  readonly leaves: Leaves | undefined;
  /** Ids of the invokes of which a run was found although the whole status is gone. */
  readonly lostRuns?: readonly string[];
  /** The stored condition `Lifecycle`, which remembers a reached target when all else is lost. */
  readonly condition: NewCondition | undefined;
}

/** The target that counts now. */
export interface AcceptedTarget {
  readonly target: TargetRecord;
  /** Why what was asked is not desired; nothing is done for it then. */
  readonly refused?: string;
  /** The target was not there in the cycle before. */
  readonly isNew: boolean;
}

/** Whether a target for this state is maintained rather than reached once. */
export function isMaintained(lifecycle: Lifecycle, state: string): boolean {
  return !lifecycle.roles.transient.has(state);
}

/** Whether nothing is to be done for a target any more. A stable target is never over: it is maintained. */
export function isSettled(lifecycle: Lifecycle, target: TargetRecord): boolean {
  return target.outcome !== undefined || (target.reached && !isMaintained(lifecycle, target.state));
}

/**
 * The target that counts: the recorded one while state and request are the same, whatever the generation; else a new one.
 * A state that may not be desired is refused and changes nothing.
 */
export function acceptTarget(lifecycle: Lifecycle, question: TargetQuestion): AcceptedTarget {
  const { asked, deleting, generation } = question;
  const before = question.before === undefined ? undefined : presentTarget(lifecycle, question.before);
  if (deleting && lifecycle.final !== undefined) {
    if (before?.deletion === true) return { target: { ...before, state: lifecycle.final }, isNew: false };
    const target = { state: lifecycle.final, generation, reached: false, deletion: true };
    return { target, isNew: true };
  }
  const name = asked.state ?? lifecycle.defaultDesiredState;
  const state = desiredPath(lifecycle, lifecycle.options.renames, name);
  if (!lifecycle.desirable.includes(state)) {
    const kept = before ?? { state: lifecycle.defaultDesiredState, generation, reached: false };
    const refused = `"${name}" is not a state that may be desired; accepted: ${lifecycle.desirable.join(", ")}`;
    return { target: kept, refused, isNew: false };
  }
  const wanted: WaitingTarget = {
    state,
    ...(name === state ? {} : { asked: name }),
    ...(asked.request === undefined ? {} : { request: asked.request }),
    generation,
  };
  if (before === undefined) return { target: recall(lifecycle, wanted, question), isNew: true };
  const same = isSame(before, wanted);
  const current = same ? renameTarget(before, wanted) : before;
  if (lifecycle.options.specEdits === "queue") return inTurn(lifecycle, current, wanted);
  if (same) return { target: current, isNew: false };
  return { target: { ...wanted, reached: false }, isNew: true };
}

/** A move, as far as targets care. */
export interface TargetMove {
  readonly from: Leaves | undefined;
  readonly to: Leaves;
  readonly taker: EdgeTaker | "runtime";
  /** The move left a state and entered it again. */
  readonly reentered: boolean;
  /** Where the edge itself led, before the graph led on at once. */
  readonly through?: Leaves;
  /** The event in the author's words. */
  readonly event: string;
  /** Why it was made, for people. */
  readonly cause: string;
  /** The tasks that it ended before they were done. */
  readonly undone: readonly UndoneTask[];
}

/** Characters of a cause that are kept: what is longer could not be read back. */
export const longestCause = 512;

/** The target after a cycle; `move` is absent when the application stayed where it is. */
export function followTarget(
  lifecycle: Lifecycle,
  target: TargetRecord,
  leaves: Leaves | undefined,
  move: TargetMove | undefined,
): TargetRecord {
  const there = leaves !== undefined && isActive(leaves, target.state);
  if (isMaintained(lifecycle, target.state)) {
    if (!there) return target.reached ? { ...target, reached: false } : target;
    if (target.reached) return target;
    const { failures, notBefore: _notBefore, outcome: _outcome, cause, ...clean } = target;
    // That the operator has gone there proves nothing yet: the next observation may lead away again.
    const isClaimed = failures !== undefined && (move?.taker === "operator" || move?.taker === "runtime");
    const kept = isClaimed ? { failures, ...(cause === undefined ? {} : { cause }) } : {};
    return { ...clean, ...kept, reached: true };
  }
  if (isSettled(lifecycle, target) || move === undefined) return target;
  // Nobody knows how the application got here: whether what was under way has been done is not known either.
  if (move.from === undefined && target.entered === true && !there) return { ...target, outcome: "lost" };
  if (!there && move.through !== undefined && isActive(move.through, target.state)) {
    return isIntervening(lifecycle, move.to)
      ? failTarget({ ...target, entered: true }, move)
      : reachTarget({ ...target, entered: true });
  }
  const undone = move.undone.filter(({ state }) => isWithin(state, target.state));
  const was = move.from !== undefined && isActive(move.from, target.state);
  if (there && was && target.entered === true && move.reentered && isCompletion(move)) {
    return isTooLate(move.taker, undone)
      ? { ...target, failures: (target.failures ?? 0) + 1 }
      : reachTarget(target);
  }
  if (there && (!was || move.reentered)) return { ...target, entered: true };
  if (target.entered !== true || !was || there) return target;
  if (move.taker === "human") return abortTarget(target, move.event);
  if (move.taker === "failure" || move.taker === "runtime" || isIntervening(lifecycle, move.to)) {
    return failTarget(target, move);
  }
  // Like the deadline of a task: another try would end the same.
  if (isTooLate(move.taker, undone)) return failTarget(target, move);
  const isCutOff = move.taker === "observation" || move.taker === "spec";
  if (isCutOff && (undone.length > 0 || isActive(move.to, lifecycle.initial))) {
    const { entered: _entered, ...again } = target;
    return again;
  }
  return reachTarget(target);
}

/** A transient target whose work was done, however often it had failed before. */
function reachTarget(target: TargetRecord): TargetRecord {
  const { cause: _cause, ...rest } = target;
  return { ...rest, reached: true };
}

function failTarget(target: TargetRecord, { cause }: TargetMove): TargetRecord {
  return { ...target, outcome: "failed", cause: cause.slice(0, longestCause) };
}

/** The target after a person has ended what was under way for it, by that event. */
export function abortTarget(target: TargetRecord, event: string): TargetRecord {
  const { notBefore: _notBefore, failures: _failures, ...rest } = target;
  return { ...rest, outcome: "aborted", cause: event.slice(0, longestCause) };
}

/** Whether the next try for a target is not due yet. A clock that was set back must not make a delay longer than any is. */
export function isPutOff({ notBefore }: TargetRecord, now: number): boolean {
  const wait = (readInstant(notBefore) ?? 0) - now;
  return wait > 0 && wait <= retries.longest;
}

/** The target when the operator has set out for it: it waits for no further try. */
export function tryTarget(target: TargetRecord): TargetRecord {
  const { notBefore: _notBefore, ...rest } = target;
  return target.notBefore === undefined ? target : rest;
}

/** The target after a failure on the path to it: the next try waits longer each time. */
export function delayTarget(target: TargetRecord, now: number, cause: string | undefined): TargetRecord {
  const failures = (target.failures ?? 0) + 1;
  const delay = backoffDelay(retries, failures);
  return { ...target, ...causeOf(cause), failures, notBefore: formatInstant(now + delay) };
}

/** The target after what the operator did for it was undone: at once tried again the first time, later and later after that. */
export function undoTarget(target: TargetRecord, now: number, cause: string | undefined): TargetRecord {
  const { failures } = target;
  if (failures === undefined) return { ...target, ...causeOf(cause), failures: 1 };
  const { notBefore } = delayTarget({ ...target, failures: failures - 1 }, now, cause);
  return {
    ...target,
    ...causeOf(cause),
    failures: failures + 1,
    ...(notBefore === undefined ? {} : { notBefore }),
  };
}

function causeOf(cause: string | undefined): Pick<TargetRecord, "cause"> {
  return cause === undefined ? {} : { cause: cause.slice(0, longestCause) };
}

/** The target after a person has asked for it again: one that failed, or was forced once, may be pursued again. */
export function rearmTarget(target: TargetRecord): TargetRecord {
  const { notBefore: _notBefore, failures: _failures, ...soon } = target;
  if (target.outcome === "aborted" || target.outcome === "lost") return soon;
  const { cause: _cause, ...fresh } = soon;
  if (target.outcome === undefined && target.forced !== true) return fresh;
  const { outcome: _outcome, forced: _forced, entered: _entered, ...again } = fresh;
  return again;
}

/** The state's work came to its end, even when the graph then begins it again. */
function isCompletion({ taker }: TargetMove): boolean {
  return taker === "task" || taker === "timer" || taker === "graph";
}

/** A target is the same by its state, or by the name in the spec, whatever another version of the graph made of that. */
function isSame(a: WaitingTarget, b: WaitingTarget): boolean {
  return (a.state === b.state || nameOf(a) === nameOf(b)) && a.request === b.request;
}

function nameOf({ state, asked = state }: WaitingTarget): string {
  return asked;
}

/** A recorded target with the states as the present graph calls them. */
function presentTarget(lifecycle: Lifecycle, target: TargetRecord): TargetRecord {
  const present = <TTarget extends WaitingTarget>(each: TTarget): TTarget => {
    const state = desiredPath(lifecycle, lifecycle.options.renames, each.state);
    return state === each.state ? each : { ...each, state };
  };
  return {
    ...present(target),
    ...(target.waiting === undefined ? {} : { waiting: target.waiting.map(present) }),
  };
}

/** The same target under the name by which it is asked for now. */
function renameTarget<TTarget extends WaitingTarget>(
  target: TTarget,
  { state, asked }: WaitingTarget,
): TTarget {
  if (target.state === state && target.asked === asked) return target;
  const { asked: _asked, ...rest } = target;
  return { ...rest, state, ...(asked === undefined ? {} : { asked }) } as TTarget;
}

/** A first target. When its record was lost, the condition and the state still tell whether it is under way or done. */
function recall(
  lifecycle: Lifecycle,
  wanted: WaitingTarget,
  { leaves, lostRuns = [], condition }: TargetQuestion,
): TargetRecord {
  const target = { ...wanted, reached: false };
  if (isMaintained(lifecycle, wanted.state)) return target;
  const hasRun = lifecycle.index.graph.nodes.some(
    ({ path, invokes }) =>
      isWithin(path, wanted.state) && invokes.some((invoke) => lostRuns.includes(invoke.id)),
  );
  if (condition === undefined && !hasRun) return target;
  if (leaves !== undefined && isActive(leaves, wanted.state)) return { ...target, entered: true };
  // A run of its work is found and has ended: whether that was for this target is not known.
  if (condition === undefined) return { ...target, outcome: "lost" };
  // Asked since the condition was written: nobody has pursued it yet.
  if (condition.observedGeneration !== wanted.generation) return target;
  return condition.status === "True"
    ? { ...target, reached: true, entered: true }
    : { ...target, outcome: "lost" };
}

/** Under the policy `queue`, a target under way is finished before the next one counts. */
function inTurn(lifecycle: Lifecycle, before: TargetRecord, wanted: WaitingTarget): AcceptedTarget {
  const { waiting = [], ...current } = before;
  const last = waiting.at(-1) ?? before;
  const queue = isSame(last, wanted) ? waiting : [...waiting.slice(0, longestQueue - 1), wanted];
  const isOver = isSettled(lifecycle, before) || isMaintained(lifecycle, before.state);
  const [next, ...rest] = queue;
  if (!isOver || next === undefined) {
    return queue === waiting
      ? { target: before, isNew: false }
      : { target: { ...current, waiting: queue }, isNew: false };
  }
  const target = { ...next, reached: false, ...(rest.length === 0 ? {} : { waiting: rest }) };
  return { target, isNew: true };
}
