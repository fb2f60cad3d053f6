// What keeps an application from going on, from its status: the first reason is the one to look at. Pure.
import { readProblem } from "../lifecycle/reporting/problem-condition.ts";
import { findCondition, type Condition } from "../meta/condition.ts";
import type { Blocker, ExplainedReplica, Explanation, FormerOperator } from "./explanation.ts";
import { sendLine } from "./send-line.ts";

/** What {@link blockersOf} reads. */
export interface BlockedQuestion extends Pick<
  Explanation,
  "object" | "state" | "paused" | "target" | "plan" | "accepted" | "tasks"
> {
  readonly conditions: readonly Condition[];
  readonly observedGeneration: number | undefined;
  readonly replica: ExplainedReplica | undefined;
  /** Not before it the way to the target is tried again. */
  readonly notBefore: string | undefined;
  /** The state that takes what the operator cannot settle is active. */
  readonly intervening: boolean;
  /** A task runs or is about to. */
  readonly busy: boolean;
  /** How the object is typed on the command line. */
  readonly typed: string;
}

/** The reasons, the most decisive first; none when nothing keeps it. */
export function blockersOf(question: BlockedQuestion): readonly Blocker[] {
  return [
    ...paused(question),
    ...behind(question),
    ...unowned(question),
    ...reconciliation(question),
    ...unobservable(question),
    ...problem(question),
    ...ending(question),
    ...person(question),
    ...unreached(question),
  ];
}

/** Nobody is there who would do anything; it comes before all other reasons. */
export function formerOperatorBlockers(
  kind: string,
  operator: FormerOperator | undefined,
): readonly Blocker[] {
  if (operator === undefined) return [];
  const { name, deployments } = operator;
  return [
    {
      reason: "NoOperator",
      message: `no operator has the kind ${kind} any more: ${name} (Deployment ${deployments.join(", ")}) was installed without it`,
      remedy: `Install a version of ${name} that has the kind, or the operator that has taken it over.`,
    },
  ];
}

function paused(question: BlockedQuestion): Blocker[] {
  if (question.paused === undefined) return [];
  const { by, at } = question.paused;
  const message = `it is paused${by === undefined ? "" : ` by ${by}`} since ${at}: no state changes and no writes`;
  return [{ reason: "Paused", message, remedy: sendLine(question.typed, "resume") }];
}

function behind({ conditions, object, observedGeneration }: BlockedQuestion): Blocker[] {
  if (conditions.length === 0 && observedGeneration === undefined) {
    const message = "no operator has written a status yet";
    return [{ reason: "NotObserved", message, remedy: `Is the operator of ${object.kind} running?` }];
  }
  const { generation } = object;
  if (generation === undefined || observedGeneration === undefined || observedGeneration >= generation)
    return [];
  const message = `the operator has observed generation ${observedGeneration}; the spec is at generation ${generation}`;
  return [{ reason: "OperatorBehind", message, remedy: `Is the operator of ${object.kind} running?` }];
}

function unowned({ object, replica }: BlockedQuestion): Blocker[] {
  if (replica === undefined || replica.replicas > 0) return [];
  const message = "no replica of the operator is alive: all of its Leases have expired";
  return [{ reason: "NoReplica", message, remedy: `Is the operator of ${object.kind} running?` }];
}

function reconciliation({ conditions }: BlockedQuestion): Blocker[] {
  const condition = findCondition(conditions, "ReconciliationSuccess");
  if (condition === undefined || condition.status !== "False") return [];
  const message = `the last reconciliation failed (${condition.reason}): ${condition.message}`;
  return [{ reason: "ReconciliationFailed", message }];
}

function unobservable({ conditions }: BlockedQuestion): Blocker[] {
  const condition = findCondition(conditions, "Lifecycle");
  if (condition?.status !== "Unknown") return [];
  return [{ reason: "ApplicationUnobservable", message: condition.message }];
}

function problem({ conditions }: BlockedQuestion): Blocker[] {
  const found = readProblem(conditions);
  return found === undefined ? [] : [{ reason: "LifecycleProblem", ...found }];
}

/** A task that cannot be ended: a deletion waits until it is, and the machine for its failure. */
function ending({ tasks }: BlockedQuestion): Blocker[] {
  return tasks
    .filter(({ phase, message }) => endingPhases.includes(phase) && message !== undefined)
    .map(({ src, phase, message, nextAttempt }) => {
      const again = nextAttempt === undefined ? "" : `; next attempt after ${nextAttempt}`;
      if (phase === "Compensating") {
        return {
          reason: "CompensateFailed",
          message: `the task ${src} did not succeed, and its compensate function fails: ${message}${again}`,
          remedy: "Fix the cause of the failure; compensate is retried until it succeeds.",
        };
      }
      return {
        reason: "CancelFailed",
        message: `the task ${src} was cancelled, but its cancel function fails: ${message}${again}`,
        remedy: "Fix the cause of the failure; cancel is retried until it succeeds.",
      };
    });
}

const endingPhases: readonly string[] = ["Cancelling", "Compensating"];

function person(question: BlockedQuestion): Blocker[] {
  const { intervening, state, accepted, target } = question;
  if (!intervening || target?.reached === true) return [];
  const message = `manual intervention required: ${state?.last?.cause ?? "no reason is recorded"}`;
  const useful = accepted.filter((event) => event !== "pause");
  const remedy =
    useful.length === 0
      ? "Correct the spec."
      : `Fix the cause, then run: ${useful.map((event) => sendLine(question.typed, event)).join("; or ")}`;
  return [{ reason: "InterventionRequired", message, remedy }];
}

function unreached(question: BlockedQuestion): Blocker[] {
  const { target, plan, notBefore, intervening, busy, conditions, state } = question;
  if (target === undefined || target.reached || question.paused !== undefined || intervening) return [];
  const message = findCondition(conditions, "Lifecycle")?.message ?? "";
  if (notBefore !== undefined)
    return [{ reason: "RetryLater", message: `retried after ${notBefore}: ${message}` }];
  // Then that is the reason.
  if (readProblem(conditions) !== undefined) return [];
  const stuck = plan.length === 0 && !busy && state !== undefined && target.outcome === undefined;
  const isThere = state?.name.split(",").some((leaf) => `${leaf}:`.startsWith(`${target.state}:`)) === true;
  const isLedAround = /keeps \S+ closed|is not taken, as the graph leads back/.test(message);
  return (stuck && !isThere) || isLedAround ? [{ reason: "TargetBlocked", message }] : [];
}
