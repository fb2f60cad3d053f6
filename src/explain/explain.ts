// Explains one object from what the cluster holds: its definition's graph, itself, its children, the Events about it.
// Pure: the command line reads the cluster and prints the result.
import { desiredStatesOf } from "../lifecycle/graph/desired-states.ts";
import { eventNameOf } from "../lifecycle/reporting/move-text.ts";
import { isIntervening, rolesOf } from "../lifecycle/graph/roles.ts";
import type { PlannedGraph } from "../lifecycle/graph/reliance.ts";
import { acceptedHumanEvents } from "../lifecycle/human-request.ts";
import { pausedNow } from "../lifecycle/pause.ts";
import { readStatus, type StoredStatus } from "../lifecycle/stored/read-status.ts";
import {
  formatInstant,
  readCount,
  readField,
  readFields,
  readInstant,
  readText,
  type Fields,
} from "../lifecycle/values/untrusted.ts";
import type { Child } from "../meta/child.ts";
import type { Condition } from "../meta/condition.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { RecentRun } from "../ports/recent-run.ts";
import {
  activeStates,
  indexGraph,
  parseLeaves,
  type GraphIndex,
  type Leaves,
} from "../statechart/configuration.ts";
import type { MachineGraph } from "../statechart/graph.ts";
import { awaitedEdges } from "./awaited-edges.ts";
import { blockersOf, formerOperatorBlockers } from "./blockers.ts";
import { deletionBlockersOf } from "./deletion-blockers.ts";
import type {
  ExplainedReplica,
  ExplainedTask,
  ExplainedTimer,
  ExplainedTarget,
  Explanation,
  FormerOperator,
  ObjectEvent,
} from "./explanation.ts";

/** What was read from the cluster. */
export interface ExplainInput {
  readonly object: KubeObject;
  readonly type: ResourceType;
  /** The lifecycle's graph, from the kind's definition; absent when it has none. */
  readonly graph?: MachineGraph;
  readonly children: readonly Child[];
  readonly events: readonly ObjectEvent[];
  /** The last runs, newest first, when the operator was asked. */
  readonly runs?: readonly RecentRun[];
  /** Absent when nothing shares objects of its kind. */
  readonly replica?: ExplainedReplica;
  /** Absent when the kind's operator has it, or is not known. */
  readonly formerOperator?: FormerOperator;
  /** What could not be read. */
  readonly unknown?: readonly string[];
  /** The operator was asked for its last runs, with or without an answer. */
  readonly asked?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the cluster alone cannot tell. */
const untold =
  "Why it was last reconciled is known only to the running operator. Ask it with --operator URL, its health address " +
  "(in a cluster: kubectl port-forward to its pod first).";

/** How many Events are kept. */
const newestEvents = 10;

/** Explains. Never throws for anything stored: a status that is damaged explains less. */
export function explain(input: ExplainInput): Explanation {
  const { object, type, graph, children, now } = input;
  const { kind, metadata } = object;
  const { name, namespace, uid, generation, deletionTimestamp, creationTimestamp } = metadata;
  const raw = readFields(readField(readFields(object) ?? {}, "status")) ?? {};
  const stored = readField(raw, "lifecycle");
  const status = readStatus(stored);
  const conditions = conditionsOf(readField(raw, "conditions"));
  const index = graph === undefined ? undefined : indexGraph(graph);
  const leaves = index === undefined ? undefined : leavesOf(index, status, conditions);
  const { plan = [] } = status;
  const standing = pausedNow(status.paused, now);
  const typed = `${kind.toLowerCase()}/${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
  const planned = index === undefined ? undefined : { index, roles: rolesOf(index) };
  const target = planned === undefined ? undefined : explainTarget(object, status, planned);
  const accepted =
    index === undefined || leaves === undefined
      ? []
      : acceptedHumanEvents({
          index,
          leaves,
          paused: status.paused,
          deleting: deletionTimestamp !== undefined,
        });
  const explained = {
    object: {
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      ...(generation === undefined ? {} : { generation }),
      age: now - (readInstant(creationTimestamp) ?? now),
      ...(deletionTimestamp === undefined ? {} : { deletingSince: deletionTimestamp }),
    },
    ...(leaves === undefined || index === undefined
      ? {}
      : { state: explainState(index, leaves, status, now) }),
    ...(status.paused === undefined ? {} : { paused: { ...status.paused, lasted: now - standing } }),
    ...(target === undefined ? {} : { target }),
    plan,
    accepted,
  };
  const tasks = explainTasks(status, standing);
  const awaited =
    planned === undefined || leaves === undefined
      ? []
      : awaitedEdges({
          planned,
          leaves,
          status,
          plan,
          // What may not be desired is not led to.
          target: isRefused(object, status, planned) ? undefined : status.target,
          typed,
          now: standing,
        });
  const isTriedAgain = awaited.some(({ next, taker }) => next && taker === "operator");
  const blockers = blockersOf({
    ...explained,
    tasks,
    conditions,
    observedGeneration: readCount(readField(raw, "observedGeneration")) ?? newestGeneration(conditions),
    notBefore: isTriedAgain ? laterThan(status.target?.notBefore, standing) : undefined,
    replica: input.replica,
    intervening: planned !== undefined && leaves !== undefined && isIntervening(planned, leaves),
    busy: tasks.some(({ phase }) => phase !== "Failed" && phase !== "Succeeded"),
    typed,
  });
  return {
    ...explained,
    awaited,
    tasks,
    timers: explainTimers(status, standing),
    conditions,
    blockers: [
      ...formerOperatorBlockers(kind, input.formerOperator),
      ...deletionBlockersOf({
        object,
        ours: `${type.plural}.${type.group}/finalizer`,
        abandoned: input.formerOperator !== undefined,
        oursWaitsFor: oursWaitsFor(explained.state?.name, plan, conditions),
        children,
      }),
      ...blockers,
    ],
    children,
    events: newest(input.events),
    ...(input.runs === undefined ? {} : { runs: input.runs }),
    ...(input.replica === undefined ? {} : { replica: input.replica }),
    unknown: [
      ...(input.unknown ?? []),
      ...(input.runs === undefined && input.asked !== true ? [untold] : []),
    ],
  };
}

function leavesOf(
  index: GraphIndex,
  { state, value }: StoredStatus,
  conditions: readonly Condition[],
): Leaves | undefined {
  const reason = conditions.find(({ type }) => type === "Lifecycle")?.reason;
  for (const text of [reason, value, state]) {
    const leaves = text === undefined ? undefined : parseLeaves(index, text);
    if (leaves !== undefined) return leaves;
  }
  return undefined;
}

function explainState(
  index: GraphIndex,
  leaves: Leaves,
  { since, last, graph }: StoredStatus,
  now: number,
): NonNullable<Explanation["state"]> {
  const description = activeStates(index, leaves).findLast(
    (node) => node.description !== undefined,
  )?.description;
  return {
    name: leaves.join(","),
    ...(description === undefined ? {} : { description }),
    ...(since === undefined ? {} : { since: formatInstant(since), lasted: now - since }),
    ...(last === undefined ? {} : { last: { ...last, event: eventNameOf(last) } }),
    ...(graph === undefined ? {} : { graph }),
  };
}

function readAsked(object: KubeObject): Fields {
  const spec = readFields(readField(readFields(object) ?? {}, "spec")) ?? {};
  return readFields(readField(spec, "lifecycle")) ?? {};
}

/** Whether the spec asks for what may not be desired, also not by a former name: then nothing is done for it. */
function isRefused(object: KubeObject, { target }: StoredStatus, planned: PlannedGraph): boolean {
  const asked = readText(readField(readAsked(object), "desiredState"));
  if (asked === undefined || target?.asked === asked) return false;
  return (
    object.metadata.deletionTimestamp === undefined && !desiredStatesOf(planned).desirable.includes(asked)
  );
}

function explainTarget(object: KubeObject, { target }: StoredStatus, planned: PlannedGraph): ExplainedTarget {
  const { desirable, defaultTarget } = desiredStatesOf(planned);
  const lifecycle = readAsked(object);
  const asked = readText(readField(lifecycle, "desiredState")) ?? defaultTarget;
  const request = readText(readField(lifecycle, "request"));
  const more = request === undefined ? {} : { request };
  const deleting = object.metadata.deletionTimestamp !== undefined;
  const known = desirable.includes(asked);
  const { transient } = planned.roles;
  if (target === undefined) {
    return { state: asked, ...more, maintained: !transient.has(asked), reached: false, deletion: false };
  }
  const taken =
    ((target.asked ?? target.state) === asked && target.request === request) ||
    target.deletion === true ||
    deleting;
  return {
    state: target.state,
    ...(target.request === undefined ? {} : { request: target.request }),
    maintained: !transient.has(target.state),
    reached: target.reached,
    ...(target.outcome === undefined ? {} : { outcome: target.outcome }),
    ...(target.cause === undefined ? {} : { cause: target.cause }),
    deletion: target.deletion === true,
    ...(taken || !known ? {} : { asked: { state: asked, ...more } }),
  };
}

function explainTasks({ tasks }: StoredStatus, now: number): readonly ExplainedTask[] {
  return Object.entries(tasks).map(([id, task]) => {
    const { src, phase, attempt, progress, message, failure, startedAt, deadline, nextAttempt } = task;
    const until = readInstant(deadline);
    const optional = {
      progress,
      message,
      failure,
      startedAt,
      deadline,
      remaining: until === undefined ? undefined : until - now,
      nextAttempt,
    };
    const known = Object.entries(optional).filter(([, value]) => value !== undefined);
    return { id, src, phase, attempt, ...(Object.fromEntries(known) as Partial<ExplainedTask>) };
  });
}

function explainTimers({ timers }: StoredStatus, now: number): readonly ExplainedTimer[] {
  return Object.values(timers)
    .filter(({ delivered }) => delivered !== true)
    .map(({ state, delay, due }) => ({ state, delay, due, remaining: (readInstant(due) ?? now) - now }))
    .sort((a, b) => a.remaining - b.remaining);
}

function oursWaitsFor(
  state: string | undefined,
  plan: readonly string[],
  conditions: readonly Condition[],
): string {
  const message = conditions.find(
    ({ type, status }) => type === "ReconciliationSuccess" && status === "False",
  )?.message;
  if (state !== undefined && plan.length > 0)
    return `the application is in ${state}, and ${plan.join(", ")} remain`;
  if (state !== undefined)
    return `the application is in ${state}${message === undefined ? "" : `; ${message}`}`;
  return message ?? "the operator cleans up, then removes the finalizer";
}

function conditionsOf(value: unknown): readonly Condition[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each: unknown): each is Condition => {
    const condition = readFields(each) ?? {};
    return ["type", "status", "reason", "message"].every(
      (name) => typeof readField(condition, name) === "string",
    );
  });
}

function newestGeneration(conditions: readonly Condition[]): number | undefined {
  const generations = conditions.flatMap(({ observedGeneration }) => observedGeneration ?? []);
  return generations.length === 0 ? undefined : Math.max(...generations);
}

function laterThan(instant: string | undefined, now: number): string | undefined {
  return (readInstant(instant) ?? 0) > now ? instant : undefined;
}

function newest(events: readonly ObjectEvent[]): readonly ObjectEvent[] {
  const seen = ({ lastSeen }: ObjectEvent): number => readInstant(lastSeen) ?? 0;
  return events.toSorted((a, b) => seen(b) - seen(a)).slice(0, newestEvents);
}
