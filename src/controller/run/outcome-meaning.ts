// What the pipeline's outcome of a run means to others: to the journal, and to the queue. Pure.
import type { JournalRun } from "../../ports/run-journal.ts";
import type { PipelineOutcome } from "../../reconcile/pipeline-options.ts";
import { maskError } from "../../reconcile/secrets/mask-values.ts";
import type { ReconcileOutcome } from "./reconcile-outcome.ts";

/** The outcome as it may be told: in logs, traces, and as the cause of the next run. */
export function withoutValues(outcome: PipelineOutcome, mask: (text: string) => string): PipelineOutcome {
  const { error, gaveUp } = outcome;
  return {
    ...outcome,
    error: error && maskError(error, mask),
    gaveUp: gaveUp && { reason: gaveUp.reason === undefined ? undefined : mask(gaveUp.reason) },
  };
}

/** Operations that changed nothing. */
const untold: ReadonlySet<string> = new Set(["Fetched", "Registered", "Mutated", "Unchanged", "Succeeded"]);

/** What the journal is told of the run of `own`, the custom resource as `Kind/name`. */
export function toJournal(
  { writes, operations, error, gaveUp, requeueAfter }: PipelineOutcome,
  own: string,
): Pick<JournalRun, "writes" | "operations" | "error" | "requeueAfter"> {
  const failure = error?.message ?? gaveUp?.reason;
  return {
    writes,
    operations: operations
      // Its application is updated in each run, by a cycle that decides whether anything is done.
      .filter(({ code, resource }) => !untold.has(code) && !(code === "Updated" && resource === own))
      .map(({ code, resource }) => (resource === undefined ? { code } : { code, resource })),
    ...(failure === undefined ? {} : { error: failure }),
    ...(requeueAfter === undefined ? {} : { requeueAfter }),
  };
}

/** What the queue shall do next. */
export function toOutcome({ requeueAfter, error, gaveUp }: PipelineOutcome): ReconcileOutcome {
  if (gaveUp !== undefined) {
    const reason = gaveUp.reason === undefined ? {} : { reason: gaveUp.reason };
    return { kind: "gaveUp", ...reason, requeueAfter: requeueAfter ?? 600_000 };
  }
  const delay = requeueAfter === undefined ? {} : { requeueAfter };
  return error === undefined ? { kind: "settled", ...delay } : { kind: "failed", error, ...delay };
}
