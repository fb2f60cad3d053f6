// The application as an entry of the registry: each run of the pipeline is one cycle of its lifecycle.
// Here a cycle meets the world: the application is observed before it, and it is persisted before its effects are carried out.
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import { tasksToObserve } from "../../lifecycle/cycle.ts";
import type { CycleEffect, CycleInput, CyclePlan, HumanRequest } from "../../lifecycle/cycle-plan.ts";
import { humanEventAnnotation } from "../../lifecycle/human-event-annotation.ts";
import { wordsOf, type Observation } from "../../lifecycle/observation.ts";
import { canPause } from "../../lifecycle/pause.ts";
import { isAtEnd } from "../../lifecycle/choose-move.ts";
import { readLeaves, readStatus } from "../../lifecycle/stored/read-status.ts";
import { cycleLevels } from "../../lifecycle/lifecycle-logic.ts";
import { maskInput } from "../../lifecycle/reporting/status-texts.ts";
import { taskPolicies } from "../../lifecycle/tasks/task-record.ts";
import type { TaskReport } from "../../lifecycle/tasks/task-report.ts";
import type { OpenStarts } from "../../lifecycle/tasks/task-runner.ts";
import type { Health } from "../../meta/health.ts";
import { rolloutOf } from "../../kinds/builtin/workload-status.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { intentHash } from "../../reconcile/comparison/intent-hash.ts";
import type {
  ApplicationView,
  FinalizeReport,
  MutableResource,
  Resource,
  StepReport,
} from "../../reconcile/resources/resource.ts";
import type { ApplicationStates } from "../../reconcile/resources/application-states.ts";
import { finalizingCondition } from "../../reconcile/status/reconciliation-condition.ts";
import { toError } from "../../reconcile/outcome/failure-meaning.ts";
import { contributeHealth } from "../../reconcile/status/run-health.ts";
import {
  storedConditions,
  type StatusDraft,
  type StatusFields,
} from "../../reconcile/status/status-draft.ts";
import { canBeTogether, isActive, statesOf, type Leaves } from "../../statechart/configuration.ts";
import type { StepContext } from "../../reconcile/engines/step-context.ts";
import { knownChildren } from "../../reconcile/resources/ongoing-deletion.ts";
import { ApplicationHooks } from "./application-hooks.ts";
import { contributePlan, lifecycleStatusOf, splitSpec } from "./lifecycle-fields.ts";
import type { LifecycleActors } from "./lifecycle-actors.ts";
import type { MeasureCycle } from "./lifecycle-metrics.ts";
import type { ControllerDefinition } from "../declaration/define-controller.ts";
import type { ApplicationOptions } from "../declaration/controller-options.ts";
import { statusFieldsReader } from "./status-fields.ts";
import { transitionOf, type Transition } from "./transition.ts";
import { readHumanRequest, removeHumanRequest, type HumanEventTools } from "./human-event.ts";

/** How often a settled application is looked at when its author does not say. */
export const defaultPoll = "30s";

/** What the application of a controller needs besides the run's context. */
export interface ApplicationParts {
  readonly definition: ControllerDefinition;
  readonly operator: string;
  readonly events: EventRecorder;
  readonly measure: MeasureCycle;
  /** Absent when the kind has no lifecycle. */
  readonly lifecycles: LifecycleActors | undefined;
  /** Receives each move that is persisted. */
  readonly onTransition?: ((transition: Transition) => void) | undefined;
}

/** Receives each cycle that is planned. */
export type OnCycle = (input: CycleInput, plan: CyclePlan) => void;

/** What one run of an application is given besides its context; the same in all of its cycles. */
export interface ApplicationRun {
  /** The situations that its cycles have passed through. */
  readonly passed?: string[];
  readonly onCycle?: OnCycle | undefined;
  /** Called when the author's functions take longer than a worker should wait. */
  readonly leaveWorker?: () => void;
}

/** Makes the application of one run; undefined when the kind has no lifecycle. */
export function createApplication(
  parts: ApplicationParts,
): ((context: StepContext<KubeObject>, run?: ApplicationRun) => Resource) | undefined {
  const { definition, lifecycles } = parts;
  const { kind, options } = definition;
  if (kind.lifecycle === undefined || lifecycles === undefined || options.application === undefined)
    return undefined;
  const shared: ApplicationShared = {
    ...parts,
    lifecycles,
    type: kind,
    lifecycle: kind.lifecycle,
    application: options.application,
    readStatusFields: statusFieldsReader(kind),
    policies: taskPolicies(options.application.tasks ?? {}),
    memories: new Map(),
  };
  return (context, run = {}) => new Application(shared, context, run);
}

interface ApplicationShared extends ApplicationParts {
  readonly lifecycles: LifecycleActors;
  readonly type: ResourceType;
  readonly lifecycle: Lifecycle;
  readonly application: ApplicationOptions<KubeObject>;
  /** Checks what the author's `statusOf` has returned. */
  readonly readStatusFields: (returned: unknown) => StatusFields;
  readonly policies: CycleInput["policies"];
  /** By uid. */
  readonly memories: Map<string, Memory>;
}

/** What is known of one resource and not in its status yet. Lost in a crash; then the tasks are looked for instead. */
interface Memory {
  /** What became of the effects of the last cycle. */
  reports: readonly TaskReport[];
  /** The human request whose annotation was removed. */
  removedHuman?: string | undefined;
  /** The starts of tasks that have not returned. */
  readonly starts: OpenStarts;
}

/** One cycle of one application in one run. */
class Application implements MutableResource {
  readonly index: string;
  readonly kindName: string;
  /** An application is always there, if only as desired state; its lifecycle says what it is. */
  readonly exists = true;
  readonly #shared: ApplicationShared;
  readonly #context: StepContext<KubeObject>;
  readonly #memory: Memory;
  readonly #hooks: ApplicationHooks;
  readonly #run: ApplicationRun;
  #plan: CyclePlan | undefined;
  #observation: Observation | undefined;
  #human: HumanRequest | undefined;
  /** Whether the plan is in the status, and whether it is persisted, or will be by the end of the run. */
  #isDrafted = false;
  #isPersisted = false;
  #isCarriedOut = false;
  /** The author's fields of the status, once they are derived. */
  #fields: StatusFields = {};
  /** Why they could not be derived. */
  #fieldsError: Error | undefined;

  constructor(shared: ApplicationShared, context: StepContext<KubeObject>, run: ApplicationRun) {
    const { kind } = shared.definition;
    const { name, namespace, uid } = context.cr.metadata;
    this.#shared = shared;
    this.#context = context;
    this.#run = run;
    this.kindName = `${kind.kind}/${name}`;
    this.index = `${namespace ?? ""} Application/${name} ${kind.group}/${kind.version}`;
    this.#memory = shared.memories.get(uid) ?? { reports: [], starts: new Map() };
    shared.memories.set(uid, this.#memory);
    const { application, events } = shared;
    const { starts } = this.#memory;
    this.#hooks = new ApplicationHooks({
      application,
      index: shared.lifecycle.index,
      context,
      events,
      starts,
      leaveWorker: run.leaveWorker,
    });
  }

  lookUp(): void {
    // What the application is can only be observed, which mutate does.
  }

  create(): StepReport {
    throw new OperatorError("APPLICATION_INVALID", "an application cannot be created outside of a run");
  }

  delete(): void {
    // Its end is reached through its lifecycle: see finalize.
  }

  async mutate(): Promise<void> {
    this.#plan ??= await this.#planCycle();
  }

  /** While the resource is being deleted, what is planned is carried out by {@link finalize}. */
  needsUpdate(): boolean {
    return this.#plan !== undefined && !this.#isDeleting;
  }

  async update(): Promise<StepReport> {
    const plan = this.#planned();
    await this.#carryOut(plan);
    return this.movesOn() ? {} : reportOf(plan);
  }

  movesOn(): boolean {
    return this.#isCarriedOut && this.#plan?.passing !== undefined;
  }

  async finalize(): Promise<FinalizeReport> {
    await this.mutate();
    const plan = this.#planned();
    await this.#carryOut(plan);
    if (plan.ended) this.#shared.memories.delete(this.#context.cr.metadata.uid);
    const failure = this.#fieldsError === undefined ? "" : `; ${this.#fieldsError.message}`;
    return { ...reportOf(plan), done: plan.ended, message: `${plan.condition.message}${failure}` };
  }

  needsOthers(): boolean {
    const { lifecycle } = this.#shared;
    const { state } = readStatus(lifecycleStatusOf(this.#context.cr));
    const leaves = state === undefined ? undefined : readLeaves(lifecycle, state);
    return lifecycle.final !== undefined && leaves !== undefined && !isAtEnd(lifecycle, leaves);
  }

  view(): ApplicationView | undefined {
    const status = this.#plan?.status;
    if (status === undefined) return undefined;
    const { facts = {}, message } = this.#observation ?? {};
    const words = wordsOf(this.#observation);
    return {
      state: status.state,
      context: status.snapshot.context,
      paused: this.holdsOthers(),
      facts,
      ...(words.length === 0 ? {} : { observed: words.join(",") }),
      ...(message === undefined ? {} : { message }),
    };
  }

  get states(): ApplicationStates {
    const { lifecycle } = this.#shared;
    const { index } = lifecycle;
    return {
      names: statesOf(index),
      canBeTogether: (one, other) => canBeTogether(index, one, other),
      isIn: (states) => {
        const leaves = this.#leaves();
        if (leaves === undefined || (this.#isDeleting && isAtEnd(lifecycle, leaves))) return undefined;
        return states.some((state) => isActive(leaves, state));
      },
      persistMove: async () => {
        if (this.#plan?.moved !== undefined) await this.#persist(this.#plan, false);
      },
    };
  }

  /** Where the application is after this run's move; undefined while the cycle is not planned, or nobody knows. */
  #leaves(): Leaves | undefined {
    if (this.#plan === undefined) return undefined;
    const { state } = this.#plan.status ?? readStatus(lifecycleStatusOf(this.#context.cr));
    return state === undefined ? undefined : readLeaves(this.#shared.lifecycle, state);
  }

  holdsOthers(): boolean {
    const { cr } = this.#context;
    if (this.#isDeleting) return false;
    if (this.#plan?.status !== undefined) return this.#plan.status.paused !== undefined;
    // A pause that is asked for holds before it is decided about: FreeStyle may write before the cycle is planned.
    return readStatus(lifecycleStatusOf(cr)).paused !== undefined || this.#isPauseAsked();
  }

  get #isDeleting(): boolean {
    return this.#context.cr.metadata.deletionTimestamp !== undefined;
  }

  #isPauseAsked(): boolean {
    const event = this.#context.cr.metadata.annotations?.[humanEventAnnotation];
    return event === "pause" && canPause(this.#shared.lifecycle.index);
  }

  contributeStatus(status: StatusDraft): void {
    if (this.#plan !== undefined) contributePlan(status, this.#plan);
    status.merge(this.#fields);
  }

  health(): Health | undefined {
    return this.#plan?.health;
  }

  async #planCycle(): Promise<CyclePlan> {
    const { lifecycle, lifecycles, policies, application } = this.#shared;
    const { cr, clock, signal } = this.#context;
    const { uid } = cr.metadata;
    const status = lifecycleStatusOf(cr);
    const { desired, spec } = splitSpec(cr);
    const owned = this.#owned();
    const children = owned.map(({ metadata }) => metadata.name);
    const stored = { status, conditions: storedConditions(cr), uid, children, spec };
    const rollout = rolloutOf(owned);
    const actor = lifecycles.work(cr, stored);
    const { restored } = actor.state;
    const looks = tasksToObserve(restored, clock.now());
    const remembered = restored.position?.context ?? lifecycle.initialContext;
    const { reports: known, removedHuman } = this.#memory;
    const { passed = [] } = this.#run;
    // A state that was passed through so far is not: it is waited in.
    const slowly = (): Promise<void> | undefined =>
      passed.length > 0 ? this.#context.status.flush() : undefined;
    const [observed, human, ...observedTasks] = await this.#hooks.unhurried(slowly, () =>
      Promise.all([
        this.#hooks.observe(),
        readHumanRequest(this.#humanTools()),
        // What is known from the last cycle need not be asked again.
        ...looks
          .filter(({ key }) => !known.some((report) => report.key === key))
          .map((task) => this.#hooks.observeTask(task, remembered)),
      ]),
    );
    this.#observation = observed.observation;
    this.#human = human;
    const mask = (text: string): string => this.#context.status.mask(text);
    const given: CycleInput = {
      lifecycle,
      ...stored,
      ...observed,
      ...(human === undefined ? {} : { human }),
      ...(removedHuman === undefined ? {} : { removedHuman }),
      resourceVersion: cr.metadata.resourceVersion,
      generation: cr.metadata.generation ?? 0,
      specHash: intentHash(spec, { kind: cr.kind, builtin: false }),
      deleting: this.#isDeleting,
      desired,
      policies,
      reports: [...known, ...observedTasks],
      now: clock.now(),
      observationPoll: toMilliseconds(application.poll ?? defaultPoll),
      ...(rollout === undefined ? {} : { rollout }),
      ...(passed.length === 0 ? {} : { passed: [...passed] }),
    };
    const input = maskInput(given, mask);
    // A run that was aborted while it observed decides nothing.
    signal.throwIfAborted();
    actor.send(cycleLevels(input, mask));
    const { plan } = actor.state;
    // What was aborted has none: nobody waits for it any more.
    if (plan === undefined) throw new OperatorError("APPLICATION_INVALID", "the run ended before its cycle");
    this.#run.onCycle?.(input, plan);
    return plan;
  }

  /** What the tasks have started, and whatever else belongs to the custom resource. */
  #owned(): readonly KubeObject[] {
    const { options } = this.#shared.definition;
    return (options.owns ?? []).flatMap((type) => knownChildren(this.#context, type));
  }

  /** Persists the cycle, then carries out its effects: a crash in between leaves an intent that the next cycle finds. */
  async #carryOut(plan: CyclePlan): Promise<void> {
    await this.#persist(plan, this.#isPassing(plan));
    await this.#act(plan, isStart);
    // Last, because they may fail: the effects are named once, these are called again in every run.
    await this.#hooks.operate(plan.operation);
    // A deletion is not held up by it.
    if (this.#fieldsError !== undefined && !this.#isDeleting) throw this.#fieldsError;
    this.#isCarriedOut = true;
  }

  /** Whether nothing that is yet to be done in this run hangs on the cycle, so that a later write may persist it. */
  #isPassing({ passing, operation }: CyclePlan): boolean {
    // What has failed before may end the run without a word.
    const { kind } = this.#context.results.consolidated();
    return passing !== undefined && kind === "settled" && !this.#hooks.operates(operation);
  }

  /**
   * Persists the cycle, and ends what it has left behind. Done once in a run: before the first resource that belongs to the
   * state which it has entered, else at the application's turn. Tasks are started at that turn, when those resources are there.
   * Where `mayWait`, it is persisted with a later cycle, or with the rest of the status at the end of the run.
   */
  async #persist(plan: CyclePlan, mayWait: boolean): Promise<void> {
    if (this.#isPersisted) return;
    const { status } = this.#context;
    this.#draft(plan);
    if (mayWait) status.haveStored();
    else if (isDecisive(plan)) await status.flush();
    this.#isPersisted = true;
    // The reports are in what was persisted; without a write they are kept, as nothing else remembers them.
    if (plan.status !== undefined) {
      this.#memory.reports = [];
      this.#memory.removedHuman = undefined;
    }
    if (plan.human !== undefined && this.#human !== undefined) {
      const written = await removeHumanRequest(this.#humanTools(), this.#human);
      if (written !== undefined) this.#memory.removedHuman = this.#human.id;
    }
    await this.#act(plan, (effect) => !isStart(effect));
  }

  /** Puts the cycle into the status; once it is stored, what it has changed is reported. */
  #draft(plan: CyclePlan): void {
    if (this.#isDrafted) return;
    this.#isDrafted = true;
    const { status, log } = this.#context;
    for (const problem of plan.problems) log.warn({ ...problem }, "lifecycle problem");
    if (plan.passing !== undefined) this.#run.passed?.push(plan.passing);
    status.onceStored(() => this.#deliver(plan));
    this.#deriveFields();
    if (isDecisive(plan)) this.#draftStatus(plan);
  }

  /** Derives the author's fields of the status; that it fails is reported once the lifecycle is persisted. */
  #deriveFields(): void {
    const view = this.view();
    if (view === undefined) return;
    try {
      this.#fields = this.#shared.readStatusFields(this.#hooks.statusOf(view));
    } catch (caught) {
      const error = toError(caught);
      const message = `statusOf failed: ${error.message}`;
      this.#fieldsError = error instanceof OperatorError ? error : new Error(message, { cause: error });
      if (this.#isDeleting) this.#context.log.warn({ error: this.#fieldsError }, "statusOf failed");
    }
  }

  /** Carries out some of the plan's effects, in their order. */
  async #act(plan: CyclePlan, isDue: (effect: CycleEffect) => boolean): Promise<void> {
    const reports: TaskReport[] = [];
    for (const effect of plan.effects.filter(isDue)) {
      this.#context.signal.throwIfAborted();
      if (effect.kind === "runAction") await this.#hooks.runAction(effect.action);
      else reports.push(await this.#hooks.runTask(effect, plan.status?.snapshot.context ?? {}));
    }
    if (reports.length > 0) this.#memory.reports = [...this.#memory.reports, ...reports];
  }

  /** Reports what a cycle has changed, now that it is persisted. */
  #deliver(plan: CyclePlan): void {
    const { cr, log, clock } = this.#context;
    this.#shared.measure(cr, plan, clock.now());
    for (const { type, reason, message } of plan.pendingEvents) {
      this.#shared.events.record(cr, { type, reason, action: "Lifecycle", note: message });
    }
    if (plan.moved === undefined) return;
    log.info({ ...plan.moved }, "lifecycle state changed");
    this.#shared.onTransition?.(transitionOf(this.#shared.lifecycle, cr, plan.moved, clock.now()));
  }

  /** The status as it is persisted in the middle of the run: the rest of the run is yet to show whether the generation is done. */
  #draftStatus({ condition, ended }: CyclePlan): void {
    const { status, results } = this.#context;
    status.speakOf("observed");
    if (this.#isDeleting && !ended) status.putCondition(finalizingCondition(condition.message));
    this.contributeStatus(status);
    if (this.holdsOthers()) return;
    contributeHealth(status, { results, application: this, children: [], deleting: this.#isDeleting });
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

/** Whether a cycle has to be persisted by itself, unless it is passed through. */
function isDecisive({ moved, effects, human }: CyclePlan): boolean {
  return moved !== undefined || effects.length > 0 || human !== undefined;
}

function isStart({ kind }: CycleEffect): boolean {
  return kind === "startTask";
}

/** What the cycle means for the queue and for the run's condition. */
function reportOf({ requeueAfter, effects, moved }: CyclePlan): { requeueAfter?: number } {
  // At once: the next cycle records what became of an effect, and its resources are rendered for the new state.
  if (moved !== undefined || effects.some(({ kind }) => kind !== "runAction")) return { requeueAfter: 0 };
  return requeueAfter === undefined ? {} : { requeueAfter };
}
