// Whatever an author's task function does, the operator gets a report in time.
import { describe, expect, it, vi } from "vitest";
import type { TaskDefinition } from "../../src/lifecycle/tasks/task-definition.ts";
import {
  createTaskRunner,
  largestHandle,
  type OpenStarts,
  type TaskRunner,
} from "../../src/lifecycle/tasks/task-runner.ts";
import { taskPolicies, type TaskRecord } from "../../src/lifecycle/tasks/task-record.ts";
import type { Clock } from "../../src/ports/clock.ts";

interface Given {
  readonly name: string;
}

/** What is given of a record that says nothing of it. */
const unknown = { input: undefined, context: {}, event: { type: "lifecycle.restore" }, started: false };

const task: TaskRecord = { src: "work", key: "work-1-1", entry: 1, attempt: 1, phase: "Intended" };

/** A clock whose timers fire when told. */
function manualClock(): Clock & { fire(): void } {
  const pending = new Set<() => void>();
  return {
    now: () => 0,
    setTimeout: (callback) => {
      pending.add(callback);
      return callback;
    },
    clearTimeout: (handle) => {
      pending.delete(handle as () => void);
    },
    fire: () => {
      for (const callback of pending) callback();
    },
  };
}

function runnerOf(definition: TaskDefinition<Given> | undefined, clock: Clock = manualClock()): TaskRunner {
  const tasks: Record<string, TaskDefinition<Given>> = definition === undefined ? {} : { work: definition };
  return createTaskRunner({ tasks, context: { name: "db" }, clock });
}

describe("running a task's functions", () => {
  it("starts with context, key and attempt, and reports the handle", async () => {
    const start = vi.fn(() => ({ job: "x" }));
    const runner = runnerOf({ start, observe: () => ({ phase: "Running" }) });
    expect(await runner.run({ kind: "startTask", id: "w", task })).toEqual({
      key: "work-1-1",
      kind: "started",
      handle: { job: "x" },
    });
    expect(start).toHaveBeenCalledExactlyOnceWith({
      name: "db",
      entry: 1,
      ...unknown,
      key: "work-1-1",
      attempt: 1,
      handle: undefined,
    });
  });

  it("starts nothing for a run that was aborted before, and does not call that a failure", async () => {
    const start = vi.fn(() => undefined);
    const starts: OpenStarts = new Map();
    const runner = createTaskRunner({
      tasks: { work: { start } },
      context: { name: "db" },
      clock: manualClock(),
      starts,
      signal: AbortSignal.abort(new Error("the process stops")),
    });
    expect(await runner.run({ kind: "startTask", id: "w", task })).toEqual({
      key: "work-1-1",
      kind: "unanswered",
      hook: "start",
      since: 0,
    });
    expect(start).not.toHaveBeenCalled();
    // The next process, or the next run, may start it.
    expect(starts.size).toBe(0);
  });

  it("leaves out a handle that is too large for the status, and goes on by the key", async () => {
    const runnerWith = (handle: string) =>
      runnerOf({ start: () => handle, observe: () => ({ phase: "Running" }) });
    const report = (handle: string) => runnerWith(handle).run({ kind: "startTask", id: "w", task });
    const fits = "x".repeat(largestHandle - 2);
    expect(await report(fits)).toEqual({ key: "work-1-1", kind: "started", handle: fits });
    expect(await report(`${fits}x`)).toEqual({ key: "work-1-1", kind: "started" });
  });

  it("is done when start returns, where nothing observes it", async () => {
    const report = await runnerOf({ start: () => 7 }).run({ kind: "startTask", id: "w", task });
    expect(report).toEqual({
      key: "work-1-1",
      kind: "observed",
      observation: { phase: "Succeeded", output: 7 },
    });
  });

  it("reports a start that throws or rejects as failed", async () => {
    const throwing = runnerOf({
      start: () => {
        throw new Error("quota");
      },
    });
    const rejecting = runnerOf({ start: () => Promise.reject(new Error("quota")) });
    for (const runner of [throwing, rejecting]) {
      expect(await runner.run({ kind: "startTask", id: "w", task })).toMatchObject({
        kind: "startFailed",
        message: "quota",
      });
    }
  });

  it("does not know whether a start that hangs has happened: the next look tells", async () => {
    const clock = manualClock();
    const hanging = runnerOf({ start: () => new Promise(() => undefined) }, clock);
    const report = hanging.run({ kind: "startTask", id: "w", task });
    clock.fire();
    expect(await report).toEqual({ key: "work-1-1", kind: "unanswered", hook: "start", since: 0 });
  });

  it("calls no start again while one for the same intent hangs, and counts what becomes of it", async () => {
    const clock = manualClock();
    const starts: OpenStarts = new Map();
    const { promise, resolve } = Promise.withResolvers<string>();
    const start = vi.fn((_given: object) => promise);
    let seen: object = { phase: "NotFound" };
    const tasks = { work: { start, observe: () => seen as never } };
    const runner = (): TaskRunner => createTaskRunner({ tasks, context: { name: "db" }, clock, starts });
    const unanswered = { key: task.key, kind: "unanswered", hook: "start", since: 0 };
    const first = runner().run({ kind: "startTask", id: "w", task });
    clock.fire();
    expect(await first).toEqual(unanswered);
    expect(await runner().look(task)).toEqual(unanswered);
    expect(await runner().run({ kind: "startTask", id: "w", task })).toEqual(unanswered);
    seen = { phase: "Running" };
    expect(await runner().look(task)).toMatchObject({ kind: "observed", observation: seen });
    seen = { phase: "NotFound" };
    resolve("job-7");
    await promise;
    await Promise.resolve();
    expect(await runner().look(task)).toEqual({ key: task.key, kind: "started", handle: "job-7" });
    expect(start).toHaveBeenCalledOnce();
    expect(starts.size).toBe(0);
  });

  it.each(["time", "operator"])(
    "aborts a start when the %s ends, and does not take that for a failure",
    async (who) => {
      const clock = manualClock();
      const stop = new AbortController();
      const starts: OpenStarts = new Map();
      const start = vi.fn(
        ({ signal }: { readonly signal: AbortSignal }) =>
          new Promise<never>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("aborted")));
          }),
      );
      const context = { signal: stop.signal };
      const tasks = { work: { start, observe: () => ({ phase: "NotFound" }) as const } };
      const runner = createTaskRunner({ tasks, context, clock, starts, signal: stop.signal });
      const report = runner.run({ kind: "startTask", id: "w", task });
      if (who === "time") clock.fire();
      else stop.abort(new Error("the operator stops"));
      expect(await report).toMatchObject({ kind: "unanswered", hook: "start" });
      expect(start.mock.calls[0]?.[0].signal.aborted).toBe(true);
      expect(await runner.look(task)).toMatchObject({ kind: "unanswered", hook: "start" });
      expect(starts.size).toBe(0);
    },
  );

  it("tells which other function hangs", async () => {
    const clock = manualClock();
    const never = (): Promise<never> => new Promise(() => undefined);
    const runner = runnerOf({ start: () => undefined, observe: never, cancel: never }, clock);
    const look = runner.look(task);
    const cancel = runner.run({ kind: "cancelTask", id: "w", task });
    clock.fire();
    expect(await look).toMatchObject({ kind: "unanswered", hook: "observe" });
    expect(await cancel).toMatchObject({ kind: "unanswered", hook: "cancel" });
  });

  it("passes on what a look says", async () => {
    const look = async (seen: unknown): Promise<unknown> =>
      runnerOf({ start: () => undefined, observe: () => seen as never }).look(task);
    expect(await look({ phase: "Running", progress: 7, message: "m" })).toMatchObject({
      observation: { phase: "Running", progress: 1, message: "m" },
    });
    expect(await look({ phase: "Succeeded", output: { a: 1 } })).toMatchObject({
      observation: { phase: "Succeeded", output: { a: 1 } },
    });
    expect(await look({ phase: "Failed", message: "no", retry: false })).toMatchObject({
      observation: { phase: "Failed", message: "no", retry: false },
    });
    expect(await look({ phase: "NotFound" })).toMatchObject({ observation: { phase: "NotFound" } });
  });

  it("tells a look how far an earlier one has found the task", async () => {
    const observe = vi.fn(() => ({ phase: "Running" as const }));
    const runner = runnerOf({ start: () => undefined, observe });
    await runner.look({ ...task, phase: "Running", progress: 0.99 });
    expect(observe).toHaveBeenCalledExactlyOnceWith({
      name: "db",
      entry: 1,
      ...unknown,
      key: "work-1-1",
      attempt: 1,
      started: true,
      handle: undefined,
      progress: 0.99,
    });
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [7, "7"],
    ["Running", '"Running"'],
    [{}, "an object without a phase"],
    [{ phase: "Done" }, 'the phase "Done"'],
    [{ phase: 7 }, "the phase 7"],
  ])("reports an observation that is %j as failed, with what it must be", async (seen, what) => {
    const runner = runnerOf({ start: () => undefined, observe: () => seen as never });
    expect(await runner.look(task)).toEqual({
      key: task.key,
      kind: "lookFailed",
      message: `observe of the task ${task.src} returned ${what}; it must return an object with the phase "Running", "Succeeded", "Failed" or "NotFound"`,
    });
  });

  it.each<[unknown, string]>([
    [new Error("the disk is full"), "the disk is full"],
    [{ code: 28 }, '{"code":28}'],
    [28, "28"],
    ["x".repeat(5_000), "x".repeat(512)],
    [undefined, "it failed without a message"],
    ["", "it failed without a message"],
  ])("tells why a task has failed, whatever says so: %o", async (message, told) => {
    const runner = runnerOf({
      start: () => undefined,
      observe: () => ({ phase: "Failed", message: message as never }),
    });
    expect(await runner.look(task)).toMatchObject({ observation: { phase: "Failed", message: told } });
  });

  it("reports a look that hangs as unanswered, and drops its late answer", async () => {
    const clock = manualClock();
    let answer: ((seen: never) => void) | undefined;
    const runner = runnerOf(
      { start: () => undefined, observe: () => new Promise((resolve) => (answer = resolve as never)) },
      clock,
    );
    const report = runner.look(task);
    clock.fire();
    expect(await report).toMatchObject({
      kind: "unanswered",
      hook: "observe",
    });
    answer?.({ phase: "Succeeded" } as never);
  });

  it("finds no trace of a task that nothing observes", async () => {
    expect(await runnerOf({ start: () => undefined }).look(task)).toMatchObject({
      observation: { phase: "NotFound" },
    });
  });

  it("cancels, also where there is nothing to call, and reports a failure", async () => {
    const effect = { kind: "cancelTask", id: "w", task } as const;
    const cancel = vi.fn();
    expect(await runnerOf({ start: () => undefined, cancel }).run(effect)).toMatchObject({
      kind: "cancelled",
    });
    expect(cancel).toHaveBeenCalledOnce();
    expect(await runnerOf({ start: () => undefined }).run(effect)).toMatchObject({ kind: "cancelled" });
    expect(await runnerOf(undefined).run(effect)).toMatchObject({ kind: "cancelled" });
    const failing = runnerOf({ start: () => undefined, cancel: () => Promise.reject(new Error("no")) });
    expect(await failing.run(effect)).toMatchObject({ kind: "cancelFailed", message: "no" });
  });

  it("compensates with the keys of all attempts, also where there is nothing to call, and reports a failure", async () => {
    const effect = { kind: "compensateTask", id: "w", task: { ...task, earlier: ["work-0"] } } as const;
    const start = (): void => undefined;
    const [compensate, cancel] = [vi.fn(), vi.fn()];
    const report = await runnerOf({ start, cancel, compensate }).run(effect);
    expect(report).toEqual({ key: task.key, kind: "compensated" });
    expect(compensate).toHaveBeenCalledExactlyOnceWith({
      name: "db",
      entry: 1,
      ...unknown,
      key: "work-1-1",
      attempt: 1,
      handle: undefined,
      keys: ["work-0", "work-1-1"],
    });
    expect(cancel).not.toHaveBeenCalled();
    expect(await runnerOf({ start }).run(effect)).toMatchObject({ kind: "compensated" });
    expect(await runnerOf(undefined).run(effect)).toMatchObject({ kind: "compensated" });
    const failing = runnerOf({ start, compensate: () => Promise.reject(new Error("no")) });
    expect(await failing.run(effect)).toMatchObject({ kind: "compensateFailed", message: "no" });
    const clock = manualClock();
    const hanging = runnerOf({ start, compensate: () => new Promise(() => undefined) }, clock).run(effect);
    clock.fire();
    expect(await hanging).toMatchObject({ kind: "unanswered", hook: "compensate" });
  });

  it("reports a task without a definition as a failed start", async () => {
    expect(await runnerOf(undefined).run({ kind: "startTask", id: "w", task })).toMatchObject({
      kind: "startFailed",
      message: 'no task is named "work"',
    });
  });
});

describe("the policies of tasks", () => {
  it("are complete, in milliseconds", () => {
    const start = (): void => undefined;
    expect(
      taskPolicies({
        plain: { start },
        full: { start, timeout: "2h", retry: { attempts: 3, delay: "1m" }, poll: "10s", compensate: start },
      } as never),
    ).toEqual({
      plain: { attempts: 1, delay: 5_000, poll: 30_000 },
      full: { timeout: 7_200_000, attempts: 3, delay: 60_000, poll: 10_000, compensates: true },
    });
  });
});
