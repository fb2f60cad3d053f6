// What a run says about its custom resource, and how that is stored at its end: all conditions in one write.
import { isConflict, isNotFound, isNotServed } from "../client/api-error.ts";
import type { KubeObject } from "../meta/object.ts";
import type { Logger } from "../ports/logger.ts";
import { toError } from "./outcome/failure-meaning.ts";
import { conflictRequeue, type Results } from "./outcome/results.ts";
import type { Resource } from "./resources/resource.ts";
import { pausedOr } from "./status/reconciliation-condition.ts";
import { contributeHealth } from "./status/run-health.ts";
import type { ConditionInput, StatusDraft } from "./status/status-draft.ts";

/** A run whose status is to be stored. */
export interface ReportedRun {
  readonly cr: KubeObject;
  readonly status: StatusDraft;
  readonly registry: { readonly present: readonly Resource[] };
  /** May throw what an author wrote wrong. */
  readonly application: () => Resource | undefined;
  readonly results: Results;
  readonly log: Logger;
  /** Adds what the controller knows of the custom resource. */
  readonly contributeStatus?: ((status: StatusDraft) => void) | undefined;
  /** How many writes the run has sent. */
  readonly writes: () => number;
}

/**
 * Writes the status if it differs, and returns why it could not. Without a condition, what has been drafted so far. That another
 * client wrote first, or that the resource is gone, is no failure.
 */
export async function storeStatus(run: ReportedRun, condition?: ConditionInput): Promise<Error | undefined> {
  const { status, results, log, writes } = run;
  try {
    if (condition !== undefined) draftStatus(run, condition);
    const before = writes();
    await status.flush();
    if (writes() > before) results.success("StatusUpdated");
    return undefined;
  } catch (caught) {
    if (!isConflict(caught) && !isGone(caught)) return toError(caught);
    if (isGone(caught)) results.success("Gone");
    else results.success("StatusUpdateFailed", { requeueAfter: conflictRequeue });
    log.debug({ error: caught }, "the status was not written");
    return undefined;
  }
}

/** Puts all that this run says about the resource into its status; of one that is paused only what the pause leaves to say. */
function draftStatus(
  { status, registry, cr, results, contributeStatus, ...run }: ReportedRun,
  condition: ConditionInput,
): void {
  const application = run.application();
  const isHeld = application?.holdsOthers?.() === true;
  status.speakOf(isHeld ? "observed" : "present");
  // First: what an application has put off is said by this.
  for (const resource of registry.present) resource.contributeStatus?.(status);
  status.putCondition(isHeld ? pausedOr(condition) : condition);
  contributeStatus?.(status);
  if (isHeld) return;
  contributeHealth(status, {
    results,
    application,
    children: registry.present.filter((resource) => resource !== application),
    deleting: cr.metadata.deletionTimestamp !== undefined,
  });
}

/** Whether the resource is not there any more; an answer that names no object says that its API is not. */
function isGone(caught: unknown): boolean {
  return isNotFound(caught) && !isNotServed(caught);
}
