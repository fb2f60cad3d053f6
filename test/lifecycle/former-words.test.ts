// A status that an earlier version stored under its own names: the lifecycle goes on from it, and stores it under the present ones.
import { describe, expect, it } from "vitest";
import { readStatus } from "../../src/lifecycle/stored/read-status.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { lifecycleStatusSchema } from "../../src/kinds/lifecycle-schemas.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { inFormerWords } from "./former-status.ts";
import { Life, type LifeOptions } from "./life.ts";

/** A life that has come to rest, with what is stored as the earlier version would have left it. */
function upgraded(begin: (life: Life) => void, options: LifeOptions = {}): Life {
  const life = new Life(databaseLifecycle, options);
  life.observed = "Running";
  life.settle();
  begin(life);
  if (life.status === undefined) throw new Error("nothing is stored");
  life.store(inFormerWords(life.status));
  return life;
}

function backUp(life: Life): void {
  life.ask("Servicing", "nightly");
  life.settle();
}

describe("a status with the names of an earlier version", () => {
  it("in the middle of a backup goes on: the task is started once, and the target is reached once", () => {
    const life = upgraded(backUp);
    life.settle();
    expect(life.starts).toHaveLength(1);
    expect(life.status?.target).toMatchObject({ request: "nightly", reached: false, entered: true });

    life.finish();
    life.settle();
    life.pass("1h");
    life.settle();
    expect(life.starts).toHaveLength(1);
    expect(life.path.slice(-2)).toEqual(["Servicing", "Running"]);
    expect(life.status).toMatchObject({
      state: "Running",
      target: { state: "Servicing", request: "nightly", reached: true },
    });
  });

  it.each([
    ["reached", undefined],
    ["failed", "no space left"],
  ])("keeps a target that was done once and %s", (_, failure) => {
    const life = upgraded((before) => {
      backUp(before);
      before.finish(failure === undefined ? undefined : { phase: "Failed", message: failure, retry: false });
      before.settle();
    });
    const { state, path } = life;
    life.pass("1h");
    life.settle();
    expect(life.starts).toHaveLength(1);
    expect(life.state).toBe(state);
    expect(life.path).toHaveLength(path.length);
    expect(life.status?.target).toMatchObject(
      failure === undefined ? { reached: true } : { reached: false, outcome: "failed" },
    );
  });

  it("is written in the present names by the first cycle, and then not again", () => {
    const life = upgraded(backUp);
    const [first] = life.settle();
    expect(first?.status).toBeDefined();
    expect(JSON.stringify(life.status)).not.toMatch(/"(wish|fulfilled|told)":/);
    expect(first?.pendingEvents).toEqual([]);
    expect(first?.problem).toBeUndefined();
    const { status } = life;
    life.settle();
    expect(life.status).toEqual(status);
  });

  it("does not deliver again an elapsed timer that was delivered", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    if (life.status === undefined) throw new Error("nothing is stored");
    const stored = inFormerWords(life.status) as { timers: Record<string, object> };
    const timers = Object.fromEntries(
      Object.entries(stored.timers).map(([id, timer]) => [id, { ...timer, told: true }]),
    );
    expect(Object.keys(timers)).toHaveLength(1);
    expect(Object.values(readStatus({ ...stored, timers }).timers)).toMatchObject([{ delivered: true }]);
  });

  it("that somebody has edited is not trusted", () => {
    const life = upgraded(backUp);
    const { wish, ...rest } = life.status as unknown as { readonly wish: object };
    life.store({ ...rest, wish: { ...wish, request: "another" } });
    expect(readStatus(life.status).edited).toBe(true);
    expect(life.plan().problems[0]?.message).toContain("edited by another client");
  });

  it("loses nothing to the schema, which marks the former names as deprecated", () => {
    const { properties } = lifecycleStatusSchema() as {
      properties: Record<string, { description?: string; properties: object; additionalProperties: object }>;
    };
    const stored = inFormerWords(upgradedStatus());
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(stored)));
    expect(Object.keys(properties["wish"]?.properties ?? {})).toEqual(
      expect.arrayContaining(Object.keys(stored["wish"] as object)),
    );
    expect(properties["wish"]?.description).toMatch(/^Deprecated/);
    for (const part of ["tasks", "timers"]) {
      expect(properties[part]?.additionalProperties).toMatchObject({
        properties: { told: { description: expect.stringMatching(/^Deprecated/) } },
      });
    }
  });
});

function upgradedStatus(): LifecycleStatus {
  const life = new Life(databaseLifecycle);
  life.observed = "Running";
  life.settle();
  backUp(life);
  life.finish();
  life.settle();
  if (life.status === undefined) throw new Error("nothing is stored");
  return life.status;
}
