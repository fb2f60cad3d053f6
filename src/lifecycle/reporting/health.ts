// How the application is, for tools that wait: from the roles and tags of the active states, the target and what keeps it.
// The reason is the state. Nothing in here changes while nothing happens.
import {
  formatLeaves,
  isActive,
  keptByLeaves,
  lineageOf,
  type GraphIndex,
  type Leaves,
} from "../../statechart/configuration.ts";
import type { Finding, Health } from "../../meta/health.ts";
import { placedMessage, type Problem } from "../../ports/problem.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { takerOf } from "../graph/edge-taker.ts";
import { isAtRest, isIntervening } from "../graph/roles.ts";
import { explainMissingPath, isWaiting, isWanting } from "../targets/path-to-target.ts";
import { isMaintained } from "../targets/target-rules.ts";
import { isAsDesired, type Findings } from "./condition-of.ts";
import { errorsIn } from "./problem-condition.ts";
import { describeGrace, type SpentGrace } from "../timers/grace-timers.ts";

/** Tags, in any case, that say how the application is in a state. */
type HealthTag = "ready" | "progressing" | "degraded";

/** What the health is made of besides the findings. */
export interface HealthQuestion extends Findings {
  readonly deleting: boolean;
  /** The text of the condition `Lifecycle`. */
  readonly situation: string;
  /** The grace that is over. */
  readonly grace?: SpentGrace | undefined;
}

/**
 * The health.
 *
 * `ready`: a state tagged `ready` is active, in each of the regions side by side that use the tag. Without the tag: the
 * application rests as desired and serves. Never while it is stalled, deleted or suspended; unknown while it cannot be observed.
 * `reconciling`: it is on its way, or a state tagged `progressing` is active.
 * `stalled`: nothing leads on without somebody's help, or it takes longer than twice the grace of a state.
 * `degraded`: a state tagged `degraded` is active, or one that has failed or waits for a person, or it takes longer than the
 * grace of a state.
 */
export function healthOf(question: HealthQuestion): Health {
  const { lifecycle, leaves, deleting, situation, grace } = question;
  const reason = formatLeaves(leaves);
  const isDegraded =
    isAnyTagged(lifecycle.index, leaves, "degraded") ||
    isIntervening(lifecycle, leaves) ||
    isFailure(lifecycle, leaves);
  const why = deleting ? undefined : stallOf(question);
  const isOnItsWay = why === undefined && (deleting || isReconciling(question));
  return {
    ready: readyOf(question, why),
    ...(isOnItsWay ? { reconciling: { reason, message: situation } } : {}),
    ...(why === undefined ? {} : { stalled: { reason, message: why } }),
    ...(isDegraded
      ? { degraded: { reason, message: `the application is degraded in ${reason}` } }
      : grace === undefined
        ? {}
        : { degraded: { reason, message: describeGrace(grace) } }),
  };
}

/** The health while the operator cannot do what it has decided, and only somebody can change that. */
export function blockedHealth(reason: string, problem: Problem): Health {
  const blocked = { reason, message: blockedBy(problem) };
  return { ready: { status: "False", ...blocked }, stalled: blocked };
}

/** The health while nothing is known: nothing stored can be trusted, and nothing is observed. */
export function unknownHealth({ reason, message }: Finding): Health {
  const finding = { reason, message };
  return { ready: { status: "Unknown", ...finding }, reconciling: finding };
}

function blockedBy(problem: Problem): string {
  return `the lifecycle cannot go on: ${placedMessage(problem)}`.slice(0, 1_024);
}

/** Why nothing leads on without somebody's help; undefined when something does, or nothing has to. */
function stallOf(question: HealthQuestion): string | undefined {
  const { lifecycle, leaves, target, refused, problems, situation, plan, grace } = question;
  const [error] = errorsIn(problems);
  if (error !== undefined) return blockedBy(error);
  if (refused !== undefined) return refused;
  if (isIntervening(lifecycle, leaves)) return situation;
  // One that only waits to be observed elsewhere is well.
  const isStuck = plan === undefined && !isWaiting(lifecycle, leaves, target.state);
  if (isWanting(lifecycle, target, leaves) && isStuck) {
    return explainMissingPath(lifecycle, leaves, target.state);
  }
  if (grace?.twice === true) return `${describeGrace(grace)}; ${situation}`.slice(0, 1_024);
  if (!isAtRest(lifecycle, leaves)) return undefined;
  const isOver = target.outcome === "failed" || isElsewhere(question);
  return isOver || (isFailure(lifecycle, leaves) && !isLeaving(question)) ? situation : undefined;
}

/** Whether the operator itself leads on from here. */
function isLeaving({ plan = [] }: Findings): boolean {
  const [next] = plan;
  return next !== undefined && ["operator", "task", "timer", "graph"].includes(takerOf(next.edge));
}

function isReconciling(question: HealthQuestion): boolean {
  const { lifecycle, leaves, configWaits } = question;
  return configWaits || !isAsDesired(question) || isAnyTagged(lifecycle.index, leaves, "progressing");
}

function readyOf(question: HealthQuestion, stall: string | undefined): Health["ready"] {
  const { lifecycle, leaves, observationError, deleting } = question;
  const state = formatLeaves(leaves);
  const not = (reason: string, message: string): Health["ready"] => ({ status: "False", reason, message });
  if (stall !== undefined) return not(state, stall);
  if (deleting) return not(state, "the resource is being deleted");
  if (observationError !== undefined) {
    return { status: "Unknown", reason: state, message: "the application cannot be observed" };
  }
  if (
    isAsDesired(question) &&
    leaves.every((leaf) => lifecycle.roles.states.get(leaf)?.role === "suspended")
  ) {
    return not("Suspended", `the application is suspended in ${state}, as desired`);
  }
  if (isEndedByRequest(question)) return not("Ended", `the application has ended in ${state}, as desired`);
  const { index } = lifecycle;
  const usesTag = index.graph.nodes.some((node) => hasTag(node.tags, "ready"));
  return (usesTag ? isReady(index, leaves) : isAsDesired(question))
    ? { status: "True", reason: state, message: `the application is ready in ${state}` }
    : not(state, `the application is not ready in ${state}`);
}

/** Whether it rests where nobody wants to have it: a person has ended the way to a state that is to be maintained. */
function isElsewhere({ lifecycle, leaves, target }: Findings): boolean {
  return (
    target.outcome !== undefined && isMaintained(lifecycle, target.state) && !isActive(leaves, target.state)
  );
}

/** Whether it has ended because somebody desired that: where the end is what a life is for, it has succeeded. */
function isEndedByRequest({ lifecycle, leaves }: Findings): boolean {
  const isFinal = (path: string): boolean => lifecycle.index.nodes.get(path)?.type === "final";
  return leaves.every(isFinal) && !isFinal(lifecycle.defaultDesiredState);
}

function isFailure({ roles }: Lifecycle, leaves: Leaves): boolean {
  return leaves.some((leaf) => roles.failure.has(leaf));
}

/** Whether a state is tagged ready, seen from the top: a tag on an outer state counts for all inside it. */
function isReady(index: GraphIndex, leaves: Leaves, path = ""): boolean {
  const node = index.nodes.get(path);
  if (node !== undefined && hasTag(node.tags, "ready")) return true;
  const children = index.children.get(path) ?? [];
  const active = children.filter((child) => isActive(leaves, child.path));
  const isParallel = path === "" ? index.graph.parallel : node?.type === "parallel";
  if (!isParallel) return active.some((child) => isReady(index, leaves, child.path));
  const asked = active.filter((child) => usesReady(index, child.path));
  return asked.length > 0 && asked.every((child) => isReady(index, leaves, child.path));
}

function usesReady(index: GraphIndex, path: string): boolean {
  return index.graph.nodes.some((node) => lineageOf(node.path).includes(path) && hasTag(node.tags, "ready"));
}

function isAnyTagged(index: GraphIndex, leaves: Leaves, tag: HealthTag): boolean {
  return tagsAt(index, leaves).has(tag);
}

/** The tags of the active states, in small letters. */
const tagsAt = keptByLeaves((index, leaves): ReadonlySet<string> => {
  const tags = leaves.flatMap(lineageOf).flatMap((path) => index.nodes.get(path)?.tags ?? []);
  return new Set(tags.map((tag) => tag.toLowerCase()));
});

function hasTag(tags: readonly string[], tag: HealthTag): boolean {
  return tags.some((each) => each.toLowerCase() === tag);
}
