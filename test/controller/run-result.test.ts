// What a run came to, as the journal keeps it and as it may be shown.
import { describe, expect, it } from "vitest";
import { toJournal, withoutSecretValues } from "../../src/controller/run/reconciler.ts";
import type { RunResult } from "../../src/reconcile/outcome/reconcile-result.ts";

function result(given: Partial<RunResult> = {}): RunResult {
  return { kind: "settled", path: ["CRChecker", "End"], operations: [], writes: 0, seen: [], ...given };
}

describe("the result of a run", () => {
  it("is kept by the journal without what changed nothing", () => {
    const operations = [
      { code: "Fetched", resource: "ConfigMap/a" },
      { code: "Created", resource: "ConfigMap/b" },
      { code: "Updated", resource: "Shop/a" },
      { code: "Succeeded" },
    ];
    const error = new Error("then no");
    const failed = result({ kind: "failed", operations, writes: 1, error, failedIn: "Updater" });
    expect(toJournal(failed, "Shop/a")).toEqual({
      writes: 1,
      operations: [{ code: "Created", resource: "ConfigMap/b" }],
      error: "then no",
      failure: { stage: "Updater", stack: expect.stringContaining("run-result.test.ts:") },
    });
  });

  it.each([
    ["a reason of a give-up", { kind: "gaveUp", error: new Error("no licence") }, "no licence"],
    ["nothing of a give-up without a reason", { kind: "gaveUp" }, undefined],
    [
      "nothing of a wait, which is not a failure",
      { kind: "waiting", error: new Error("not yet") },
      undefined,
    ],
  ] as const)("is kept by the journal with %s", (_, given, error) => {
    expect(toJournal(result(given), "Shop/a").error).toBe(error);
  });

  it("is shown without the values of Secrets", () => {
    const mask = (text: string): string => text.replaceAll("hunter2", "***");
    for (const kind of ["failed", "gaveUp", "waiting"] as const) {
      const masked = withoutSecretValues(result({ kind, error: new Error("hunter2 is wrong") }), { mask });
      expect(masked.error?.message).toBe("*** is wrong");
    }
  });
});
