// What a choice means for the target: reached, delayed, undone, or given up by a person.
import { formatLeaves, isActive, type Leaves } from "../statechart/configuration.ts";
import { changesState, type Move } from "./choose-move.ts";
import type { Lifecycle } from "./graph/compile-lifecycle.ts";
import type { CycleInput } from "./cycle-plan.ts";
import { takerOf } from "./graph/edge-taker.ts";
import { beginEvent } from "./graph/possible-hops.ts";
import { isPassing } from "./graph/reliance.ts";
import { isIntervening } from "./graph/roles.ts";
import type { Outcome, Settled } from "./settle.ts";
import { isWanting, planToTarget } from "./targets/path-to-target.ts";
import { isTooLate } from "./tasks/undone-work.ts";
import {
  abortTarget,
  delayTarget,
  followTarget,
  isPutOff,
  rearmTarget,
  tryTarget,
  undoTarget,
} from "./targets/target-rules.ts";
import type { TargetRecord } from "./targets/target-record.ts";

/** The target after the choice. */
export function settleTarget(
  input: CycleInput,
  { restored, reported, choice, target }: Outcome,
  settled: Settled,
): TargetRecord {
  const { lifecycle, now } = input;
  const { move } = choice;
  const isAskedAgain =
    move !== undefined && asksAgain(lifecycle, { restored, move, target }, settled.position.leaves);
  const pursued = isAskedAgain ? rearmTarget(target) : target;
  const isGoing = Object.values(reported).some((task) => task.namespaceGoing === true);
  const followed = followTarget(
    lifecycle,
    {
      ...pursued,
      ...(move?.forced === true ? { forced: true } : {}),
      ...(isGoing && target.deletion === true ? { namespaceGoing: true } : {}),
    },
    settled.position.leaves,
    move === undefined || !settled.entered
      ? undefined
      : {
          from: restored.position?.leaves,
          to: settled.position.leaves,
          taker: move.task !== undefined && move.taker === "runtime" ? "failure" : move.taker,
          reentered: restored.position !== undefined && !changesState(restored.position, move.step),
          event: move.event,
          cause: move.cause,
          undone: move.undone ?? [],
          ...(move.hop === undefined ? {} : { through: move.hop.to }),
        },
  );
  if (isAskedAgain) return followed;
  if (move !== undefined && turnsBack(lifecycle, { restored, move, target }, settled, followed)) {
    return abortTarget(followed, move.event);
  }
  const wasIntervening =
    restored.position !== undefined && isIntervening(lifecycle, restored.position.leaves);
  if (wasIntervening && move?.taker === "spec") return rearmTarget(followed);
  const hasFailed = move?.taker === "failure" || isCutOff(lifecycle, { restored, move, target }, settled);
  if (hasFailed && isWanting(lifecycle, followed, settled.position.leaves)) {
    return delayTarget(followed, now, move?.cause);
  }
  if (isUndone(input, { restored, move }, settled, followed)) return undoTarget(followed, now, move?.cause);
  // Then the next try has begun, or nothing is left to be put off.
  const isTried = move?.taker === "operator" || move?.forced === true || !isPutOff(followed, now);
  return isTried ? tryTarget(followed) : followed;
}

/**
 * Whether a person has asked for the target again: by leading the application out of a state that has failed or waits for a
 * person to one from which something leads on by itself, or into the very state that is desired. What the event is called
 * means nothing.
 */
function asksAgain(
  lifecycle: Lifecycle,
  { restored, move, target }: Pick<Outcome, "restored" | "target"> & { readonly move: Move },
  to: Leaves,
): boolean {
  if (move.taker !== "human" || restored.position === undefined) return false;
  const { roles } = lifecycle;
  const hasFailed = (leaf: string): boolean => roles.failure.has(leaf) || roles.intervention.has(leaf);
  if (to.some(hasFailed)) return false;
  if (target.outcome === "failed" && isActive(to, target.state)) return true;
  return restored.position.leaves.some(hasFailed) && to.some((leaf) => isPassing(lifecycle, leaf));
}

/**
 * Whether a person has left the path to the target, and the operator would lead into the same state again: what a person has
 * ended is not begun again behind their back. A deletion is not ended so, nor where the graph leads back by itself.
 */
function turnsBack(
  lifecycle: Lifecycle,
  { restored, move, target }: Pick<Outcome, "restored" | "target"> & { readonly move: Move },
  { position, entered }: Settled,
  followed: TargetRecord,
): boolean {
  if (move.taker !== "human" || !entered || restored.position === undefined) return false;
  const { leaves } = restored.position;
  if (target.deletion === true || !isWanting(lifecycle, target, leaves)) return false;
  return leadsBack(lifecycle, followed, leaves, position.leaves);
}

/** Whether the operator would lead from here into a state that was left a moment ago. */
function leadsBack(lifecycle: Lifecycle, target: TargetRecord, from: Leaves, to: Leaves): boolean {
  const left = from.filter((leaf) => !to.includes(leaf));
  const plan = planToTarget(lifecycle, target, to) ?? [];
  const again = plan.findIndex((hop) => hop.to.some((leaf) => left.includes(leaf)));
  return plan
    .slice(0, again + 1)
    .some(({ edge }) => takerOf(edge) === "operator" || edge.event === beginEvent);
}

/** Whether a deadline was over before the task was done on the path to the target. */
function isCutOff(
  lifecycle: Lifecycle,
  { restored, move, target }: Pick<Outcome, "restored" | "target"> & { readonly move: Move | undefined },
  { position }: Settled,
): boolean {
  const { undone = [], taker = "" } = move ?? {};
  if (!isTooLate(taker, undone) || restored.position === undefined) return false;
  const [next] = planToTarget(lifecycle, target, restored.position.leaves) ?? [];
  const isTask = undone.some(({ id }) => next?.edge.eventType === `xstate.done.actor.${id}`);
  return next !== undefined && isTask && formatLeaves(next.to) !== formatLeaves(position.leaves);
}

/** Milliseconds after which what the operator has reached counts as maintained. */
const provenAfter = 10 * 60_000;

/**
 * Whether an observation leads back, soon after the operator has led on, to where it would lead on in the same way. Leading on
 * at once would move to and fro without an end: what is desired and what is observed contradict each other.
 */
function isUndone(
  { lifecycle, now }: CycleInput,
  { restored, move }: Pick<Outcome, "restored"> & { readonly move: Move | undefined },
  { position, entered }: Settled,
  followed: TargetRecord,
): boolean {
  if (move?.taker !== "observation" || !entered || restored.position === undefined) return false;
  const { event = "" } = restored.last ?? {};
  if (event !== beginEvent && !event.startsWith("desired.")) return false;
  if (now - (restored.since ?? now) >= provenAfter || !isWanting(lifecycle, followed, position.leaves))
    return false;
  return leadsBack(lifecycle, followed, restored.position.leaves, position.leaves);
}
