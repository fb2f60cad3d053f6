// A cycle once it is planned: its plan is drafted into the status and persisted, then its effects are carried out, and what it has changed
// is reported. A crash in between leaves an intent that the next cycle finds. application.ts plans it and says when each has its turn.
import type { CycleEffect, CyclePlan, HumanRequest } from "../../lifecycle/cycle-plan.ts";
import type { TaskReport } from "../../lifecycle/tasks/task-report.ts";
import type { KubeObject } from "../../meta/object.ts";
import { awaited, follow, type Eventual, type Steps } from "../../ports/eventual.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { StepContext } from "../../reconcile/engines/step-context.ts";
import { toError } from "../../reconcile/outcome/failure-meaning.ts";
import type { Resource } from "../../reconcile/resources/resource.ts";
import { finalizingCondition } from "../../reconcile/status/reconciliation-condition.ts";
import { contributeHealth } from "../../reconcile/status/run-health.ts";
import type { StatusDraft, StatusFields } from "../../reconcile/status/status-draft.ts";
import type { ApplicationHooks } from "./application-hooks.ts";
import { removeHumanRequest, type HumanEventTools } from "./human-event.ts";
import { contributePlan } from "./lifecycle-fields.ts";
import type { ApplicationMemory, ApplicationRun, ApplicationShared } from "./shared-parts.ts";
import { noteStored } from "./own-status.ts";
import { transitionOf } from "./transition.ts";

/** What {@link PlannedCycle} needs. */
export interface PlannedCycleOptions {
  readonly plan: CyclePlan;
  /** The human request that was read for it. */
  readonly human: HumanRequest | undefined;
  readonly humanTools: () => HumanEventTools;
  readonly shared: ApplicationShared;
  readonly context: StepContext<KubeObject>;
  readonly memory: ApplicationMemory;
  readonly hooks: ApplicationHooks;
  readonly run: ApplicationRun;
  /** `status.lifecycle` as the cycle began with it. */
  readonly before: unknown;
  /** The application, as the status and the author's functions see it. */
  readonly application: Resource;
}

/** One planned cycle of one run. */
export class PlannedCycle {
  readonly plan: CyclePlan;
  readonly #human: HumanRequest | undefined;
  readonly #humanTools: () => HumanEventTools;
  readonly #shared: ApplicationShared;
  readonly #context: StepContext<KubeObject>;
  readonly #memory: ApplicationMemory;
  readonly #hooks: ApplicationHooks;
  readonly #run: ApplicationRun;
  readonly #before: unknown;
  readonly #application: Resource;
  /** Whether the plan is in the status, and whether it is persisted, or will be by the end of the run. */
  #isDrafted = false;
  #isPersisted = false;
  #isCarriedOut = false;
  /** The author's fields of the status, once they are derived. */
  #fields: StatusFields = {};
  #failure: Error | undefined;

  constructor(options: PlannedCycleOptions) {
    this.plan = options.plan;
    this.#human = options.human;
    this.#humanTools = options.humanTools;
    this.#shared = options.shared;
    this.#context = options.context;
    this.#memory = options.memory;
    this.#hooks = options.hooks;
    this.#run = options.run;
    this.#before = options.before;
    this.#application = options.application;
  }

  get isCarriedOut(): boolean {
    return this.#isCarriedOut;
  }

  /** Why the author's fields of the status could not be derived. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Puts the plan and the author's fields into the status; twice is as once. */
  contributeStatus(status: StatusDraft): void {
    if (this.plan.status !== undefined) status.dropLater();
    contributePlan(status, this.plan);
    status.merge(this.#fields);
  }

  /** Persists the cycle, then carries out its effects: a crash in between leaves an intent that the next cycle finds. */
  carryOut(): Eventual<void> {
    return follow(this.#carryOut());
  }

  *#carryOut(): Steps<void> {
    yield* this.#persist(this.#isPassing());
    yield* this.#act(isStart);
    // Last, because they may fail: the effects are named once, these are called again in every run.
    if (this.#hooks.operates(this.plan.operation)) yield this.#hooks.operate(this.plan.operation);
    // A deletion is not held up by it.
    if (this.#failure !== undefined && !this.#isDeleting) throw this.#failure;
    this.#isCarriedOut = true;
  }

  /** Whether nothing that is yet to be done in this run hangs on the cycle, so that a later write may persist it. */
  #isPassing(): boolean {
    const { passing, operation } = this.plan;
    // What has failed before may end the run without a word.
    const { kind } = this.#context.results.consolidated();
    return passing !== undefined && kind === "settled" && !this.#hooks.operates(operation);
  }

  /**
   * Persists the cycle, and ends what it has left behind. Done once in a run: before the first resource that belongs to the
   * state which it has entered, else at the application's turn. Tasks are started at that turn, when those resources are there.
   */
  persist(): Eventual<void> {
    return follow(this.#persist(false));
  }

  /** The same; where it may wait, it is persisted with a later cycle, or with the rest of the status at the end of the run. */
  *#persist(mayWait: boolean): Steps<void> {
    if (this.#isPersisted) return;
    const { status } = this.#context;
    this.#draft();
    if (mayWait) status.haveStored();
    else if (isDecisive(this.plan)) yield status.flush();
    this.#isPersisted = true;
    // The reports are in what was persisted; without a write they are kept, as nothing else remembers them.
    if (this.plan.status !== undefined) {
      this.#memory.reports = [];
      this.#memory.removedHuman = undefined;
    }
    if (this.plan.human !== undefined && this.#human !== undefined) {
      const written = yield* awaited(removeHumanRequest(this.#humanTools(), this.#human));
      if (written !== undefined) this.#memory.removedHuman = this.#human.id;
    }
    yield* this.#act((effect) => !isStart(effect));
  }

  /** Puts the cycle into the status; once it is stored, what it has changed is reported. */
  #draft(): void {
    if (this.#isDrafted) return;
    this.#isDrafted = true;
    const { status, log } = this.#context;
    for (const problem of this.plan.problems) log.warn({ ...problem }, "lifecycle problem");
    this.#run.drafted = undefined;
    if (this.plan.passing !== undefined) {
      this.#run.passed?.push(this.plan.passing);
      this.#run.drafted = this.plan;
    }
    status.onceStored(() => this.#deliver());
    this.#deriveFields();
    if (isDecisive(this.plan)) this.#draftStatus();
  }

  /** Derives the author's fields of the status; that it fails is reported once the lifecycle is persisted. */
  #deriveFields(): void {
    if (this.#shared.application.statusOf === undefined) return;
    const view = this.#application.view?.();
    if (view === undefined) return;
    try {
      this.#fields = this.#shared.readStatusFields(this.#hooks.statusOf(view));
    } catch (caught) {
      const error = toError(caught);
      const message = `statusOf failed: ${error.message}`;
      this.#failure = error instanceof OperatorError ? error : new Error(message, { cause: error });
      if (this.#isDeleting) this.#context.log.warn({ error: this.#failure }, "statusOf failed");
    }
  }

  /** Carries out some of the plan's effects, in their order. */
  *#act(isDue: (effect: CycleEffect) => boolean): Steps<void> {
    if (this.plan.effects.length === 0) return;
    const reports: TaskReport[] = [];
    for (const effect of this.plan.effects.filter(isDue)) {
      this.#context.signal.throwIfAborted();
      if (effect.kind === "runAction") yield this.#hooks.runAction(effect.action);
      else {
        const context = this.plan.status?.snapshot.context ?? {};
        reports.push(yield* awaited(this.#hooks.runTask(effect, context)));
      }
    }
    if (reports.length > 0) this.#memory.reports = [...this.#memory.reports, ...reports];
  }

  /** Reports what a cycle has changed, now that it is persisted. */
  #deliver(): void {
    const { cr, log, clock, status } = this.#context;
    // The next cycle reads what the server has kept of it.
    if (this.#run.drafted === this.plan) this.#run.drafted = undefined;
    // What is passed through is followed by what is stored.
    if (this.plan.passing === undefined) noteStored(this.#memory, status.persisted, this.plan.status);
    this.#shared.measure(this.#before, this.plan, clock.now());
    for (const { type, reason, message } of this.plan.pendingEvents) {
      this.#shared.events.record(cr, { type, reason, action: "Lifecycle", note: message });
    }
    if (this.plan.moved === undefined) return;
    log.info({ ...this.plan.moved }, "lifecycle state changed");
    this.#shared.onTransition?.(transitionOf(this.#shared.lifecycle, cr, this.plan.moved, clock.now()));
  }

  /** The status as it is persisted in the middle of the run: the rest of the run is yet to show whether the generation is done. */
  #draftStatus(): void {
    const { status } = this.#context;
    status.speakOf("observed");
    if (this.plan.status === undefined) this.#putStatus();
    else status.draftLater(() => this.#putStatus());
  }

  #putStatus(): void {
    const { condition, ended } = this.plan;
    const { status, results } = this.#context;
    if (this.#isDeleting && !ended) status.putCondition(finalizingCondition(condition.message));
    this.contributeStatus(status);
    if (this.#application.holdsOthers?.() === true) return;
    contributeHealth(status, {
      results,
      application: this.#application,
      children: [],
      deleting: this.#isDeleting,
    });
  }

  get #isDeleting(): boolean {
    return this.#context.cr.metadata.deletionTimestamp !== undefined;
  }
}

/** Whether a cycle has to be persisted by itself, unless it is passed through. */
function isDecisive({ moved, effects, human }: CyclePlan): boolean {
  return moved !== undefined || effects.length > 0 || human !== undefined;
}

function isStart({ kind }: CycleEffect): boolean {
  return kind === "startTask";
}
