// A task's function that hangs costs its own object time, and no other one a worker.
import { afterEach, expect, it } from "vitest";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import type { TaskCall, TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import type { HookContext } from "../../src/reconcile/hook-context.ts";
import { subjectOf } from "../../src/testing/lifecycle/subject.ts";
import { startOperatorProcess, type OperatorProcess } from "../../src/testing/simulation/operator-process.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";
import type { LivingResource } from "./simulated-life.ts";
import { workingLifecycle } from "./working-lifecycle.ts";

type Given = HookContext<LivingResource> & TaskCall;
type Hook = "start" | "observe" | "cancel";

const processes: OperatorProcess[] = [];
afterEach(() => {
  for (const process of processes.splice(0)) process.kill();
});

/** An operator with one worker, and two objects: the functions named here hang for `slow` until it is told. */
async function begin(...hanging: readonly Hook[]) {
  const { kind } = subjectOf(workingLifecycle, {});
  const server = await startSimulatedServer([kind]);
  const calls: string[] = [];
  const signals: AbortSignal[] = [];
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const started = new Set<string>();
  let isDone = false;
  const call = async (hook: Hook, { cr, signal }: Given): Promise<void> => {
    const { name } = cr.metadata;
    calls.push(`${hook} ${name}`);
    if (name !== "slow" || !hanging.includes(hook)) return;
    signals.push(signal);
    await promise;
  };
  const work = {
    start: async (given: Given) => {
      await call("start", given);
      started.add(given.key);
    },
    observe: async (given: Given): Promise<TaskObservation> => {
      await call("observe", given);
      if (!started.has(given.key)) return { phase: "NotFound" };
      return { phase: isDone ? "Succeeded" : "Running" };
    },
    cancel: (given: Given) => call("cancel", given),
  };
  const process = await startOperatorProcess({
    core: server.core,
    clock: server.clock,
    random: server.random,
    log: silentLogger,
    operator: () =>
      defineOperator({
        name: "working-operator",
        controllers: [
          defineController(kind as never, {
            workers: 1,
            application: { observe: () => ({}), tasks: { work: work as never }, poll: "1m" },
          }),
        ],
      }),
  });
  processes.push(process);
  const apiVersion = `${kind.group}/${kind.version}`;
  const keyOf = (name: string) => ({ namespace: "default", name });
  const create = async (name: string): Promise<void> => {
    const spec = { lifecycle: { desiredState: "Working", request: "once" } };
    await server.client.create(kind, { apiVersion, kind: kind.kind, metadata: keyOf(name), spec });
    await server.clock.advance(0);
  };
  const resource = (name: string) => server.client.get<LivingResource>(kind as never, keyOf(name));
  const says = async (name: string): Promise<string | undefined> =>
    (await resource(name)).status?.conditions?.find(({ type }) => type === "Lifecycle")?.message;
  const send = async (name: string, event: string): Promise<void> => {
    const annotations = { "lifecycle.xstate-operator.dev/event": event };
    await server.client.patch(kind, keyOf(name), { type: "merge", body: { metadata: { annotations } } });
    await server.clock.advance(0);
  };
  const finish = (): void => void (isDone = true);
  return { server, process, calls, signals, release, create, resource, says, send, finish };
}

it.each(["start", "observe"] as const)(
  "%s that hangs holds no other object up, is not called beside itself, and tells who hangs since when",
  async (hook) => {
    const { server, calls, signals, release, create, resource, says, finish } = await begin(hook);
    await create("slow");
    await create("swift");
    // The only worker is free again long before the call is given up.
    await server.clock.advance(2_000);
    expect(calls.filter((call) => call === `${hook} slow`)).toHaveLength(1);
    expect(calls).toContain("start swift");
    finish();
    await server.clock.advance(4_000);
    expect((await resource("swift")).status?.lifecycle).toMatchObject({
      state: "Idle",
      target: { reached: true },
    });
    expect(signals[0]?.aborted).toBe(false);
    await server.clock.advance(10_000);
    expect(signals[0]?.aborted).toBe(true);
    expect(await says("slow")).toMatch(
      new RegExp(`${hook} of the task work has not returned since \\d{4}-.*: return at once`),
    );
    expect((await resource("slow")).status?.lifecycle?.tasks["work"]).toMatchObject({ hanging: { hook } });
    if (hook === "start") {
      await server.clock.advance(60_000);
      expect(calls.filter((call) => call === "start slow")).toHaveLength(1);
    }
    release();
    await server.clock.advance(60_000);
    expect((await resource("slow")).status?.lifecycle).toMatchObject({
      state: "Idle",
      target: { reached: true },
      tasks: {},
    });
    expect(calls.filter((call) => call === "start slow")).toHaveLength(1);
  },
);

it("tells of a cancel that hangs, and holds no other object up", async () => {
  const { server, calls, create, says, send } = await begin("cancel");
  await create("slow");
  await server.clock.advance(5_000);
  await send("slow", "abort");
  await create("swift");
  await server.clock.advance(2_000);
  expect(calls).toContain("start swift");
  await server.clock.advance(9_000);
  expect(await says("slow")).toContain("cancel of the task work has not returned since");
});

it("ends a look at a task that hangs when a person sends an event, which is taken then", async () => {
  const { server, signals, create, resource, send } = await begin("observe");
  await create("slow");
  await server.clock.advance(2_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await send("slow", "abort");
  expect(signals[0]?.aborted).toBe(true);
  await server.clock.advance(500);
  expect((await resource("slow")).status?.lifecycle?.state).toBe("Idle");
});

it("aborts what hangs when the operator stops", async () => {
  const { server, process, signals, create } = await begin("start");
  await create("slow");
  await server.clock.advance(2_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  process.kill();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
