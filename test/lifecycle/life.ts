// One application driven by planned cycles, with a clock and a task world that outlive crashes: what the tests of this
// folder share.
import type { Condition } from "../../src/meta/condition.ts";
import { setCondition } from "../../src/meta/condition.ts";
import { healthConditionsOf, transientConditions } from "../../src/meta/health.ts";
import type { Json } from "../../src/meta/object.ts";
import type { Duration } from "../../src/ports/duration.ts";
import { toMilliseconds } from "../../src/ports/duration.ts";
import { compileLifecycle, type LifecycleOptions } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { tasksToObserve, planCycle } from "../../src/lifecycle/cycle.ts";
import { problemCondition } from "../../src/lifecycle/reporting/problem-condition.ts";
import type { CycleInput, CyclePlan } from "../../src/lifecycle/cycle-plan.ts";
import { pausedCondition, restoreLifecycle } from "../../src/lifecycle/stored/restore.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import type { TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";
import type { TaskPolicy, TaskRecord } from "../../src/lifecycle/tasks/task-record.ts";
import type { TaskReport } from "../../src/lifecycle/tasks/task-report.ts";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";

/** What a life begins with. */
export interface LifeOptions {
  readonly options?: LifecycleOptions;
  readonly policies?: Readonly<Record<string, Partial<TaskPolicy>>>;
  /** Milliseconds; default one minute. */
  readonly observationPoll?: number;
}

const policy: TaskPolicy = { attempts: 1, delay: 5_000, poll: 30_000 };

/** One application and its operator. */
export class Life {
  now = Date.parse("2026-01-01T00:00:00Z");
  desired: { state?: string; request?: string } = {};
  /** Raised by each write, as the API server does; undefined while nobody knows it. */
  version: number | undefined;
  generation = 1;
  specHash = "spec-1";
  /** What guards are given; default: a spec with nothing but its hash. */
  spec: Readonly<Record<string, unknown>> | undefined;
  deleting = false;
  observed: string | undefined;
  /** What is observed of regions. */
  observedStates: readonly string[] | undefined;
  /** What is observed besides a state. */
  facts: Readonly<Record<string, Json>> = {};
  observationError: string | undefined;
  human: CycleInput["human"];
  /** What the API server holds. */
  status: LifecycleStatus | undefined;
  conditions: readonly Condition[] = [];
  /** The world of the tasks: what really runs, by key. */
  readonly running = new Map<string, TaskObservation>();
  /** Names of what belongs to the resource, as of Jobs that are named by their keys: ended ones stay. */
  children: readonly string[] = [];
  readonly starts: string[] = [];
  readonly cancels: string[] = [];
  /** The keys for which `compensate` has returned. */
  readonly compensations: string[] = [];
  /** What was cancelled and compensated, in order: `cancel KEY`. */
  readonly ends: string[] = [];
  /** What the operator was told of tasks, in the cycles that were persisted. */
  readonly told: TaskReport[] = [];
  /** The next call of `compensate` fails. */
  clumsy = false;
  readonly plans: CyclePlan[] = [];
  readonly path: string[] = [];
  reports: TaskReport[] = [];
  /** The next start gives no answer, whether or not it has begun anything. */
  losing: "before" | "after" | undefined;
  readonly lifecycle;
  readonly policies: Record<string, TaskPolicy>;

  readonly #observationPoll: number;
  readonly #begun: { readonly machine: LifecycleMachine; readonly options: LifeOptions };

  constructor(machine: LifecycleMachine, given: LifeOptions = {}) {
    const { options = {}, policies = {}, observationPoll = 60_000 } = given;
    this.#begun = { machine, options: given };
    this.#observationPoll = observationPoll;
    this.lifecycle = compileLifecycle(machine, options);
    const sources = this.lifecycle.index.graph.nodes.flatMap((node) => node.invokes.map((each) => each.src));
    this.policies = Object.fromEntries(sources.map((src) => [src, { ...policy, ...policies[src] }]));
  }

  get state(): string | undefined {
    return this.status?.state;
  }

  get condition(): Condition {
    const condition = this.conditions.find((each) => each.type === "Lifecycle");
    if (condition === undefined) throw new Error("no condition yet");
    return condition;
  }

  /** The only task under way. */
  get task(): TaskRecord {
    const [task] = Object.values(this.status?.tasks ?? {});
    if (task === undefined) throw new Error("no task");
    return task;
  }

  input(): CycleInput {
    return {
      lifecycle: this.lifecycle,
      uid: "0b0b0b0b-1111-2222-3333-444444444444",
      ...(this.version === undefined ? {} : { resourceVersion: String(this.version) }),
      generation: this.generation,
      specHash: this.specHash,
      spec: this.spec ?? { hash: this.specHash },
      deleting: this.deleting,
      status: this.status === undefined ? undefined : JSON.parse(JSON.stringify(this.status)),
      conditions: this.conditions,
      children: this.children,
      desired: this.desired,
      ...(this.human === undefined ? {} : { human: this.human }),
      ...([this.observed, this.observedStates].every((seen) => seen === undefined) &&
      Object.keys(this.facts).length === 0
        ? {}
        : { observation: { state: this.observed, states: this.observedStates, facts: this.facts } }),
      ...(this.observationError === undefined ? {} : { observationError: this.observationError }),
      policies: this.policies,
      observationPoll: this.#observationPoll,
      reports: this.reports,
      now: this.now,
    };
  }

  /** Looks at tasks and plans, without persisting anything. */
  plan(passed: readonly string[] = []): CyclePlan {
    const restored = restoreLifecycle(this.lifecycle, this.input());
    const looks = tasksToObserve(restored, this.now).map((task): TaskReport => {
      const observation = this.running.get(task.key) ?? { phase: "NotFound" };
      return { key: task.key, kind: "observed", observation };
    });
    const reported = new Set(this.reports.map((report) => report.key));
    this.reports = [...this.reports, ...looks.filter((look) => !reported.has(look.key))];
    return planCycle({ ...this.input(), passed }, restored);
  }

  /** One whole cycle; `crash` ends it before the write, before the effects, or before their outcome is known. */
  cycle(crash?: "beforeWrite" | "beforeEffects" | "afterEffects", passed: readonly string[] = []): CyclePlan {
    const plan = this.plan(passed);
    const { reports } = this;
    this.reports = [];
    if (crash === "beforeWrite") return plan;
    if (plan.status !== undefined) this.told.push(...reports);
    if (this.version !== undefined) this.version += 1;
    if (plan.status !== undefined) this.status = plan.status;
    const health = plan.pause === undefined ? healthConditionsOf(plan.health) : [];
    const gone = plan.pause === undefined ? [...transientConditions, pausedCondition] : [];
    const isGone = ({ type }: Condition): boolean =>
      gone.some((each) => each === type) && !health.some((each) => each.type === type);
    if (this.conditions.some(isGone)) this.conditions = this.conditions.filter((each) => !isGone(each));
    for (const condition of [plan.condition, ...health, plan.pause, plan.problem]) {
      if (condition !== undefined) this.conditions = setCondition(this.conditions, condition, this.now);
    }
    const isOver = plan.status !== undefined && plan.problem === undefined;
    if (isOver && this.conditions.some(({ type }) => type === problemCondition)) {
      this.conditions = this.conditions.filter(({ type }) => type !== problemCondition);
    }
    this.plans.push(plan);
    if (plan.moved !== undefined) this.path.push(plan.moved.to);
    if (plan.human !== undefined) this.human = undefined;
    if (crash === "beforeEffects") return plan;
    for (const effect of plan.effects) {
      if (effect.kind === "runAction") continue;
      const { key } = effect.task;
      if (effect.kind === "startTask") {
        const { losing } = this;
        this.losing = undefined;
        if (losing !== "before") {
          this.starts.push(key);
          this.running.set(key, { phase: "Running" });
        }
        this.reports.push(
          losing === undefined
            ? { key, kind: "started" }
            : { key, kind: "unanswered", hook: "start", since: this.now },
        );
      } else if (effect.kind === "compensateTask") {
        const { clumsy } = this;
        this.clumsy = false;
        if (!clumsy) this.compensations.push(key);
        this.ends.push(`compensate ${key}`);
        this.reports.push(
          clumsy ? { key, kind: "compensateFailed", message: "not yet" } : { key, kind: "compensated" },
        );
      } else {
        this.cancels.push(key);
        this.ends.push(`cancel ${key}`);
        this.running.delete(key);
        this.reports.push({ key, kind: "cancelled" });
      }
    }
    if (crash === "afterEffects") this.reports = [];
    return plan;
  }

  /** Cycles while something happens at once; the plans made. */
  settle(limit = 30): readonly CyclePlan[] {
    const plans: CyclePlan[] = [];
    for (let round = 0; round < limit; round += 1) {
      const plan = this.cycle();
      plans.push(plan);
      if (plan.requeueAfter !== 0 && plan.moved === undefined) return plans;
    }
    throw new Error(`not settled after ${limit} cycles: ${this.path.join(" → ")}`);
  }

  /** Ends the one task that really runs. */
  finish(observation: TaskObservation = { phase: "Succeeded" }): void {
    for (const key of this.running.keys()) this.running.set(key, observation);
  }

  pass(duration: Duration): void {
    this.now += toMilliseconds(duration);
  }

  /** The same life, which goes on by itself from here. */
  fork(): Life {
    const { machine, options } = this.#begun;
    const life = new Life(machine, options);
    const { running, starts, cancels, compensations, ends, told, plans, path } = this;
    Object.assign(life, this, {
      running: new Map(running),
      starts: [...starts],
      cancels: [...cancels],
      compensations: [...compensations],
      ends: [...ends],
      told: [...told],
      plans: [...plans],
      path: [...path],
    });
    return life;
  }

  /** Overwrites what is stored. */
  store(status: unknown): void {
    this.status = status as LifecycleStatus | undefined;
  }

  send(event: string, id = `${event}-${this.now}-${this.plans.length}`): void {
    this.human = { event, id };
  }

  edit(specHash: string): void;
  edit(spec: Readonly<Record<string, unknown>>): void;
  edit(spec: string | Readonly<Record<string, unknown>>): void {
    this.specHash = typeof spec === "string" ? spec : JSON.stringify(spec);
    this.spec = typeof spec === "string" ? undefined : spec;
    this.generation += 1;
  }

  ask(state: string | undefined, request?: string): void {
    this.desired = {
      ...(state === undefined ? {} : { state }),
      ...(request === undefined ? {} : { request }),
    };
    this.generation += 1;
  }
}
