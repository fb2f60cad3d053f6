import { describe, expect, it } from "vitest";
import { RequeueError, TerminalError } from "../../src/ports/operator-error.ts";
import { GiveUpError } from "../../src/reconcile/outcome/failure-meaning.ts";
import { longestRequeue, Results } from "../../src/reconcile/outcome/results.ts";
import { refusal } from "./support/memory-client.ts";
import { Harness } from "./support/harness.ts";

const seconds = (count: number): number => count * 1_000;

describe("results", () => {
  it("are empty at first", () => {
    const results = new Results();
    expect(results.operations).toEqual([]);
    expect(results.errors).toBe(0);
    expect(results.consolidated()).toEqual({
      kind: "settled",
      error: undefined,
      requeueAfter: undefined,
      pending: false,
    });
  }); // OKT 1

  it("count a success without asking for anything", () => {
    const results = new Results();
    results.success("Created");
    expect(results.operations).toHaveLength(1);
    expect(results.count("Created")).toBe(1);
    expect(results.count("Updated")).toBe(0);
    expect(results.gaveUp).toBe(false);
    expect(results.consolidated()).toMatchObject({ error: undefined, requeueAfter: undefined });
  }); // OKT 2

  it("give back an error together with its delay", () => {
    const results = new Results();
    results.success("Created");
    const error = new Error("no quota");
    results.error(error, { requeueAfter: seconds(123) });
    expect(results.consolidated()).toMatchObject({ kind: "failed", error, requeueAfter: seconds(123) });
  }); // OKT 3

  it("let a give-up beat an error: no requeue, and the reason instead of the error", () => {
    const results = new Results();
    results.error(new Error("no quota"), { requeueAfter: seconds(123) });
    results.giveUp("the plan is unknown");
    expect(results.consolidated()).toMatchObject({
      kind: "gaveUp",
      error: expect.objectContaining({ message: "the plan is unknown" }),
      requeueAfter: undefined,
    });
    expect(results.errors).toBe(2);
  }); // OKT 4

  it("stay given up when another error follows, and count it", () => {
    const results = new Results();
    results.giveUp("the plan is unknown");
    results.error(new Error("late"), { requeueAfter: seconds(123), code: "WriteFailed" });
    results.giveUp("another reason");
    expect(results.consolidated()).toMatchObject({ kind: "gaveUp", requeueAfter: undefined });
    expect(results.consolidated().error?.message).toBe("the plan is unknown");
    expect(results.count("WriteFailed")).toBe(1);
  }); // OKT 5

  it("are empty again after a reset", () => {
    const results = new Results();
    results.error(new RequeueError("WAIT", "wait", 5));
    results.giveUp();
    results.reset();
    expect(results.operations).toEqual([]);
    expect(results.counters).toEqual({});
    expect(results.errors).toBe(0);
    expect(results.waiting).toBeUndefined();
    expect(results.consolidated()).toEqual(new Results().consolidated());
    expect(results.outstanding).toBeUndefined();
    // Nothing of what was is left to decide what comes.
    results.requeueAfter("4s");
    expect(results.consolidated()).toEqual({
      kind: "settled",
      error: undefined,
      requeueAfter: seconds(4),
      pending: false,
    });
    const next = new Error("next");
    results.error(next, { requeueAfter: seconds(9) });
    expect(results.consolidated()).toMatchObject({ kind: "failed", error: next, requeueAfter: seconds(4) });
    expect([results.operations.length, results.errors]).toEqual([2, 1]);
  }); // OKT 6

  it("keep the first error and the smallest delay", () => {
    const results = new Results();
    const first = new Error("first");
    results.error(first, { requeueAfter: seconds(10) });
    results.error(new Error("second"), { requeueAfter: seconds(3) });
    expect(results.consolidated()).toMatchObject({ error: first, requeueAfter: seconds(3) });
  }); // OKT 7

  it("take the smallest delay of successes", () => {
    const results = new Results();
    results.requeueAfter("60s");
    results.requeueAfter("4s");
    expect(results.consolidated().requeueAfter).toBe(seconds(4));
  }); // OKT 8

  it("let an error without a delay follow the queue's backoff, whatever others asked for", () => {
    const results = new Results();
    const error = new Error("now");
    results.requeueAfter("60s");
    results.error(error);
    expect(results.consolidated()).toMatchObject({ error, requeueAfter: undefined });
    results.error(new Error("at once"), { requeueAfter: 0 });
    expect(results.consolidated().requeueAfter).toBeUndefined();
  }); // OKT 9

  it("ask for an immediate look when told so", () => {
    const results = new Results();
    results.requeueAfter(0);
    expect(results.consolidated().requeueAfter).toBe(0);
  });

  it("cap a delay at six hours", () => {
    const results = new Results();
    results.requeueAfter(seconds(60_000));
    expect(results.consolidated().requeueAfter).toBe(longestRequeue);
    expect(longestRequeue).toBe(seconds(21_600));
  }); // OKT 10

  it("let the throttle of a recurring error raise the delay, and a later smaller one lower it", () => {
    const results = new Results();
    results.error(new Error("again"), { requeueAfter: seconds(3) });
    results.add({ code: "SameStatusError", requeueAfter: seconds(100) });
    expect(results.consolidated().requeueAfter).toBe(seconds(100));
    results.success("StatusUpdateFailed", { requeueAfter: seconds(5) });
    expect(results.consolidated().requeueAfter).toBe(seconds(5));
  }); // OKT 11

  it.each(["recorded", "thrown"])(
    "keep the reasons of runs apart that give up at the same time (%s)",
    async (how) => {
      const both = Promise.withResolvers<void>();
      let arrived = 0;
      const giveUp = (reason: string | undefined): Harness =>
        new Harness({
          steps: {
            Updater: async ({ results }) => {
              arrived += 1;
              if (arrived === 3) both.resolve();
              await both.promise;
              if (how === "thrown") throw new GiveUpError(reason);
              results.giveUp(reason);
            },
          },
        });
      const harnesses = [giveUp("no licence"), giveUp(undefined), giveUp("no quota")];
      const ended = await Promise.all(harnesses.map((harness) => harness.run()));
      expect(ended.map(({ kind, error }) => [kind, error?.message])).toEqual([
        ["gaveUp", "no licence"],
        ["gaveUp", undefined],
        ["gaveUp", "no quota"],
      ]);
      expect(harnesses.map(({ condition }) => condition?.message)).toEqual([
        "no licence",
        undefined,
        "no quota",
      ]);
    },
  ); // OKT 13

  it.each([
    ["a TerminalError gives up", new TerminalError("T", "never"), { kind: "gaveUp", error: "never" }],
    ["a GiveUpError without a reason gives up silently", new GiveUpError(), { kind: "gaveUp" }],
    [
      "a RequeueError waits its own delay",
      new RequeueError("R", "not yet", 7),
      { kind: "waiting", waiting: "requeue", after: 7, error: "not yet" },
    ],
    [
      "a conflict looks again soon",
      refusal(409, "Conflict"),
      { kind: "waiting", waiting: "conflict", after: 1_000, error: "Conflict" },
    ],
    ["an Error is retried with backoff", new Error("boom"), { error: "boom" }],
    ["a text becomes an error", "boom", { error: 'a hook threw "boom" instead of an error' }],
    ["undefined becomes an error", undefined, { error: "a hook threw undefined instead of an error" }],
  ])("know what a caught value means: %s", (_name, caught, expected: Record<string, unknown>) => {
    const results = new Results();
    results.error(caught);
    const { kind, error, requeueAfter } = results.consolidated();
    expect(kind).toBe(expected["kind"] ?? "failed");
    expect(results.waiting).toBe(expected["waiting"]);
    expect(requeueAfter).toBe(expected["after"]);
    expect(error?.message).toBe(expected["error"]);
  });

  it("call a wait an error once something else had failed before it", () => {
    const results = new Results();
    results.error(new Error("boom"));
    results.error(new RequeueError("R", "not yet", 7));
    expect(results.waiting).toBeUndefined();
    expect(results.consolidated().error?.message).toBe("boom");
  });

  it.each([new RequeueError("R", "not yet", 7), refusal(409, "Conflict")])(
    "let a failure outweigh a wait before it: %s",
    (wait) => {
      const results = new Results();
      results.error(wait);
      results.error(new Error("boom"));
      results.error(wait);
      results.error(new Error("late"));
      expect(results.waiting).toBeUndefined();
      expect(results.consolidated()).toMatchObject({ error: { message: "boom" }, requeueAfter: undefined });
    },
  );

  it("refuse a delay that is none", () => {
    expect(() => new Results().requeueAfter(Number.NaN)).toThrow(
      expect.objectContaining({ code: "DURATION_INVALID" }),
    );
    expect(() => new Results().pending("soon", "later")).toThrow(
      expect.objectContaining({ code: "DURATION_INVALID" }),
    );
  });
});
