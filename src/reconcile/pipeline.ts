// One run of the reconciliation pipeline for one request: an actor of machines/reconciliation-machine, made for the run.
// Called by a worker of src/controller; everything it needs is passed in, and nothing is shared with another run except
// the controller's memory.
import { reconciliationMachine, type ReconciliationEvent } from "../../machines/reconciliation-machine.ts";
import type { KubeObject } from "../meta/object.ts";
import { jittered } from "../ports/backoff.ts";
import type { Random } from "../ports/random.ts";
import { noTracing } from "../ports/tracing.ts";
import { beginActor, driven, type Work } from "../statechart/drive.ts";
import { toError } from "./outcome/failure-meaning.ts";
import type { PipelineOptions, PipelineOutcome } from "./pipeline-options.ts";
import { PipelineRun } from "./pipeline-run.ts";
import { unreadableRequeue } from "./resources/registry.ts";
import { startDeadline } from "./run-deadline.ts";
import { traceStages } from "./stage-trace.ts";

const pipelineLogic = driven(reconciliationMachine);

/** Milliseconds after which a run that gave up is looked at again without any change. */
export const giveUpRecheck = 600_000;

/**
 * Reconciles one custom resource once. Never rejects: whatever goes wrong is in the outcome.
 *
 * **Guarantees**: no child is created while the custom resource is being deleted or before our finalizer is on it; the
 * finalizer goes only after the clean-up succeeded; the status is written only if it differs; a hook that throws or
 * hangs is contained.
 * **RBAC**: `patch` on the custom resource and on its `status`; what its resources need.
 */
export async function runPipeline<TCR extends KubeObject>(
  options: PipelineOptions<TCR>,
): Promise<PipelineOutcome> {
  let cr: TCR | undefined;
  try {
    cr = typeof options.cr === "function" ? options.cr() : options.cr;
  } catch (caught) {
    return { ...nothingDone, error: toError(caught), requeueAfter: unreadableRequeue };
  }
  if (cr === undefined) return nothingDone;
  const path: string[] = [];
  const { clock, signal, timeout } = options;
  const deadline = startDeadline({ clock, outer: signal, timeout, stage: () => path.at(-1) });
  const run = new PipelineRun(options, cr, deadline);
  try {
    const actor = beginActor(pipelineLogic, workOf(run, options, path), {
      id: "reconciliation",
      clock,
      ...(options.inspector === undefined ? {} : { inspector: options.inspector }),
      ...(options.introduce === undefined ? {} : { introduce: options.introduce }),
    });
    const request: ReconciliationEvent = { type: "request.received", causes: options.causes ?? [] };
    actor.send(request);
    await actor.ended;
  } catch (caught) {
    run.results.error(caught);
  } finally {
    deadline.end();
  }
  return outcomeOf(run, path, options.random);
}

/** What the actor of a run does in each stage; the stages are noted as they are entered. */
function workOf<TCR extends KubeObject>(
  run: PipelineRun<TCR>,
  { tracing = noTracing, onStage, log }: PipelineOptions<TCR>,
  path: string[],
): Work {
  return {
    workers: traceStages(tracing, run.workers),
    onState: (stage) => {
      if (stage === "Requested") return;
      path.push(stage);
      try {
        onStage?.(stage);
      } catch (error) {
        log.warn({ error, stage }, "the tracer of a stage failed");
      }
    },
  };
}

const nothingDone: PipelineOutcome = {
  requeueAfter: undefined,
  error: undefined,
  gaveUp: undefined,
  path: [],
  operations: [],
  writes: 0,
};

function outcomeOf<TCR extends KubeObject>(
  run: PipelineRun<TCR>,
  path: readonly string[],
  random: Random,
): PipelineOutcome {
  const { results, writes } = run;
  const { gaveUp, reason, error, requeueAfter } = results.consolidated();
  // A copy: a hook that was cut off may still add to the results.
  const operations = [...results.operations];
  return gaveUp
    ? {
        requeueAfter: Math.round(jittered(giveUpRecheck, [1, 1.1], random)),
        error: undefined,
        gaveUp: { reason: reason?.message },
        path,
        operations,
        writes,
      }
    : {
        requeueAfter,
        error: results.waiting === undefined ? error : undefined,
        gaveUp: undefined,
        path,
        operations,
        writes,
      };
}
