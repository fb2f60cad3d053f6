// What a run came to, as the journal and the queue are told.
import { describe, expect, it } from "vitest";
import { toJournal, toOutcome, withoutValues } from "../../src/controller/run/outcome-meaning.ts";
import type { PipelineOutcome } from "../../src/reconcile/pipeline-options.ts";

function outcome(given: Partial<PipelineOutcome> = {}): PipelineOutcome {
  const nothing = { requeueAfter: undefined, error: undefined, gaveUp: undefined };
  return { ...nothing, path: ["CRChecker", "End"], operations: [], writes: 0, ...given };
}

describe("the outcome of a run", () => {
  it.each<[string, Partial<PipelineOutcome>, object]>([
    ["settled", {}, { kind: "settled" }],
    ["waiting", { requeueAfter: 500 }, { kind: "settled", requeueAfter: 500 }],
    ["failed", { error: new Error("no") }, { kind: "failed", error: new Error("no") }],
    [
      "given up for now",
      { gaveUp: { reason: "no licence" } },
      { kind: "gaveUp", reason: "no licence", requeueAfter: 600_000 },
    ],
    [
      "given up for a while",
      { gaveUp: { reason: undefined }, requeueAfter: 9 },
      { kind: "gaveUp", requeueAfter: 9 },
    ],
  ])("is told to the queue: %s", (_, given, told) => {
    expect(toOutcome(outcome(given))).toEqual(told);
  });

  it("is told to the journal without what changed nothing", () => {
    const operations = [
      { code: "Fetched", resource: "ConfigMap/a" },
      { code: "Created", resource: "ConfigMap/b" },
      { code: "Updated", resource: "Shop/a" },
      { code: "Succeeded" },
    ] as PipelineOutcome["operations"];
    expect(toJournal(outcome({ operations, writes: 1, error: new Error("then no") }), "Shop/a")).toEqual({
      writes: 1,
      operations: [{ code: "Created", resource: "ConfigMap/b" }],
      error: "then no",
    });
    const { error } = toJournal(outcome({ gaveUp: { reason: "no licence" } }), "Shop/a");
    expect(error).toBe("no licence");
  });

  it("is told without the values of Secrets", () => {
    const mask = (text: string): string => text.replaceAll("hunter2", "***");
    const masked = withoutValues(
      outcome({ error: new Error("hunter2 is wrong"), gaveUp: { reason: "hunter2" } }),
      mask,
    );
    expect(masked.error?.message).toBe("*** is wrong");
    expect(masked.gaveUp).toEqual({ reason: "***" });
  });
});
