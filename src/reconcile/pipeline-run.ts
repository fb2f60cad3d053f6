// The workers of one run: what happens in each stage of the reconciliation machine.
// Each worker does its stage's work and returns what it found; the machine decides what comes next.
import type { ReconciliationEvent } from "../../machines/reconciliation-machine.ts";
import type { KubeObject } from "../meta/object.ts";
import { monotonicNow } from "../ports/clock.ts";
import { isConflict, isNotFound, isServerTrouble } from "../client/api-error.ts";
import { deletionBlockers } from "./resources/deletion-blockers.ts";
import { isAlreadyGone, isContentRefused, toError } from "./outcome/failure-meaning.ts";
import { addFinalizer, hasFinalizer, removeFinalizer, type FinalizerRequest } from "./finalizer.ts";
import { mergeReturned } from "./engines/engine.ts";
import { withinSignal } from "./engines/hook-guard.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import {
  failureCondition,
  finalizingCondition,
  reconciliationCondition,
  statusFailureMessage,
  successCondition,
} from "./status/reconciliation-condition.ts";
import type { Resource } from "./resources/resource.ts";
import { conflictRequeue, longestRequeue, Results } from "./outcome/results.ts";
import { longestOutage } from "./outcome/throttle.ts";
import { createStepContext } from "./run-context.ts";
import type { RunDeadline } from "./run-deadline.ts";
import type { StageWorkers } from "./stage-trace.ts";
import { storedConditions, type ConditionInput } from "./status/status-draft.ts";
import type { StepContext } from "./engines/step-context.ts";

/** Milliseconds until a clean-up that goes on is checked again, unless it says otherwise. */
const finalizeRequeue = 5_000;

const succeeded: ReconciliationEvent = { type: "stage.succeeded" };
const nothingToDo: ReconciliationEvent = { type: "stage.nothingToDo" };
const itself = (found: ReconciliationEvent): ReconciliationEvent => found;

/** One run over one custom resource. */
export class PipelineRun<TCR extends KubeObject> {
  readonly results = new Results();
  /** What the machine's states do. */
  readonly workers: StageWorkers = {
    Requested: undefined,
    CRChecker: () => this.#stage(() => this.#check(), itself),
    ObjectsGetter: () => this.#stage(() => this.#getObjects()),
    Mutator: () => this.#stage(() => this.#options.engine.Mutator?.(this.#context)),
    Updater: () => this.#stage(() => this.#update()),
    SuccessManager: () => this.#stage(() => this.#succeed()),
    CRFinalizer: () => this.#stage(() => this.#finalize()),
    ErrorManager: () => this.#manageError(),
    GiveUp: () => this.#giveUp(),
  };
  #writes = 0;
  readonly #options: PipelineOptions<TCR>;
  readonly #signal: AbortSignal;
  readonly #lifetime: AbortSignal;
  #context: StepContext<TCR>;
  #application: Resource | undefined;

  constructor(options: PipelineOptions<TCR>, cr: TCR, deadline: Pick<RunDeadline, "signal" | "lifetime">) {
    this.#options = options;
    this.#signal = deadline.signal;
    this.#lifetime = deadline.lifetime;
    this.#context = this.#contextOf(cr);
  }

  /** Write requests sent so far. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * Does a stage's work; whatever goes wrong in it is recorded, and outweighs what it found. What it found is success unless
   * the stage itself can tell more; what a hook returns is never an event.
   */
  async #stage<T>(
    work: () => Promise<T> | T,
    meaning: (found: T) => ReconciliationEvent = () => succeeded,
  ): Promise<ReconciliationEvent> {
    let found = succeeded;
    try {
      found = meaning(await withinSignal(work, this.#signal));
    } catch (caught) {
      this.results.error(caught);
    }
    const { kind, error } = this.results.consolidated();
    if (error !== undefined) return { type: "stage.failed" };
    return kind === "gaveUp" ? { type: "stage.gaveUp" } : found;
  }

  async #check(): Promise<ReconciliationEvent> {
    const { finalizer, addFinalizer: adds = true, engine } = this.#options;
    const { cr } = this.#context;
    const deleting = cr.metadata.deletionTimestamp !== undefined;
    const ours = finalizer !== undefined && hasFinalizer(cr, finalizer);
    if (deleting && !ours) {
      await this.#tellBlockers();
      return nothingToDo;
    }
    if (finalizer !== undefined && !ours && adds) {
      const marked = await addFinalizer(this.#finalizerRequest(cr, finalizer));
      if (marked === undefined || marked.metadata.deletionTimestamp !== undefined) return nothingToDo;
      this.#context = this.#contextOf(marked);
      this.results.success("FinalizerAdded");
    }
    await engine.CRChecker?.(this.#context);
    return deleting ? { type: "stage.finalizing" } : succeeded;
  }

  /** Says what the deletion waits for, when children are held by others. */
  async #tellBlockers(): Promise<void> {
    const { reader, ownedTypes = [] } = this.#options;
    const blockers = deletionBlockers(reader, ownedTypes);
    if (blockers !== undefined) await this.#writeStatus(finalizingCondition(blockers));
  }

  async #getObjects(): Promise<void> {
    await this.#options.engine.ObjectsGetter?.(this.#context);
    this.#registerApplication();
    await this.#context.registry.lookUpAll();
  }

  async #update(): Promise<void> {
    await this.#options.engine.Updater?.(this.#context);
    // An engine or a hook may write only some resources; the application has its turn in every run.
    if (this.#application !== undefined) await this.#context.registry.createOrUpdate(this.#application);
  }

  async #succeed(): Promise<void> {
    const { status, registry } = this.#context;
    mergeReturned("SuccessManager", await this.#options.engine.SuccessManager?.(this.#context), status);
    // The hook may have added an error: then this is no success.
    if (this.results.consolidated().kind !== "settled") return;
    // The application tells its own state, in a condition of its own.
    const declared = registry.resources.filter((resource) => resource.view === undefined);
    await this.#writeStatus(successCondition(this.results, declared.length));
    if (!this.results.failed) this.#options.memory.throttle.forget(this.#context.cr.metadata.uid);
  }

  async #finalize(): Promise<void> {
    const { cr, registry } = this.#context;
    const { finalizer, memory, engine, log } = this.#options;
    if (finalizer === undefined) return;
    try {
      await engine.CRFinalizer?.(this.#context);
    } catch (caught) {
      if (!isAlreadyGone(caught)) throw caught;
      log.info({ error: caught }, "the resources to clean up are already gone");
    }
    const application = this.#makeApplication();
    const isNeeded = this.results.consolidated().kind === "settled" && application?.needsOthers?.() === true;
    const isRendered = isNeeded && (await this.#renderOthers());
    this.#registerApplication();
    await registry.lookUpAll();
    for (const resource of registry.resources) await this.#finalizeResource(resource);
    if (this.results.consolidated().kind !== "settled") return;
    if (isRendered && this.results.outstanding !== undefined) await this.#tellStatus();
    const { outstanding } = this.results;
    if (outstanding !== undefined) {
      await this.#writeStatus(finalizingCondition(outstanding.message ?? "clean-up continues"));
      return;
    }
    await removeFinalizer(this.#finalizerRequest(cr, finalizer));
    this.results.success("FinalizerRemoved");
    memory.throttle.forget(cr.metadata.uid);
    memory.statuses.forget(cr.metadata.uid);
  }

  /**
   * Renders and writes the resources for the application's present state, as in any other run. What fails in that is
   * reported, and the application goes on towards its end all the same. Returns whether nothing failed.
   */
  #renderOthers(): Promise<boolean> {
    return this.#tolerating(async () => {
      const { engine } = this.#options;
      for (const stage of [() => this.#getObjects(), engine.Mutator, engine.Updater]) {
        await stage?.(this.#context);
        if (this.results.consolidated().kind !== "settled") return;
      }
    });
  }

  /** The author's fields of the status, while the application is on its way to its end. */
  #tellStatus(): Promise<boolean> {
    return this.#tolerating(async () => {
      const { status } = this.#context;
      mergeReturned("SuccessManager", await this.#options.engine.SuccessManager?.(this.#context), status);
    });
  }

  /** Whether something went well that holds up no deletion. */
  async #tolerating(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
    } catch (caught) {
      this.results.error(caught);
    }
    const error = this.results.tolerate(finalizeRequeue);
    if (error === undefined) return true;
    this.#options.log.warn(
      { error },
      "a resource of an application that is being deleted could not be written",
    );
    return false;
  }

  async #finalizeResource(resource: Resource): Promise<void> {
    const { kindName } = resource;
    try {
      const report = await resource.finalize?.();
      if (report === undefined || report.done) return;
      const { requeueAfter = finalizeRequeue, message = `${kindName} is being finalized` } = report;
      this.results.success("Finalizing", { resource: kindName, requeueAfter, pending: true, message });
    } catch (caught) {
      this.results.error(caught, { resource: kindName });
    }
  }

  async #manageError(): Promise<ReconciliationEvent> {
    const { results } = this;
    const before = results.consolidated();
    const { error } = before;
    const found: ReconciliationEvent = before.kind === "gaveUp" ? { type: "stage.gaveUp" } : succeeded;
    // The process stops: this run says nothing about the resource.
    if (this.#options.signal.aborted || error === undefined) return found;
    try {
      const context = { ...this.#context, error };
      const { ErrorManager } = this.#options.engine;
      if (ErrorManager !== undefined && !this.#signal.aborted) {
        await withinSignal(() => ErrorManager(context), this.#signal);
      }
    } catch (caught) {
      results.error(caught);
    }
    const condition = failureCondition(results);
    if (condition === undefined) return found;
    // The hook may have added an error, which outweighs a wait.
    const cause = results.consolidated().error ?? error;
    this.#throttle(condition, cause);
    this.#announce(condition, cause);
    await this.#tell(condition, cause);
    return results.gaveUp ? { type: "stage.gaveUp" } : found;
  }

  /** A recurring error waits longer each time; a wait and a give-up have delays of their own. */
  #throttle({ status, message }: ConditionInput, error: Error): void {
    const { results } = this;
    if (results.gaveUp || status !== "False") return;
    const { memory, clock, random } = this.#options;
    const { cr } = this.#context;
    const delay = memory.throttle.delayOf({
      uid: cr.metadata.uid,
      message,
      generation: cr.metadata.generation,
      asked: results.consolidated().requeueAfter,
      isOutage: isServerTrouble(error),
      now: monotonicNow(clock),
      date: clock.now(),
      random,
      stored: storedConditions(cr).find(({ type }) => type === reconciliationCondition),
    });
    if (delay !== undefined) results.add({ code: "SameStatusError", requeueAfter: delay });
  }

  #announce({ status, reason, message }: ConditionInput, error: Error): void {
    const { events, log } = this.#options;
    if (status !== "False") return;
    events.record("Warning", reason === "Error" ? "ReconcileFailed" : "ReconcileGaveUp", message);
    log.error({ error, stage: "ErrorManager" }, "the reconcile failed");
  }

  #announceStatus(error: Error): void {
    this.#options.events.record("Warning", "ReconcileFailed", statusFailureMessage(error));
    this.#options.log.error({ error, stage: "ErrorManager" }, "the status could not be written");
  }

  async #giveUp(): Promise<ReconciliationEvent> {
    const { error } = this.results.consolidated();
    this.#options.log.info({ reason: error?.message }, "the reconcile gave up until something changes");
    return succeeded;
  }

  /**
   * Writes the condition of a run that failed or waits. That the status cannot be written is reported beside the failure, and is
   * the failure of a run that would only wait. Fields that the server refuses are left out, so that the condition is there.
   */
  async #tell(condition: ConditionInput, error: Error): Promise<void> {
    const { status } = this.#context;
    const refused = error === status.failure;
    if (refused) {
      // The same again would fail again.
      if (!isContentRefused(error)) return;
      status.withdraw();
    }
    const failure = await this.#flushStatus(condition);
    if (failure === undefined || this.#options.signal.aborted) return;
    const next = this.#noteStatusFailure(failure, { condition, error });
    if (refused || !isContentRefused(failure)) return;
    status.withdraw();
    await this.#flushStatus(next);
  }

  /** Takes note that the condition of a run could not be written; returns the condition that the run has now. */
  #noteStatusFailure(
    failure: Error,
    before: { readonly condition: ConditionInput; readonly error: Error },
  ): ConditionInput {
    const { results } = this;
    const code = "StatusUpdateFailed";
    if (results.waiting === undefined) {
      // The delay of what failed holds, but an outage of the API server is over sooner.
      const requeueAfter = isServerTrouble(failure) ? longestOutage : longestRequeue;
      results.error(failure, { code, requeueAfter });
      if (failure.message !== before.error.message) this.#announceStatus(failure);
      return before.condition;
    }
    results.error(failure, { code });
    const condition = failureCondition(results) ?? before.condition;
    this.#throttle(condition, failure);
    this.#announce(condition, failure);
    return condition;
  }

  /** Writes the status if it differs. That it cannot be written is an error of the run. */
  async #writeStatus(condition: ConditionInput): Promise<void> {
    const failure = await this.#flushStatus(condition);
    if (failure !== undefined) this.results.error(failure, { code: "StatusUpdateFailed" });
  }

  /**
   * Writes the status if it differs, and returns why it could not. That another client wrote first, or that the resource is
   * gone, is no failure.
   */
  async #flushStatus(condition: ConditionInput): Promise<Error | undefined> {
    const { status, registry } = this.#context;
    try {
      status.setCondition(condition);
      for (const resource of registry.resources) resource.contributeStatus?.(status);
      this.#options.contributeStatus?.(status);
      const before = this.#writes;
      await status.flush();
      if (this.#writes > before) this.results.success("StatusUpdated");
      return undefined;
    } catch (caught) {
      if (!isConflict(caught) && !isGone(caught)) return toError(caught);
      const again = isConflict(caught) ? { requeueAfter: conflictRequeue } : {};
      this.results.success("StatusUpdateFailed", again);
      this.#options.log.warn({ error: caught }, "the status could not be written");
      return undefined;
    }
  }

  #makeApplication(): Resource | undefined {
    this.#application ??= this.#options.application?.(this.#context);
    return this.#application;
  }

  /** Registers the application after everything that a hook has registered. */
  #registerApplication(): void {
    const { registry } = this.#context;
    const application = this.#makeApplication();
    if (application !== undefined && registry.get(application.index) === undefined) registry.add(application);
  }

  #contextOf(cr: TCR): StepContext<TCR> {
    return createStepContext({
      pipeline: this.#options,
      cr,
      results: this.results,
      signal: this.#signal,
      lifetime: this.#lifetime,
      application: () => this.#application?.view?.(),
      isHeld: () => this.#application?.holdsOthers?.() ?? false,
      countWrite: () => {
        this.#writes += 1;
      },
    });
  }

  #finalizerRequest(cr: TCR, finalizer: string): FinalizerRequest<TCR> {
    const { client, type, fieldManager } = this.#options;
    const countWrite = (): void => {
      this.#writes += 1;
    };
    return { client, type, cr, finalizer, fieldManager, signal: this.#signal, countWrite };
  }
}

/** Whether the resource is not there any more; an answer that names no object says that its API is not. */
function isGone(caught: unknown): boolean {
  return isNotFound(caught) && caught.details.name !== undefined;
}
