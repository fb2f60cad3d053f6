// An operator as the SRE sees it: what /metrics, /healthz and /readyz say of one that runs on an embedded cluster.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { defineController, defineKind, defineOperator, fromManifest } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import type { OperatorHealth } from "../../src/ports/operator-health.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startFaultProxy, type FaultProxy } from "../support/fault-proxy.ts";
import { createJumpingClock } from "../support/jumping-clock.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { samplesOf } from "../support/samples.ts";
import { databaseLifecycle } from "../lifecycle/database-lifecycle.ts";

const Database = defineKind({
  group: "operating.example.com",
  version: "v1",
  kind: "Database",
  spec: z.object({ size: z.number().default(1) }),
  lifecycle: databaseLifecycle,
});
const task = { start: () => undefined };
const operator = defineOperator({
  name: "operating",
  controllers: [
    defineController(Database, {
      owns: [ConfigMap],
      steps: {
        ObjectsGetter: ({ cr, registry }) => {
          const { name, namespace } = cr.metadata;
          const metadata = { name: `${name}-config`, namespace };
          registry.add(fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { size: "1" } }));
        },
      },
      application: {
        observe: () => ({ state: "Running" }),
        tasks: { backUp: task, drain: task },
        actions: {},
      },
    }),
  ],
});

const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, body: await response.text() };
};

/** The URLs that the operator says it serves. */
function urlsOf({ lines }: Pick<RunningOperator, "lines">): { probes: string; metrics: string } {
  const urlOf = (message: string) => String(lines.find((line) => line.message === message)?.fields["url"]);
  return { probes: urlOf("health probes served"), metrics: urlOf("metrics served") };
}

const addresses = { metricsBindAddress: "127.0.0.1:0", healthProbeBindAddress: "127.0.0.1:0" };

describe("an operator that is operated", () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let kubeconfig: string;
  let client: KubeClient;
  beforeAll(async () => {
    cluster = await startCluster();
    proxy = await startFaultProxy(cluster.url);
    kubeconfig = await proxy.kubeconfigFor(cluster.kubeconfig);
    client = await clientOf(cluster.kubeconfig);
  });
  afterAll(async () => {
    await client.close();
    await proxy.stop();
    await cluster.stop();
  });

  async function start(): Promise<RunningOperator> {
    const running = await startOperator(operator, kubeconfig, { ...addresses, installCrds: true });
    onTestFinished(() => running.stop());
    return running;
  }

  async function create(name: string): Promise<void> {
    const metadata = { name, namespace: "default" };
    const manifest = { apiVersion: "operating.example.com/v1", kind: "Database", metadata, spec: {} };
    await client.create(Database, manifest);
  }

  it("is measured under the names that dashboards know, and never by the name of an object", async () => {
    const running = await start();
    const { metrics } = urlsOf(running);
    await create("secret-project");
    const [text, samples] = await eventually(async () => {
      const { body } = await get(`${metrics}/metrics`);
      const read = samplesOf(body);
      expect(read.get('xstate_operator_lifecycle_state{kind="Database",state="Running"}')).toBe(1);
      expect(read.get('xstate_operator_informer_objects{resource="databases.operating.example.com"}')).toBe(
        1,
      );
      return [body, read] as const;
    });
    for (const family of [
      "controller_runtime_reconcile_total",
      "controller_runtime_reconcile_errors_total",
      "controller_runtime_terminal_reconcile_errors_total",
      "controller_runtime_reconcile_panics_total",
      "controller_runtime_reconcile_timeouts_total",
      "controller_runtime_reconcile_time_seconds",
      "controller_runtime_max_concurrent_reconciles",
      "controller_runtime_active_workers",
      "workqueue_depth",
      "workqueue_adds_total",
      "workqueue_queue_duration_seconds",
      "workqueue_work_duration_seconds",
      "workqueue_unfinished_work_seconds",
      "workqueue_longest_running_processor_seconds",
      "workqueue_retries_total",
      "rest_client_requests_total",
      "xstate_operator_informer_synced",
      "xstate_operator_informer_last_activity_age_seconds",
      "xstate_operator_informer_relists_total",
      "xstate_operator_informer_events_total",
      "xstate_operator_informer_own_write_overlays",
      "xstate_operator_lifecycle_transitions_total",
      "xstate_operator_lifecycle_state",
      "xstate_operator_lifecycle_time_in_state_seconds",
      "xstate_operator_lifecycle_task_duration_seconds",
      "xstate_operator_lifecycle_tasks_running",
      "process_cpu_seconds_total",
    ]) {
      expect(text).toContain(`# TYPE ${family} `);
    }
    const value = (name: string): number => samples.get(name) ?? Number.NaN;
    expect(
      value('controller_runtime_reconcile_total{controller="database",result="requeue_after"}'),
    ).toBeGreaterThan(0);
    expect(value('controller_runtime_reconcile_panics_total{controller="database"}')).toBe(0);
    expect(value('xstate_operator_informer_synced{resource="databases.operating.example.com"}')).toBe(1);
    expect(
      value('xstate_operator_lifecycle_transitions_total{kind="Database",from="Start",to="Running"}'),
    ).toBe(1);
    const { host } = new URL(
      String(running.lines.find(({ message }) => message === "connected")?.fields["server"]),
    );
    expect(value(`rest_client_requests_total{code="200",method="PUT",host="${host}"}`)).toBeGreaterThan(0);
    const { uid } = (await client.get(Database, { name: "secret-project", namespace: "default" })).metadata;
    expect(text).not.toContain("secret-project");
    expect(text).not.toContain(uid);
  });

  it("has one id for each reconcile in all that the reconcile logs", async () => {
    const running = await start();
    await create("other");
    const of = (message: string) =>
      running.lines.filter((line) => line.message === message && line.fields["object"] === "default/other");
    await eventually(() => expect(of("lifecycle state changed")).toHaveLength(2));
    await client.patch(
      Database,
      { namespace: "default", name: "other" },
      { type: "merge", body: { metadata: { annotations: { seen: "again" } } } },
    );
    await eventually(() => expect(of("reconcile starts").length).toBeGreaterThan(1));
    await eventually(() => expect(of("reconcile ended")).toHaveLength(of("reconcile starts").length));
    const ids = of("reconcile starts").map(({ fields }) => fields["reconcileId"]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(of("reconcile ended").map(({ fields }) => fields["reconcileId"])).toEqual(ids);
    // What the pipeline and the lifecycle log belongs to a reconcile as well.
    for (const { fields } of of("lifecycle state changed")) expect(ids).toContain(fields["reconcileId"]);
    const [first] = of("reconcile starts");
    expect(first).toMatchObject({ level: "debug", fields: { controller: "database" } });
    expect(first?.fields["causes"]).toMatchObject([{ reason: "added", object: "default/other" }]);
  });

  it("is not ready while the API server is away, names the watches, and is ready when it is back", async () => {
    let health: () => OperatorHealth | undefined = () => undefined;
    let atStart: OperatorHealth | undefined;
    const clock = createJumpingClock();
    const running = await startOperator(operator, kubeconfig, {
      ...addresses,
      clock,
      installCrds: true,
      onStart: (told) => {
        health = told;
        atStart = told();
      },
    });
    onTestFinished(() => running.stop());
    expect(atStart).toMatchObject({ stage: "starting", ready: false, watches: [], controllers: [] });
    expect(health()).toMatchObject({
      stage: "running",
      state: "Running",
      ready: true,
      problems: [],
      watches: [
        { resource: "databases.operating.example.com", state: "watching", synced: true },
        { resource: "configmaps", state: "watching", synced: true },
      ],
      controllers: [{ kind: "Database", workers: 4 }],
    });
    const { probes } = urlsOf(running);
    expect(await get(`${probes}/readyz`)).toEqual({ status: 200, body: "ok\n" });
    await proxy.refuse();
    await eventually(async () => {
      clock.jump(1_000);
      const { status, body } = await get(`${probes}/readyz`);
      expect(status).toBe(503);
      expect(body).toMatch(/^\[-\] watch of databases\.operating\.example\.com: lost \d+ s ago/m);
      expect(body).toMatch(/^\[-\] watch of configmaps: lost \d+ s ago/m);
      expect(body).toContain("[+] manager: ok");
    });
    expect((await get(`${probes}/healthz`)).status).toBe(200);
    const [watch] = health()?.watches ?? [];
    expect(watch).toMatchObject({
      synced: true,
      lostSince: expect.any(Number) as number,
      lastError: expect.any(String) as string,
    });
    expect(health()?.problems).toContainEqual(expect.stringMatching(/^watch of configmaps: lost \d+ s ago/));
    await proxy.heal();
    await eventually(async () => {
      clock.jump(1_000);
      expect(await get(`${probes}/readyz`)).toEqual({ status: 200, body: "ok\n" });
    });
  });

  it("answers probes before there is an API server, and serves nothing once it has stopped", async () => {
    await proxy.refuse();
    onTestFinished(() => proxy.heal());
    const failed = startOperator(operator, kubeconfig, addresses);
    await expect(failed).rejects.toSatisfy((error) => isOperatorError(error, "CONNECTION_FAILED"));
    await proxy.heal();
    const running = await startOperator(operator, kubeconfig, addresses);
    const { probes, metrics } = urlsOf(running);
    await running.stop();
    await expect(fetch(`${probes}/healthz`)).rejects.toThrow("fetch failed");
    await expect(fetch(`${metrics}/metrics`)).rejects.toThrow("fetch failed");
  });

  it("does not start when a port is taken", async () => {
    const running = await start();
    const { port } = new URL(urlsOf(running).probes);
    const second = startOperator(operator, kubeconfig, { healthProbeBindAddress: `127.0.0.1:${port}` });
    await expect(second).rejects.toThrow(
      `cannot serve health probes on 127.0.0.1:${port}: the port is in use`,
    );
  });
});
