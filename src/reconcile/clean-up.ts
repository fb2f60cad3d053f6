// How a custom resource that is being deleted is cleaned up: the author's CRFinalizer, then the application's lifecycle to its end, with
// the resources that it needs on that path, and last what CRFinalizer has registered. The pipeline's CRFinalizer stage is this.
import type { KubeObject } from "../meta/object.ts";
import { mergeReturned } from "./engines/engine.ts";
import { removeFinalizer } from "./finalizer.ts";
import { isAlreadyGone } from "./outcome/failure-meaning.ts";
import type { Results } from "./outcome/results.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import type { Resource } from "./resources/resource.ts";
import { finalizeRequeue, noteFinalizing } from "./resources/resource-steps.ts";
import type { RunCycles } from "./run-cycles.ts";
import { finalizingCondition } from "./status/reconciliation-condition.ts";

/** The clean-up of one run. */
export class CleanUp<TCR extends KubeObject> {
  readonly #options: PipelineOptions<TCR>;
  readonly #cycles: RunCycles<TCR>;
  readonly #results: Results;

  constructor(options: PipelineOptions<TCR>, cycles: RunCycles<TCR>, results: Results) {
    this.#options = options;
    this.#cycles = cycles;
    this.#results = results;
  }

  /** One run of it: the finalizer goes once nothing is outstanding. */
  async finalize(finalizer: string): Promise<void> {
    const { memory, engine, log } = this.#options;
    const { uid } = this.#cycles.context.cr.metadata;
    try {
      await engine.CRFinalizer?.(this.#cycles.context);
    } catch (caught) {
      if (!isAlreadyGone(caught)) throw caught;
      log.info({ error: caught }, "the resources to clean up are already gone");
    }
    // An application on its way to its end may still need it.
    const finalizeOthers = this.#cycles.context.registry.setAside();
    let isRendered: boolean;
    do isRendered = await this.#endApplication();
    while (this.#cycles.moveOn());
    if (this.#isDone) await finalizeOthers();
    if (this.#results.consolidated().kind !== "settled") return;
    if (isRendered && this.#results.outstanding !== undefined) await this.#contributeStatus();
    const { outstanding } = this.#results;
    if (outstanding !== undefined) {
      await this.#cycles.writeStatus(finalizingCondition(outstanding.message ?? "clean-up continues"));
      return;
    }
    await removeFinalizer(this.#cycles.scope, finalizer);
    this.#results.success("FinalizerRemoved");
    memory.throttle.forget(uid);
    memory.statuses.forget(uid);
  }

  /** Whether nothing has failed so far, and nothing is outstanding. */
  get #isDone(): boolean {
    return this.#results.consolidated().kind === "settled" && this.#results.outstanding === undefined;
  }

  /** One cycle of an application on its way to its end, with its resources; returns whether those were rendered. */
  async #endApplication(): Promise<boolean> {
    const application = this.#cycles.makeApplication();
    const isNeeded = this.#results.consolidated().kind === "settled" && application?.needsOthers?.() === true;
    const isRendered = isNeeded && (await this.#renderOthers());
    this.#cycles.registerApplication();
    if (application !== undefined) await this.#finalize(application);
    return isRendered;
  }

  /**
   * Renders and writes the resources for the application's present state, as in any other run. What fails in that is
   * reported, and the application goes on towards its end all the same. Returns whether nothing failed.
   */
  #renderOthers(): Promise<boolean> {
    return this.#tolerating(async () => {
      const { engine } = this.#options;
      for (const stage of [() => this.#cycles.getObjects(), engine.Mutator, engine.Updater]) {
        await stage?.(this.#cycles.context);
        if (this.#results.consolidated().kind !== "settled") return;
      }
    });
  }

  /** The author's fields of the status, while the application is on its way to its end. */
  #contributeStatus(): Promise<boolean> {
    return this.#tolerating(async () => {
      const { status } = this.#cycles.context;
      mergeReturned(
        "SuccessManager",
        await this.#options.engine.SuccessManager?.(this.#cycles.context),
        status,
      );
    });
  }

  /** Whether something went well that holds up no deletion. */
  async #tolerating(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
    } catch (caught) {
      this.#results.error(caught);
    }
    const error = this.#results.tolerate(finalizeRequeue);
    if (error === undefined) return true;
    this.#options.log.warn(
      { error },
      "a resource of an application that is being deleted could not be written",
    );
    return false;
  }

  async #finalize(application: Resource): Promise<void> {
    try {
      const report = await application.finalize?.();
      if (report === undefined || report.done || application.movesOn?.() === true) return;
      noteFinalizing(this.#results, application, report);
    } catch (caught) {
      this.#results.error(caught, { resource: application.kindName });
    }
  }
}
