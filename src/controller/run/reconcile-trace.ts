// What is traced of a controller: the change that the watch reported, the wait in the queue, and the reconcile. The trace of
// a reconcile is that of its first cause; the changes that came on top of it are linked.
import { parseKey } from "../../meta/object-key.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import type { Span, SpanAttributes, Tracing } from "../../ports/tracing.ts";
import type { Cause } from "../../queue/cause.ts";
import type { WorkItem } from "../../queue/work-queue.ts";
import type { ReconcileResult } from "../../reconcile/outcome/reconcile-result.ts";
import type { ReconcileFunction } from "./worker-pool.ts";

/** Whose reconciles are traced. */
export interface TracedController {
  readonly tracing: Tracing;
  /** Name of the controller. */
  readonly controller: string;
  /** Kind of its custom resource. */
  readonly kind: string;
}

/** The cause with a reference to the span of its watch event. What an initial list found is no event. */
export function traceCause(
  { tracing, controller, kind }: TracedController,
  key: string,
  cause: Cause,
): Cause {
  if (!tracing.on || !isWatchEvent(cause)) return cause;
  const span = tracing.begin({
    name: `watch ${cause.kind} ${cause.reason}`,
    kind: "producer",
    attributes: {
      ...objectAttributes(kind, key),
      "xstate_operator.controller": controller,
      "xstate_operator.change": textOf(cause),
    },
  });
  span.end();
  return span.reference === undefined ? cause : { ...cause, trace: span.reference };
}

/** The function, traced; as it is when nobody records. */
export function traceReconciles(traced: TracedController, reconcile: ReconcileFunction): ReconcileFunction {
  const { tracing } = traced;
  if (!tracing.on) return reconcile;
  return async (item, run) => {
    const span = begin(traced, item, run.id);
    run.trace = span.reference;
    try {
      const result = await span.within(() => reconcile(item, run));
      describe(span, result);
      return result;
    } catch (error) {
      span.fail(codeOf(error));
      throw error;
    } finally {
      span.end();
    }
  };
}

function begin({ tracing, controller, kind }: TracedController, item: WorkItem, id: string): Span {
  const [parent, ...links] = item.causes.flatMap(({ trace }) => (trace === undefined ? [] : [trace]));
  const attributes = { ...objectAttributes(kind, item.key), "xstate_operator.controller": controller };
  if (parent !== undefined) {
    tracing.begin({ name: `queue ${kind}`, parent, ago: item.waited, attributes }).end();
  }
  return tracing.begin({
    name: `reconcile ${kind}`,
    kind: "consumer",
    parent,
    links,
    attributes: {
      ...attributes,
      "xstate_operator.reconcile.id": id,
      "xstate_operator.causes": item.causes.map((cause) => textOf(cause)),
      "xstate_operator.queue.waited_ms": Math.round(item.waited),
      "xstate_operator.failures": item.failures,
    },
  });
}

function describe(span: Span, { kind, error, requeueAfter }: ReconcileResult): void {
  span.set({ "xstate_operator.outcome": kind, "xstate_operator.requeue_after_ms": requeueAfter });
  if (kind === "failed") span.fail(codeOf(error));
}

function objectAttributes(kind: string, key: string): SpanAttributes {
  const { namespace, name } = parseKey(key);
  return {
    "k8s.namespace.name": namespace,
    "xstate_operator.object.kind": kind,
    "xstate_operator.object.name": name,
  };
}

/** Names and paths only: `modified ConfigMap default/web (data.size)`. What a failure said is left out. */
function textOf({ reason, kind, object, detail }: Cause): string {
  const what = [reason, kind, object].filter((word) => word !== undefined).join(" ");
  return detail === undefined || reason === "retry" ? what : `${what} (${detail})`;
}

function isWatchEvent({ reason }: Cause): boolean {
  return reason === "added" || reason === "modified" || reason === "deleted";
}

/** A word of a small set, never a message. */
function codeOf(error: unknown): string {
  if (isOperatorError(error)) return error.code;
  return error instanceof Error ? error.name : "unknown";
}
