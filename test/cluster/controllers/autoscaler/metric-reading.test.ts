// What a metric of pods asks for while the pods that were asked for last are still being made.
import { expect, it } from "vitest";
import {
  readMetric,
  type MetricSpec,
  type ScaledPods,
} from "../../../../src/cluster/controllers/autoscaler/metric-reading.ts";
import type { ControllerContext } from "../../../../src/cluster/controllers/controller-context.ts";
import type { Pod } from "../../../../src/kinds/builtin/core.ts";
import { createVirtualClock } from "../../../../src/testing/virtual-clock.ts";

const names = ["a", "b"];
const pods = names.map((name) => ({
  metadata: { name, namespace: "n" },
  spec: { containers: [{ name: "c", resources: { requests: { cpu: "100m" } } }] },
  status: {
    phase: "Running",
    startTime: "2020-01-01T00:00:00Z",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" }],
  },
})) as unknown as readonly Pod[];
const client = {
  request: () =>
    Promise.resolve({
      items: names.map((name) => ({
        metadata: { name },
        describedObject: { name },
        containers: [{ name: "c", usage: { cpu: "50m" } }],
        value: "50m",
      })),
    }),
};
const context = { client, clock: createVirtualClock() } as unknown as ControllerContext;
// Four are asked for, of which the workload has counted two.
const target: ScaledPods = {
  namespace: "n",
  selector: "app=web",
  pods,
  specReplicas: 4,
  statusReplicas: 2,
  tolerance: { up: 0.1, down: 0.1 },
};
const averageValue = { type: "AverageValue", averageValue: "50m" };
const metrics: readonly MetricSpec[] = [
  { type: "Resource", resource: { name: "cpu", target: averageValue } },
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target: averageValue } },
  { type: "Pods", pods: { metric: { name: "requests" }, target: averageValue } },
];

it.each(metrics)("keeps the replicas that were asked for when the use is right: %o", async (metric) => {
  expect((await readMetric(context, target, metric)).replicas).toBe(4);
});
