// What is deleted from a status must not bring back the keys of earlier tasks.
import { describe, expect, it } from "vitest";
import { setCondition } from "../../src/meta/condition.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

/** A life that runs and has made one backup, "first", a minute after it was created. */
function lifeWithBackup(): Life {
  const life = new Life(databaseLifecycle);
  life.version = 100;
  life.observed = "Running";
  life.settle();
  life.ask("Servicing", "first");
  life.settle();
  life.finish();
  life.pass("1m");
  life.settle();
  expect(life.state).toBe("Running");
  expect(life.starts).toHaveLength(1);
  return life;
}

/** Targets for backups until numbers that start anew would have run through all those of before. */
function backUpAgain(life: Life): void {
  life.settle();
  for (const request of ["second", "third", "fourth", "fifth"]) {
    life.ask("Servicing", request);
    life.settle();
    life.finish();
    life.settle();
  }
}

const losses: readonly (readonly [string, (life: Life) => void])[] = [
  [
    "the whole status is deleted",
    (life) => {
      life.status = undefined;
      life.conditions = [];
      life.desired = {};
    },
  ],
  [
    "status.lifecycle is deleted",
    (life) => {
      life.status = undefined;
    },
  ],
  [
    "the number of the move is set back",
    (life) => {
      const status = life.status as LifecycleStatus;
      life.status = { ...status, snapshot: { ...status.snapshot, entry: 0 }, tasks: {} };
    },
  ],
  [
    "the status says nothing that can be used",
    (life) => {
      life.status = { state: "Nowhere" } as unknown as LifecycleStatus;
      const { condition } = life;
      life.conditions = setCondition(life.conditions, { ...condition, reason: "Nowhere" }, life.now);
    },
  ],
];

describe("the number of a move", () => {
  it.each(losses)("takes no earlier task for a new one after %s", (_what, lose) => {
    const life = lifeWithBackup();
    lose(life);
    backUpAgain(life);
    expect(life.starts.length).toBeGreaterThanOrEqual(5);
    expect(new Set(life.starts).size).toBe(life.starts.length);
  });

  it("takes none for a new one in the very moment in which the resource was made, whatever the clock says", () => {
    const life = new Life(databaseLifecycle);
    life.version = 7;
    for (let round = 0; round < 3; round += 1) {
      life.observed = "Running";
      life.settle();
      life.ask("Servicing", `backup-${round}`);
      life.settle();
      life.finish();
      life.settle();
      life.status = undefined;
      life.conditions = [];
      life.desired = {};
      life.version += 1;
      life.now -= 1_000;
    }
    expect(life.starts).toHaveLength(3);
    expect(new Set(life.starts).size).toBe(3);
  });

  it("goes on by one while nothing is lost, however old the resource is", () => {
    const life = lifeWithBackup();
    const before = life.status?.snapshot.entry ?? 0;
    life.pass("30d");
    life.ask("Servicing", "second");
    life.cycle();
    expect(life.status?.snapshot.entry).toBe(before + 1);
  });

  it("is not changed by a cycle in which nothing happens, once what was lost is written again", () => {
    const life = lifeWithBackup();
    life.status = undefined;
    life.settle();
    const { status } = life;
    life.pass("1h");
    life.settle();
    expect(life.status).toEqual(status);
  });
});
