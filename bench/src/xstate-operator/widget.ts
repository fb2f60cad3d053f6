// What both Widget operators share: the ConfigMap of a Widget, and the condition that says it is right.
import type { KubeObject, ManifestOf, StatusDraft } from "xstate-operator";
import type { ConfigMap } from "xstate-operator/kinds";
import { z } from "zod";

/** The spec of bench/crd.yaml. */
export const widgetSpec = z.object({ size: z.int().min(0), payload: z.record(z.string(), z.string()) });

/** The type of bench/crd.yaml. */
export const widgetType = { group: "bench.example.com", version: "v1", kind: "Widget" } as const;

/** The ConfigMap that a Widget asks for. */
export function configMapOf(
  widget: KubeObject & { readonly spec: z.output<typeof widgetSpec> },
): ManifestOf<ConfigMap> {
  const { payload, size } = widget.spec;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `w-${widget.metadata.name}` },
    data: { ...payload, size: String(size) },
  };
}

/** Says that the ConfigMap is right. */
export function setReady(status: StatusDraft): void {
  status.setCondition({
    type: "Ready",
    status: "True",
    reason: "Reconciled",
    message: "ConfigMap is up to date",
  });
}

/** Reconciles at the same time, the same number for every operator of the benchmark. */
export const workers = Number(process.env["BENCH_WORKERS"] ?? 16);
