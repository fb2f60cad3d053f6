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
import type { RunResult } from "./outcome/reconcile-result.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { PipelineRun } from "./pipeline-run.ts";
import { unreadableRequeue } from "./resources/registry.ts";
import { startDeadline } from "./run-deadline.ts";
import { traceStages } from "./stage-trace.ts";

const pipelineLogic = driven(reconciliationMachine);

/** Milliseconds after which a run that gave up is reconciled again without any change. */
export const giveUpRecheck = 600_000;

/**
 * Reconciles one custom resource once. Never rejects: whatever goes wrong is in the result.
 *
 * **Guarantees**: no child is created while the custom resource is being deleted or before our finalizer is on it; the
 * finalizer goes only after the clean-up succeeded; the status is written only if it differs; a hook that throws or
 * hangs is contained.
 * **RBAC**: `patch` on the custom resource and on its `status`; what its resources need.
 */
export async function runPipeline<TCR extends KubeObject>(options: PipelineOptions<TCR>): Promise<RunResult> {
  let cr: TCR | undefined;
  try {
    cr = typeof options.cr === "function" ? options.cr() : options.cr;
  } catch (caught) {
    return { ...nothingDone, kind: "failed", error: toError(caught), requeueAfter: unreadableRequeue };
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
  return resultOf(run, path, options.random);
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

const nothingDone: RunResult = { kind: "settled", path: [], operations: [], writes: 0 };

function resultOf<TCR extends KubeObject>(
  run: PipelineRun<TCR>,
  path: readonly string[],
  random: Random,
): RunResult {
  const result = run.results.consolidated();
  const recheck = (): number => Math.round(jittered(giveUpRecheck, [1, 1.1], random));
  return {
    ...result,
    requeueAfter: result.kind === "gaveUp" ? recheck() : result.requeueAfter,
    path,
    // A copy: a hook that was aborted may still add to the results.
    operations: [...run.results.operations],
    writes: run.writes,
  };
}
