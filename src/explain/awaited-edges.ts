// The edges out of the present state, and what each of them waits for. Pure; part of an explanation.
import { takerOf } from "../lifecycle/graph/edge-taker.ts";
import { planPath } from "../lifecycle/graph/planner.ts";
import { beginEvent, newLife } from "../lifecycle/graph/possible-hops.ts";
import { actorEvents } from "../lifecycle/graph/library-edges.ts";
import { describeDelay } from "../lifecycle/reporting/move-text.ts";
import type { PlannedGraph } from "../lifecycle/graph/reliance.ts";
import { guardClause, mayLeadBack, takeableEdges } from "../lifecycle/graph/takeable-edges.ts";
import type { StoredStatus } from "../lifecycle/stored/read-status.ts";
import { readInstant } from "../lifecycle/values/untrusted.ts";
import { enter, follow, formatLeaves, isActive, type Leaves } from "../statechart/configuration.ts";
import type { GraphEdge } from "../statechart/graph.ts";
import type { AwaitedEdge } from "./explanation.ts";
import { formatLength } from "./length.ts";
import { sendLine } from "./send-line.ts";

/** What {@link awaitedEdges} reads. */
export interface AwaitedQuestion {
  readonly planned: PlannedGraph;
  readonly leaves: Leaves;
  readonly status: StoredStatus;
  /** What the application is led to; undefined while nothing is. */
  readonly target: StoredStatus["target"];
  /** The states that the operator itself has planned. */
  readonly plan: readonly string[];
  /** How the object is typed on the command line: `database/orders -n shop`. */
  readonly typed: string;
  /** Milliseconds since the epoch; stands still while paused. */
  readonly now: number;
}

/** The edges that lead on from here; the one that the plan takes next comes first. */
export function awaitedEdges(question: AwaitedQuestion): readonly AwaitedEdge[] {
  const { planned, leaves } = question;
  const way = nextEdges(question);
  const begins = question.status.target?.deletion === true ? [] : newLife(planned, leaves);
  return [...takeableEdges(planned.index, leaves), ...begins]
    .filter((edge) => edge.targets.length > 0 && mayCome(question.status, edge))
    .map((edge): AwaitedEdge => {
      const isBegin = edge.event === beginEvent;
      const isNext = isBegin ? way.next?.event === beginEvent : edge === way.next;
      return {
        event: isBegin ? actorEvents.begin : edge.event,
        ...(edge.guard === undefined ? {} : { guard: edge.guard }),
        to: formatLeaves(isBegin ? enter(planned.index, edge.targets) : follow(planned.index, leaves, edge)),
        taker: takerOf(edge),
        next: isNext,
        needs: needsOf(question, edge, way),
      };
    })
    .sort((a, b) => Number(b.next) - Number(a.next));
}

/** A task that has come to its end comes to no other one. */
function mayCome({ tasks }: StoredStatus, edge: GraphEdge): boolean {
  const phase = tasks[taskIn(edge)]?.phase;
  const taker = takerOf(edge);
  return !(taker === "failure" && phase === "Succeeded") && !(taker === "task" && phase === "Failed");
}

/** Edges on the path to the target. */
interface NextEdges {
  readonly next?: GraphEdge | undefined;
  /** The one that the operator would take if its guard did not keep it closed. */
  readonly closed?: GraphEdge | undefined;
}

function nextEdges({ planned, leaves, target, plan }: AwaitedQuestion): NextEdges {
  if (target === undefined || target.reached || target.outcome !== undefined) return {};
  const isThere = (at: Leaves): boolean => isActive(at, target.state);
  const first = (without: readonly GraphEdge[]): GraphEdge | undefined => {
    const options = { target: target.state, atRest: true, without: new Set(without) };
    return planPath(planned, leaves, isThere, options)?.[0]?.edge;
  };
  const shortest = first([]);
  // Where it rests, the operator has planned around the edges of its own that a guard keeps closed.
  const guarded = takeableEdges(planned.index, leaves).filter(
    (edge) => edge.guard !== undefined && takerOf(edge) === "operator" && target.notBefore === undefined,
  );
  const closed = guarded.find((edge) => edge === shortest);
  return { closed, next: plan.length === 0 ? undefined : closed === undefined ? shortest : first(guarded) };
}

function needsOf(question: AwaitedQuestion, edge: GraphEdge, { next, closed }: NextEdges): string {
  const { planned, leaves } = question;
  const opens = `the guard ${edge.guard} opens; it is closed now`;
  if (edge.event === beginEvent)
    return edge.event === next?.event
      ? `the operator starts the application again, as ${question.target?.state ?? "another state"} is desired${laterThan(question.target?.notBefore, question.now)}`
      : "a new target starts the application again: change spec.lifecycle.desiredState";
  // Where the graph may lead back, its own guard need not be what keeps the operator from it.
  const isClosed = edge === closed && !mayLeadBack(planned.index, leaves, edge);
  if (isClosed) return `${causeOf(question, edge, true)}, once ${opens}`;
  if (takerOf(edge) === "graph")
    return edge.guard === undefined ? "nothing: it is taken automatically" : opens;
  return `${causeOf(question, edge, edge === next || edge === closed)}${guardClause(planned.index, leaves, edge)}`;
}

function causeOf({ planned, status, typed, now }: AwaitedQuestion, edge: GraphEdge, isNext: boolean): string {
  const name = edge.event.slice(edge.event.indexOf(".") + 1);
  switch (takerOf(edge)) {
    case "observation":
      return `the application is observed as ${name}`;
    case "operator":
      return isNext
        ? `taken by the operator, on the path to ${status.target?.state ?? name}${laterThan(status.target?.notBefore, now)}`
        : `spec.lifecycle.desiredState asks for ${name}, or for a state beyond it${
            planned.index.nodes.get(name)?.type === "final" ? "; or the object is deleted" : ""
          }`;
    case "task":
      return `${taskIn(edge)} is done${progressOf(status, taskIn(edge))}`;
    case "failure":
      return `${taskIn(edge)} fails permanently`;
    case "timer": {
      const due = status.timers[edge.eventType]?.due;
      const instant = readInstant(due);
      if (instant === undefined) return `${describeDelay(edge.delay)} elapses`;
      return instant > now
        ? `${describeDelay(edge.delay)} elapses in ${formatLength(instant - now)}`
        : `${describeDelay(edge.delay)} elapsed; the operator has not handled it yet`;
    }
    case "human":
      return `send it manually: ${sendLine(typed, name)}`;
    case "spec":
      return "the spec is changed";
    case "graph":
    case "nobody":
      return "no event triggers it";
  }
  return "";
}

function laterThan(instant: string | undefined, now: number): string {
  return (readInstant(instant) ?? now) > now ? `, after ${instant}` : "";
}

function taskIn({ event }: GraphEdge): string {
  return event.slice(event.indexOf(".") + 1);
}

function progressOf({ tasks }: StoredStatus, id: string): string {
  const task = tasks[id];
  if (task === undefined) return "";
  const progress = task.progress === undefined ? "" : `, ${Math.round(task.progress * 100)} %`;
  return ` (${task.phase}${progress})`;
}
