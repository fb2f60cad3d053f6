// What is made of a run that failed, waits or gave up: its condition, its delay and its Event. Called by
// the pipeline once the author's ErrorManager has had its say.
import { findCondition, isSameMessage, type Condition } from "../meta/condition.ts";
import type { KubeObject } from "../meta/object.ts";
import { isServerTrouble } from "../client/api-error.ts";
import { monotonicNow } from "../ports/clock.ts";
import { isContentRefused } from "./outcome/failure-meaning.ts";
import { longestRequeue, type Results } from "./outcome/results.ts";
import { longestOutage } from "./outcome/throttle.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import {
  failureCondition,
  reconciliationCondition,
  statusFailureMessage,
} from "./status/reconciliation-condition.ts";
import { storedConditions, type ConditionInput, type StatusDraft } from "./status/status-draft.ts";

/** A run of the pipeline that has an error. */
export interface FailedRun<TCR extends KubeObject> {
  readonly pipeline: PipelineOptions<TCR>;
  readonly results: Results;
  readonly cr: TCR;
  readonly status: StatusDraft;
  /** Writes the status with this condition if it differs; resolves to why it could not be written. */
  readonly flush: (condition: ConditionInput) => Promise<Error | undefined>;
}

/** Reports one run. */
export class FailureReport<TCR extends KubeObject> {
  readonly #run: FailedRun<TCR>;

  constructor(run: FailedRun<TCR>) {
    this.#run = run;
  }

  /** Reports what the run has come to; `error` is what it failed with before its ErrorManager. */
  async make(error: Error): Promise<void> {
    const { results } = this.#run;
    const condition = this.#inStoredWords(failureCondition(results));
    if (condition === undefined) return;
    // The hook may have added an error, which outweighs a wait.
    const cause = results.consolidated().error ?? error;
    this.#throttle(condition, cause);
    this.#announce(condition);
    await this.#write(condition, cause);
  }

  /** The condition as it is stored, if it says the same: what lists the same in another order is not reported once more. */
  #inStoredWords(condition: ConditionInput | undefined): ConditionInput | undefined {
    const stored = this.#stored();
    if (condition === undefined || stored === undefined) return condition;
    return isSameMessage(stored.message, condition.message)
      ? { ...condition, message: stored.message }
      : condition;
  }

  #stored(): Condition | undefined {
    return findCondition(storedConditions(this.#run.cr), reconciliationCondition);
  }

  /** A recurring error waits longer each time; a wait and a give-up have delays of their own. */
  #throttle({ status, message }: ConditionInput, error: Error): void {
    const { results } = this.#run;
    if (results.gaveUp || status !== "False") return;
    const { memory, clock, random } = this.#run.pipeline;
    const { cr } = this.#run;
    const delay = memory.throttle.delayOf({
      uid: cr.metadata.uid,
      message,
      generation: cr.metadata.generation,
      asked: results.consolidated().requeueAfter,
      isOutage: isServerTrouble(error),
      now: monotonicNow(clock),
      date: clock.now(),
      random,
      stored: this.#stored(),
    });
    if (delay !== undefined) results.add({ code: "SameStatusError", requeueAfter: delay });
  }

  #announce({ status, reason, message }: ConditionInput): void {
    // The worker logs it, with the delay.
    if (status !== "False") return;
    const { events } = this.#run.pipeline;
    events.record("Warning", reason === "Error" ? "ReconcileFailed" : "ReconcileGaveUp", message);
  }

  #announceStatus(error: Error): void {
    const { events, log } = this.#run.pipeline;
    events.record("Warning", "ReconcileFailed", statusFailureMessage(error));
    log.error({ error, stage: "ErrorManager" }, "the status could not be written");
  }

  /**
   * Writes the condition of a run that failed or waits. That the status cannot be written is reported beside the failure, and is
   * the failure of a run that would only wait. Fields that the server refuses are left out, so that the condition is there.
   */
  async #write(condition: ConditionInput, error: Error): Promise<void> {
    const { status, flush, pipeline } = this.#run;
    const refused = error === status.failure;
    if (refused) {
      // The same again would fail again.
      if (!isContentRefused(error)) return;
      status.withdraw();
    }
    const failure = await flush(condition);
    if (failure === undefined || pipeline.run.isOver) return;
    const next = this.#noteStatusFailure(failure, { condition, error });
    if (refused || !isContentRefused(failure)) return;
    status.withdraw();
    await flush(next);
  }

  /** Takes note that the condition of a run could not be written; returns the condition that the run has now. */
  #noteStatusFailure(
    failure: Error,
    before: { readonly condition: ConditionInput; readonly error: Error },
  ): ConditionInput {
    const { results } = this.#run;
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
    this.#announce(condition);
    return condition;
  }
}
