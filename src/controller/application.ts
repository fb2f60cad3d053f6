// The application as an entry of the registry: each run of the pipeline is one cycle of its lifecycle.
// Here a cycle meets the world: it is looked at before, and persisted before its effects are carried out.
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Lifecycle } from "../lifecycle/compile-lifecycle.ts";
import { looksOf, planCycle } from "../lifecycle/cycle.ts";
import type { CycleInput, CyclePlan, HumanRequest } from "../lifecycle/cycle-plan.ts";
import { isRegionCondition } from "../lifecycle/region-conditions.ts";
import { readObservation, type Observation } from "../lifecycle/observation.ts";
import { canPause } from "../lifecycle/pause.ts";
import { problemCondition } from "../lifecycle/problem-condition.ts";
import { readStatus } from "../lifecycle/read-status.ts";
import { taskPolicies } from "../lifecycle/task-record.ts";
import { createTaskRunner, type OpenStarts, type TaskRunner } from "../lifecycle/task-runner.ts";
import type { TaskReport } from "../lifecycle/task-report.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { sleep } from "../ports/clock.ts";
import { toMilliseconds } from "../ports/duration.ts";
import type { Inspector } from "../ports/inspection.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { intentHash } from "../reconcile/intent-hash.ts";
import type { FinalizeReport, MutableResource, Resource, StepReport } from "../reconcile/resource.ts";
import { storedConditions, type StatusDraft } from "../reconcile/status-draft.ts";
import type { ApplicationView } from "../reconcile/application-view.ts";
import type { StepContext } from "../reconcile/step-context.ts";
import { lifecycleActorOf, lifecycleSnapshotOf, subjectOf } from "./lifecycle-inspection.ts";
import type { MeasureCycle } from "./lifecycle-metrics.ts";
import type { ControllerDefinition } from "./define-controller.ts";
import type { ApplicationOptions } from "./controller-options.ts";
import {
  humanEventAnnotation,
  readHumanRequest,
  removeHumanRequest,
  type HumanEventTools,
} from "./human-event.ts";

const defaultObserveTimeout = "10s";
/** How often a settled application is looked at when its author does not say. */
export const defaultPoll = "30s";

/** What the application of a controller needs besides the run's context. */
export interface ApplicationParts {
  readonly definition: ControllerDefinition;
  readonly operator: string;
  readonly events: EventRecorder;
  readonly measure: MeasureCycle;
  readonly inspector: Inspector;
  /** Tells the cache the result of an own write. */
  readonly recordWrite: (object: KubeObject) => void;
}

/** Told of each cycle that is planned. */
export type OnCycle = (input: CycleInput, plan: CyclePlan) => void;

/** What one run of an application is given besides its context. */
export interface ApplicationRun {
  readonly onCycle?: OnCycle | undefined;
  /** Told when the author's functions take longer than a worker should wait. */
  readonly leaveWorker?: () => void;
}

/** Milliseconds that a worker waits for the author's look and for the functions of tasks. */
const patience = 250;

/** Makes the application of one run; undefined when the kind has no lifecycle. */
export function createApplication(
  parts: ApplicationParts,
): ((context: StepContext<KubeObject>, run?: ApplicationRun) => Resource) | undefined {
  const { kind, options } = parts.definition;
  if (kind.lifecycle === undefined || options.application === undefined) return undefined;
  const shared: ApplicationShared = {
    ...parts,
    type: kind,
    lifecycle: kind.lifecycle,
    application: options.application,
    policies: taskPolicies(options.application.tasks ?? {}),
    reports: new Map(),
    removed: new Map(),
    starts: new Map(),
  };
  return (context, run = {}) => new Application(shared, context, run);
}

interface ApplicationShared extends ApplicationParts {
  readonly type: ResourceType;
  readonly lifecycle: Lifecycle;
  readonly application: ApplicationOptions<KubeObject>;
  readonly policies: CycleInput["policies"];
  /** By uid: what became of the effects of the last cycle. Lost in a crash; then the tasks are looked for instead. */
  readonly reports: Map<string, readonly TaskReport[]>;
  /** By uid: the human request whose annotation was removed, until the status says so. */
  readonly removed: Map<string, string>;
  /** By uid: the starts of tasks that have not returned. */
  readonly starts: Map<string, OpenStarts>;
}

/** One application in one run. */
class Application implements MutableResource {
  readonly index: string;
  readonly kindName: string;
  /** An application is always there, if only as a wish; its lifecycle says what it is. */
  readonly exists = true;
  readonly #shared: ApplicationShared;
  readonly #context: StepContext<KubeObject>;
  readonly #tasks: TaskRunner;
  readonly #run: ApplicationRun;
  #plan: CyclePlan | undefined;
  #observation: Observation | undefined;
  #human: HumanRequest | undefined;

  constructor(shared: ApplicationShared, context: StepContext<KubeObject>, run: ApplicationRun) {
    const { kind } = shared.definition;
    const { name, namespace } = context.cr.metadata;
    this.#shared = shared;
    this.#context = context;
    this.#run = run;
    this.kindName = `${kind.kind}/${name}`;
    this.index = `${namespace ?? ""} Application/${name} ${kind.group}/${kind.version}`;
    const { clock, signal } = context;
    const { uid } = context.cr.metadata;
    const starts: OpenStarts = shared.starts.get(uid) ?? new Map();
    shared.starts.set(uid, starts);
    this.#tasks = createTaskRunner({ tasks: shared.application.tasks ?? {}, context, clock, signal, starts });
  }

  lookUp(): void {
    // What the application is can only be observed, which mutate does.
  }

  create(): StepReport {
    throw new OperatorError("APPLICATION_INVALID", "an application is not created by itself");
  }

  delete(): void {
    // Its end is reached through its lifecycle: see finalize.
  }

  async mutate(): Promise<void> {
    this.#plan = await this.#planCycle(false);
  }

  needsUpdate(): boolean {
    return this.#plan !== undefined;
  }

  async update(): Promise<StepReport> {
    const plan = this.#planned();
    await this.#carryOut(plan);
    return reportOf(plan);
  }

  async finalize(): Promise<FinalizeReport> {
    const plan = await this.#planCycle(true);
    this.#plan = plan;
    await this.#carryOut(plan);
    if (plan.ended) {
      const { uid } = this.#context.cr.metadata;
      this.#shared.reports.delete(uid);
      this.#shared.removed.delete(uid);
      this.#shared.starts.delete(uid);
    }
    return { ...reportOf(plan), done: plan.ended, message: plan.condition.message };
  }

  view(): ApplicationView | undefined {
    const state = this.#plan?.status?.state;
    if (state === undefined) return undefined;
    const { state: observed, facts = {}, message } = this.#observation ?? {};
    return {
      state,
      paused: this.holdsOthers(),
      facts,
      ...(observed === undefined ? {} : { observed }),
      ...(message === undefined ? {} : { message }),
    };
  }

  holdsOthers(): boolean {
    const { cr } = this.#context;
    if (cr.metadata.deletionTimestamp !== undefined) return false;
    if (this.#plan?.status !== undefined) return this.#plan.status.paused !== undefined;
    // A pause that is asked for holds before it is decided about: FreeStyle may write before the cycle is planned.
    return readStatus(lifecycleStatusOf(cr)).paused !== undefined || this.#isPauseAsked();
  }

  #isPauseAsked(): boolean {
    const event = this.#context.cr.metadata.annotations?.[humanEventAnnotation];
    return event === "pause" && canPause(this.#shared.lifecycle.index);
  }

  contributeStatus(status: StatusDraft): void {
    const plan = this.#plan;
    if (plan === undefined) return;
    const { condition, health, regions, pause, problem } = plan;
    const conditions = [condition, ...health, ...regions, pause, problem].filter(
      (each) => each !== undefined,
    );
    for (const { type, status: value, reason, message } of conditions) {
      status.setCondition({ type, status: value, reason, message });
    }
    if (plan.status === undefined) return;
    if (problem === undefined) status.removeCondition(problemCondition);
    for (const { type } of status.conditions) {
      if (isRegionCondition(type) && !regions.some((region) => region.type === type))
        status.removeCondition(type);
    }
    status.merge({ lifecycle: plan.status });
  }

  async #planCycle(deleting: boolean): Promise<CyclePlan> {
    const { lifecycle, policies, reports, application } = this.#shared;
    const { cr, clock } = this.#context;
    const { uid } = cr.metadata;
    const status = lifecycleStatusOf(cr);
    const { lifecycle: asked, ...spec } = specOf(cr);
    const stored = { lifecycle, status, conditions: storedConditions(cr), uid, children: this.#children() };
    const looks = looksOf({ ...stored, now: clock.now() });
    const told = reports.get(uid) ?? [];
    const [observed, human, ...looked] = await this.#unhurried(() =>
      Promise.all([
        this.#observe(),
        readHumanRequest(this.#humanTools()),
        // What is known from the last cycle need not be asked again.
        ...looks
          .filter(({ key }) => !told.some((report) => report.key === key))
          .map((task) => this.#tasks.look(task)),
      ]),
    );
    this.#observation = observed.observation;
    this.#human = human;
    const removedHuman = this.#shared.removed.get(uid);
    const input: CycleInput = {
      ...stored,
      ...observed,
      ...(human === undefined ? {} : { human }),
      ...(removedHuman === undefined ? {} : { removedHuman }),
      created: Date.parse(cr.metadata.creationTimestamp),
      generation: cr.metadata.generation ?? 0,
      specHash: intentHash(spec, { kind: cr.kind, builtin: false }),
      spec,
      deleting,
      wish: readWish(asked),
      policies,
      reports: [...told, ...looked],
      now: clock.now(),
      observationPoll: toMilliseconds(application.poll ?? defaultPoll),
    };
    const plan = planCycle(input);
    this.#run.onCycle?.(input, plan);
    return plan;
  }

  /**
   * Waits for what an author wrote. What takes long is waited for without a worker: the key stays under way, so that
   * nothing is called twice at once, and others run meanwhile.
   */
  async #unhurried<T>(act: () => Promise<T>): Promise<T> {
    const { clock } = this.#context;
    const timer = clock.setTimeout(() => this.#run.leaveWorker?.(), patience);
    try {
      return await act();
    } finally {
      clock.clearTimeout(timer);
    }
  }

  /** What the tasks have started, and whatever else belongs to the custom resource. */
  #children(): readonly string[] {
    const { options } = this.#shared.definition;
    return (options.owns ?? []).flatMap((type) =>
      this.#context.owned(type).map(({ metadata }) => metadata.name),
    );
  }

  /** The author's look, under a time limit; never rejects. */
  async #observe(): Promise<Pick<CycleInput, "observation" | "observationError">> {
    const { application } = this.#shared;
    const { clock, signal } = this.#context;
    const limit = toMilliseconds(application.observeTimeout ?? defaultObserveTimeout);
    const end = new AbortController();
    const stop = (): void => end.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const late = sleep(clock, limit, end.signal).then((): Observation => {
      const error = new OperatorError("OBSERVE_TIMEOUT", `it took longer than ${limit} ms`, {
        remedy: "Pass the signal to what the observer awaits, or raise observeTimeout.",
      });
      end.abort(error);
      throw error;
    });
    late.catch(() => undefined);
    const look = (async () => application.observe({ ...this.#context, signal: end.signal }))();
    look.catch(() => undefined);
    try {
      return { observation: readObservation(await Promise.race([look, late])) };
    } catch (error) {
      return { observationError: messageOf(error) };
    } finally {
      signal.removeEventListener("abort", stop);
      end.abort();
    }
  }

  /**
   * Persists the cycle, then carries out its effects: a crash in between leaves an intent that the next cycle finds.
   * A cycle without effects is persisted with the rest of the status, at the end of the run.
   */
  async #carryOut(plan: CyclePlan): Promise<void> {
    const { cr, status, log, signal, clock } = this.#context;
    const { reports, removed, events } = this.#shared;
    const { uid } = cr.metadata;
    for (const problem of plan.problems) log.warn({ ...problem }, "lifecycle problem");
    if (plan.moved !== undefined || plan.effects.length > 0 || plan.human !== undefined) {
      this.contributeStatus(status);
      await status.flush();
    }
    this.#shared.measure(cr, plan, clock.now());
    this.#inspect(plan);
    // The reports are in what was persisted; without a write they are kept, as nothing else remembers them.
    if (plan.status !== undefined) {
      reports.delete(uid);
      removed.delete(uid);
    }
    for (const { type, reason, message } of plan.notices) {
      events.record(cr, { type, reason, action: "Lifecycle", note: message });
    }
    if (plan.moved !== undefined) log.info({ ...plan.moved }, "lifecycle moved");
    if (plan.human !== undefined && this.#human !== undefined) {
      const written = await removeHumanRequest(this.#humanTools(), this.#human);
      if (written !== undefined) {
        this.#shared.recordWrite(written);
        removed.set(uid, this.#human.id);
      }
    }
    const told: TaskReport[] = [];
    for (const effect of plan.effects) {
      signal.throwIfAborted();
      if (effect.kind === "runAction") await this.#runAction(effect.action);
      else told.push(await this.#unhurried(() => this.#tasks.run(effect)));
    }
    if (told.length > 0) reports.set(uid, told);
    // Last, because it may fail: the effects are named once, this is done again in every run.
    if (plan.operation !== "none") await this.#shared.application[plan.operation]?.(this.#context);
  }

  async #runAction(action: { readonly name: string; readonly params?: unknown }): Promise<void> {
    const { application, events } = this.#shared;
    const { actions = {} } = application;
    try {
      const run = Object.hasOwn(actions, action.name) ? actions[action.name] : undefined;
      if (run === undefined) {
        throw new OperatorError("ACTION_UNKNOWN", `application.actions has no "${action.name}"`, {
          remedy: "Add it to the controller's application.actions.",
        });
      }
      await run(this.#context, action.params);
    } catch (error) {
      const note = `the action ${action.name} failed: ${messageOf(error)}`;
      events.record(this.#context.cr, { type: "Warning", reason: "ActionFailed", action: "Lifecycle", note });
      this.#context.log.warn({ action: action.name, error: messageOf(error) }, "lifecycle action failed");
    }
  }

  #inspect({ moved, status }: CyclePlan): void {
    const { inspector, lifecycle } = this.#shared;
    const { cr } = this.#context;
    if (moved === undefined || !inspector.looksAt(subjectOf(cr))) return;
    const snapshot = lifecycleSnapshotOf(lifecycle, status);
    if (snapshot !== undefined) {
      inspector.report(lifecycleActorOf(lifecycle, cr), { ...moved, type: moved.event }, snapshot);
    }
  }

  #humanTools(): HumanEventTools {
    const { type, operator } = this.#shared;
    const { client, cr, signal } = this.#context;
    return { client, type, cr, fieldManager: operator, signal };
  }

  #planned(): CyclePlan {
    if (this.#plan === undefined) throw new OperatorError("APPLICATION_INVALID", "the cycle was not planned");
    return this.#plan;
  }
}

/** What the cycle means for the queue and for the run's condition. */
function reportOf({ requeueAfter, effects, moved }: CyclePlan): { requeueAfter?: number } {
  // At once: the next cycle records what became of an effect, and its resources are rendered for the new state.
  if (moved !== undefined || effects.some(({ kind }) => kind !== "runAction")) return { requeueAfter: 0 };
  return requeueAfter === undefined ? {} : { requeueAfter };
}

function lifecycleStatusOf(cr: KubeObject): unknown {
  return (cr as { readonly status?: { readonly lifecycle?: unknown } }).status?.lifecycle;
}

function specOf(cr: KubeObject): Readonly<Record<string, unknown>> {
  const { spec } = cr as { readonly spec?: unknown };
  return typeof spec === "object" && spec !== null ? (spec as Readonly<Record<string, unknown>>) : {};
}

function readWish(asked: unknown): CycleInput["wish"] {
  if (typeof asked !== "object" || asked === null) return {};
  const { desiredState, request } = asked as { readonly desiredState?: unknown; readonly request?: unknown };
  return {
    ...(typeof desiredState === "string" ? { state: desiredState } : {}),
    ...(typeof request === "string" ? { request } : {}),
  };
}
