import { describe, expect, it } from "vitest";
import { SlotTable, type SlotUse } from "../../src/sharding/slot-table.ts";

const margin = 5_000;
const nobody = (): boolean => false;

/** A table that serves the slot 0. */
function serving() {
  let now = 0;
  let drained = 0;
  const table = new SlotTable({ now: () => now, margin, onDrained: () => (drained += 1) });
  const target = new Set([0]);
  const hold = (): (() => ReadonlySet<number>) => {
    table.assign(target);
    table.claim(target, nobody);
    return table.preparing(table.confirm(target, nobody));
  };
  const withdraw = (): readonly number[] => {
    table.assign(new Set());
    return table.claim(new Set(), nobody).released;
  };
  return {
    table,
    hold,
    withdraw,
    enter: (): SlotUse => table.enter(0) as SlotUse,
    pass: (milliseconds: number) => (now += milliseconds),
    drained: () => drained,
  };
}

describe("a slot that is withdrawn", () => {
  it("is kept until a write whose answer is missing can take no effect any more, although its run has ended", () => {
    const { table, hold, withdraw, enter, pass } = serving();
    hold()();
    const use = enter();
    use.writeBegins();
    use.writeEnds("unanswered");
    use.leave();
    pass(margin - 1);
    expect(withdraw()).toEqual([]);
    expect(table.held).toBe(1);
    pass(1);
    expect(withdraw()).toEqual([0]);
    expect(table.held).toBe(0);
  });

  it("is let go at once after a write that was answered", () => {
    const { hold, withdraw, enter, drained } = serving();
    hold()();
    const use = enter();
    use.writeBegins();
    expect(withdraw()).toEqual([]);
    use.leave();
    expect(drained()).toBe(0);
    use.writeEnds("answered");
    expect(drained()).toBe(1);
    expect(withdraw()).toEqual([0]);
  });
});

describe("a slot that is lost and regained", () => {
  it("is not served by what was prepared for the hold before: another replica may have written in between", () => {
    const { table, hold, withdraw } = serving();
    const first = hold();
    expect(withdraw()).toEqual([0]);
    const second = hold();
    expect([...first()]).toEqual([]);
    expect(table.serves(0)).toBe(false);
    expect([...second()]).toEqual([0]);
    expect(table.serves(0)).toBe(true);
  });
});
