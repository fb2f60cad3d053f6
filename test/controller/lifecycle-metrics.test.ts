import { describe, expect, it } from "vitest";
import { createLifecycleMetrics } from "../../src/controller/application/lifecycle-metrics.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { databaseLifecycle } from "../lifecycle/database-lifecycle.ts";
import { Life } from "../lifecycle/life.ts";
import { samplesOf } from "../support/samples.ts";

const objectOf = (status: unknown, name = "secret-project"): KubeObject =>
  ({
    apiVersion: "data.example.com/v1",
    kind: "Database",
    metadata: { name, namespace: "team", uid: `uid-${name}`, resourceVersion: "1" },
    status: { lifecycle: status },
  }) as never;

function setUp() {
  const life = new Life(databaseLifecycle, { policies: { backUp: { attempts: 2 } } });
  const metrics = createPrometheusMetrics();
  const others: KubeObject[] = [];
  const measure = createLifecycleMetrics({
    metrics,
    kind: "Database",
    lifecycle: life.lifecycle,
    tasks: ["backUp", "drain"],
    resources: () => [objectOf(life.status), ...others],
  });
  /** Cycles until nothing happens at once any more. */
  const settle = (): void => {
    for (let round = 0; round < 30; round += 1) {
      const before = life.status;
      const plan = life.cycle();
      measure(before, plan, life.now);
      if (plan.requeueAfter !== 0 && plan.moved === undefined) return;
    }
    throw new Error("not settled");
  };
  const samples = async (name: string): Promise<Record<string, number>> => {
    const all = [...samplesOf(await metrics.expose())];
    const prefix = `xstate_operator_lifecycle_${name}{kind="Database",`;
    const own = all.filter(([key, value]) => key.startsWith(prefix) && value !== 0);
    return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length, -1), value]));
  };
  return { life, metrics, others, settle, samples };
}

describe("metrics of a lifecycle", () => {
  it("count moves, and tell how long a state lasted when it is left", async () => {
    const { life, settle, samples } = setUp();
    settle();
    life.pass("90s");
    life.observed = "Running";
    settle();
    settle();
    expect(await samples("transitions_total")).toEqual({
      'from="",to="Start"': 1,
      'from="Start",to="Running"': 1,
    });
    expect(await samples("time_in_state_seconds_sum")).toEqual({ 'state="Start"': 90 });
    expect(await samples("time_in_state_seconds_count")).toEqual({ 'state="Start"': 1 });
  });

  it("tell how many resources are in each state, those that have none yet or a forged one apart", async () => {
    const { life, others, settle, samples } = setUp();
    life.observed = "Running";
    settle();
    others.push(
      objectOf({ state: "Running" }, "b"),
      objectOf(undefined, "c"),
      objectOf({ state: "forged-7" }, "d"),
      objectOf({ state: "Running,Running" }, "e"),
      objectOf({ state: 7, tasks: 8 }, "f"),
    );
    const states = await samples("state");
    expect(states['state="Running"']).toBeGreaterThanOrEqual(2);
    expect(Object.keys(states).sort()).toEqual(['state="Running"', 'state="unknown"']);
    others.length = 0;
    expect(await samples("state")).toEqual({ 'state="Running"': 1 });
  });

  it("tell how many tasks are under way, and how long each attempt lasted and how it ended", async () => {
    const { life, settle, samples } = setUp();
    life.observed = "Running";
    settle();
    life.ask("Servicing");
    settle();
    expect(await samples("tasks_running")).toEqual({ 'task="backUp"': 1 });
    expect(await samples("task_duration_seconds_count")).toEqual({});
    life.pass("10m");
    life.finish({ phase: "Failed", message: "disk full" });
    settle();
    expect(await samples("task_duration_seconds_sum")).toEqual({ 'task="backUp",result="failed"': 600 });
    life.pass("5s");
    settle();
    life.pass("20m");
    life.finish();
    settle();
    expect(await samples("task_duration_seconds_sum")).toEqual({
      'task="backUp",result="failed"': 600,
      'task="backUp",result="succeeded"': 1200,
    });
    expect(await samples("task_duration_seconds_count")).toEqual({
      'task="backUp",result="failed"': 1,
      'task="backUp",result="succeeded"': 1,
    });
    expect(await samples("tasks_running")).toEqual({});
  });

  it("tell a task that was cancelled by leaving its state", async () => {
    const { life, settle, samples } = setUp();
    life.observed = "Running";
    settle();
    life.ask("Servicing");
    settle();
    life.pass("1m");
    life.send("abort");
    settle();
    expect(life.state).toBe("Running");
    expect(await samples("task_duration_seconds_sum")).toEqual({ 'task="backUp",result="cancelled"': 60 });
  });

  it("name no object", async () => {
    const { life, metrics, settle } = setUp();
    life.observed = "Running";
    settle();
    expect(await metrics.expose()).not.toMatch(/secret-project|uid-|team/);
  });
});

it("reports the lowest progress of the resources in each state, and none where none is reported", async () => {
  const { others, samples } = setUp();
  const at = (state: string, done: number): KubeObject =>
    objectOf(
      { state, progress: { done, total: 10, what: "pods", at: "2026-01-01T00:00:00Z" } },
      `${state}-${done}`,
    );
  others.push(at("Servicing", 7), at("Servicing", 3), objectOf({ state: "Running" }, "idle"));
  expect(await samples("progress_ratio")).toEqual({ 'state="Servicing"': 0.3 });
  others.length = 0;
  expect(await samples("progress_ratio")).toEqual({});
});
