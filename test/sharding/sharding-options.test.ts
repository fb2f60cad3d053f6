import { describe, expect, it } from "vitest";
import { defineController, defineKind, defineOperator, runOperator } from "../../src/index.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { compileShardingOptions } from "../../src/sharding/sharding-options.ts";
import { z } from "zod";

const defaults = { namespace: "default", name: "operator" };

describe("options of sharding", () => {
  it("are those of an election by default", () => {
    expect(compileShardingOptions({}, defaults)).toEqual({
      ...defaults,
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2_000,
    });
  });

  it.each(["", "Upper", "a".repeat(41), "-a", "a.b"])("refuse a name that no label can have: %j", (name) => {
    expect(() => compileShardingOptions({ name }, defaults)).toThrow("is not a valid name for sharding");
  });

  it("refuse times without a margin, as an election does", () => {
    expect(() => compileShardingOptions({ leaseDuration: "5s" }, defaults)).toThrow("leaves no margin");
  });

  it("are refused together with leader election", async () => {
    const Thing = defineKind({ group: "a.example.com", version: "v1", kind: "Thing", spec: z.object({}) });
    const operator = defineOperator({
      name: "things",
      controllers: [defineController(Thing, { freeStyle: () => undefined })],
    });
    const { signal } = new AbortController();
    const both = { connection: {}, leaderElection: {}, sharding: {}, log: silentLogger, signal };
    await expect(runOperator(operator, both)).rejects.toMatchObject({ code: "SHARDING_OPTIONS_INVALID" });
  });
});
