// What of a cycle is for people holds no secret; what the machine goes on with stays as it is, and the digest is that of both.
import { describe, expect, it } from "vitest";
import type { CycleInput, CyclePlan } from "../../src/lifecycle/cycle-plan.ts";
import { readStatus } from "../../src/lifecycle/stored/read-status.ts";
import { digestOf, type LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { maskInput, maskPlan } from "../../src/lifecycle/reporting/status-texts.ts";
import type { TaskReport } from "../../src/lifecycle/tasks/task-report.ts";

const secret = "hunter2-and-more";
const mask = (text: string): string => text.replaceAll(secret, "[redacted]");
const told = `pw is ${secret}`;
const masked = "pw is [redacted]";

const decisive = {
  target: { state: "On", generation: 1, reached: false, cause: told, request: told },
  snapshot: { graph: "g@1", value: "On", context: { message: told }, entry: 2 },
  tasks: {
    work: {
      src: "work",
      key: "k",
      entry: 2,
      attempt: 1,
      phase: "Running" as const,
      handle: { message: told },
      output: { message: told },
      message: told,
      failure: told,
    },
  },
  timers: {},
  config: { generation: 1, hash: "h" },
};
const status: LifecycleStatus = {
  ...decisive,
  state: "On",
  since: "2026-01-01T00:00:00Z",
  plan: [],
  graph: "g@1",
  human: { event: "retry", id: "1", message: told },
  last: { from: "Off", event: "go", cause: told },
  output: { message: told },
  digest: digestOf(decisive),
};
const planOf = (fields: Partial<CyclePlan>): CyclePlan => ({ status, ...fields }) as CyclePlan;

describe("the texts of a plan", () => {
  const plan = maskPlan(planOf({ moved: { to: "On", event: "go", cause: told } }), mask);

  it("hold no secret where people read them", () => {
    expect(plan.moved?.cause).toBe(masked);
    expect(plan.status).toMatchObject({
      target: { cause: masked },
      tasks: { work: { message: masked, failure: masked } },
      human: { message: masked },
      last: { cause: masked },
    });
  });

  it("leave alone what the machine goes on with", () => {
    expect(plan.status).toMatchObject({
      target: { request: told },
      snapshot: decisive.snapshot,
      tasks: { work: { handle: { message: told }, output: { message: told } } },
      output: { message: told },
    });
  });

  it("are those that the digest is of, and stay the same", () => {
    expect(readStatus(plan.status).edited).toBe(false);
    expect(maskPlan(plan, mask)).toEqual(plan);
    expect(maskPlan(planOf({}), (text) => text)).toEqual(planOf({}));
    expect(maskPlan(planOf({ status: undefined }), mask).status).toBeUndefined();
  });
});

describe("the texts that a cycle is given", () => {
  it.each<[string, TaskReport, unknown]>([
    [
      "a look",
      { key: "k", kind: "observed", observation: { phase: "Succeeded", output: told, message: told } },
      { observation: { phase: "Succeeded", output: told, message: masked } },
    ],
    ["a handle", { key: "k", kind: "started", handle: told }, { handle: told }],
    ["a failed start", { key: "k", kind: "startFailed", message: told }, { message: masked }],
    ["a failed look", { key: "k", kind: "lookFailed", message: told }, { message: masked }],
    ["a failed cancel", { key: "k", kind: "cancelFailed", message: told }, { message: masked }],
    ["a failed undoing", { key: "k", kind: "compensateFailed", message: told }, { message: masked }],
    [
      "a lost answer",
      { key: "k", kind: "unanswered", hook: "start", since: 0, error: told },
      { error: masked },
    ],
    ["silence", { key: "k", kind: "unanswered", hook: "start", since: 0 }, { since: 0 }],
    ["an end", { key: "k", kind: "cancelled" }, { kind: "cancelled" }],
    ["what is undone", { key: "k", kind: "compensated" }, { kind: "compensated" }],
  ])("hold no secret: %s", (_, report, expected) => {
    const input = maskInput({ reports: [report] } as unknown as CycleInput, mask);
    expect(input.reports).toMatchObject([expected]);
  });

  it("hold none of the observer's either, whose facts are for the machine", () => {
    const given = { reports: [], observation: { message: told, facts: { told } }, observationError: told };
    expect(maskInput(given as unknown as CycleInput, mask)).toMatchObject({
      observation: { message: masked, facts: { told } },
      observationError: masked,
    });
    const odd = { reports: [], observation: { message: 7 } };
    expect(maskInput(odd as unknown as CycleInput, mask)).toEqual(odd);
  });
});
