// Where the application was, from what is stored: the state from the condition, the rest from the snapshot when it is
// whole and of this graph. Nothing stored can make this throw, or start a task.
import { addDefined } from "../../collections/defined-fields.ts";
import type { NewCondition } from "../../meta/condition.ts";
import type { Json } from "../../meta/object.ts";
import { enter, formatLeaves, lineageOf, parseLeaves, type Leaves } from "../../statechart/configuration.ts";
import type { GraphInvoke } from "../../statechart/graph.ts";
import type { Position } from "../../statechart/statechart.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { migratePosition } from "./former-graph.ts";
import { foundTasks, lastFound } from "../tasks/found-tasks.ts";
import { ownTasks } from "../tasks/own-tasks.ts";
import { damage } from "../values/damage.ts";
import type { Problem } from "../../ports/problem.ts";
import { isOwnDraft, readLeaves, readStatus, type StoredStatus } from "./read-status.ts";
import { withInputs } from "../tasks/restore-inputs.ts";
import { completeTasks } from "../tasks/restore-tasks.ts";
import { carryTimers } from "../timers/restore-timers.ts";
import { sizeOf } from "../values/json-size.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import { activeInvokes, type Tasks } from "../tasks/tasks.ts";
import { readField, readFields, readInstant, readInstantText, type Fields } from "../values/untrusted.ts";

/** The type of the condition that reports, and keeps, the state. */
export const lifecycleCondition = "Lifecycle";

/** The type of the condition that says whether the application is paused, and keeps the pause. */
export const pausedCondition = "Paused";

/** The reason while no state has been written yet. */
export const unknownState = "Unknown";

/** What is stored on the custom resource, untrusted. */
export interface StoredLifecycle {
  /** `status.lifecycle`. */
  readonly status: unknown;
  /** `status.conditions`. */
  readonly conditions: readonly NewCondition[] | undefined;
  /** UID of the custom resource. */
  readonly uid: string;
  /** Names of the objects that belong to it: one that is a task's key tells of a run whose record is lost. */
  readonly children?: readonly string[];
  /** The spec, for the inputs of tasks whose records have none. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** What could be restored. */
export interface RestoredLifecycle extends Pick<
  StoredStatus,
  "since" | "target" | "config" | "human" | "last" | "progress" | "output" | "timers" | "paused"
> {
  /**
   * `new`: nothing is stored. `lost`: nothing usable is, and yet a task was started once. `snapshot`, `migrated`, `condition`:
   * where the state comes from.
   * `unknown`: something is stored and says nothing usable.
   */
  readonly origin: "new" | "lost" | "snapshot" | "migrated" | "condition" | "unknown";
  /** Absent for `new`, `lost` and `unknown`. */
  readonly position?: Position;
  /** Where there is no position: the state of this graph that what another graph has stored names. Better than nothing. */
  readonly named?: Leaves;
  readonly entry: number;
  readonly tasks: Tasks;
  /** Event types of the timers that begin now, because they came with a state of a new graph. */
  readonly armed?: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Restores a lifecycle from its status and conditions.
 *
 * **Guarantees**: never throws; a task without a whole record is marked as lost, so that it is looked for and never
 * started; parts that are not whole are named in the problems.
 */
export function restoreLifecycle(lifecycle: Lifecycle, stored: StoredLifecycle): RestoredLifecycle {
  const reason = reasonOf(stored.conditions);
  const own = restoreOwn(lifecycle, stored.status, reason);
  if (own !== undefined) return own;
  // Looked for only where a record is missing: a settled resource may have many children.
  const findRuns = (): Tasks => foundTasks(lifecycle, stored.children ?? [], stored.uid);
  if (stored.status === undefined && reason === undefined) {
    const runs = findRuns();
    const under = lastFound(runs);
    const isNew = Object.keys(runs).length === 0;
    const problems = isNew ? [] : [damage(`the status is gone, and ${namesOf(under)} was started before`)];
    const origin = isNew ? "new" : "lost";
    return { origin, entry: lastOf(0, runs), tasks: under, timers: {}, ...pausedIn(stored), problems };
  }
  const problems: Problem[] = [];
  const read = readWithinBudget(lifecycle, stored, problems);
  const found = findPosition(lifecycle, read, reason, problems);
  const entry = lastOf(read.entry ?? 0, read.tasks);
  const tasks =
    found.position === undefined
      ? lostOr(read.tasks, findRuns)
      : withInputs(
          lifecycle,
          completeTasks(lifecycle, read.tasks, {
            leaves: found.position.leaves,
            // What is missing from damaged records may have been started all the same.
            isMigrated: found.origin === "migrated" && problems.length === 0,
            isWhole: found.origin === "snapshot" && problems.length === 0,
            entry,
            uid: stored.uid,
            findRuns,
          }),
          found.position,
          { spec: stored.spec, problems },
        );
  const { since, target, config, human, last, progress, output, paused } = read;
  const carried =
    found.origin === "migrated" && found.position !== undefined
      ? carryTimers(lifecycle, read.timers, reason ?? read.value ?? read.state ?? "", found.position.leaves)
      : { timers: read.timers };
  const isFound = found.position === undefined && tasks !== read.tasks && Object.keys(tasks).length > 0;
  return {
    origin: isFound ? "lost" : found.origin,
    ...(found.position === undefined ? {} : { position: found.position }),
    ...(found.named === undefined ? {} : { named: found.named }),
    entry: lastOf(entry, tasks),
    tasks,
    ...carried,
    ...(since === undefined ? {} : { since }),
    ...(target === undefined ? {} : { target }),
    ...(config === undefined ? {} : { config }),
    ...(human === undefined ? {} : { human }),
    ...(last === undefined ? {} : { last }),
    ...(progress === undefined ? {} : { progress }),
    ...(output === undefined ? {} : { output }),
    ...(paused === undefined ? pausedIn(stored) : { paused }),
    problems,
  };
}

/**
 * The same for what this process has decided, where no task is in it: all of it is whole and of this graph. Undefined for anything else,
 * and where somebody has changed the condition.
 */
function restoreOwn(
  lifecycle: Lifecycle,
  status: unknown,
  reason: string | undefined,
): RestoredLifecycle | undefined {
  if (!isOwnDraft(status)) return undefined;
  const {
    state,
    since,
    snapshot,
    graph,
    target,
    tasks,
    timers,
    config,
    human,
    last,
    progress,
    output,
    paused,
  } = status;
  const { index, graphId } = lifecycle;
  if (reason !== state || snapshot.value !== state || graph !== graphId || snapshot.graph !== graphId)
    return undefined;
  const leaves = parseLeaves(index, state);
  if (leaves === undefined || Object.keys(tasks).length > 0 || activeInvokes(lifecycle, leaves).length > 0) {
    return undefined;
  }
  const problems: Problem[] = [];
  const position = positionAt(lifecycle, leaves, snapshot.context, snapshot.history, problems);
  return addDefined(
    { origin: "snapshot" as const, position, entry: snapshot.entry, tasks, timers, problems },
    { since: readInstant(since), target, config, human, last, progress, output, paused },
  );
}

/** The highest number that is known of. */
function lastOf(entry: number, tasks: Tasks): number {
  return Math.max(
    entry,
    ...Object.values(tasks).map((task) => Math.min(task.entry, Number.MAX_SAFE_INTEGER - 1)),
  );
}

/** The records of a status that says no state; where it has none, what is found to have run. */
function lostOr(tasks: Tasks, findRuns: () => Tasks): Tasks {
  return Object.keys(tasks).length === 0 ? lastFound(findRuns()) : tasks;
}

function namesOf(tasks: Tasks): string {
  return Object.values(tasks)
    .map(({ key }) => key)
    .join(", ");
}

type FoundPosition = Pick<RestoredLifecycle, "origin" | "position" | "named">;

/** The stored condition `Lifecycle`, if the list and the condition are what they should be. */
export function storedCondition(conditions: unknown): NewCondition | undefined {
  const condition = conditionOfType(conditions, lifecycleCondition);
  return typeof condition?.["reason"] === "string" ? (condition as unknown as NewCondition) : undefined;
}

/** The pause that the condition remembers, when the status has lost it: a pause is not ended by damage. */
function pausedIn({ status, conditions }: StoredLifecycle): Pick<RestoredLifecycle, "paused"> {
  if (isOwnDraft(status)) return {};
  const fields = readFields(status);
  if (fields !== undefined && readField(fields, "digest") !== undefined && !Object.hasOwn(fields, "paused")) {
    return {};
  }
  const condition = conditionOfType(conditions, pausedCondition);
  const at = readInstantText(condition?.["lastTransitionTime"]);
  return condition?.["status"] === "True" && at !== undefined ? { paused: { at } } : {};
}

function conditionOfType(conditions: unknown, type: string): Fields | undefined {
  const list: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  for (const each of list) {
    const fields = readFields(each);
    if (fields?.["type"] === type) return fields;
  }
  return undefined;
}

function reasonOf(conditions: unknown): string | undefined {
  const reason = storedCondition(conditions)?.reason;
  return reason === unknownState ? undefined : reason;
}

function readWithinBudget(
  lifecycle: Lifecycle,
  { status, uid }: StoredLifecycle,
  problems: Problem[],
): StoredStatus {
  const size = isOwnDraft(status) ? 0 : sizeOf(status);
  // Twice the budget: what an author's smaller new budget left behind is still read.
  if (size > 2 * lifecycle.options.snapshotBudget) {
    problems.push(damage(`the stored snapshot takes ${size} bytes and is not read`));
    return { tasks: {}, timers: {}, edited: false, damaged: [] };
  }
  const stored = readStatus(status);
  const read = { ...stored, tasks: ownTasks(lifecycle, stored.tasks, uid, problems) };
  if (read.edited) {
    problems.push(damage("status.lifecycle was edited by another client"));
    const { target: _target, config: _config, ...rest } = read;
    const tasks = Object.entries(read.tasks).map(([id, task]) => [id, distrust(task)] as const);
    return { ...rest, tasks: Object.fromEntries(tasks) };
  }
  if (read.damaged.length > 0) {
    problems.push(damage(`these parts of status.lifecycle are incomplete: ${read.damaged.join(", ")}`));
  }
  return read;
}

function findPosition(
  lifecycle: Lifecycle,
  read: StoredStatus,
  reason: string | undefined,
  problems: Problem[],
): FoundPosition {
  if (read.graph !== undefined && read.graph !== lifecycle.graphId) {
    return findInOtherGraph(lifecycle, read, reason, problems);
  }
  const fromCondition = readLeaves(lifecycle, reason);
  const fromSnapshot = readLeaves(lifecycle, read.value ?? read.state);
  const leaves = fromCondition ?? fromSnapshot;
  if (reason !== undefined && fromCondition === undefined) {
    problems.push(damage(`the condition's reason "${reason}" names no state`));
  }
  if (leaves === undefined) return { origin: "unknown" };
  const agree = fromSnapshot !== undefined && formatLeaves(fromSnapshot) === formatLeaves(leaves);
  if (fromSnapshot !== undefined && !agree) {
    problems.push(
      damage(`the snapshot is of ${formatLeaves(fromSnapshot)}, the condition says ${formatLeaves(leaves)}`),
    );
  }
  const whole = agree && read.context !== undefined;
  return {
    origin: whole ? "snapshot" : "condition",
    position: positionAt(lifecycle, leaves, read.context, agree ? read.history : undefined, problems),
  };
}

function findInOtherGraph(
  lifecycle: Lifecycle,
  read: StoredStatus,
  reason: string | undefined,
  problems: Problem[],
): FoundPosition {
  const value = reason ?? read.value ?? read.state;
  const migrated = migratePosition(lifecycle, read, value, problems);
  if (migrated !== undefined) {
    const { leaves, context, history } = migrated;
    return { origin: "migrated", position: positionAt(lifecycle, leaves, context, history, problems) };
  }
  // The same word may mean something else now: it counts only while a task of it is known to both graphs.
  const isKept = (each: Leaves | undefined): each is Leaves =>
    each !== undefined && activeInvokes(lifecycle, each).some(({ id, src }) => read.tasks[id]?.src === src);
  const named = readLeaves(lifecycle, value);
  // A word of the newer graph alone says nothing where no task of it goes on.
  const leaves = named ?? leavesAround(lifecycle, value, read.tasks);
  if (!isKept(leaves)) return { origin: "unknown", ...(named === undefined ? {} : { named }) };
  return { origin: "condition", position: positionAt(lifecycle, leaves, read.context, undefined, problems) };
}

/**
 * Where a state that this graph does not have is in it: inside the state that it still has around it, or where the only state is
 * that asks for what is under way. An older graph has not split what a newer one has.
 */
function leavesAround(lifecycle: Lifecycle, value: string | undefined, tasks: Tasks): Leaves | undefined {
  const { index } = lifecycle;
  const around = value?.split(",").map((path) => lineageOf(path).find((each) => index.nodes.has(each)));
  const outer =
    around?.every((path) => path !== undefined && path !== "") === true ? around.join(",") : undefined;
  if (outer !== undefined) return readLeaves(lifecycle, outer);
  const isUnderWay = ({ id, src }: GraphInvoke): boolean => {
    const task = tasks[id];
    return task?.src === src && (task.phase === "Intended" || task.phase === "Running");
  };
  const asking = index.graph.nodes.filter(({ invokes }) => invokes.some(isUnderWay));
  return asking.length === 1 ? enter(index, [asking[0]?.path ?? ""]) : undefined;
}

/** A position with a context that has the shape of the initial one; any value may be null. */
function positionAt(
  lifecycle: Lifecycle,
  leaves: Leaves,
  stored: Readonly<Record<string, Json>> | undefined,
  history: Position["history"],
  problems: Problem[],
): Position {
  const initial = lifecycle.initialContext;
  const context: Record<string, Json> = { ...initial };
  for (const [name, value] of Object.entries(stored ?? {})) {
    const expected = Object.hasOwn(initial, name) ? initial[name] : undefined;
    const isFree = expected === undefined || expected === null || value === null;
    if (isFree || shapeOf(expected) === shapeOf(value)) {
      context[name] = value;
    } else {
      problems.push(damage(`the context's "${name}" has the wrong shape and is reset`));
    }
  }
  const known = (path: string): boolean => lifecycle.index.nodes.has(path);
  const whole = Object.entries(history ?? {}).every(
    ([path, paths]) => lifecycle.index.nodes.get(path)?.type === "history" && paths.every(known),
  );
  return { leaves, context, ...(history !== undefined && whole ? { history } : {}) };
}

function shapeOf(value: Json): string {
  return Array.isArray(value) ? "list" : typeof value;
}

/** A task that may have been started under another record is looked for, and never started; one that may run is ended first. */
function distrust(task: TaskRecord): TaskRecord {
  if (task.phase === "Compensating") return { ...task, phase: "Cancelling" };
  return task.phase === "Intended" || task.phase === "Running" ? { ...task, lost: true } : task;
}
