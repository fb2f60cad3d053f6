import { beforeAll, describe, expect, it } from "vitest";
import { runDatabaseLife, type DatabaseRun, type Moment } from "./database-run.ts";

/** `all`: one whole life for each write and moment, ten minutes, too long for every test run. */
const crashPoints = process.env["CRASH_POINTS"];

describe("an operator that is killed in the middle of a database's life", () => {
  let calm: DatabaseRun;
  beforeAll(async () => {
    calm = await runDatabaseLife(() => false);
  }, 120_000);

  // Start has no work: an operator that finds the application running already passes through it without storing it.
  const stored = ({ path }: DatabaseRun): readonly string[] => path.filter((state) => state !== "Start");

  const expectSameEnd = (run: DatabaseRun): void => {
    expect(run.outcome).toEqual(calm.outcome);
    expect(stored(run)).toEqual(stored(calm));
    expect(run.backups).toHaveLength(1);
    expect(run.secretVersions).toBe(1);
    expect(run.leftovers).toEqual([]);
  };

  it("has, left alone, one backup for its one target and nothing orphaned", () => {
    expect(calm.path).toEqual(["Start", "Running", "Servicing", "Running", "Stopping", "End"]);
    expect(calm.backups).toHaveLength(1);
    expect(calm.kills).toBe(0);
    expect(calm.writes.length).toBeGreaterThan(15);
  });

  it("ends the same when it is killed before and after every single write", async () => {
    // Each write is first lost with the process, then stored without the process ever learning of it.
    let next: Moment = "before";
    let announced = 0;
    const run = await runDatabaseLife((_, moment, { path }) => {
      if (moment !== next) return false;
      // A Kubernetes Event is told again by the next process: killed each time, nothing else would ever have its turn.
      announced = path.includes("/events.k8s.io/") ? announced + 1 : 0;
      if (announced > 2) return false;
      next = moment === "before" ? "after" : "before";
      return true;
    });
    expect(run.kills).toBeGreaterThan(2 * 12);
    expectSameEnd(run);
  }, 300_000);

  const reason = crashPoints === "all" ? "" : " (skipped: set CRASH_POINTS=all, it takes ten minutes)";
  it.skipIf(crashPoints !== "all")(
    `ends the same when it is killed at one write only, for each of them${reason}`,
    async () => {
      for (let write = 1; write <= calm.writes.length; write += 1) {
        for (const moment of ["before", "after"] as const) {
          const run = await runDatabaseLife((at, when) => at === write && when === moment);
          console.log(`killed ${moment} write ${write} of ${calm.writes.length} (${calm.writes[write - 1]})`);
          expectSameEnd(run);
        }
      }
    },
    3_600_000,
  );
});
