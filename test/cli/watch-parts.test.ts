import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applicationLifecycle } from "../../machines/lifecycle-machine.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { happeningsBetween } from "../../src/cli/watch/happenings.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { fitParts } from "../../src/cli/watch/fit-parts.ts";
import { fitTable, type TableColumn } from "../../src/cli/watch/fit-table.ts";
import { tableView } from "../../src/cli/watch/kind-view.ts";
import { doubtAbout, isReached, parseGoal } from "../../src/cli/watch/until.ts";
import { linesView, pageView } from "../../src/cli/watch/watch-view.ts";
import { columnsOf } from "../../src/cli/wrap-line.ts";
import type { Explanation } from "../../src/explain/explanation.ts";
import { indexGraph } from "../../src/statechart/configuration.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import { everyEdge } from "../diagram/machine-fixtures.ts";

const now = Date.parse("2026-01-02T03:04:05Z");
const running: Explanation = {
  object: { kind: "Database", name: "orders", namespace: "shop", uid: "1", generation: 2, age: 60_000 },
  state: { name: "Running", since: "2026-01-02T03:04:00.000Z", lasted: 5_000 },
  target: { state: "Servicing", maintained: false, reached: false, deletion: false },
  plan: ["Servicing"],
  awaited: [],
  tasks: [],
  timers: [],
  conditions: [
    { type: "Ready", status: "True", reason: "Running", message: "", observedGeneration: 1 } as never,
  ],
  blockers: [],
  accepted: [],
  children: [],
  events: [],
  unknown: ["what nobody can tell"],
};
const event = {
  type: "Warning",
  reason: "TaskFailed",
  message: "no disk",
  count: 1,
  lastSeen: "2026-01-02T03:04:01Z",
};
const servicing: Explanation = {
  ...running,
  state: {
    name: "Servicing",
    last: { from: "Running", event: "desired.Servicing", cause: "Servicing is desired" },
  },
  plan: [],
  tasks: [
    { id: "backup", src: "backUp", phase: "Running", attempt: 1, progress: 0.42, message: "4 of 9 files" },
  ],
  timers: [{ state: "Servicing", delay: "1h", due: "2026-01-02T04:00:00.000Z", remaining: 3_355_000 }],
  events: [event],
};

describe("what happened between two looks", () => {
  it("is everything at first, and nothing when nothing has changed", () => {
    expect(happeningsBetween(undefined, running).map(({ about, text }) => `${about}: ${text}`)).toEqual([
      "state: Running",
      "target: Servicing (done once): not reached",
      "plan: Running → Servicing",
      "condition: Ready is True, Running",
    ]);
    expect(happeningsBetween(running, { ...running, object: { ...running.object, age: 61_000 } })).toEqual(
      [],
    );
  });

  it("is the move with its cause, tasks, timers and Events that are new", () => {
    expect(happeningsBetween(running, servicing)).toEqual([
      { about: "state", text: "Running → Servicing, because Servicing is desired", warning: false },
      { about: "task", text: "backup Running, attempt 1, 42 %: 4 of 9 files", warning: false },
      { about: "timer", text: "1h of Servicing is due at 2026-01-02T04:00:00.000Z", warning: false },
      { about: "event", text: "TaskFailed: no disk", warning: true },
    ]);
    const further = { ...servicing, tasks: servicing.tasks.map((task) => ({ ...task, progress: 0.9 })) };
    expect(happeningsBetween(servicing, further).map(({ text }) => text)).toEqual([
      "backup Running, attempt 1, 90 %: 4 of 9 files",
    ]);
    const again = { ...servicing, events: [{ ...event, count: 2, lastSeen: "2026-01-02T03:04:09Z" }] };
    expect(happeningsBetween(servicing, again).map(({ text }) => text)).toEqual([
      "TaskFailed: no disk (2 times)",
    ]);
  });
});

describe("a goal", () => {
  const index = indexGraph(readGraph(applicationLifecycle));
  const nested = indexGraph(readGraph(everyEdge));

  it("is a state where the graph has one, else a condition, unless it says which", () => {
    expect(parseGoal("Running", index)).toEqual({ kind: "state", path: "Running" });
    expect(parseGoal("state=Working:Second", nested)).toEqual({ kind: "state", path: "Working:Second" });
    expect(parseGoal("Ready", index)).toEqual({ kind: "condition", type: "Ready", status: "True" });
    expect(parseGoal("condition=Running=False", index)).toEqual({
      kind: "condition",
      type: "Running",
      status: "False",
    });
    expect(parseGoal("deleted", index)).toEqual({ kind: "deleted" });
    expect(parseGoal("Ready", undefined)).toMatchObject({ kind: "condition" });
    expect(() => parseGoal("state=Runing", index)).toThrow(/there is no state "Runing"/);
    expect(() => parseGoal("condition=", index)).toThrow(/no state/);
  });

  it("that is misspelt is not waited for", () => {
    const remedyOf = (text: string): string | undefined => {
      try {
        parseGoal(text, index);
      } catch (error) {
        return error instanceof UsageError ? error.remedy : String(error);
      }
      return undefined;
    };
    expect(remedyOf("Runing")).toMatch(/^Did you mean Running\? The states are: /);
    expect(remedyOf("running")).toMatch(/^Did you mean Running\?/);
    expect(remedyOf("condition=Runing")).toBeUndefined();
    // What is like nothing may be a condition that comes; it is said that there is none.
    expect(doubtAbout(parseGoal("Nowhere", index), running)).toMatch(
      /^There is no condition Nowhere yet; present conditions: .*Ready/,
    );
    expect(doubtAbout(parseGoal("Ready", index), running)).toBeUndefined();
    expect(doubtAbout(parseGoal("Running", index), running)).toBeUndefined();
  });

  it("is reached in the state or inside of it, by a condition of the present generation, by the end", () => {
    expect(isReached(parseGoal("Running", index), running, index)).toBe(true);
    expect(isReached(parseGoal("Servicing", index), running, index)).toBe(false);
    const deep = { ...running, state: { name: "Working:Second:Deep" } };
    expect(isReached(parseGoal("Working", nested), deep, nested)).toBe(true);
    expect(isReached(parseGoal("Working:First", nested), deep, nested)).toBe(false);
    const ready = parseGoal("Ready", index);
    expect(isReached(ready, running, index)).toBe(false);
    const present = running.conditions.map((condition) => ({ ...condition, observedGeneration: 2 }));
    expect(isReached(ready, { ...running, conditions: present }, index)).toBe(true);
    expect(isReached(parseGoal("Ready=False", index), { ...running, conditions: present }, index)).toBe(
      false,
    );
    expect(isReached(parseGoal("deleted", index), running, index)).toBe(false);
    expect(isReached(parseGoal("deleted", index), undefined, index)).toBe(true);
    expect(isReached(parseGoal("Running", index), undefined, index)).toBe(false);
  });
});

describe("the views of a watched object", () => {
  const written = (): { readonly terminal: Terminal; readonly pieces: string[] } => {
    const pieces: string[] = [];
    const terminal = {
      out: (text: string) => void pieces.push(text),
      outColor: false,
    } as unknown as Terminal;
    return { terminal, pieces };
  };

  it("lines have the time, a word and a sentence, and no line twice", () => {
    const { terminal, pieces } = written();
    const view = linesView(terminal);
    view.show(running, undefined, now);
    view.show(running, "connection refused", now + 1_000);
    view.show(running, "connection refused", now + 2_000);
    view.end();
    expect(pieces).toEqual([
      "03:04:05  state      Running\n",
      "03:04:05  target     Servicing (done once): not reached\n",
      "03:04:05  plan       Running → Servicing\n",
      "03:04:05  condition  Ready is True, Running\n",
      "03:04:06  lost       connection refused\n",
    ]);
  });

  it("a page has on every screen what matters first, and no line is wider than it", () => {
    const awaited = ["observed.Down", "desired.Servicing", "done.backup", "human.retry", "after.1h"].map(
      (name) => ({
        event: name,
        to: "Servicing:First",
        taker: "observation" as const,
        next: false,
        needs: `the application is observed Down, or ${name} is what somebody asks for`,
      }),
    );
    const conditions = ["Lifecycle", "Ready", "Degraded", "Progressing"].map((type) => ({
      type,
      status: "True" as const,
      reason: "Running",
      message: `the application is ${type.toLowerCase()} in Running`,
      lastTransitionTime: "2026-01-02T03:04:00Z",
    }));
    const many = Array.from({ length: 40 }, (_, number) => ({ ...event, message: `event ${number}` }));
    const full = {
      ...servicing,
      target: running.target,
      awaited,
      conditions,
      events: many,
      accepted: ["retry"],
    };
    for (const [columns, rows] of [
      [40, 24],
      [80, 24],
      [40, 40],
      [120, 50],
    ] as const) {
      const { terminal, pieces } = written();
      pageView(terminal, () => ({ columns, rows })).show(full as Explanation, "connection refused", now);
      const lines = stripVTControlCharacters(pieces.join("")).trimEnd().split("\n");
      expect(lines.length).toBeLessThan(rows);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      const seen = lines.map((line) => line.trim()).join(" ");
      const first = ["Servicing", "not reached", "is observed Down, or", "lifecycle in Running"];
      const others = columns * rows > 40 * 24 ? ["ready in Running", "degraded in Running"] : [];
      for (const text of [...first, ...others]) expect(`${columns}x${rows} ${seen}`).toContain(text);
      expect(seen).toMatch(/Conditions Lifecycle +True/);
      expect(seen).toContain("connection lost: connection refused press Ctrl-C to exit");
    }
  });

  it("a page that does not fit gives each of its first parts a share, and says what is left out", () => {
    const part = (name: string, length: number) => ({
      lines: Array.from({ length }, (_, index) => `${name}${index}`),
    });
    expect(fitParts([part("a", 2), part("b", 2)], 5, { vital: 2 })).toEqual(["a0", "a1", "", "b0", "b1"]);
    expect(fitParts([part("a", 2), part("b", 2)], 4, { vital: 2 })).toEqual(["a0", "a1", "b0", "b1"]);
    const parts = [part("a", 2), part("b", 9), part("c", 3), part("d", 3), part("e", 1)];
    expect(fitParts(parts, 10, { vital: 3 })).toEqual([
      "a0",
      "a1",
      "b0",
      "b1",
      "b2",
      "  … 6 more lines",
      "c0",
      "c1",
      "c2",
      "… 2 more sections",
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (lengths, room, vital) => {
          const shown = fitParts(
            lengths.map((length, index) => part(`${index}-`, length)),
            room,
            { vital },
          );
          expect(shown.length).toBeLessThanOrEqual(room);
          const first = lengths[0] ?? 0;
          const others = lengths.slice(1, vital).length;
          if (room - 1 < first + 2 * others) return;
          for (let index = 0; index <= others; index += 1) expect(shown).toContain(`${index}-0`);
        },
      ),
    );
  });

  it("a page is drawn over itself, stays on the screen, and leaves the terminal as it was", () => {
    const { terminal, pieces } = written();
    const view = pageView(terminal, () => ({ columns: 80, rows: 8 }));
    view.show(running, undefined, now);
    view.show(running, undefined, now);
    view.show(servicing, undefined, now + 1_000);
    view.end();
    expect(pieces).toHaveLength(3);
    const [first = "", second = "", end] = pieces;
    const countOf = (text: string): number => text.split("\n").length - 1;
    expect(first.startsWith("\u001B[?7lDatabase shop/orders")).toBe(true);
    expect(countOf(first)).toBeLessThan(8);
    expect(second.startsWith(`\u001B[${countOf(first)}A\r`)).toBe(true);
    expect(second).toContain("Servicing");
    expect(first + second).not.toContain("what nobody can tell");
    expect(end).toBe("\u001B[?7h");
  });
});

describe("a table that fits a screen", () => {
  const columns: readonly TableColumn[] = [
    { title: "NAME", least: 4, spare: 0 },
    { title: "DESIRED", least: 7, spare: 2 },
    { title: "AGE", least: 3, spare: 3 },
    { title: "MESSAGE", least: 10, spare: 1 },
  ];
  const row = ["orders-in-the-north", "Running", "12m", "the backup of the night is being made"];

  it.each([
    [80, "orders-in-the-north  Running  12m  the backup of the night is being made"],
    [50, "orders-in-the-north  Running  12m  the backup of …"],
    [40, "orders-in-the-north  Running  the backu…"],
    [32, "orders-in-the-north  the backup…"],
    [20, "orders-in-the-north"],
    [10, "orders-in…"],
  ])("has on %i columns what matters most", (width, expected) => {
    const [head = "", line = ""] = fitTable(columns, [row], width);
    expect(line).toBe(expected);
    expect(head.startsWith("NAME")).toBe(true);
  });

  it("is never wider, whatever its cells hold", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: "grapheme" }), { minLength: 4, maxLength: 4 })),
        fc.integer({ min: 6, max: 120 }),
        (rows, width) => {
          const clean = rows.map((cells) => cells.map((cell) => cell.replaceAll(/\p{C}/gu, "")));
          for (const line of fitTable(columns, clean, width))
            expect(columnsOf(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("all objects of a kind on a screen", () => {
  const named = (name: string, more: Partial<Explanation> = {}): readonly [string, Explanation] => [
    name,
    { ...running, ...more, object: { ...running.object, name } },
  ];
  const shownOn = (rows: number, all: readonly (readonly [string, Explanation])[]): string => {
    let out = "";
    const terminal = { out: (text: string) => (out += text), outColor: false } as unknown as Terminal;
    const watched = { kind: "Database", namespace: "shop", showsNamespace: false, hasLifecycle: true };
    const view = tableView(terminal, watched, () => ({ columns: 60, rows }));
    view.show(new Map(all), { hasSynced: true, lost: undefined, now });
    return stripVTControlCharacters(out);
  };
  const blocked = { blockers: [{ reason: "Paused", message: "paused by ada" }] } as const;

  it("are those that need attention where not all have room, in the order of their names", () => {
    const all = [named("d", blocked), named("c"), named("b", { conditions: [] }), named("a")];
    const page = shownOn(6, all);
    expect(page.split("\n").map((line) => line.split(" ")[0])).toEqual(["NAME", "b", "d", "…", "press", ""]);
    expect(page).toContain("… 2 more");
    expect(page).toMatch(/^d {5}Running {2}Servicing {2}True {5}1m {3}paused by ada$/m);
    expect(shownOn(24, all).split("\n")).toHaveLength(7);
  });

  it("keep a message beside a name that is too long", () => {
    const page = shownOn(24, [named("with-a-rather-long-name-that-does-not-fit", blocked)]);
    expect(page).toMatch(/^NAME +STATE +READY +MESSAGE\n/);
    expect(page).toMatch(/^with-a-rather-long-name-that… {2}Running {2}True {3}paused by ada$/m);
  });

  it("are none, which is said", () => {
    expect(shownOn(24, [])).toBe("there is no Database in namespace shop yet\npress Ctrl-C to exit\n");
  });
});
