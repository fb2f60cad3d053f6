import { describe, expect, it } from "vitest";
import { traceCause, traceReconciles } from "../../src/controller/run/reconcile-trace.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { noTracing, type SpanOptions, type Tracing } from "../../src/ports/tracing.ts";
import type { Cause } from "../../src/queue/cause.ts";
import { Run } from "../../src/reconcile/runs.ts";
import type { WorkItem } from "../../src/queue/work-queue.ts";

/** A span as it was told. */
type Told = SpanOptions & { readonly failed?: string; readonly told: object; readonly ended: boolean };

/** Tracing that remembers what it is told; references count up. */
function recorder(): { readonly tracing: Tracing; readonly spans: Told[] } {
  const spans: { -readonly [K in keyof Told]: Told[K] }[] = [];
  const tracing: Tracing = {
    on: true,
    inside: false,
    current: undefined,
    begin(options) {
      const span: (typeof spans)[number] = { ...options, told: {}, ended: false };
      spans.push(span);
      return {
        reference: { traceId: "t", spanId: String(spans.length), traceFlags: 1 },
        within: (work) => work(),
        set: (attributes) => void Object.assign(span.told, attributes),
        fail: (type) => void (span.failed = type),
        headers: () => ({}),
        end: () => void (span.ended = true),
      };
    },
  };
  return { tracing, spans };
}

const item = (causes: readonly Cause[]): WorkItem => ({
  key: "default/web",
  causes,
  moreCauses: 0,
  failures: 2,
  waited: 40,
});
const modified = { reason: "modified", kind: "Widget", object: "default/web", detail: "spec.size" } as const;
const reference = (spanId: string) => ({ traceId: "t", spanId, traceFlags: 1 });

describe("the trace of a reconcile", () => {
  it("is not there when nobody records: the very same function and cause are handed on", () => {
    const reconcile = () => Promise.resolve({ kind: "settled" } as const);
    const nobody = { tracing: noTracing, controller: "widget", kind: "Widget" };
    expect(traceReconciles(nobody, reconcile)).toBe(reconcile);
    expect(traceCause(nobody, "default/web", modified)).toBe(modified);
  });

  it("begins with the watch event; an initial list and a retry are none", () => {
    const { tracing, spans } = recorder();
    const traced = { tracing, controller: "widget", kind: "Widget" };
    expect(traceCause(traced, "default/web", modified)).toEqual({ ...modified, trace: reference("1") });
    expect(spans).toMatchObject([{ name: "watch Widget modified", kind: "producer", ended: true }]);
    for (const reason of ["initialList", "retry", "requeueAfter"] as const) {
      expect(traceCause(traced, "default/web", { reason })).toEqual({ reason });
    }
    expect(spans).toHaveLength(1);
  });

  it("continues its first cause, links the others, and shows the wait in the queue", async () => {
    const { tracing, spans } = recorder();
    const causes: Cause[] = [
      { reason: "retry", detail: "the password was s3cret" },
      { ...modified, trace: reference("a") },
      { reason: "deleted", kind: "ConfigMap", object: "default/web", trace: reference("b") },
    ];
    const traced = { tracing, controller: "widget", kind: "Widget" };
    await traceReconciles(traced, () => Promise.resolve({ kind: "settled", requeueAfter: 5 }))(
      item(causes),
      new Run("default/web", "r-1", 0),
    );
    expect(spans).toMatchObject([
      { name: "queue Widget", parent: reference("a"), ago: 40, ended: true },
      {
        name: "reconcile Widget",
        kind: "consumer",
        parent: reference("a"),
        links: [reference("b")],
        attributes: {
          "k8s.namespace.name": "default",
          "xstate_operator.object.name": "web",
          "xstate_operator.reconcile.id": "r-1",
          "xstate_operator.causes": [
            "retry",
            "modified Widget default/web (spec.size)",
            "deleted ConfigMap default/web",
          ],
          "xstate_operator.failures": 2,
        },
        told: { "xstate_operator.outcome": "settled", "xstate_operator.requeue_after_ms": 5 },
        ended: true,
      },
    ]);
    expect(JSON.stringify(spans)).not.toContain("s3cret");
  });

  it("tells a failure by its code, also of a run that throws, and ends either way", async () => {
    const { tracing, spans } = recorder();
    const traced = { tracing, controller: "widget", kind: "Widget" };
    const error = new OperatorError("CACHE_UNDECLARED", "s3cret", { remedy: "none" });
    await traceReconciles(traced, () => Promise.resolve({ kind: "failed", error }))(
      item([]),
      new Run("default/web", "r-1", 0),
    );
    const thrown = traceReconciles(traced, () => Promise.reject(new TypeError("s3cret")));
    await expect(thrown(item([]), new Run("default/web", "r-2", 0))).rejects.toThrow("s3cret");
    expect(spans.map(({ name, failed, ended }) => ({ name, failed, ended }))).toEqual([
      { name: "reconcile Widget", failed: "CACHE_UNDECLARED", ended: true },
      { name: "reconcile Widget", failed: "TypeError", ended: true },
    ]);
    expect(JSON.stringify(spans)).not.toContain("s3cret");
  });
});
