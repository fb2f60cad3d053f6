// What is traced of a run: a span for each stage, to which the requests belong that are sent in it.
import type { ReconciliationEvent } from "../../machines/reconciliation-machine.ts";
import type { Tracing } from "../ports/tracing.ts";

/** Does the work of a stage within a span. */
export async function traceStage(
  tracing: Tracing,
  stage: string,
  work: () => Promise<ReconciliationEvent> | ReconciliationEvent,
): Promise<ReconciliationEvent> {
  const span = tracing.begin({ name: stage, attributes: { "xstate_operator.stage": stage } });
  try {
    const event = await span.within(work);
    span.set({ "xstate_operator.stage.event": event.type });
    if (event.type === "stage.failed") span.fail(event.type);
    return event;
  } finally {
    span.end();
  }
}
