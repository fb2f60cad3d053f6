// What an operator may cost, in figures that do not depend on how busy the machine is: requests and memory of the cache.
// The finer figures are measured by bench/.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { startCluster, type Cluster } from "../../src/cluster/index.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import type { ManifestOf } from "../../src/meta/object.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";
import { z } from "zod";

const Widget = defineKind({
  group: "budget.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int() }),
});
function configMapOf(name: string, size: number): ManifestOf<ConfigMap> {
  const metadata = { name: `w-${name}` };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { size: String(size) } };
}
const operator = defineOperator({
  name: "widget-operator",
  controllers: [
    defineController(Widget, {
      owns: [ConfigMap],
      workers: 8,
      steps: {
        ObjectsGetter: ({ cr: { metadata, spec }, registry }) =>
          registry.add(configMapOf(metadata.name, spec.size)),
      },
    }),
  ],
});
const count = 60;
const nameOf = (index: number) => `item-${index}`;

let cluster: Cluster;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startCluster();
  client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});

/** Runs the operator until every Widget is as it should be; the write requests it has sent. */
async function writesUntilSettled(): Promise<Readonly<Record<string, number>>> {
  const metrics = createPrometheusMetrics();
  const running = await startOperator(operator, cluster.kubeconfig, { metrics, installCrds: true });
  for (let index = 0; index < count; index += 1) {
    await eventually(async () => {
      const { status } = await client.get(Widget, { namespace: "default", name: nameOf(index) });
      expect(status?.observedGeneration).toBe(1);
    });
    await eventually(() => expect(running.reconciles(`default/${nameOf(index)}`)).toBeGreaterThan(0));
  }
  await running.stop();
  const text = await metrics.expose();
  const sums: Record<string, number> = {};
  for (const [, method = "", value] of text.matchAll(
    /rest_client_requests_total\{[^}]*method="(\w+)"[^}]*\} (\d+)/g,
  ))
    sums[method] = (sums[method] ?? 0) + Number(value);
  return sums;
}

describe("budget of requests", () => {
  it("is two writes and at most one Event for each resource in a burst", async () => {
    await startOperator(operator, cluster.kubeconfig, { installCrds: true }).then(({ stop }) => stop());
    for (let index = 0; index < count; index += 1) {
      await client.create(Widget, {
        apiVersion: apiVersionOf(Widget),
        kind: Widget.kind,
        metadata: { namespace: "default", name: nameOf(index) },
        spec: { size: index },
      });
    }
    const { PATCH = 0, PUT = 0, POST = 0, DELETE = 0 } = await writesUntilSettled();
    // The status of each, whole.
    expect(PUT).toBe(count);
    // The CRD.
    expect(PATCH).toBeLessThanOrEqual(1);
    expect(DELETE).toBe(0);
    // The child of each. Events are paced while it runs; what waits at the end is sent then.
    expect(POST).toBeGreaterThanOrEqual(count);
    expect(POST).toBeLessThanOrEqual(2 * count);
  });

  it("is no write for a resource that is as it should be when the operator starts", async () => {
    const { PATCH = 0, PUT = 0, POST = 0, DELETE = 0 } = await writesUntilSettled();
    expect(PATCH).toBeLessThanOrEqual(1);
    expect(PUT + POST + DELETE).toBe(0);
  });
});
