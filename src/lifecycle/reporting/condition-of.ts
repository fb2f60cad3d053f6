// The condition `Lifecycle`, from what a cycle found out. The reason is the state itself: it is what the application is restored from when all else is lost. Nothing in here changes while nothing happens.
import type { NewCondition } from "../../meta/condition.ts";
import { keptGetter } from "../../collections/shared-getters.ts";
import { formatLeaves, type Leaves } from "../../statechart/configuration.ts";
import { isAtRest, isIntervening } from "../graph/roles.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { humanEventsOf } from "../derive-events.ts";
import type { Observation } from "../observation.ts";
import { takerOf, type EdgeTaker } from "../graph/edge-taker.ts";
import type { Hop } from "../graph/possible-hops.ts";
import { guardClause, takeableEdges } from "../graph/takeable-edges.ts";
import { placedMessage, type Problem } from "../../ports/problem.ts";
import { errorsIn } from "./problem-condition.ts";
import { lifecycleCondition } from "../stored/restore.ts";
import { describePause } from "../pause.ts";
import type { MoveRecord, PauseRecord } from "../stored/snapshot.ts";
import { explainMissingPath, isWanting } from "../targets/path-to-target.ts";
import { describeCount } from "../tasks/task-progress.ts";
import type { CountedProgress, TaskRecord } from "../tasks/task-record.ts";
import { unknownObservation } from "./unknown-observation.ts";
import type { Tasks } from "../tasks/tasks.ts";
import { isEnding, isLeft } from "../tasks/unsuccessful-end.ts";
import type { TargetRecord } from "../targets/target-record.ts";
import { isMaintained, isSettled } from "../targets/target-rules.ts";
import type { GraphEdge } from "../../statechart/graph.ts";

/** What a condition is made of. */
export interface Findings {
  readonly lifecycle: Lifecycle;
  readonly generation: number;
  readonly leaves: Leaves;
  readonly target: TargetRecord;
  /** Why the target of the spec is none. */
  readonly refused: string | undefined;
  /** Undefined: no path leads to the target. */
  readonly plan: readonly Hop[] | undefined;
  /** The edge that a guard keeps closed. */
  readonly closed: GraphEdge | undefined;
  /** The edge that cannot be taken, because something of the author's throws. */
  readonly failed: GraphEdge | undefined;
  /** The edge from which the graph leads back at once. */
  readonly returning: GraphEdge | undefined;
  /** How far the work of children is, where they do any. */
  readonly progress?: CountedProgress;
  readonly tasks: Tasks;
  readonly observation: Observation | undefined;
  readonly observationError: string | undefined;
  /** A change of the spec waits. */
  readonly configWaits: boolean;
  readonly last: MoveRecord | undefined;
  readonly paused: PauseRecord | undefined;
  /** The resource is being deleted, and its lifecycle has no end to lead to. */
  readonly goesWithoutEnd: boolean;
  readonly problems: readonly Problem[];
}

/** `metav1.Condition.message` accepts 32,768 characters; people do not. */
const longestMessage = 1_024;

/** Whether the target is reached and the application rests. */
export function isContent(findings: Pick<Findings, "lifecycle" | "leaves" | "target">): boolean {
  const { lifecycle, leaves, target } = findings;
  return target.reached && (isMaintained(lifecycle, target.state) || isAtRest(lifecycle, leaves));
}

/** Whether it rests and nothing more is to be done for the target, also where that was given up. */
export function isAsDesired(findings: Pick<Findings, "lifecycle" | "leaves" | "target">): boolean {
  const { lifecycle, leaves, target } = findings;
  return isContent(findings) || (isSettled(lifecycle, target) && isAtRest(lifecycle, leaves));
}

/**
 * The condition `Lifecycle`: True once the target is reached, Unknown while the application cannot be observed. Its message is worked out
 * when it is asked for: nobody reads that of a state that is passed through.
 */
export function conditionOf(findings: Findings): NewCondition {
  const { observationError } = findings;
  return withMessage(
    {
      type: lifecycleCondition,
      status: observationError === undefined ? (isWhollyContent(findings) ? "True" : "False") : "Unknown",
      reason: formatLeaves(findings.leaves),
      observedGeneration: findings.generation,
    },
    findings,
  );
}

const withMessage = keptGetter("message", messageOf);

function isWhollyContent(findings: Findings): boolean {
  const { refused, configWaits, problems } = findings;
  return isContent(findings) && refused === undefined && !configWaits && errorsIn(problems).length === 0;
}

function messageOf(findings: Findings): string {
  const { refused, observationError, configWaits, problems } = findings;
  const content = isWhollyContent(findings);
  const unknown = unknownObservation(findings.lifecycle, findings.leaves, findings.observation);
  const sentences = [
    ...(findings.paused === undefined ? [] : [describePause(findings.paused)]),
    refused ?? situationOf(findings),
    ...(observationError === undefined ? [] : [`the application cannot be observed: ${observationError}`]),
    ...(content || unknown === undefined ? [] : [unknown]),
    ...(configWaits ? ["a change of the spec waits until the application is at rest"] : []),
    ...new Set(errorsIn(problems).map(placedMessage)),
    ...tasksOf(findings.tasks, isLeft),
    ...rolloutOf(findings),
  ];
  return sentences.join("; ").slice(0, longestMessage);
}

/** What of the children's work the sentences about tasks do not say. */
function rolloutOf({ progress, tasks }: Findings): readonly string[] {
  const isOfTask = Object.values(tasks).some(({ counted }) => counted === progress);
  return progress === undefined || isOfTask ? [] : [describeCount(progress)];
}

function situationOf(findings: Findings): string {
  const { lifecycle, leaves, target, observation, tasks, last } = findings;
  const here = formatLeaves(leaves);
  if (findings.goesWithoutEnd) {
    const ending = tasksOf(tasks, (id, task) => isEnding(task) && !isLeft(id, task));
    return [`${here}; the resource is being deleted`, ...ending].join("; ");
  }
  const seen = observation?.message === undefined ? "" : `: ${observation.message}`;
  if (isIntervening(lifecycle, leaves) && !target.reached) {
    const { index } = lifecycle;
    const edges = takeableEdges(index, leaves).filter(({ targets }) => targets.length > 0);
    const clauseOf = (type: string): string => {
      const edge = edges.find(({ eventType }) => eventType === type);
      return edge === undefined ? "" : guardClause(index, leaves, edge);
    };
    const spec = "config.changed";
    const bySpec = edges.some(({ eventType }) => eventType === spec);
    const ways = [
      ...humanEventsOf(index, leaves).map((event) => `${event}${clauseOf(`human.${event}`)}`),
      ...(bySpec ? [`or a changed spec${clauseOf(spec)}`] : []),
    ];
    const hint = ways.length === 0 ? "" : `; accepted: ${ways.join(", ")}`;
    return `manual intervention required: ${last?.cause ?? "no reason is recorded"}${hint}`;
  }
  const work = tasksOf(tasks, (id, task) => task.phase !== "Succeeded" && !isLeft(id, task));
  if (isMaintained(lifecycle, target.state) && target.reached) {
    return [`${here}, as desired${seen}`, ...work].join("; ");
  }
  if (isSettled(lifecycle, target)) return [settledOf(findings, here), ...work].join("; ");
  return [...(work.length > 0 ? work : [`${here}${seen}`]), repeatsOf(findings, here), ...wayOf(findings)]
    .filter((text) => text !== "")
    .join("; ");
}

function settledOf({ target, last }: Findings, here: string): string {
  const request = target.request === undefined ? "" : ` for "${target.request}"`;
  const again = "change spec.lifecycle.request to request it again";
  if (target.outcome === "failed") {
    const why = target.cause === undefined ? "" : `: ${target.cause}`;
    return `${target.state} was tried${request} and failed${why}; now ${here}; ${again}`;
  }
  if (target.outcome === "aborted") {
    return `${target.state} was ended${request} by ${target.cause ?? last?.event ?? "a person"}; now ${here}; ${again}`;
  }
  if (target.outcome === "lost") {
    return `whether ${target.state} was done${request} is not known, because its record was lost; now ${here}; ${again}`;
  }
  return `${target.state} was done${request}; now ${here}`;
}

/** The graph begins the desired state again and again, before its work is done. */
function repeatsOf({ target, last }: Findings, here: string): string {
  const { entered, failures } = target;
  if (entered !== true || failures === undefined || last?.from !== here) return "";
  return `${target.state} has begun again ${failures} ${failures === 1 ? "time" : "times"}, last: ${last.cause}`;
}

/** What leads on to the target, or what blocks it. */
function wayOf(findings: Findings): readonly string[] {
  const { lifecycle, leaves, target, plan, closed, failed, returning } = findings;
  const { index } = lifecycle;
  if (!isWanting(lifecycle, target, leaves)) return [];
  const hop = plan?.[0]?.edge === failed ? undefined : plan?.[0];
  const blocked = hop === undefined ? `, so ${target.state} is not reached` : "";
  const ways = [
    ...(target.failures === undefined || target.cause === undefined ? [] : [failuresOf(target)]),
    ...(failed === undefined ? [] : [`${failed.event} cannot be taken${blocked}`]),
    ...(closed === undefined
      ? []
      : [`the guard ${closed.guard ?? ""} keeps ${closed.event} closed${blocked}`]),
    ...(returning === undefined
      ? []
      : [
          `${returning.event} is not taken, as the graph leads back to ${formatLeaves(leaves)} at once${blocked}`,
        ]),
  ];
  if (hop !== undefined) {
    const taker = takerOf(hop.edge);
    const isPutOff = taker === "operator" && target.notBefore !== undefined;
    const next = isPutOff
      ? `next try after ${target.notBefore}`
      : `${target.state} is desired, next is ${formatLeaves(hop.to)} by ${hop.edge.event}${waitingFor[taker]}${guardClause(index, leaves, hop.edge)}`;
    return [...ways, next];
  }
  const isExplained = [failed, closed, returning].some((edge) => edge !== undefined);
  return isExplained ? ways : [...ways, explainMissingPath(lifecycle, leaves, target.state)];
}

function failuresOf({ state, failures = 1, cause = "unknown" }: TargetRecord): string {
  return `the path to ${state} failed ${failures === 1 ? "once" : `${failures} times`}, last: ${cause}`;
}

const waitingFor: Readonly<Record<EdgeTaker, string>> = {
  observation: ", once it is observed",
  task: ", once the task is done",
  timer: ", once it elapses",
  human: ", which a person must send",
  spec: ", once the spec is changed",
  failure: ", should it fail",
  operator: "",
  graph: "",
  nobody: "",
};

function tasksOf(tasks: Tasks, isMeant: (id: string, task: TaskRecord) => boolean): string[] {
  return Object.entries(tasks)
    .filter(([id, task]) => isMeant(id, task))
    .map(([id, task]) => describeTask(id, task));
}

/** Who is being ended, and why; the key of one whose state was left says nobody anything. */
function failedOf(id: string, task: TaskRecord): string {
  if (isLeft(id, task)) return task.src;
  return task.failure === undefined ? id : `${id} failed: ${task.failure}; it`;
}

function describeTask(id: string, task: TaskRecord): string {
  const message = task.message === undefined ? "" : `: ${task.message}`;
  switch (task.phase) {
    case "Intended":
      return task.nextAttempt === undefined
        ? `${id} is being started${message}`
        : `${id} is tried again after ${task.nextAttempt}${message}`;
    case "Running": {
      if (task.counted !== undefined) return `${id}: ${describeCount(task.counted)}${message}`;
      const progress =
        task.progress === undefined ? "is running" : `${Math.round(task.progress * 100)} % done`;
      return `${id} ${progress}${message}`;
    }
    case "Cancelling":
      return `${failedOf(id, task)} is being cancelled${message}`;
    case "Compensating":
      return `${failedOf(id, task)} is being compensated${message}`;
    case "Failed":
      return `${id} failed${message}`;
    case "Succeeded":
      return `${id} is done${message}`;
  }
  return id;
}
