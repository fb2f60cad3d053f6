import { describe, expect, it } from "vitest";
import { WatchFaults, type WatchOutput } from "../../../../src/cluster/api/faults/watch-faults.ts";
import type { Exchange } from "../../../../src/cluster/api/requests/exchange.ts";
import { adminUser } from "../../../../src/cluster/api/requests/users.ts";
import { createVirtualClock } from "../../../../src/testing/virtual-clock.ts";

function setUp() {
  const clock = createVirtualClock();
  const faults = new WatchFaults(clock);
  const open = (plural: string): { readonly sent: string[]; readonly output: WatchOutput } => {
    const sent: string[] = [];
    const output = faults.open(
      {
        method: "GET",
        path: `/api/v1/${plural}`,
        query: new URLSearchParams("watch=true"),
        user: adminUser,
        userAgent: "tester",
        request: { headers: {} },
      } as Exchange,
      {
        write: (text) => sent.push(text),
        end: () => sent.push("end"),
        reset: () => sent.push("reset"),
      },
    );
    return { sent, output };
  };
  return { clock, faults, open };
}

describe("watch streams", () => {
  it("pass every line at once while there is no fault", () => {
    const { clock, open } = setUp();
    const { sent, output } = open("pods");
    output.line("event", "a\n");
    output.line("bookmark", "b\n");
    output.line("initialEventsEnd", "c\n");
    output.line("error", "d\n");
    output.end();
    expect(sent).toEqual(["a\n", "b\n", "c\n", "d\n", "end"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("are dropped by their match, cleanly or not, and not after they were closed", () => {
    const { faults, open } = setUp();
    const pods = open("pods");
    const closed = open("pods");
    const services = open("services");
    closed.output.close();
    expect(faults.drop({ plural: "pods" }, "reset")).toBe(1);
    expect(faults.drop({ plural: "services" }, "end")).toBe(1);
    expect([pods.sent, closed.sent, services.sent]).toEqual([["reset"], [], ["end"]]);
  });

  it("stay silent for ever once they were silenced, while later ones speak", () => {
    const { faults, open } = setUp();
    const before = open("pods");
    const fault = faults.silence({ plural: "pods" }, undefined);
    const during = open("pods");
    const other = open("services");
    fault.end();
    const after = open("pods");
    for (const { output } of [before, during, other, after]) {
      output.line("event", "x\n");
      output.end();
    }
    expect([before.sent, during.sent]).toEqual([[], []]);
    expect([other.sent, after.sent]).toEqual([
      ["x\n", "end"],
      ["x\n", "end"],
    ]);
    expect(fault.strikes).toBe(2);
  });

  it("are late by the given time, in order, and catch up at once when the fault ends", async () => {
    const { clock, faults, open } = setUp();
    const { sent, output } = open("pods");
    const fault = faults.delay({}, 2_000);
    output.line("event", "a\n");
    await clock.advance(1_000);
    output.line("event", "b\n");
    await clock.advance(999);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toEqual(["a\n"]);
    fault.end();
    expect(sent).toEqual(["a\n", "b\n"]);
    output.line("event", "c\n");
    output.end();
    expect(sent).toEqual(["a\n", "b\n", "c\n", "end"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("are held until the fault ends when the delay is infinite, and hold no timer", async () => {
    const { clock, faults, open } = setUp();
    const { sent, output } = open("pods");
    const fault = faults.delay({}, Infinity);
    output.line("event", "a\n");
    output.end();
    await clock.advance(3_600_000);
    expect(sent).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
    fault.end();
    expect(sent).toEqual(["a\n", "end"]);
  });

  it("are slowed to a rate, so that lines come in pieces", async () => {
    const { clock, faults, open } = setUp();
    const { sent, output } = open("pods");
    const fault = faults.slow({}, 100);
    output.line("event", "0123456789\n");
    output.end();
    await clock.advance(100);
    expect(sent).toEqual(["01234", "56789"]);
    await clock.advance(50);
    expect(sent).toEqual(["01234", "56789", "\n", "end"]);
    fault.end();
    expect(clock.pendingTimers).toBe(0);
  });

  it("keep no timer after they were closed", () => {
    const { clock, faults, open } = setUp();
    const late = open("pods");
    const slow = open("services");
    faults.delay({ plural: "pods" }, 1_000);
    faults.slow({ plural: "services" }, 1);
    late.output.line("event", "a\n");
    slow.output.line("event", "a\n");
    expect(clock.pendingTimers).toBe(2);
    late.output.close();
    slow.output.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ["all", ["a\n"]],
    ["initialEventsEnd", ["a\n", "bookmark\n"]],
  ] as const)("lack bookmarks: %s", (which, expected) => {
    const { faults, open } = setUp();
    const { sent, output } = open("pods");
    faults.withhold({}, which);
    output.line("event", "a\n");
    output.line("initialEventsEnd", "end of list\n");
    output.line("bookmark", "bookmark\n");
    expect(sent).toEqual(expected);
  });

  it.each([
    ["malformed", ["0123\n", "next\n"]],
    ["truncated", ["0123", "end", "next\n"]],
  ] as const)("have a spoilt line: %s", (how, expected) => {
    const { faults, open } = setUp();
    const { sent, output } = open("pods");
    faults.spoil({}, how, { times: 1 });
    output.line("event", "0123456\n");
    output.line("event", "next\n");
    expect(sent).toEqual(expected);
  });

  it("tell events twice, and nothing else", () => {
    const { faults, open } = setUp();
    const { sent, output } = open("pods");
    faults.repeat({});
    output.line("event", "a\n");
    output.line("bookmark", "b\n");
    expect(sent).toEqual(["a\n", "a\n", "b\n"]);
  });

  it("are as usual again after all faults were cleared", () => {
    const { clock, faults, open } = setUp();
    const { sent, output } = open("pods");
    faults.delay({}, Infinity);
    faults.withhold({}, "all");
    faults.repeat({});
    output.line("event", "a\n");
    faults.clear();
    output.line("bookmark", "b\n");
    output.line("event", "c\n");
    expect(sent).toEqual(["a\n", "a\n", "b\n", "c\n"]);
    expect(clock.pendingTimers).toBe(0);
  });
});
