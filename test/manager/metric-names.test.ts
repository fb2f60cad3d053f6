// The names that dashboards and alerts made for controller-runtime and client-go look for, as a scrape finds them.
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";

const Gauge = defineKind({
  group: "metrics.example.com",
  version: "v1",
  kind: "Gauge",
  spec: z.object({ size: z.int() }),
});

/** Name, type and labels of each family. */
const families: Readonly<Record<string, readonly [type: string, ...labels: string[]]>> = {
  controller_runtime_reconcile_total: ["counter", "controller", "result"],
  controller_runtime_reconcile_errors_total: ["counter", "controller"],
  controller_runtime_terminal_reconcile_errors_total: ["counter", "controller"],
  controller_runtime_reconcile_panics_total: ["counter", "controller"],
  controller_runtime_reconcile_time_seconds: ["histogram", "controller"],
  controller_runtime_active_workers: ["gauge", "controller"],
  controller_runtime_max_concurrent_reconciles: ["gauge", "controller"],
  workqueue_depth: ["gauge", "controller", "name", "priority"],
  workqueue_adds_total: ["counter", "controller", "name"],
  workqueue_retries_total: ["counter", "controller", "name"],
  workqueue_queue_duration_seconds: ["histogram", "controller", "name"],
  workqueue_work_duration_seconds: ["histogram", "controller", "name"],
  workqueue_unfinished_work_seconds: ["gauge", "controller", "name"],
  workqueue_longest_running_processor_seconds: ["gauge", "controller", "name"],
  rest_client_requests_total: ["counter", "code", "host", "method"],
};

it("a scrape finds the families of controller-runtime and client-go, and they count", async () => {
  const cluster = await startCluster({ controllers: false });
  onTestFinished(() => cluster.stop());
  const client = await clientOf(cluster.kubeconfig);
  onTestFinished(() => client.close());
  const operator = defineOperator({ name: "gauges", controllers: [defineController(Gauge, {})] });
  const running = await startOperator(operator, cluster.kubeconfig, {
    installCrds: true,
    metricsBindAddress: "127.0.0.1:0",
  });
  onTestFinished(() => running.stop());
  await client.create(Gauge, {
    apiVersion: "metrics.example.com/v1",
    kind: "Gauge",
    metadata: { name: "one", namespace: "default" },
    spec: { size: 1 },
  });
  const url = String(running.lines.find(({ message }) => message === "metrics served")?.fields["url"]);
  const text = await eventually(async () => {
    const body = await (await fetch(new URL("/metrics", url))).text();
    expect(body).toMatch(/^controller_runtime_reconcile_total\{[^}]*result="success"[^}]*\} [1-9]/m);
    return body;
  });
  const found = Object.keys(families).map((name) => {
    const type = new RegExp(`^# TYPE ${name} (\\w+)$`, "m").exec(text)?.[1];
    const series = new RegExp(`^${name}(?:_count)?\\{([^}]*)\\} `, "m").exec(text)?.[1] ?? "";
    const labels = [...series.matchAll(/(\w+)="/g)].map(([, label = ""]) => label).toSorted();
    return [name, [type, ...labels]] as const;
  });
  expect(Object.fromEntries(found)).toEqual(families);
  const valueOf = (series: RegExp) => Number(series.exec(text)?.[1]);
  expect(valueOf(/^workqueue_adds_total\{name="gauge",controller="gauge"\} (\d+)/m)).toBeGreaterThan(0);
  expect(valueOf(/^workqueue_queue_duration_seconds_count\{[^}]*\} (\d+)/m)).toBeGreaterThan(0);
  expect(valueOf(/^rest_client_requests_total\{code="200",method="PUT"[^}]*\} (\d+)/m)).toBeGreaterThan(0);
  // What promtool's lint says of names.
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({
    name,
    type,
  }));
  expect(types.length).toBeGreaterThan(40);
  expect(types.filter(({ name, type }) => (type === "counter") !== name.endsWith("_total"))).toEqual([]);
});
