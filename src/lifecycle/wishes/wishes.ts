// The rules of wishes. A stable state is held; a transient one is fulfilled once; a deletion overrides everything.
import type { Condition } from "../../meta/condition.ts";
import { isActive, isWithin, type Leaves } from "../../statechart/configuration.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import type { EdgeTaker } from "../graph/edge-taker.ts";
import { wishedPath } from "../graph/rename.ts";
import { isTooLate, type UndoneTask } from "../tasks/undone-work.ts";
import { formatInstant, readInstant } from "../values/untrusted.ts";
import { type AskedWish, type WaitingWish, type WishRecord } from "./wish.ts";

/** Wishes kept waiting under the policy `queue`; a later one replaces the last. */
const longestQueue = 16;

const firstWishDelay = 5_000;
const longestWishDelay = 10 * 60_000;

/** What {@link adoptWish} decides with. */
export interface WishQuestion {
  readonly asked: AskedWish;
  /** The resource is being deleted. */
  readonly deleting: boolean;
  readonly generation: number;
  /** The wish of the status; absent when nothing is stored or it was lost. */
  readonly before: WishRecord | undefined;
  /** The active states; absent before the first life. */
  readonly leaves: Leaves | undefined;
  /** Ids of the invokes of which a run was found although the whole status is gone. */
  readonly lostRuns?: readonly string[];
  /** The stored condition `Lifecycle`, which remembers a fulfilled wish when all else is lost. */
  readonly condition: Condition | undefined;
}

/** The wish that counts now. */
export interface AdoptedWish {
  readonly wish: WishRecord;
  /** Why what was asked is not wished; nothing is striven for then. */
  readonly refused?: string;
  /** The wish was not there in the cycle before. */
  readonly isNew: boolean;
}

/** Whether a wish for this state is held rather than fulfilled once. */
export function isHeld(lifecycle: Lifecycle, state: string): boolean {
  return !lifecycle.transient.has(state);
}

/** Whether nothing is to be done for a wish any more. A stable wish is never over: it is held. */
export function isSettled(lifecycle: Lifecycle, wish: WishRecord): boolean {
  return wish.outcome !== undefined || (wish.fulfilled && !isHeld(lifecycle, wish.state));
}

/**
 * The wish that counts: the recorded one while state and request are the same, whatever the generation; else a new one.
 * A state that may not be wished is refused and changes nothing.
 */
export function adoptWish(lifecycle: Lifecycle, question: WishQuestion): AdoptedWish {
  const { asked, deleting, generation } = question;
  const before = question.before === undefined ? undefined : presentWish(lifecycle, question.before);
  if (deleting && lifecycle.final !== undefined) {
    if (before?.deletion === true) return { wish: { ...before, state: lifecycle.final }, isNew: false };
    const wish = { state: lifecycle.final, generation, fulfilled: false, deletion: true };
    return { wish, isNew: true };
  }
  const name = asked.state ?? lifecycle.defaultWish;
  const state = wishedPath(lifecycle, lifecycle.options.renames, name);
  if (!lifecycle.wishable.includes(state)) {
    const kept = before ?? { state: lifecycle.defaultWish, generation, fulfilled: false };
    const refused = `"${name}" is no state that may be wished; accepted: ${lifecycle.wishable.join(", ")}`;
    return { wish: kept, refused, isNew: false };
  }
  const wanted: WaitingWish = {
    state,
    ...(name === state ? {} : { asked: name }),
    ...(asked.request === undefined ? {} : { request: asked.request }),
    generation,
  };
  if (before === undefined) return { wish: recall(lifecycle, wanted, question), isNew: true };
  const same = isSame(before, wanted);
  const current = same ? renameWish(before, wanted) : before;
  if (lifecycle.options.specEdits === "queue") return inTurn(lifecycle, current, wanted);
  if (same) return { wish: current, isNew: false };
  return { wish: { ...wanted, fulfilled: false }, isNew: true };
}

/** A move, as far as wishes care. */
export interface WishedMove {
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

/** The wish after a cycle; `move` is absent when the application stayed where it is. */
export function followWish(
  lifecycle: Lifecycle,
  wish: WishRecord,
  leaves: Leaves | undefined,
  move: WishedMove | undefined,
): WishRecord {
  const there = leaves !== undefined && isActive(leaves, wish.state);
  if (isHeld(lifecycle, wish.state)) {
    if (!there) return wish.fulfilled ? { ...wish, fulfilled: false } : wish;
    if (wish.fulfilled) return wish;
    const { failures, notBefore: _notBefore, outcome: _outcome, cause, ...clean } = wish;
    // That the operator has gone there proves nothing yet: the next look may lead away again.
    const isClaimed = failures !== undefined && (move?.taker === "operator" || move?.taker === "runtime");
    const kept = isClaimed ? { failures, ...(cause === undefined ? {} : { cause }) } : {};
    return { ...clean, ...kept, fulfilled: true };
  }
  if (isSettled(lifecycle, wish) || move === undefined) return wish;
  // Nobody knows how the application got here: whether what was under way has been done is not known either.
  if (move.from === undefined && wish.reached === true && !there) return { ...wish, outcome: "lost" };
  if (!there && move.through !== undefined && isActive(move.through, wish.state)) {
    return isIntervention(lifecycle, move.to)
      ? failWish({ ...wish, reached: true }, move)
      : fulfilWish({ ...wish, reached: true });
  }
  const undone = move.undone.filter(({ state }) => isWithin(state, wish.state));
  const was = move.from !== undefined && isActive(move.from, wish.state);
  if (there && was && wish.reached === true && move.reentered && isCompletion(move)) {
    return isTooLate(move.taker, undone) ? { ...wish, failures: (wish.failures ?? 0) + 1 } : fulfilWish(wish);
  }
  if (there && (!was || move.reentered)) return { ...wish, reached: true };
  if (wish.reached !== true || !was || there) return wish;
  if (move.taker === "human") return abortWish(wish, move.event);
  if (move.taker === "failure" || move.taker === "runtime" || isIntervention(lifecycle, move.to)) {
    return failWish(wish, move);
  }
  // Like the deadline of a task, not an accident: another try would end the same.
  if (isTooLate(move.taker, undone)) return failWish(wish, move);
  const isCutOff = move.taker === "observation" || move.taker === "spec";
  if (isCutOff && (undone.length > 0 || isActive(move.to, lifecycle.initial))) {
    const { reached: _reached, ...again } = wish;
    return again;
  }
  return fulfilWish(wish);
}

/** A transient wish whose work was done, however often it had failed before. */
function fulfilWish(wish: WishRecord): WishRecord {
  const { cause: _cause, ...rest } = wish;
  return { ...rest, fulfilled: true };
}

function failWish(wish: WishRecord, { cause }: WishedMove): WishRecord {
  return { ...wish, outcome: "failed", cause: cause.slice(0, longestCause) };
}

/** The wish after a person has ended what was under way for it, by that event. */
export function abortWish(wish: WishRecord, event: string): WishRecord {
  const { notBefore: _notBefore, failures: _failures, ...rest } = wish;
  return { ...rest, outcome: "aborted", cause: event.slice(0, longestCause) };
}

/** Whether the next try for a wish is not due yet. A clock that was set back must not make a delay longer than any is. */
export function isPutOff({ notBefore }: WishRecord, now: number): boolean {
  const wait = (readInstant(notBefore) ?? 0) - now;
  return wait > 0 && wait <= longestWishDelay;
}

/** The wish when the operator has set out for it: it waits for no further try. */
export function tryWish(wish: WishRecord): WishRecord {
  const { notBefore: _notBefore, ...rest } = wish;
  return wish.notBefore === undefined ? wish : rest;
}

/** The wish after a failure on the way to it: the next try waits longer each time. */
export function delayWish(wish: WishRecord, now: number, cause: string | undefined): WishRecord {
  const failures = (wish.failures ?? 0) + 1;
  const delay = Math.min(firstWishDelay * 2 ** (failures - 1), longestWishDelay);
  return { ...wish, ...causeOf(cause), failures, notBefore: formatInstant(now + delay) };
}

/** The wish after what the operator did for it was undone: at once tried again the first time, later and later after that. */
export function undoWish(wish: WishRecord, now: number, cause: string | undefined): WishRecord {
  const { failures } = wish;
  if (failures === undefined) return { ...wish, ...causeOf(cause), failures: 1 };
  const { notBefore } = delayWish({ ...wish, failures: failures - 1 }, now, cause);
  return {
    ...wish,
    ...causeOf(cause),
    failures: failures + 1,
    ...(notBefore === undefined ? {} : { notBefore }),
  };
}

function causeOf(cause: string | undefined): Pick<WishRecord, "cause"> {
  return cause === undefined ? {} : { cause: cause.slice(0, longestCause) };
}

/** The wish after a person has said `retry`: one that failed, or forced its way once, may be striven for again. */
export function rearmWish(wish: WishRecord): WishRecord {
  const { notBefore: _notBefore, failures: _failures, ...soon } = wish;
  if (wish.outcome === "aborted" || wish.outcome === "lost") return soon;
  const { cause: _cause, ...fresh } = soon;
  if (wish.outcome === undefined && wish.forced !== true) return fresh;
  const { outcome: _outcome, forced: _forced, reached: _reached, ...again } = fresh;
  return again;
}

/** The state's work came to its end, even when the graph then begins it again. */
function isCompletion({ taker }: WishedMove): boolean {
  return taker === "task" || taker === "timer" || taker === "graph";
}

function isIntervention(lifecycle: Lifecycle, leaves: Leaves): boolean {
  return lifecycle.intervention !== undefined && isActive(leaves, lifecycle.intervention);
}

/** A wish is the same by its state, or by the name in the spec, whatever another version of the graph made of that. */
function isSame(a: WaitingWish, b: WaitingWish): boolean {
  return (a.state === b.state || nameOf(a) === nameOf(b)) && a.request === b.request;
}

function nameOf({ state, asked = state }: WaitingWish): string {
  return asked;
}

/** A recorded wish with the states as the present graph calls them. */
function presentWish(lifecycle: Lifecycle, wish: WishRecord): WishRecord {
  const present = <TWish extends WaitingWish>(each: TWish): TWish => {
    const state = wishedPath(lifecycle, lifecycle.options.renames, each.state);
    return state === each.state ? each : { ...each, state };
  };
  return { ...present(wish), ...(wish.waiting === undefined ? {} : { waiting: wish.waiting.map(present) }) };
}

/** The same wish under the name by which it is asked for now. */
function renameWish<TWish extends WaitingWish>(wish: TWish, { state, asked }: WaitingWish): TWish {
  if (wish.state === state && wish.asked === asked) return wish;
  const { asked: _asked, ...rest } = wish;
  return { ...rest, state, ...(asked === undefined ? {} : { asked }) } as TWish;
}

/** A first wish. When its record was lost, the condition and the state still tell whether it is under way or done. */
function recall(
  lifecycle: Lifecycle,
  wanted: WaitingWish,
  { leaves, lostRuns = [], condition }: WishQuestion,
): WishRecord {
  const wish = { ...wanted, fulfilled: false };
  if (isHeld(lifecycle, wanted.state)) return wish;
  const hasRun = lifecycle.index.graph.nodes.some(
    ({ path, invokes }) =>
      isWithin(path, wanted.state) && invokes.some((invoke) => lostRuns.includes(invoke.id)),
  );
  if (condition === undefined && !hasRun) return wish;
  if (leaves !== undefined && isActive(leaves, wanted.state)) return { ...wish, reached: true };
  // A run of its work is found and has ended: whether that was for this wish is not known.
  if (condition === undefined) return { ...wish, outcome: "lost" };
  // Asked since the condition was written: nobody has striven for it yet.
  if (condition.observedGeneration !== wanted.generation) return wish;
  return condition.status === "True"
    ? { ...wish, fulfilled: true, reached: true }
    : { ...wish, outcome: "lost" };
}

/** Under the policy `queue`, a wish under way is finished before the next one counts. */
function inTurn(lifecycle: Lifecycle, before: WishRecord, wanted: WaitingWish): AdoptedWish {
  const { waiting = [], ...current } = before;
  const last = waiting.at(-1) ?? before;
  const queue = isSame(last, wanted) ? waiting : [...waiting.slice(0, longestQueue - 1), wanted];
  const isOver = isSettled(lifecycle, before) || isHeld(lifecycle, before.state);
  const [next, ...rest] = queue;
  if (!isOver || next === undefined) {
    return queue === waiting
      ? { wish: before, isNew: false }
      : { wish: { ...current, waiting: queue }, isNew: false };
  }
  const wish = { ...next, fulfilled: false, ...(rest.length === 0 ? {} : { waiting: rest }) };
  return { wish, isNew: true };
}
