import { describe, expect, it } from "vitest";
import { recentRunsOfOne, RecentRuns, resourcesWithRecentRuns } from "../../src/manager/recent-runs.ts";
import type { JournalRun } from "../../src/ports/run-journal.ts";

const run = (key: string, startedAt: number, error?: string): JournalRun => ({
  id: `r${startedAt}`,
  kind: "Lamp",
  key,
  startedAt,
  took: 5,
  causes: [{ reason: "modified", kind: "Lamp", object: key, detail: "spec.color" }],
  stages: [],
  writes: 1,
  operations: [{ code: "Updated", resource: "Secret/token" }],
  ...(error === undefined ? {} : { error }),
});

describe("the recent runs", () => {
  it("are the newest of each object, without what was written and what went wrong", () => {
    const passed: string[] = [];
    const runs = new RecentRuns({ record: ({ id }) => void passed.push(id) });
    for (let at = 1; at <= recentRunsOfOne + 2; at += 1)
      runs.record(run("shop/desk", at, "token abc is wrong"));
    const kept = runs.of("Lamp", "shop/desk");
    expect(kept.map(({ startedAt }) => startedAt)).toEqual([7, 6, 5, 4, 3]);
    expect(kept[0]).toEqual({
      startedAt: 7,
      took: 5,
      causes: [{ reason: "modified", kind: "Lamp", object: "shop/desk", detail: "spec.color" }],
      writes: 1,
      failed: true,
    });
    expect(runs.of("Lamp", "shop/other")).toEqual([]);
    expect(runs.of("Desk", "shop/desk")).toEqual([]);
    expect(passed).toHaveLength(recentRunsOfOne + 2);
  });

  it("are forgotten of the object that has not run for longest", () => {
    const runs = new RecentRuns();
    for (let at = 0; at < resourcesWithRecentRuns; at += 1) runs.record(run(`o${at}`, at));
    runs.record(run("o0", 5_000));
    runs.record(run("new", 5_001));
    expect(runs.of("Lamp", "o0")).toHaveLength(2);
    expect(runs.of("Lamp", "o1")).toEqual([]);
    expect(runs.of("Lamp", "new")).toHaveLength(1);
  });
});
