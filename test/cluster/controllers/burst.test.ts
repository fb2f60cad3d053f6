// Controllers make and delete so many pods at a time, whatever number they are asked for.
import { describe, expect, it } from "vitest";
import { burst, slowStart } from "../../../src/cluster/controllers/burst.ts";
import { parseIndexes } from "../../../src/cluster/controllers/job/job-pods.ts";

/** Counts what is begun, and how much of it at the same time; fails from some time on. */
function countedWork(failsAfter: number): {
  readonly work: () => Promise<void>;
  readonly begun: () => number;
  readonly batches: number[];
} {
  let begun = 0;
  const batches: number[] = [];
  let size = 0;
  return {
    batches,
    begun: () => begun,
    work: async () => {
      begun += 1;
      size += 1;
      const fails = begun > failsAfter;
      await Promise.resolve();
      if (size > 0) batches.push(size);
      size = 0;
      if (fails) throw new Error("refused");
    },
  };
}

describe("a slow start", () => {
  it("doubles what it does at a time, up to the burst", async () => {
    const { work, begun, batches } = countedWork(Infinity);
    expect(await slowStart(2 ** 31, work)).toBeUndefined();
    expect(begun()).toBe(burst);
    expect(batches).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 245]);
  });

  it("begins nothing after a failure", async () => {
    const { work, begun } = countedWork(2);
    expect(await slowStart(100, work)).toMatchObject({ reason: new Error("refused") });
    expect(begun()).toBe(3);
  });

  it("does nothing for none", async () => {
    const { work, begun } = countedWork(0);
    expect(await slowStart(0, work)).toBeUndefined();
    expect(begun()).toBe(0);
  });
});

describe("completed indexes", () => {
  it.each([
    ["0-2,4", 4],
    ["0-4294967295", 100_000],
    ["x-y", 0],
    ["5-1", 0],
  ])("of %s are read as %s", (text, count) => {
    expect(parseIndexes(text)).toHaveLength(count);
  });
});
