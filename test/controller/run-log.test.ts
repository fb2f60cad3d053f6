import { describe, expect, it } from "vitest";
import { RunLog } from "../../src/controller/run/run-log.ts";
import type { LogFields, Logger } from "../../src/ports/logger.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import type { WorkItem } from "../../src/queue/work-queue.ts";

const item = {
  key: "default/one",
  causes: [{ reason: "Changed" }],
  moreCauses: 0,
  waited: 3.4,
} as unknown as WorkItem;
const mask = (text: string): string => text.replaceAll("hunter2", "•••");

/** A logger that keeps its lines, and counts the children that were asked for. */
function keeping(levels?: readonly string[]): { log: Logger; lines: LogFields[]; children: () => number } {
  const lines: LogFields[] = [];
  let children = 0;
  const of = (above: LogFields): Logger => {
    const write = (fields: LogFields, message: string): void =>
      void lines.push({ ...above, ...fields, message });
    return {
      child: (fields) => {
        children += 1;
        return of({ ...above, ...fields });
      },
      debug: write,
      info: write,
      warn: write,
      error: write,
      ...(levels && { isLevelEnabled: (level) => levels.includes(level) }),
    };
  };
  return { log: of({}), lines, children: () => children };
}

describe("the log of a run", () => {
  it("says on every line which run it is, and holds no secret", () => {
    const { log, lines } = keeping();
    const run = new RunLog({ log, item, reconcileId: "r1", clock: systemClock, since: 0, secrets: { mask } });
    run.child({ hook: "hunter2" }).warn({ error: new Error("is hunter2"), deep: { word: "hunter2" } }, "odd");
    expect(lines).toMatchObject([
      {
        object: "default/one",
        reconcileId: "r1",
        waited: 3,
        hook: "•••",
        deep: { word: "•••" },
        message: "odd",
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    expect(lines[0]?.["error"]).toMatchObject({ message: "is •••" });
  });

  it("costs nothing as long as it has nothing to say at the level that is logged", () => {
    const { log, lines, children } = keeping(["warn", "error"]);
    const run = new RunLog({ log, item, reconcileId: "r1", clock: systemClock, since: 0, secrets: { mask } });
    const child = run.child({ hook: "check" });
    const fields = Object.defineProperty({}, "costly", {
      enumerable: true,
      get: () => expect.unreachable("a field of a line that nobody sees is looked at"),
    });
    child.debug(fields, "looks");
    run.info(fields, "looks");
    expect({ lines, children: children() }).toEqual({ lines: [], children: 0 });
    expect([run.isLevelEnabled?.("debug"), child.isLevelEnabled?.("warn")]).toEqual([false, true]);
    child.warn({}, "odd");
    expect(lines).toMatchObject([{ reconcileId: "r1", hook: "check", message: "odd" }]);
  });

  it("leaves out nothing when the logger does not say what it logs", () => {
    const { log, lines } = keeping();
    new RunLog({ log, item, reconcileId: "r1", clock: systemClock, since: 0, secrets: { mask } }).debug(
      {},
      "starts",
    );
    expect(lines).toHaveLength(1);
  });
});
