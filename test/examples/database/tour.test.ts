import { describe, expect, it } from "vitest";
import { databaseLifecycle } from "../../../examples/database/src/database/database-lifecycle.ts";
import { happeningsBetween } from "../../../examples/database/src/tour/happening.ts";
import { drawLifecycle, layout } from "../../../examples/database/src/tour/lifecycle-drawing.ts";
import { visibleBut } from "../../../src/cli/visible-text.ts";
import { createNarrator } from "../../../examples/database/src/tour/narrator.ts";
import { createWorkspace } from "../../../examples/database/src/tour/workspace.ts";
import { databaseFixture } from "./database-fixture.ts";

const plain = { lit: (text: string) => text, visited: (text: string) => text, faint: (text: string) => text };
const states = Object.keys(databaseLifecycle.config.states ?? {});

describe("the drawing of the lifecycle", () => {
  it("shows every state of the machine once, and no other", () => {
    const drawn = [...layout.join("\n").matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(drawn).toHaveLength(states.length);
    expect(new Set(drawn)).toEqual(new Set(states));
  });

  it("draws only arrows that the machine has", () => {
    const arrows = layout.flatMap((line) => [...line.matchAll(/\{(\w+)\} (◀?)──▶ (?=\{(\w+)\})/g)]);
    expect(arrows).toHaveLength(3);
    const targetsOf = (state: string): string =>
      JSON.stringify(databaseLifecycle.config.states?.[state as never]);
    for (const [, from = "", back, to = ""] of arrows) {
      expect(targetsOf(from)).toContain(`"${to}"`);
      if (back === "◀") expect(targetsOf(to)).toContain(`"${from}"`);
    }
    for (const below of ["Stopping", "Reconfiguring"]) expect(targetsOf("Running")).toContain(`"${below}"`);
    expect(targetsOf("Reconfiguring")).toContain('"Running"');
  });

  it.each(states)("lights %s and nothing else", (state) => {
    const lines = drawLifecycle(state, [], plain).join("\n");
    expect([...lines.matchAll(/\[(\w+)\]/g)].map((match) => match[1])).toEqual([state]);
  });

  it("keeps every state where it is, whichever is lit", () => {
    const columns = (current: string): number[] =>
      states.map(
        (state) =>
          drawLifecycle(current, [], plain)
            .find((line) => line.includes(state))
            ?.indexOf(state) ?? -1,
      );
    for (const state of states) expect(columns(state)).toEqual(columns("Start"));
  });

  it("tells where it was from where it was not", () => {
    const paint = { ...plain, visited: (text: string) => text.toUpperCase() };
    const lines = drawLifecycle("Running", ["Start", "Running"], paint);
    expect(lines).toContain(" START  ──▶ [Running] ◀──▶  Servicing");
  });
});

describe("what happened to a Database", () => {
  const at = (state: string, more: object = {}) =>
    databaseFixture({ status: { lifecycle: { state, ...more } } });

  it("is nothing when nothing differs", () => {
    expect(happeningsBetween(at("Running"), at("Running"))).toEqual([]);
    expect(happeningsBetween(undefined, databaseFixture())).toEqual([]);
  });

  it("is a move with its cause", () => {
    const after = at("Running", {
      last: { from: "Start", event: "observed.Running", cause: "it was seen running" },
    });
    expect(happeningsBetween(at("Start"), after)).toEqual([
      { kind: "moved", from: "Start", to: "Running", cause: "it was seen running" },
    ]);
  });

  it("is each step of a task, once", () => {
    const step = (progress: number) =>
      at("Servicing", { tasks: { backup: { progress, message: `${progress}` } } });
    expect(happeningsBetween(step(0.1), step(0.2))).toEqual([
      { kind: "progress", task: "backup", fraction: 0.2, message: "0.2" },
    ]);
    expect(happeningsBetween(step(0.2), step(0.2))).toEqual([]);
  });

  it("is a condition when its status changes, or the reason of the lifecycle's, not when only its message does", () => {
    const condition = {
      type: "Lifecycle",
      status: "False",
      reason: "Servicing",
      message: "1 %",
      lastTransitionTime: "",
    } as const;
    const withCondition = (change: object) =>
      databaseFixture({ status: { conditions: [{ ...condition, ...change }] } });
    expect(happeningsBetween(withCondition({}), withCondition({ message: "2 %" }))).toEqual([]);
    expect(happeningsBetween(withCondition({}), withCondition({ status: "True" }))).toHaveLength(1);
    expect(happeningsBetween(withCondition({}), withCondition({ reason: "Running" }))).toHaveLength(1);
    expect(happeningsBetween(undefined, withCondition({}))).toHaveLength(1);
    expect(happeningsBetween(undefined, withCondition({ type: "Reconciling", status: "True" }))).toEqual([]);
    const ready = { type: "Ready" };
    expect(happeningsBetween(undefined, withCondition(ready))).toEqual([]);
    expect(happeningsBetween(withCondition(ready), withCondition({ ...ready, reason: "Running" }))).toEqual(
      [],
    );
    expect(happeningsBetween(withCondition(ready), withCondition({ ...ready, status: "True" }))).toHaveLength(
      1,
    );
  });
});

describe("the narrator", () => {
  const narrate = (color: boolean, columns?: number) => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text) };
    const narrator = createNarrator({ output, color, columns, now: () => 0 });
    narrator.step("It begins");
    narrator.tell({ kind: "moved", from: undefined, to: "Start", cause: "" });
    narrator.tell({ kind: "moved", from: "Start", to: "Running", cause: "it answers" });
    narrator.tell({ kind: "progress", task: "backup", fraction: 0.5, message: "half" });
    narrator.tell({ kind: "event", type: "Warning", reason: "Slow", note: "a note" });
    return { narrator, text: written.join("") };
  };

  it("remembers the path", () => {
    expect(narrate(false).narrator.path).toEqual(["Start", "Running"]);
  });

  it("writes plain lines without colour", () => {
    const { text } = narrate(false);
    expect(text).not.toContain("\u001B");
    expect(text).toContain("1. It begins\n");
    expect(text).toContain("Start → Running, because it answers\n");
    expect(text).toContain("▕█████     ▏ 50% half\n");
    expect(text).toContain("Slow: a note\n");
  });

  it("writes the same with colour", () => {
    // oxlint-disable-next-line no-control-regex -- escape sequences are what is stripped
    const stripped = narrate(true).text.replaceAll(/\u001B\[[\d;]*m/g, "");
    expect(narrate(true).text).toContain("\u001B[");
    expect(stripped).toBe(narrate(false).text);
  });

  it("uses no colour that the command line would show as text", () => {
    const { text } = narrate(true);
    expect(visibleBut({ color: true, moves: false })(text)).toBe(text);
  });

  it("draws within 60 columns", () => {
    const drawn = narrate(false, 60)
      .text.split("\n")
      .filter((line) => /──|│|Reconfiguring/.test(line));
    expect(drawn).toHaveLength(8);
    for (const line of drawn) expect(line.length).toBeLessThanOrEqual(60);
    expect(narrate(false, 100).text).toBe(narrate(false).text);
  });
});

describe("the folder of the tour", () => {
  it("that cannot be made is named, with what to do", async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = "/no/such/folder";
    try {
      await expect(createWorkspace()).rejects.toThrow(
        "no folder can be made in /no/such/folder; set TMPDIR to one that exists, has room and can be written to",
      );
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });
});
