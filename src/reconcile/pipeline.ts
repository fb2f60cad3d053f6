// One run of the reconciliation pipeline for one request. An actor of machines/reconciliation-machine decides which stage follows
// which; here is what happens in each stage, and which event what it found is.
// Called by a worker of src/controller; everything it needs is passed in, and nothing is shared with another run except
// the controller's memory.
import { reconciliationMachine, type ReconciliationEvent } from "../../machines/reconciliation-machine.ts";
import { layered } from "../client/client-layers.ts";
import type { KubeObject } from "../meta/object.ts";
import { jittered } from "../ports/backoff.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { noTracing } from "../ports/tracing.ts";
import { driveThrough, type Stages, remembered } from "../statechart/drive.ts";
import { mergeReturned, refuseResources } from "./engines/engine.ts";
import type { StepContext } from "./engines/step-context.ts";
import { FailureReport } from "./failure-report.ts";
import { addFinalizer, hasFinalizer, readAgain, removeFinalizer } from "./finalizer.ts";
import { isAlreadyGone, toError } from "./outcome/failure-meaning.ts";
import type { RunResult } from "./outcome/reconcile-result.ts";
import { Results } from "./outcome/results.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { deletionBlockers } from "./resources/ongoing-deletion.ts";
import { unreadableRequeue } from "./resources/resource-steps.ts";
import type { Resource } from "./resources/resource.ts";
import { decidedFirst } from "./run-client.ts";
import { createStepContext, RunScope } from "./run-context.ts";
import { storeStatus } from "./run-status.ts";
import { isPromise } from "./runs.ts";
import { traceStage } from "./stage-trace.ts";
import {
  finalizingCondition,
  successCondition,
  progressCondition,
} from "./status/reconciliation-condition.ts";
import type { ConditionInput, StatusDraft } from "./status/status-draft.ts";

const pipelineLogic = remembered(reconciliationMachine);

/** Milliseconds after which a run that gave up is reconciled again without any change. */
export const giveUpRecheck = 600_000;

/** Milliseconds until a clean-up that goes on is checked again, unless it says otherwise. */
const finalizeRequeue = 5_000;

/** Cycles of an application in one run; one that still moves on goes on in the next run. */
const mostCycles = 32;

const succeeded: ReconciliationEvent = { type: "stage.succeeded" };
const moved: ReconciliationEvent = { type: "stage.moved" };
const failed: ReconciliationEvent = { type: "stage.failed" };
const gaveUp: ReconciliationEvent = { type: "stage.gaveUp" };
const finalizing: ReconciliationEvent = { type: "stage.finalizing" };
const nothingToDo: ReconciliationEvent = { type: "stage.nothingToDo" };

/** The stages that find more than success. */
const deciding: ReadonlySet<string> = new Set(["CRChecker", "Updater"]);

/** What a stage has found; at once, when nothing had to be awaited. */
type Found = Promise<ReconciliationEvent> | ReconciliationEvent;

const nothingDone: RunResult = { kind: "settled", path: [], operations: [], writes: 0 };

/**
 * Reconciles one custom resource once. Never rejects: whatever goes wrong is in the result.
 *
 * **Guarantees**: no child is created while the custom resource is being deleted or before our finalizer is on it; the
 * finalizer goes only after the clean-up succeeded; the status is written only if it differs; a hook that throws or
 * hangs is contained.
 * **RBAC**: `get` and `patch` on the custom resource, `patch` on its `status`; what its resources need.
 */
export async function runPipeline<TCR extends KubeObject>(options: PipelineOptions<TCR>): Promise<RunResult> {
  let cr: TCR | undefined;
  try {
    cr = typeof options.cr === "function" ? options.cr() : options.cr;
  } catch (caught) {
    return { ...nothingDone, kind: "failed", error: toError(caught), requeueAfter: unreadableRequeue };
  }
  if (cr === undefined) return nothingDone;
  const { clock, inspector, introduce, causes = [] } = options;
  const run = new PipelineRun(options, cr);
  const request: ReconciliationEvent = { type: "request.received", causes };
  try {
    await driveThrough(pipelineLogic, request, run, { id: "reconciliation", clock, inspector, introduce });
  } catch (caught) {
    run.results.error(caught);
  }
  return run.result();
}

/** One run over one custom resource. */
class PipelineRun<TCR extends KubeObject> implements Stages {
  readonly results = new Results();
  readonly #options: PipelineOptions<TCR>;
  readonly #path: string[] = [];
  #writes = 0;
  #scope: RunScope<TCR>;
  #context: StepContext<TCR>;
  #application: Resource | undefined;
  #cycles = 1;
  /** The stage in which it failed or gave up. */
  #failedIn: string | undefined;

  constructor(options: PipelineOptions<TCR>, cr: TCR) {
    this.#options = options;
    [this.#scope, this.#context] = this.#workOn(cr);
  }

  /** Notes the stage that was entered and does its work, in a span of its own within a reconcile that is traced. */
  enter(stage: string): Found {
    const { run, onStage, log, tracing = noTracing } = this.#options;
    this.#path.push(stage);
    run.stage = stage;
    try {
      onStage?.(stage);
    } catch (error) {
      log.warn({ error, stage }, "the tracer of a stage failed");
    }
    return tracing.inside ? traceStage(tracing, stage, () => this.#stage(stage)) : this.#stage(stage);
  }

  /** What it has come to. */
  result(): RunResult {
    const result = this.results.consolidated();
    const { random } = this.#options;
    return {
      ...result,
      requeueAfter:
        result.kind === "gaveUp"
          ? Math.round(jittered(giveUpRecheck, [1, 1.1], random))
          : result.requeueAfter,
      failedIn: this.#failedIn,
      path: this.#path,
      // A copy: a hook that was aborted may still add to the results.
      operations: [...this.results.operations],
      writes: this.#writes,
    };
  }

  /**
   * Does a stage's work; whatever goes wrong in it is recorded, and outweighs what it found. What it found is success unless
   * the stage itself can tell more ({@link deciding}); what a hook returns is never an event.
   */
  #stage(stage: string): Found {
    if (stage === "ErrorManager") return this.#manageError();
    if (stage === "GiveUp") return this.#giveUp();
    if (stage === "End") return succeeded;
    const { run } = this.#options;
    try {
      run.throwIfCutOff();
      const work = this.#work(stage);
      if (!isPromise(work)) return this.#outweigh(succeeded);
      return run.within(work).then(
        (found) => this.#outweigh(deciding.has(stage) ? (found as ReconciliationEvent) : succeeded),
        (caught: unknown) => this.#fail(caught),
      );
    } catch (caught) {
      return this.#fail(caught);
    }
  }

  #work(stage: string): unknown {
    switch (stage) {
      case "CRChecker":
        return this.#check();
      case "ObjectsGetter":
        return this.#getObjects();
      case "Mutator":
        return this.#options.engine.Mutator?.(this.#context);
      case "Updater":
        return this.#update();
      case "SuccessManager":
        return this.#succeed();
      case "CRFinalizer":
        return this.#finalize();
      default:
        throw new OperatorError("MACHINE_STUCK", `the pipeline has no work for its stage ${stage}`, {
          fields: { machine: "reconciliation", state: stage },
          remedy: "Report it.",
        });
    }
  }

  #fail(caught: unknown): ReconciliationEvent {
    this.results.error(caught);
    return this.#outweigh(succeeded);
  }

  /** What a stage has found, unless the run has failed or given up. */
  #outweigh(found: ReconciliationEvent): ReconciliationEvent {
    if (this.results.gaveUp || this.results.failed) this.#failedIn ??= this.#path.at(-1);
    if (this.results.gaveUp) return this.results.consolidated().error === undefined ? gaveUp : failed;
    return this.results.failed ? failed : found;
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
    if (!deleting && (await this.#isGoingUnseen())) {
      this.results.success("Gone");
      return nothingToDo;
    }
    if (finalizer !== undefined && !ours && adds) {
      const marked = await addFinalizer(this.#scope, finalizer);
      if (marked === undefined || marked.metadata.deletionTimestamp !== undefined) return nothingToDo;
      [this.#scope, this.#context] = this.#workOn(marked);
      this.results.success("FinalizerAdded");
    }
    await engine.CRChecker?.(this.#context);
    return deleting ? finalizing : succeeded;
  }

  /**
   * Whether the custom resource is gone or is being deleted, although the cache does not show it yet. That a child was deleted
   * may be the first sign of it: made again, it would be deleted again by the garbage collector, for as long as the watch lags.
   */
  async #isGoingUnseen(): Promise<boolean> {
    const { causes = [], type } = this.#options;
    if (!causes.some(({ reason, kind }) => reason === "deleted" && kind !== type.kind)) return false;
    const now = await readAgain(this.#scope);
    return (
      now?.metadata.uid !== this.#context.cr.metadata.uid || now.metadata.deletionTimestamp !== undefined
    );
  }

  /** Says what the deletion waits for, when children are held by others. */
  async #tellBlockers(): Promise<void> {
    const { reader, ownedTypes = [] } = this.#options;
    const blockers = deletionBlockers(reader, ownedTypes);
    if (blockers !== undefined) await this.#writeStatus(finalizingCondition(blockers));
  }

  async #getObjects(): Promise<void> {
    const { engine } = this.#options;
    const { registry } = this.#context;
    refuseResources("ObjectsGetter", await engine.ObjectsGetter?.(this.#context));
    this.#registerApplication();
    if (engine.registersLater !== true) registry.close("ObjectsGetter");
    await registry.lookUpAll();
  }

  async #update(): Promise<ReconciliationEvent> {
    await this.#options.engine.Updater?.(this.#context);
    // An engine or a hook may write only some resources; the application has its turn in every run.
    if (this.#application !== undefined) await this.#context.registry.createOrUpdate(this.#application);
    return this.#moveOn() ? moved : succeeded;
  }

  /**
   * Whether the application has moved and its next cycle follows in this run, with the resources for its new state. Then what
   * was decided is drafted and not stored yet: it is, before anything else is written, and at the end of the run.
   */
  #moveOn(): boolean {
    const application = this.#application;
    if (application?.movesOn?.() !== true) return false;
    const { kind, pending } = this.results.consolidated();
    if (kind !== "settled" || pending || this.#cycles >= mostCycles) {
      const { kindName: resource } = application;
      const isOutstanding = this.#context.cr.metadata.deletionTimestamp !== undefined;
      const message = `${resource} is being finalized`;
      const rest = isOutstanding ? { pending: true, message } : {};
      this.results.success("RequeueAsked", { resource, requeueAfter: 0, ...rest });
      return false;
    }
    this.#cycles += 1;
    this.#application = undefined;
    const { status } = this.#context;
    const cr = { ...(status.persisted as TCR), status: status.fields };
    [this.#scope, this.#context] = this.#workOn(cr, status);
    return true;
  }

  async #succeed(): Promise<void> {
    const { status, registry } = this.#context;
    mergeReturned("SuccessManager", await this.#options.engine.SuccessManager?.(this.#context), status);
    // The hook may have added an error: then this is no success.
    if (this.results.consolidated().kind !== "settled") return;
    if (this.#application === undefined) this.#awaitChildren();
    // The application tells its own state, in a condition of its own.
    const declared = registry.present.filter((resource) => resource.view === undefined);
    await this.#writeStatus(successCondition(this.results, declared.length));
    if (!this.results.failed) this.#options.memory.throttle.forget(this.#context.cr.metadata.uid);
  }

  /** Asks for another run where a child becomes ready unseen. */
  #awaitChildren(): void {
    for (const resource of this.#context.registry.present) {
      const requeueAfter = resource.health?.()?.requeueAfter;
      if (requeueAfter !== undefined)
        this.results.success("RequeueAsked", { resource: resource.kindName, requeueAfter });
    }
  }

  async #finalize(): Promise<void> {
    const { finalizer, memory, engine, log } = this.#options;
    if (finalizer === undefined) return;
    const { uid } = this.#context.cr.metadata;
    try {
      await engine.CRFinalizer?.(this.#context);
    } catch (caught) {
      if (!isAlreadyGone(caught)) throw caught;
      log.info({ error: caught }, "the resources to clean up are already gone");
    }
    let isRendered: boolean;
    do isRendered = await this.#finalizeAll();
    while (this.#moveOn());
    if (this.results.consolidated().kind !== "settled") return;
    if (isRendered && this.results.outstanding !== undefined) await this.#tellStatus();
    const { outstanding } = this.results;
    if (outstanding !== undefined) {
      await this.#writeStatus(finalizingCondition(outstanding.message ?? "clean-up continues"));
      return;
    }
    await removeFinalizer(this.#scope, finalizer);
    this.results.success("FinalizerRemoved");
    memory.throttle.forget(uid);
    memory.statuses.forget(uid);
  }

  /** One cycle of an application on its way to its end, with its resources; returns whether those were rendered. */
  async #finalizeAll(): Promise<boolean> {
    const application = this.#makeApplication();
    const isNeeded = this.results.consolidated().kind === "settled" && application?.needsOthers?.() === true;
    const isRendered = isNeeded && (await this.#renderOthers());
    this.#registerApplication();
    const { registry } = this.#context;
    await registry.lookUpAll();
    for (const resource of registry.resources) await this.#finalizeResource(resource);
    return isRendered;
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
      if (report === undefined || report.done || resource.movesOn?.() === true) return;
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
    const found: ReconciliationEvent = before.kind === "gaveUp" ? gaveUp : succeeded;
    // The process stops: this run says nothing about the resource.
    const { run, engine } = this.#options;
    if (run.isOver || error === undefined) return found;
    try {
      const { ErrorManager } = engine;
      if (ErrorManager !== undefined && !run.isCutOff) {
        const context = { ...this.#context, error };
        const work = ErrorManager(context);
        if (isPromise(work)) await run.within(work);
      }
    } catch (caught) {
      results.error(caught);
    }
    const report = new FailureReport({
      pipeline: this.#options,
      results,
      cr: this.#context.cr,
      status: this.#context.status,
      flush: (condition) => this.#flushStatus(condition),
    });
    await report.make(error);
    return results.gaveUp ? gaveUp : found;
  }

  async #giveUp(): Promise<ReconciliationEvent> {
    const { error } = this.results.consolidated();
    this.#options.log.debug({ reason: error?.message }, "the reconcile gave up until something changes");
    if (this.#context.status.isDue && !this.#options.run.isOver) await this.#flushStatus();
    return succeeded;
  }

  /** Writes the status if it differs. That it cannot be written is an error of the run. */
  async #writeStatus(condition: ConditionInput): Promise<void> {
    const failure = await this.#flushStatus(condition);
    if (failure !== undefined) this.results.error(failure, { code: "StatusUpdateFailed" });
  }

  /** Writes the status if it differs, and returns why it could not; without a condition, what has been drafted so far. */
  #flushStatus(condition?: ConditionInput): Promise<Error | undefined> {
    const { cr, status, registry } = this.#context;
    const { log, contributeStatus } = this.#options;
    const of = { cr, status, registry, application: () => this.#makeApplication(), results: this.results };
    return storeStatus({ ...of, log, contributeStatus, writes: () => this.#writes }, condition);
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

  /** What resources and hooks are given for this state of the custom resource. */
  #workOn(cr: TCR, drafted?: StatusDraft): readonly [RunScope<TCR>, StepContext<TCR>] {
    const { results } = this;
    const { client, application } = this.#options;
    const own =
      application === undefined
        ? client
        : layered(
            client,
            decidedFirst(() => this.#context.status),
          );
    const scope = new RunScope(this.#options, cr, own, () => {
      this.#writes += 1;
    });
    const context = createStepContext({
      pipeline: this.#options,
      scope,
      results,
      application: () => this.#makeApplication(),
      status: drafted,
      // What a lifecycle has decided is persisted in its own time.
      ...(application === undefined
        ? { onProgress: async (done, all) => void (await this.#flushStatus(progressCondition(done, all))) }
        : {}),
    });
    return [scope, context];
  }
}
