// Human events: what is decided about one, and how it is remembered, so that a second look at the same annotation does
// not send it twice.
import { placedMessage, type Problem } from "../ports/problem.ts";
import { edgesOf, formatLeaves, type GraphIndex, type Leaves } from "../statechart/configuration.ts";
import { attempt } from "./choose-move.ts";
import type { CycleInput, HumanDecision } from "./cycle-plan.ts";
import { humanEventsOf } from "./derive-events.ts";
import { canPause, pauseEvents } from "./pause.ts";
import type { RestoredLifecycle } from "./stored/restore.ts";
import type { HumanRecord, PauseRecord } from "./stored/snapshot.ts";

/** Where an application is, as far as human events care. */
export interface HumanSituation {
  readonly index: GraphIndex;
  readonly leaves: Leaves;
  readonly paused: PauseRecord | undefined;
  readonly deleting: boolean;
}

/** The human events that are accepted now: those that the state declares and `pause`, or `resume` alone while paused. */
export function acceptedHumanEvents({ index, leaves, paused, deleting }: HumanSituation): readonly string[] {
  const [pause, resume] = pauseEvents;
  const declared = humanEventsOf(index, leaves);
  if (deleting || !canPause(index)) return declared;
  return paused === undefined ? [...declared, pause] : [resume];
}

/**
 * Whether the current state accepts the event that is asked for. Undefined when none is, and while a pause has to wait
 * for the first state.
 */
export function decideHuman(input: CycleInput, restored: RestoredLifecycle): HumanDecision | undefined {
  const { human, lifecycle, deleting } = input;
  if (human === undefined) return undefined;
  const { event, id, by } = human;
  const who = by === undefined ? "" : ` by ${by}`;
  const name = shownEvent(event);
  const isGone = restored.human?.removed === true || input.removedHuman === id;
  if (restored.human?.id === id && !isGone) {
    return { event, accepted: false, message: `${name} was handled before`, repeated: true };
  }
  const { index } = lifecycle;
  const control = canPause(index) ? pauseEvents.find((name) => name === event) : undefined;
  const leaves = restored.position?.leaves;
  if (leaves === undefined && control === "pause" && !deleting) return undefined;
  const accepted =
    leaves === undefined ? [] : acceptedHumanEvents({ index, leaves, deleting, paused: restored.paused });
  if (accepted.includes(event)) {
    const obstacle =
      control === undefined && leaves !== undefined ? obstacleTo(input, restored, event) : undefined;
    if (obstacle !== undefined) {
      return {
        event,
        accepted: false,
        message: `${name}${who} is not accepted in ${formatLeaves(leaves ?? [])}: ${obstacle}`,
      };
    }
    const message = `${event} was requested${who}`;
    return { event, accepted: true, message, ...(control === undefined ? {} : { control }) };
  }
  const list = accepted.length === 0 ? "none" : accepted.join(", ");
  const message = `${name}${who} is not accepted ${placeOf(leaves, restored.paused, deleting)}; accepted: ${list}`;
  return { event, accepted: false, message };
}

/** Why a declared event leads nowhere now: the guards that keep its edges closed, or what is thrown in them. */
function obstacleTo(input: CycleInput, { position }: RestoredLifecycle, event: string): string | undefined {
  if (position === undefined) return undefined;
  const { index } = input.lifecycle;
  const type = `human.${event}`;
  const problems: Problem[] = [];
  if (attempt(input, position, problems, { type }) !== undefined) return undefined;
  const [problem] = problems;
  if (problem !== undefined) return placedMessage(problem);
  const edges = edgesOf(index, position.leaves).filter(({ eventType }) => eventType === type);
  const guards = [...new Set(edges.flatMap(({ guard }) => guard ?? []))];
  return guards.length === 1
    ? `the guard ${guards[0]} is closed`
    : `none of the guards ${guards.join(", ")} is open`;
}

/**
 * What is thrown for the event that is refused in this cycle, or that was the last to be refused and would still be: nothing
 * else remembers that the machine is to be corrected once the annotation is gone.
 */
export function problemsOfHuman(
  input: CycleInput,
  restored: RestoredLifecycle,
  decision: HumanDecision | undefined,
): readonly Problem[] {
  const isNew = decision !== undefined && decision.repeated !== true;
  const { event = "", accepted = true } = (isNew ? decision : restored.human) ?? {};
  const { position, paused } = restored;
  if (accepted || position === undefined || paused !== undefined) return [];
  if (!humanEventsOf(input.lifecycle.index, position.leaves).includes(event)) return [];
  const problems: Problem[] = [];
  attempt(input, position, problems, { type: `human.${event}` });
  return problems;
}

/** An event as it is reported and recorded: an annotation may hold anything, and a record must be readable again. */
export function shownEvent(event: string): string {
  if (/^[\w.:-]{1,100}$/.test(event)) return event;
  return `"${event.length > 100 ? `${event.slice(0, 100)}…` : event}"`;
}

function placeOf(leaves: Leaves | undefined, paused: PauseRecord | undefined, deleting: boolean): string {
  const here = leaves === undefined ? "in no state yet" : `in ${formatLeaves(leaves)}`;
  if (deleting) return `${here} while the resource is being deleted`;
  return paused === undefined ? here : `${here} while it is paused`;
}

/** The record after the decision, as a field of the status. */
export function humanRecord(
  { human }: CycleInput,
  before: HumanRecord | undefined,
  decision: HumanDecision | undefined,
): HumanRecord | undefined {
  if (human === undefined && before !== undefined) return { ...before, removed: true };
  if (human === undefined || decision === undefined || decision.repeated === true) {
    return before;
  }
  const { event, id, by } = human;
  const { accepted } = decision;
  // What is longer could not be read back.
  const message = decision.message.slice(0, 512);
  return { event: shownEvent(event), id, ...(by === undefined ? {} : { by }), accepted, message };
}
