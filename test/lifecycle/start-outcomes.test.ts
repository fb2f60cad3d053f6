// What a start that was refused, cut off or not answered means: nothing is started twice, and nothing fails that did not.
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import type { TaskReport } from "../../src/lifecycle/tasks/task-report.ts";
import { createTaskRunner } from "../../src/lifecycle/tasks/task-runner.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { digestOf } from "../../src/lifecycle/stored/snapshot.ts";
import { Life } from "./life.ts";

const working = (src = "work", version = "1") =>
  setupLifecycle().createMachine({
    id: "working",
    version,
    initial: "Idle",
    states: {
      Idle: { on: { "desired.Working": "Working" } },
      Working: { invoke: { id: "work", src, onDone: "Idle", onError: "Broken" } },
      Broken: { tags: "intervention", on: { "human.retry": "Idle" } },
    },
  });

function workingLife(attempts = 1): Life {
  const life = new Life(working(), { policies: { work: { attempts, delay: 1_000 } } });
  life.version = 100;
  life.settle();
  life.ask("Working");
  life.cycle("beforeEffects");
  return life;
}

const answer = (status: number, reason: string, more: object = {}): ApiError =>
  new ApiError("no", { status, reason, details: {}, retryAfter: undefined, request: "POST jobs", ...more });

function circular(): object {
  const error: { cause?: unknown } = {};
  error.cause = error;
  return error;
}

/** What becomes of a start that throws. */
async function startWith(life: Life, error: unknown): Promise<TaskReport> {
  const start = (): never => {
    throw error;
  };
  const observe = () => ({ phase: "NotFound" }) as const;
  const runner = createTaskRunner({ tasks: { work: { start, observe } }, context: {}, clock: systemClock });
  return runner.run({ kind: "startTask", id: "work", task: life.task });
}

describe("a start", () => {
  it.each([500, 503, 504])(
    "that is answered with %d may have been carried out: it is looked for first",
    async (status) => {
      const life = workingLife();
      const { key } = life.task;
      life.reports = [await startWith(life, answer(status, "InternalError"))];
      life.running.set(key, { phase: "Running" });
      life.cycle();
      life.pass("1s");
      life.cycle();
      expect(life.task).toMatchObject({ key, attempt: 1, phase: "Running" });
      expect(life.starts).toEqual([]);
    },
  );

  it("that is answered with 500 to what was sent is refused, and has not been carried out", async () => {
    const message = "failed to create typed patch object (a/b; apps/v1, Kind=Deployment): .spec.zork";
    const details = { status: 500, reason: "", details: {}, retryAfter: undefined, request: "PATCH b" };
    const report = await startWith(workingLife(), new ApiError(message, details));
    expect(report).toMatchObject({ kind: "startFailed", message });
  });

  const clients: readonly (readonly [string, object])[] = [
    ["fetch", { cause: { code: "ECONNRESET" } }],
    ["fetch through a proxy", { cause: { cause: { code: "UND_ERR_SOCKET" } } }],
    ["a signal of a timeout", { name: "TimeoutError" }],
    ["axios, after its timeout", { code: "ECONNABORTED" }],
    ["axios, after 502", { code: "ERR_BAD_RESPONSE", response: { status: 502 } }],
    ["got, after 504", { code: "ERR_NON_2XX_3XX_RESPONSE", response: { statusCode: 504 } }],
    ["Kubernetes' client, after 500", { code: 500 }],
    ["an SDK, after 503", { name: "ServiceUnavailable", $metadata: { httpStatusCode: 503 } }],
    ["a server that waited too long for the request", { statusCode: 408 }],
  ];
  it.each(clients)(
    "of which nobody knows the outcome by the error of %s is looked for",
    async (_, fields) => {
      const error = Object.defineProperties(new Error("no"), Object.getOwnPropertyDescriptors(fields));
      expect(await startWith(workingLife(), error)).toMatchObject({ kind: "unanswered", hook: "start" });
    },
  );

  it.each([
    ["a refused connection", { cause: { code: "ECONNREFUSED" } }],
    ["a name that is unknown", { code: "ENOTFOUND" }],
    ["a refusal of axios", { code: "ERR_BAD_REQUEST", response: { status: 422 } }],
    ["a refusal with a cause", { status: 403, cause: { code: "ECONNRESET" } }],
    ["a code of its own", { code: 7 }],
    ["causes in a circle", circular()],
  ])("has failed by %s", async (_, fields) => {
    const error = Object.defineProperties(new Error("no"), Object.getOwnPropertyDescriptors(fields));
    expect(await startWith(workingLife(), error)).toMatchObject({ kind: "startFailed" });
  });

  it("that is too much at present by any client's error is made again later", async () => {
    const error = Object.assign(new Error("no"), { response: { status: 429 } });
    expect(await startWith(workingLife(), error)).toMatchObject({ kind: "startLater" });
  });

  it("that is too much at present is made again when the server says, and is no failed attempt", async () => {
    const life = workingLife();
    const { key } = life.task;
    life.reports = [await startWith(life, answer(429, "TooManyRequests", { retryAfter: 20_000 }))];
    life.cycle();
    expect(life.state).toBe("Working");
    expect(life.task).toMatchObject({ key, attempt: 1, phase: "Intended" });
    life.pass("19s");
    life.settle();
    expect(life.starts).toEqual([]);
    life.pass("2s");
    life.settle();
    expect(life.starts).toEqual([key]);
  });

  it("in a namespace that is being deleted fails for good, whatever the policy", async () => {
    const life = workingLife(5);
    const details = { causes: [{ reason: "NamespaceTerminating" }] };
    life.reports = [await startWith(life, answer(403, "Forbidden", { details }))];
    life.settle();
    expect(life.state).toBe("Broken");
  });
});

describe("a task whose name in the machine has changed", () => {
  it("is cancelled under its old name, or reported, and the new one is started once", () => {
    const before = workingLife();
    before.settle();
    const after = new Life(working("toil"), { policies: { toil: { attempts: 1 } } });
    const { status, conditions, now, running, generation } = before;
    Object.assign(after, { status, conditions, now, running, generation, desired: before.desired });
    after.settle();
    const events = after.plans.flatMap(({ pendingEvents }) => pendingEvents);
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: "TaskCancelled",
        message: expect.stringContaining('no task "work"'),
      }),
    );
    expect(after.starts).toHaveLength(1);
    expect(after.starts).not.toEqual(before.starts);
    expect(after.status?.tasks["work"]).toMatchObject({ src: "toil", phase: "Running" });
  });
});

describe("the number in a task's key", () => {
  it("is not believed above what a key can name, so that what is started can be read back", () => {
    const life = new Life(working());
    life.version = 100;
    life.settle();
    const status = life.status as LifecycleStatus;
    const forged = { ...status, snapshot: { ...status.snapshot, entry: Number.MAX_SAFE_INTEGER } };
    life.store({ ...forged, digest: digestOf(forged) });
    life.ask("Working");
    life.settle();
    expect(life.task).toMatchObject({ phase: "Running" });
    expect(life.task.entry).toBeLessThan(1_000);
    life.finish();
    life.settle();
    expect(life.state).toBe("Idle");
    expect(life.starts).toHaveLength(1);
  });

  it("is another one after a status was emptied where the resource's version is no number", () => {
    const keys = ["v-a1", "v-b2"].map((version) => {
      const life = new Life(working());
      const input = life.input.bind(life);
      life.input = () => ({ ...input(), resourceVersion: version });
      life.settle();
      life.ask("Working");
      life.settle();
      return life.task.key;
    });
    expect(new Set(keys).size).toBe(2);
  });

  it("grows by no more than one for each write, however many states are passed through", () => {
    const chain = setupLifecycle().createMachine({
      id: "chain",
      version: "1",
      initial: "A",
      states: {
        A: { on: { "observed.On": "B" } },
        B: { on: { "observed.On": "C" } },
        C: { on: { "observed.On": "D" } },
        D: { invoke: { id: "work", src: "work", onDone: "E", onError: "E" } },
        E: { on: { "desired.D": "D" } },
      },
    });
    const life = new Life(chain);
    life.version = 100;
    life.observed = "On";
    life.settle();
    expect(life.task.entry).toBe(101);
  });
});
