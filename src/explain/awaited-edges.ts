// The edges out of the present state, and what each of them waits for. Pure; part of an explanation.
import { takerOf } from "../lifecycle/graph/edge-taker.ts";
import { planPath } from "../lifecycle/graph/planner.ts";
import { describeDelay } from "../lifecycle/reporting/move-text.ts";
import type { PlannedGraph } from "../lifecycle/graph/reliance.ts";
import type { StoredStatus } from "../lifecycle/stored/read-status.ts";
import { readInstant } from "../lifecycle/values/untrusted.ts";
import { edgesOf, follow, formatLeaves, isActive, type Leaves } from "../statechart/configuration.ts";
import type { GraphEdge } from "../statechart/graph.ts";
import type { AwaitedEdge } from "./explanation.ts";
import { formatLength } from "./length.ts";
import { sendLine } from "./send-line.ts";

/** What {@link awaitedEdges} reads. */
export interface AwaitedQuestion {
  readonly planned: PlannedGraph;
  readonly leaves: Leaves;
  readonly status: StoredStatus;
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
  const next = nextEdge(question);
  return edgesOf(planned.index, leaves)
    .filter((edge) => edge.targets.length > 0)
    .map((edge): AwaitedEdge => {
      const isNext = edge === next;
      return {
        event: edge.event,
        ...(edge.guard === undefined ? {} : { guard: edge.guard }),
        to: formatLeaves(follow(planned.index, leaves, edge)),
        taker: takerOf(edge),
        next: isNext,
        needs: `${needsOf(question, edge, isNext)}${edge.guard === undefined ? "" : `, and the guard ${edge.guard} holds`}`,
      };
    })
    .sort((a, b) => Number(b.next) - Number(a.next));
}

function nextEdge({ planned, leaves, status: { target }, plan }: AwaitedQuestion): GraphEdge | undefined {
  if (plan.length === 0 || target === undefined) return undefined;
  const [hop] = planPath(planned, leaves, (at) => isActive(at, target.state), { target: target.state }) ?? [];
  return hop?.edge;
}

function needsOf({ planned, status, typed, now }: AwaitedQuestion, edge: GraphEdge, isNext: boolean): string {
  const name = edge.event.slice(edge.event.indexOf(".") + 1);
  switch (takerOf(edge)) {
    case "observation":
      return `the application is observed as ${name}`;
    case "operator":
      return isNext
        ? `taken by the operator, on the path to ${status.target?.state ?? name}`
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
      return "nothing: it is taken automatically";
    case "nobody":
      return "no event triggers it";
  }
  return "";
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
