// One application and its operator as a model: the engine's own cycles on values, without a cluster. Walks are searched
// here, and what the real runtime does is compared with what the model did.
import { isRegionCondition } from "../../lifecycle/reporting/region-conditions.ts";
import type { Condition } from "../../meta/condition.ts";
import { setCondition } from "../../meta/condition.ts";
import { tasksToObserve, planCycle } from "../../lifecycle/cycle.ts";
import type { CycleInput, CyclePlan } from "../../lifecycle/cycle-plan.ts";
import type { Problem } from "../../ports/problem.ts";
import { restoreLifecycle } from "../../lifecycle/stored/restore.ts";
import { nextEdit, noticeEdits } from "../../lifecycle/spec-edits.ts";
import type { LifecycleStatus } from "../../lifecycle/stored/snapshot.ts";
import type { TaskObservation } from "../../lifecycle/tasks/task-definition.ts";
import type { TaskReport } from "../../lifecycle/tasks/task-report.ts";
import { elapsedTimers } from "../../lifecycle/timers/timers.ts";
import { edgesOf } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import type { Position } from "../../statechart/statechart.ts";
import { damagedStatus, outcomeOf, type Stimulus } from "./stimulus.ts";
import type { Subject } from "./subject.ts";

/** What came of a stimulus. */
export interface Consequence {
  /** The edges taken, in order. */
  readonly edges: readonly GraphEdge[];
  /** The states entered, in order, as the condition names them. */
  readonly states: readonly string[];
  /** What guards, actions and delays threw. */
  readonly problems: readonly Problem[];
  /** The application did not come to rest. */
  readonly restless: boolean;
}

/** Milliseconds that pass before a person does something. */
export const humanPause = 1_000;

/** Cycles after which an application that still moves is called restless. */
const longestSettling = 60;

const uid = "0b0b0b0b-1111-2222-3333-444444444444";

/** The values of a model; a copy of them is another model. */
interface ModelValues {
  now: number;
  status: LifecycleStatus | undefined;
  conditions: readonly Condition[];
  generation: number;
  spec: number;
  desired: CycleInput["desired"];
  requests: number;
  observed: string | undefined;
  facts: number;
  human: CycleInput["human"];
  running: Map<string, TaskObservation>;
  reports: readonly TaskReport[];
}

/** A model of one application. */
export class LifecycleModel {
  readonly #subject: Subject;
  readonly #values: ModelValues;

  constructor(subject: Subject, start: number | LifecycleModel) {
    this.#subject = subject;
    this.#values =
      typeof start === "number"
        ? {
            now: start,
            status: undefined,
            conditions: [],
            generation: 0,
            spec: 0,
            desired: {},
            requests: 0,
            observed: undefined,
            facts: 0,
            human: undefined,
            running: new Map(),
            reports: [],
          }
        : { ...start.#values, running: new Map(start.#values.running) };
  }

  get now(): number {
    return this.#values.now;
  }

  get status(): LifecycleStatus | undefined {
    return this.#values.status;
  }

  get conditions(): readonly Condition[] {
    return this.#values.conditions;
  }

  /** The request that was made last. */
  get request(): string | undefined {
    return this.#values.desired.request;
  }

  /** Which sample the spec is. */
  get spec(): number {
    return this.#values.spec;
  }

  /** The active states; empty before the resource is there. */
  get leaves(): readonly string[] {
    return this.#position()?.leaves ?? [];
  }

  /** Key of the attempt of a task that is recorded now. */
  taskKey(id: string): string | undefined {
    return this.#values.status?.tasks[id]?.key;
  }

  /** Another model that is where this one is. */
  fork(): LifecycleModel {
    return new LifecycleModel(this.#subject, this);
  }

  /** Lets it happen, and the operator come to rest. */
  apply(stimulus: Stimulus): Consequence {
    const values = this.#values;
    const { what } = stimulus;
    values.observed = stimulus.observed;
    values.facts = stimulus.facts;
    if (stimulus.target !== undefined) {
      values.requests += 1;
      values.desired = { state: stimulus.target, request: `walk-${values.requests}` };
    }
    if (stimulus.spec !== undefined) values.spec = stimulus.spec;
    if (what.kind === "create" || stimulus.target !== undefined || stimulus.spec !== undefined) {
      values.generation += 1;
    }
    switch (what.kind) {
      case "create":
      case "look":
        break;
      case "human":
        // Kubernetes tells two equal requests apart by the second in which they were made.
        values.now += humanPause;
        values.human = { event: what.event, id: `${what.event}@${values.now}-${values.generation}` };
        break;
      case "done":
      case "failed": {
        const key = this.taskKey(what.task);
        if (key !== undefined) values.running.set(key, outcomeOf(what));
        break;
      }
      case "damage":
        values.status = damagedStatus as unknown as LifecycleStatus;
        values.conditions = [];
        break;
      case "wait":
        values.now = Math.max(values.now, what.until);
        break;
    }
    return this.#settle();
  }

  #settle(): Consequence {
    const edges: GraphEdge[] = [];
    const states: string[] = [];
    const problems: Problem[] = [];
    for (let round = 0; round < longestSettling; round += 1) {
      const before = this.#position();
      const { status } = this.#values;
      const plan = this.#cycle();
      problems.push(...plan.problems.filter(({ severity }) => severity === "error"));
      if (plan.moved !== undefined) states.push(plan.moved.to);
      const event = plan.moved?.event ?? quietEvent(status, plan, this.#subject);
      if (event !== undefined) edges.push(...this.#edgesOf(before, status, event));
      if (plan.requeueAfter !== 0 && plan.moved === undefined) {
        return { edges, states, problems, restless: false };
      }
    }
    return { edges, states, problems, restless: true };
  }

  #cycle(): CyclePlan {
    const values = this.#values;
    const restored = restoreLifecycle(this.#subject.lifecycle, this.#input());
    const looks = tasksToObserve(restored, values.now).map((task): TaskReport => {
      const observation = values.running.get(task.key) ?? { phase: "NotFound" };
      return { key: task.key, kind: "observed", observation };
    });
    const reported = new Set(values.reports.map((report) => report.key));
    values.reports = [...values.reports, ...looks.filter((look) => !reported.has(look.key))];
    const plan = planCycle(this.#input(), restored);
    values.reports = [];
    if (plan.status !== undefined) values.status = throughJson(plan.status);
    for (const condition of [plan.condition, ...plan.regions]) {
      values.conditions = setCondition(values.conditions, condition, values.now);
    }
    if (plan.status !== undefined) {
      const present = new Set(plan.regions.map(({ type }) => type));
      values.conditions = values.conditions.filter(
        ({ type }) => !isRegionCondition(type) || present.has(type),
      );
    }
    values.human = undefined;
    const reports: TaskReport[] = [];
    for (const effect of plan.effects) {
      if (effect.kind === "runAction") continue;
      const { key } = effect.task;
      if (effect.kind === "startTask") {
        values.running.set(key, { phase: "Running" });
        reports.push({ key, kind: "started" });
      } else {
        if (effect.kind === "cancelTask") values.running.delete(key);
        reports.push({ key, kind: effect.kind === "cancelTask" ? "cancelled" : "compensated" });
      }
    }
    values.reports = reports;
    return plan;
  }

  /**
   * The edges that an event takes from a position, read from the machine itself. The event is a word, which edges of several
   * states may have in common: it means one that leaves an active state and that the machine takes.
   */
  #edgesOf(
    before: Position | undefined,
    status: LifecycleStatus | undefined,
    event: string,
  ): readonly GraphEdge[] {
    const { lifecycle, facts, specs } = this.#subject;
    const { chart, index } = lifecycle;
    const given = {
      spec: specs[this.#values.spec] ?? {},
      facts: facts[this.#values.facts] ?? {},
      observed: this.#values.observed,
    };
    if (event === "begin") return chart.edgesTaken(undefined, { ...given, type: event });
    if (before === undefined) return [];
    if (event === "always") return chart.edgesTaken(before, { ...given, type: "lifecycle.look" });
    const elapsed = elapsedTimers(status?.timers ?? {}, this.#values.now);
    const meant = edgesOf(index, before.leaves)
      .filter((edge) => edge.event === event && !isOfState(edge))
      .filter((edge) => edge.kind !== "after" || elapsed.includes(edge.eventType))
      .toSorted((a, b) => elapsed.indexOf(a.eventType) - elapsed.indexOf(b.eventType));
    for (const edge of meant) {
      const { eventType: type } = edge;
      const taken = chart.edgesTaken(before, { ...this.#payloadOf(edge, status), ...given, type });
      if (taken.length > 0) return taken;
    }
    // Whatever its name, an event that no edge is named for only makes the graph look at its own edges.
    return chart.edgesTaken(before, { ...given, type: "lifecycle.look" });
  }

  /** What the event of a task, or a changed spec, carries. */
  #payloadOf(edge: GraphEdge, status: LifecycleStatus | undefined): Readonly<Record<string, unknown>> {
    if (edge.event === "config.changed") {
      const { generation, specHash: hash, spec: values, lifecycle } = this.#input();
      const spec = { generation, hash, values };
      return { changed: nextEdit(noticeEdits(status?.config, spec, lifecycle.options.specEdits), spec) };
    }
    const id = /^xstate\.(?:done|error)\.actor\.(.*)$/.exec(edge.eventType)?.[1];
    const key = id === undefined ? undefined : status?.tasks[id]?.key;
    const seen = key === undefined ? undefined : this.#values.running.get(key);
    if (seen?.phase === "Succeeded") return { output: seen.output ?? null };
    return seen?.phase === "Failed" ? { error: { message: seen.message } } : {};
  }

  #position(): Position | undefined {
    const { status, conditions } = this.#values;
    return status === undefined
      ? undefined
      : restoreLifecycle(this.#subject.lifecycle, { status, conditions, uid }).position;
  }

  #input(): CycleInput {
    const { lifecycle, facts, specs, policies } = this.#subject;
    const { observed, human, spec, status, conditions, generation, desired, reports, now } = this.#values;
    const current = specs[spec] ?? {};
    return {
      lifecycle,
      uid,
      generation,
      specHash: JSON.stringify(current),
      spec: current,
      deleting: false,
      status,
      conditions,
      desired,
      ...(human === undefined ? {} : { human }),
      observation: {
        ...(observed === undefined ? {} : { state: observed }),
        facts: facts[this.#values.facts] ?? {},
      },
      policies,
      reports,
      observationPoll: 60_000,
      now,
    };
  }
}

/** The event of an edge that changes no state, derived from what is noted about it. */
function quietEvent(
  before: LifecycleStatus | undefined,
  { human, status }: CyclePlan,
  { lifecycle }: Subject,
): string | undefined {
  if (human?.accepted === true) return `human.${human.event}`;
  if (before === undefined || status === undefined) return undefined;
  const newlyDelivered = <T extends { readonly delivered?: boolean }>(
    was: Readonly<Record<string, T>>,
    is: Readonly<Record<string, T>>,
  ): string | undefined =>
    Object.keys(is).find((name) => is[name]?.delivered === true && was[name]?.delivered !== true);
  const task = newlyDelivered(before.tasks, status.tasks);
  if (task !== undefined) return `${status.tasks[task]?.phase === "Failed" ? "error" : "done"}.${task}`;
  const timer = newlyDelivered(before.timers, status.timers);
  const edge = lifecycle.index.graph.edges.find(({ eventType }) => eventType === timer);
  if (edge !== undefined) return edge.event;
  return before.config.hash === status.config.hash ? undefined : "config.changed";
}

/** The end of a state, which the graph takes by itself and nobody tells. */
function isOfState({ eventType }: GraphEdge): boolean {
  return eventType.startsWith("xstate.done.state.");
}

/** As it is after a server has kept it. */
function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
