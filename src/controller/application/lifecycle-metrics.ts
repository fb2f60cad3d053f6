// What the lifecycles of one kind tell about themselves. Moves and tasks are counted as they happen; how many resources
// are in which state is read from the cache for each scrape, so that it is right whatever was missed.
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import type { CyclePlan } from "../../lifecycle/cycle-plan.ts";
import { readInstant } from "../../lifecycle/values/untrusted.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatLeaves, parseLeaves } from "../../statechart/configuration.ts";
import { lifecycleStatusOf } from "./lifecycle-fields.ts";
import type { CounterSeries, HistogramSeries, Metrics } from "../../ports/metrics.ts";

/** Options of {@link createLifecycleMetrics}. */
export interface LifecycleMetricsOptions {
  readonly metrics: Metrics;
  readonly kind: string;
  readonly lifecycle: Lifecycle;
  /** Names of the author's tasks. */
  readonly tasks: readonly string[];
  /** The custom resources in the cache; empty until it is complete. */
  readonly resources: () => readonly KubeObject[];
}

/**
 * Called with each cycle once it is stored; `before` is `status.lifecycle` as the cycle began with it, `now` in milliseconds since the
 * epoch.
 */
export type MeasureCycle = (before: unknown, plan: CyclePlan, now: number) => void;

const minute = 60;
const hour = 60 * minute;
/** Seconds, up to two weeks. */
const stateBuckets = [
  1,
  5,
  15,
  minute,
  5 * minute,
  15 * minute,
  hour,
  4 * hour,
  12 * hour,
  24 * hour,
  72 * hour,
  168 * hour,
  336 * hour,
];
/** Seconds, up to a day. */
const taskBuckets = [
  1,
  5,
  15,
  30,
  minute,
  5 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  6 * hour,
  24 * hour,
];

/** Stands for whatever the graph does not have: a status can be written by anyone, and must not make series. */
const unknown = "unknown";

/** Declares the families of lifecycles, with the series of one kind. */
export function createLifecycleMetrics(options: LifecycleMetricsOptions): MeasureCycle {
  const { metrics, kind, lifecycle, tasks } = options;
  const stateOf = (text: string | undefined): string => {
    const leaves = text === undefined ? undefined : parseLeaves(lifecycle.index, text);
    return leaves === undefined ? unknown : formatLeaves(leaves);
  };
  const transitions = metrics.counter({
    name: "xstate_operator_lifecycle_transitions_total",
    help: "State transitions; from is empty for the initial state.",
    labels: ["kind", "from", "to"],
  });
  const times = metrics.histogram({
    name: "xstate_operator_lifecycle_time_in_state_seconds",
    help: "Time that resources spent in a state, in seconds, recorded when they leave it.",
    labels: ["kind", "state"],
    buckets: stateBuckets,
  });
  const taskTimes = metrics.histogram({
    name: "xstate_operator_lifecycle_task_duration_seconds",
    help: "Duration of task attempts, in seconds.",
    labels: ["kind", "task", "result"],
    buckets: taskBuckets,
  });
  readForScrapes(options, stateOf);

  const moves = new Map<string, CounterSeries>();
  const stays = new Map<string, HistogramSeries>();
  return (before, { moved, taskEnds = [] }, now) => {
    if (moved !== undefined) {
      const from = moved.from === undefined ? "" : stateOf(moved.from);
      const to = stateOf(moved.to);
      once(moves, `${from}>${to}`, () => transitions.with({ kind, from, to })).inc();
      const since = readInstant(fieldsOf(before)?.since);
      if (from !== "" && since !== undefined) {
        once(stays, from, () => times.with({ kind, state: from })).observe(Math.max(0, now - since) / 1_000);
      }
    }
    for (const { src, result, took } of taskEnds) {
      const task = tasks.includes(src) ? src : unknown;
      taskTimes.with({ kind, task, result }).observe(took / 1_000);
    }
  };
}

function readForScrapes(
  { metrics, kind, lifecycle, tasks, resources }: LifecycleMetricsOptions,
  stateOf: (text: string | undefined) => string,
): void {
  const states = metrics.gauge({
    name: "xstate_operator_lifecycle_state",
    help: "Resources in each state.",
    labels: ["kind", "state"],
  });
  const running = metrics.gauge({
    name: "xstate_operator_lifecycle_tasks_running",
    help: "Tasks in progress, including those that have not been observed yet.",
    labels: ["kind", "task"],
  });
  const progress = metrics.gauge({
    name: "xstate_operator_lifecycle_progress_ratio",
    help: "Progress of the work in progress, 0 to 1: of the resources in each state, the lowest; only of those that report it.",
    labels: ["kind", "state"],
  });
  // What was reported once is reported as 0 when it is gone.
  const inState = new Map(lifecycle.states.map((state) => [stateOf(state), 0]));
  const ofTask = new Map(tasks.map((task) => [task, 0]));
  metrics.onScrape(() => {
    for (const key of inState.keys()) inState.set(key, 0);
    for (const key of ofTask.keys()) ofTask.set(key, 0);
    const lowest = new Map<string, number>();
    for (const cr of resources()) {
      const stored = fieldsOf(lifecycleStatusOf(cr));
      const state = stateOf(typeof stored?.state === "string" ? stored.state : undefined);
      inState.set(state, (inState.get(state) ?? 0) + 1);
      const part = partOf(stored?.progress);
      if (part !== undefined) lowest.set(state, Math.min(part, lowest.get(state) ?? 1));
      if (typeof stored?.tasks !== "object" || stored.tasks === null) continue;
      for (const record of Object.values(stored.tasks as Readonly<Record<string, unknown>>)) {
        const { src, phase } = (record ?? {}) as { readonly src?: unknown; readonly phase?: unknown };
        if (phase !== "Running" && phase !== "Intended") continue;
        const task = typeof src === "string" && tasks.includes(src) ? src : unknown;
        ofTask.set(task, (ofTask.get(task) ?? 0) + 1);
      }
    }
    progress.reset();
    for (const [state, part] of lowest) progress.set({ kind, state }, part);
    for (const [state, count] of inState) states.set({ kind, state }, count);
    for (const [task, count] of ofTask) running.set({ kind, task }, count);
  });
}

/** The part that is done of a stored progress, if it says one. */
function partOf(progress: unknown): number | undefined {
  if (typeof progress !== "object" || progress === null) return undefined;
  const { done, total } = progress as { readonly done?: unknown; readonly total?: unknown };
  if (typeof done !== "number" || typeof total !== "number" || total <= 0) return undefined;
  return Math.min(Math.max(done / total, 0), 1);
}

/** A stored `status.lifecycle`; anything may be in it. */
interface StoredFields {
  readonly state?: unknown;
  readonly since?: unknown;
  readonly tasks?: unknown;
  readonly progress?: unknown;
}

function fieldsOf(lifecycle: unknown): StoredFields | undefined {
  return typeof lifecycle === "object" && lifecycle !== null ? lifecycle : undefined;
}

function once<T>(series: Map<string, T>, key: string, make: () => T): T {
  let found = series.get(key);
  if (found === undefined) series.set(key, (found = make()));
  return found;
}
