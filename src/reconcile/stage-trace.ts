// What is traced of a run: a span for each stage, to which the requests belong that are sent in it.
import type { ReconciliationEvent } from "../../machines/reconciliation-machine.ts";
import type { Tracing } from "../ports/tracing.ts";

/** The work of a run's stages, by the names of the stages; undefined before the request. */
export type StageWorkers = Readonly<Record<string, StageWorker | undefined>>;

type StageWorker = () => Promise<ReconciliationEvent>;

/** The same work, traced; as it is outside of a traced reconcile. */
export function traceStages(tracing: Tracing, workers: StageWorkers): StageWorkers {
  if (!tracing.inside) return workers;
  const traced = Object.entries(workers).map(([stage, work]) => [
    stage,
    work === undefined ? undefined : traceStage(tracing, stage, work),
  ]);
  return Object.fromEntries(traced) as StageWorkers;
}

function traceStage(tracing: Tracing, stage: string, work: StageWorker): StageWorker {
  return async () => {
    const span = tracing.begin({ name: stage, attributes: { "xstate_operator.stage": stage } });
    try {
      const event = await span.within(work);
      span.set({ "xstate_operator.stage.event": event.type });
      if (event.type === "stage.failed") span.fail(event.type);
      return event;
    } finally {
      span.end();
    }
  };
}
