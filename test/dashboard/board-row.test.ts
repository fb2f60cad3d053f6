import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boardAddressOf, readBoardAddress } from "../../src/dashboard/browser/board-address.ts";
import { everyRow, findRows, type RowQuery } from "../../src/dashboard/browser/board-rows.ts";
import { addressOf, readAddress } from "../../src/dashboard/browser/address.ts";
import { rowOf } from "../../src/dashboard/board-row.ts";
import { entriesOfAll, entriesOfOne, ResourceHistory } from "../../src/dashboard/resource-history.ts";
import { resourcesWithRuns, RunLog, runsOfOne } from "../../src/dashboard/run-log.ts";
import { lampObject } from "./lamp-object.ts";

describe("the row of a resource", () => {
  it("says where it is, its target, how it is, and what is said about it", () => {
    const row = rowOf(
      lampObject("orders", { state: "Repairing", target: "On", plan: ["On"], ready: "False" }),
    );
    expect(row).toEqual({
      uid: "uid-orders",
      kind: "Lamp",
      namespace: "default",
      name: "orders",
      created: "2026-01-01T00:00:00Z",
      state: "Repairing",
      since: "2026-01-01T00:01:00.000Z",
      target: "On",
      reached: false,
      plan: ["On"],
      paused: false,
      health: "progressing",
      message: "on the way",
    });
  });

  it("says why a target has failed", () => {
    const row = rowOf(lampObject("orders", { state: "Off", target: "Repairing", cause: "no bulb is left" }));
    expect(row).toMatchObject({ reached: false, outcome: "failed: no bulb is left" });
  });

  it("knows failure before readiness, and deletion before both", () => {
    const failed = lampObject("a", { state: "On", ready: "True", success: "False" });
    expect(rowOf(failed)).toMatchObject({ health: "failed", message: "the server said no" });
    const deleting = {
      ...failed,
      metadata: { ...failed.metadata, deletionTimestamp: "2026-01-01T00:02:00Z" },
    };
    expect(rowOf(deleting).health).toBe("deleting");
  });

  it.each<[string, string, string, number, string]>([
    ["not ready although its run has succeeded", "False", "Waiting", 2, "progressing"],
    ["not known to be ready", "Unknown", "Waiting", 2, "progressing"],
    ["at rest because that was desired", "False", "Suspended", 2, "suspended"],
    ["ended because that was desired", "False", "Ended", 2, "suspended"],
    ["ready", "True", "Running", 2, "ready"],
    ["ready in an earlier generation alone", "True", "Running", 1, "progressing"],
  ])("never says ready of what is not: %s", (_, status, reason, observedGeneration, health) => {
    const lamp = lampObject("a", {});
    const row = rowOf({
      ...lamp,
      metadata: { ...lamp.metadata, generation: 2 },
      status: {
        observedGeneration,
        conditions: [
          { type: "ReconciliationSuccess", status: "True", reason: "Success", message: "" },
          { type: "Ready", status, reason, message: "" },
        ],
      },
    } as never);
    expect(row.health).toBe(health);
  });

  it("is there whatever somebody wrote into the status", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (lifecycle, conditions) => {
        for (const status of [lifecycle, { lifecycle, conditions }, { conditions: [conditions] }]) {
          const row = rowOf({ ...lampObject("a", {}), status } as never);
          expect(row.name).toBe("a");
          expect(typeof row.state).toBe("string");
          expect(typeof row.message).toBe("string");
        }
      }),
    );
  });
});

describe("finding rows", () => {
  const rows = ["orders", "invoices", "carts"].map((name, index) =>
    rowOf(lampObject(name, { state: index === 0 ? "On" : "Off", ready: index === 2 ? "True" : "False" })),
  );

  it("looks for every word, anywhere in the row", () => {
    const names = (query: Partial<RowQuery>) =>
      findRows(rows, { ...everyRow, ...query }).map(({ name }) => name);
    expect(names({})).toEqual(["carts", "invoices", "orders"]);
    expect(names({ descending: true })).toEqual(["orders", "invoices", "carts"]);
    expect(names({ text: "OFF lamp" })).toEqual(["carts", "invoices"]);
    expect(names({ text: "off orders" })).toEqual([]);
    expect(names({ health: "ready" })).toEqual(["carts"]);
    expect(names({ kind: "Other" })).toEqual([]);
    expect(names({ sort: "state" })).toEqual(["carts", "invoices", "orders"]);
  });
});

describe("the address of a resource", () => {
  it("names it again, whatever it is called", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.option(fc.string({ minLength: 1 })), (name, namespace) => {
        const address = { kind: "Lamp", name, ...(namespace === null ? {} : { namespace }) };
        expect(readAddress(addressOf(address))).toEqual(address);
      }),
    );
    expect(readAddress("")).toBeUndefined();
    expect(readAddress("#/Lamp")).toBeUndefined();
    expect(readAddress("#/%/%/%")).toBeUndefined();
  });
});

describe("the address of the board", () => {
  const query: fc.Arbitrary<RowQuery> = fc.record({
    text: fc.string(),
    kind: fc.string(),
    health: fc.string(),
    sort: fc.constantFrom("name", "kind", "state", "target", "health", "since", "created"),
    descending: fc.boolean(),
  });

  it("says what is looked for, whatever it is, and is never taken for that of a resource", () => {
    fc.assert(
      fc.property(query, (asked) => {
        const address = boardAddressOf(asked);
        expect(readBoardAddress(new URL(address, "http://localhost/?token=x").hash)).toEqual(asked);
        expect(readAddress(address)).toBeUndefined();
      }),
    );
    expect(boardAddressOf(everyRow)).toBe("#/");
    expect(boardAddressOf({ ...everyRow, text: "a b", sort: "health", descending: true })).toBe(
      "#/?search=a+b&sort=-health",
    );
  });

  it("that says nothing of use looks for every row", () => {
    for (const hash of ["", "#", "#/", "#/?", "#/?sort=-", "#/?sort=toString&x=y", "#/?sort=--name"])
      expect(readBoardAddress(hash)).toEqual(everyRow);
  });
});

describe("the past of resources", () => {
  it("has an entry for each difference, and none for the same again", () => {
    const history = new ResourceHistory();
    const [on, off] = [lampObject("a", { state: "On" }), lampObject("a", { state: "Off" })].map(rowOf);
    if (on === undefined || off === undefined) throw new Error("two rows");
    for (const [at, row] of [on, on, off, off, on].entries()) history.note(row, at);
    expect(history.of(on.uid).map(({ at, state }) => [at, state])).toEqual([
      [0, "On"],
      [2, "Off"],
      [4, "On"],
    ]);
  });

  it("stays within its bounds, and forgets first what has not changed for longest", () => {
    const history = new ResourceHistory();
    const row = rowOf(lampObject("a", { state: "On" }));
    for (let at = 0; at < entriesOfOne + 10; at += 1) history.note({ ...row, message: String(at) }, at);
    expect(history.of(row.uid)).toHaveLength(entriesOfOne);
    expect(history.of(row.uid)[0]?.message).toBe("10");
    for (let at = 0; at < entriesOfAll; at += 1) history.note({ ...row, uid: `other-${at}` }, at);
    expect(history.of(row.uid)).toEqual([]);
    expect(history.of("other-0")).toHaveLength(1);
  });
});

describe("the log of runs", () => {
  const run = {
    id: "1",
    kind: "Lamp",
    startedAt: 0,
    took: 1,
    causes: [],
    stages: [],
    writes: 0,
    operations: [],
  };

  it("keeps the last ones of each resource, newest first", () => {
    const log = new RunLog();
    for (let index = 0; index < runsOfOne + 5; index += 1) {
      log.record({ ...run, key: "default/a", id: String(index) });
    }
    expect(log.of("Lamp", "default/a")).toHaveLength(runsOfOne);
    expect(log.of("Lamp", "default/a")[0]?.id).toBe(String(runsOfOne + 4));
    expect(log.isFull).toBe(false);
    for (let index = 0; index < resourcesWithRuns; index += 1)
      log.record({ ...run, key: `default/b${index}` });
    expect(log.of("Lamp", "default/a")).toEqual([]);
    expect(log.isFull).toBe(true);
  });
});
