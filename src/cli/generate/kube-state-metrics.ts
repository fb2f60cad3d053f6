// What kube-state-metrics tells of each resource: its state, its target, since when, and its conditions. The operator's own
// metrics count resources; these name them, and are there while the operator is not.
// https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";

/** What the names of the series begin with. */
export const seriesPrefix = "xstate_operator_resource";

/** The configuration for the kinds. */
export function kubeStateMetrics(kinds: readonly Kind<KubeObject>[]): object {
  return {
    kind: "CustomResourceStateMetrics",
    spec: { resources: kinds.map(resourceOf) },
  };
}

function resourceOf({ group, version, kind, lifecycle }: Kind<KubeObject>): object {
  return {
    groupVersionKind: { group, version, kind },
    metricNamePrefix: seriesPrefix,
    labelsFromPath: { namespace: ["metadata", "namespace"], name: ["metadata", "name"] },
    metrics: [
      {
        name: "condition",
        help: "1 while the condition is True.",
        each: {
          type: "Gauge",
          gauge: {
            path: ["status", "conditions"],
            labelsFromPath: { type: ["type"], reason: ["reason"] },
            valueFrom: ["status"],
          },
        },
      },
      gaugeOf("generation", "The generation of the spec.", ["metadata", "generation"]),
      gaugeOf("observed_generation", "The generation that the operator last observed.", [
        "status",
        "observedGeneration",
      ]),
      ...(lifecycle === undefined ? [] : lifecycleMetrics),
    ],
  };
}

const lifecycleMetrics: readonly object[] = [
  {
    name: "lifecycle",
    help: "The state of the application and its target.",
    each: {
      type: "Info",
      info: {
        path: ["status", "lifecycle"],
        labelsFromPath: {
          state: ["state"],
          target: ["target", "state"],
          outcome: ["target", "outcome"],
        },
      },
    },
  },
  gaugeOf("state_since_seconds", "When the state was entered, in seconds since the epoch.", [
    "status",
    "lifecycle",
    "since",
  ]),
];

function gaugeOf(name: string, help: string, path: readonly string[]): object {
  return { name, help, each: { type: "Gauge", gauge: { path } } };
}
