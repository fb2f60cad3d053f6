// One run of the reconciliation pipeline for one request. An actor of machines/reconciliation-machine decides which stage follows
// which; here is what happens in each stage, and which event what it found is.
// Called by a worker of src/controller; everything it needs is passed in, and nothing is shared with another run except
// the controller's memory.
import { reconciliationMachine, type ReconciliationEvent } from "../../machines/reconciliation-machine.ts";
import { refuseUnconverted } from "../kinds/versions/refuse-unconverted.ts";
import type { KubeObject } from "../meta/object.ts";
import { keyOf } from "../meta/object-key.ts";
import { jittered } from "../ports/backoff.ts";
import { monotonicNow } from "../ports/clock.ts";
import { awaited, follow, isPromise, type Steps } from "../ports/eventual.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { noTracing } from "../ports/tracing.ts";
import { driveThrough, type Stages, remembered } from "../statechart/drive.ts";
import { CleanUp } from "./clean-up.ts";
import { mergeReturned } from "./engines/engine.ts";
import { FailureReport } from "./failure-report.ts";
import { addFinalizer, hasFinalizer, readAgain } from "./finalizer.ts";
import { toError } from "./outcome/failure-meaning.ts";
import type { RunResult } from "./outcome/reconcile-result.ts";
import { Results } from "./outcome/results.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { deletionBlockers } from "./resources/ongoing-deletion.ts";
import { unreadableRequeue } from "./resources/resource-steps.ts";
import { RunCycles } from "./run-cycles.ts";
import { traceStage } from "./stage-trace.ts";
import { finalizingCondition, successCondition } from "./status/reconciliation-condition.ts";

const pipelineLogic = remembered(reconciliationMachine);

/** Milliseconds after which a run that gave up is reconciled again without any change. */
export const giveUpRecheck = 600_000;

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

const nothingDone: RunResult = { kind: "settled", path: [], operations: [], writes: 0, seen: [] };

/**
 * Reconciles one custom resource once. Never rejects: whatever goes wrong is in the result.
 *
 * **Guarantees**: no child is created while the custom resource is being deleted or before our finalizer is on it; the
 * finalizer goes only after the clean-up succeeded; the status is written only if it differs; a hook that throws or
 * hangs is contained.
 * **RBAC**: `get` and `patch` on the custom resource, `update` on its `status`; what its resources need.
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
  readonly #cycles: RunCycles<TCR>;
  readonly #path: string[] = [];
  /** The stage in which it failed or gave up. */
  #failedIn: string | undefined;

  constructor(options: PipelineOptions<TCR>, cr: TCR) {
    this.#options = options;
    this.#cycles = new RunCycles(options, cr, this.results);
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
      writes: this.#cycles.writes,
      // What is outstanding may wait for just that.
      seen: result.kind === "settled" && !result.pending ? this.#cycles.seen : [],
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
      const decide = (found: unknown): ReconciliationEvent =>
        this.#outweigh(deciding.has(stage) ? (found as ReconciliationEvent) : succeeded);
      if (!isPromise(work)) return decide(work);
      return run.within(work).then(decide, (caught: unknown) => this.#fail(caught));
    } catch (caught) {
      return this.#fail(caught);
    }
  }

  #work(stage: string): unknown {
    switch (stage) {
      case "CRChecker":
        return follow(this.#check());
      case "ObjectsGetter":
        return this.#cycles.getObjects();
      case "Mutator":
        return this.#options.engine.Mutator?.(this.#cycles.context);
      case "Updater":
        return follow(this.#update());
      case "SuccessManager":
        return follow(this.#succeed());
      case "CRFinalizer":
        return this.#cleanUp();
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

  *#check(): Steps<ReconciliationEvent> {
    const { finalizer, addFinalizer: adds = true, engine } = this.#options;
    const { cr } = this.#cycles.context;
    const deleting = cr.metadata.deletionTimestamp !== undefined;
    const ours = finalizer !== undefined && hasFinalizer(cr, finalizer);
    if (deleting && !ours) {
      yield this.#reportBlockers();
      return nothingToDo;
    }
    if (!deleting && this.#hasLostChild && (yield* awaited(this.#isGoingUnseen()))) {
      this.results.success("Gone");
      return nothingToDo;
    }
    // Also while it is being deleted: what is to be cleaned up is not known either.
    refuseUnconverted(this.#options.type, cr);
    if (finalizer !== undefined && !ours && adds) {
      const marked = yield* awaited(addFinalizer(this.#cycles.scope, finalizer));
      if (marked === undefined || marked.metadata.deletionTimestamp !== undefined) return nothingToDo;
      this.#cycles.workOn(marked);
      this.results.success("FinalizerAdded");
    }
    const checked = engine.CRChecker?.(this.#cycles.context);
    if (isPromise(checked)) yield checked;
    return deleting ? finalizing : succeeded;
  }

  /**
   * Whether the custom resource is gone or is being deleted, although the cache does not show it yet. That a child was deleted
   * may be the first sign of it: made again, it would be deleted again by the garbage collector, for as long as the watch lags.
   * So the first time it is enough that the watches have had their turn; the next time the server is asked.
   */
  async #isGoingUnseen(): Promise<boolean> {
    const { type, memory, clock, reader } = this.#options;
    const { cr } = this.#cycles.context;
    const isGoing = (now: KubeObject | undefined): boolean =>
      now?.metadata.uid !== cr.metadata.uid || now.metadata.deletionTimestamp !== undefined;
    if (memory.lost.isAgain(cr.metadata.uid, monotonicNow(clock))) {
      return isGoing(await readAgain(this.#cycles.scope));
    }
    await clock.yield?.();
    return isGoing(reader.lookUp(type, keyOf(cr)));
  }

  get #hasLostChild(): boolean {
    const { causes = [], type } = this.#options;
    return causes.some(({ reason, kind }) => reason === "deleted" && kind !== type.kind);
  }

  /** Says what the deletion waits for, when children are held by others. */
  async #reportBlockers(): Promise<void> {
    const { reader, ownedTypes = [] } = this.#options;
    const blockers = deletionBlockers(reader, ownedTypes);
    if (blockers !== undefined) await this.#cycles.writeStatus(finalizingCondition(blockers));
  }

  *#update(): Steps<ReconciliationEvent> {
    const updated = this.#options.engine.Updater?.(this.#cycles.context);
    if (isPromise(updated)) yield updated;
    // An engine or a hook may write only some resources; the application has its turn in every run.
    const { application, context } = this.#cycles;
    const own = application === undefined ? undefined : context.registry.createOrUpdate(application);
    if (isPromise(own)) yield own;
    return this.#cycles.moveOn() ? moved : succeeded;
  }

  *#succeed(): Steps<void> {
    const { status, registry } = this.#cycles.context;
    const returned = this.#options.engine.SuccessManager?.(this.#cycles.context);
    mergeReturned("SuccessManager", isPromise(returned) ? yield* awaited(returned) : returned, status);
    // The hook may have added an error: then this is no success.
    if (this.results.consolidated().kind !== "settled") return;
    if (this.#cycles.application === undefined) this.#awaitChildren();
    // The application tells its own state, in a condition of its own.
    const declared = registry.present.filter((resource) => resource.view === undefined);
    yield this.#cycles.writeStatus(successCondition(this.results, declared.length));
    if (!this.results.failed) this.#options.memory.throttle.forget(this.#cycles.context.cr.metadata.uid);
  }

  /** Asks for another run where a child becomes ready unseen. */
  #awaitChildren(): void {
    for (const resource of this.#cycles.context.registry.present) {
      const requeueAfter = resource.health?.()?.requeueAfter;
      if (requeueAfter !== undefined)
        this.results.success("RequeueAsked", { resource: resource.kindName, requeueAfter });
    }
  }

  #cleanUp(): Promise<void> | undefined {
    const { finalizer } = this.#options;
    if (finalizer === undefined) return undefined;
    return new CleanUp(this.#options, this.#cycles, this.results).finalize(finalizer);
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
        const context = { ...this.#cycles.context, error };
        const work = ErrorManager(context);
        if (isPromise(work)) await run.within(work);
      }
    } catch (caught) {
      results.error(caught);
    }
    const report = new FailureReport({
      pipeline: this.#options,
      results,
      cr: this.#cycles.context.cr,
      status: this.#cycles.context.status,
      flush: (condition) => this.#cycles.flushStatus(condition),
    });
    await report.make(error);
    return results.gaveUp ? gaveUp : found;
  }

  async #giveUp(): Promise<ReconciliationEvent> {
    const { error } = this.results.consolidated();
    this.#options.log.debug({ reason: error?.message }, "the reconcile gave up until something changes");
    if (this.#cycles.context.status.isDue && !this.#options.run.isOver) await this.#cycles.flushStatus();
    return succeeded;
  }
}
