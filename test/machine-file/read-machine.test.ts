// Machines as data: a file of JSON or YAML gives the same machine as its configuration in code, and a mistake in it is
// reported where it stands.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { stringify } from "yaml";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { NamesOf } from "../../machines/lifecycle-names.ts";
import { configOf } from "../../src/diagram/config.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { readMachine, readMachineText } from "../../src/machine-file/read-machine.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import type { Problem } from "../../src/ports/problem.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import type { Position } from "../../src/statechart/statechart.ts";
import { drawnGraph } from "../diagram/drawn-graph.ts";
import { buildGuarded, guardedStates } from "../lifecycle/guarded-lifecycle.ts";
import "../support/property-seed.ts";
import shopConfig from "./shop-lifecycle.json" with { type: "json" };

const folder = mkdtempSync(join(tmpdir(), "machine-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const formats: readonly (readonly [name: string, write: (config: object) => string])[] = [
  ["machine.json", (config) => JSON.stringify(config, null, "\t")],
  ["machine.yaml", (config) => stringify(config)],
  ["flow.yml", (config) => JSON.stringify(config)],
];

const shopNames = setupLifecycle({
  guards: { isQuiet: () => true },
  actions: { count: () => ({}) },
  effects: ["tell"],
  tasks: ["x"],
});

/** The findings that a file is refused for, as `line:column CODE`. */
function findingsOf(text: string, name: string, setup = shopNames): readonly string[] {
  const path = written(text, name);
  try {
    readMachine(path, setup);
  } catch (error: unknown) {
    if (!isOperatorError(error, "MACHINE_FILE_INVALID")) throw error;
    const { problems } = error.fields as { readonly problems: readonly Problem[] };
    for (const { where, severity } of problems)
      if (severity === "error") expect(error.message).toContain(`- ${where ?? ""}: `);
    return problems
      .filter(({ severity }) => severity === "error")
      .map(({ where = "", code }) => `${where.replace(`${path}:`, "")} ${code}`);
  }
  return [];
}

describe("a machine in a file", () => {
  it.each(formats)("is the machine of its configuration, whatever was drawn: %s", (name, write) => {
    fc.assert(
      fc.property(
        guardedStates,
        fc.array(
          fc.tuple(
            fc.constantFrom(
              "observed.W",
              "observed.B",
              "desired.C",
              "human.go",
              "config.changed",
              "xstate.done.actor.work",
            ),
            fc.boolean(),
          ),
          { maxLength: 6 },
        ),
        (states, events) => {
          const inCode = buildGuarded(states);
          const guards = inCode.implementations.guards as unknown as Record<string, () => boolean>;
          const path = written(write(inCode.config), name);
          const inFile = readMachine(path, setupLifecycle({ guards }));
          expect(readGraph(inFile)).toEqual(readGraph(inCode));
          expect(walk(inFile, events)).toEqual(walk(inCode, events));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(formats)("may have states inside states, side by side and remembered: %s", (name, write) => {
    fc.assert(
      fc.property(drawnGraph, (drawn) => {
        const config = JSON.parse(JSON.stringify(configOf(drawn))) as object;
        expect(readMachineText(write(config), name)).toMatchObject({ config, problems: [] });
      }),
      { numRuns: 30 },
    );
  });

  it("is named by a path or by a URL, and serves as a kind's lifecycle", () => {
    const path = written(JSON.stringify(shopConfig), "shop.json");
    const machine = readMachine(pathToFileURL(path), shopNames);
    const kind = defineKind({
      group: "a.example.com",
      version: "v1",
      kind: "Shop",
      spec: z.object({}),
      lifecycle: machine,
    });
    expect(kind.lifecycle?.states).toEqual(["Start", "Open", "Open:A", "Open:B", "End", "HumanIntervention"]);
    expectTypeOf<NamesOf<typeof machine>["task"]>().toEqualTypeOf<"x">();
    expectTypeOf<NamesOf<typeof machine>["effect"]>().toEqualTypeOf<"tell">();
  });

  it("is typed by its keys where JSON is imported as a module", () => {
    const machine = shopNames.createMachine(shopConfig);
    type Names = NamesOf<typeof machine>;
    expectTypeOf<"Open:A" | "Start" | "HumanIntervention">().toExtend<Names["state"]>();
    expectTypeOf<"Opne">().not.toExtend<Names["state"]>();
    expectTypeOf<"Dark">().toExtend<Names["observed"]>();
    expectTypeOf<Names["task"]>().toEqualTypeOf<"x">();
    expect(readGraph(machine).nodes.map(({ path }) => path)).toContain("Open:A");
  });

  it("may leave out in YAML what is empty", () => {
    const path = written(
      "id: x\nversion: '1'\ninitial: A\ncontext: { last: null }\nstates:\n  A:\n    on: { human.go: B }\n    tags:\n  B:\n",
      "empty.yaml",
    );
    const { nodes, context } = readGraph(readMachine(path));
    expect(nodes.map((node) => node.path)).toEqual(["A", "B", "HumanIntervention"]);
    expect(context).toEqual({ last: null });
  });
});

describe("a mistake in a machine's file is reported where it stands", () => {
  const yaml = (states: string): string => `id: m\nversion: "1"\ninitial: A\nstates:\n${states}`;
  it.each([
    ["an edge to no state", yaml("  A:\n    on:\n      observed.B: Bee\n  B: {}\n"), ["7:7 STATE_UNKNOWN"]],
    ["an initial state that is not there", yaml("  Ay: {}\n"), ["3:1 INITIAL_UNKNOWN"]],
    [
      "a key that is nearly one",
      yaml("  A:\n    on:\n      observed.B:\n        - target: B\n          gaurd: isQuiet\n  B: {}\n"),
      ["9:11 EDGE_KEY_UNKNOWN"],
    ],
    ["a key that is written twice", yaml("  A: {}\n  B: {}\n  A: {}\n"), ["7:3 KEY_DUPLICATE"]],
    [
      "a state that YAML reads as a boolean",
      yaml("  A: {}\n  true: {}\n  ~: {}\n"),
      ["6:3 KEY_NOT_TEXT", "7:3 KEY_NOT_TEXT"],
    ],
    [
      "another type than must be",
      yaml("  A: { on: { observed.B: 5 }, tags: { a: b }, entry: [tell, 7] }\n  B: [x]\n"),
      ["5:14 FIELD_INVALID", "5:31 FIELD_INVALID", "5:61 FIELD_INVALID", "6:3 FIELD_INVALID"],
    ],
    [
      "a version that is a number",
      "id: m\nversion: 1\ninitial: A\nstates: { A: {} }\n",
      ["2:1 FIELD_INVALID"],
    ],
    [
      "a boolean in place of a name",
      yaml("  A:\n    initial: true\n    states: { B: {} }\n"),
      ["6:5 FIELD_INVALID"],
    ],
    [
      "names that the code does not give",
      yaml(
        "  A:\n    entry: shout\n    on: { observed.B: { target: B, guard: isLoud } }\n    after: { never: B, 10m: B }\n  B: {}\n",
      ),
      ["7:11 GUARD_UNKNOWN", "8:14 DELAY_UNKNOWN", "5:3 ACTION_UNKNOWN"],
    ],
    [
      "a task that is not listed",
      yaml("  A:\n    invoke: { id: y, src: y, onDone: B }\n  B: {}\n"),
      ["6:5 TASK_UNKNOWN"],
    ],
    ["no YAML", yaml("  A: {on: [}\n"), ["5:12 TEXT_INVALID", "5:13 TEXT_INVALID"]],
    ["two documents", `${yaml("  A: {}\n")}---\nid: n\n`, ["6:1 TEXT_INVALID"]],
    ["a list", "- id: m\n", ["1:1 FIELD_INVALID"]],
    ["nothing", "", ["1:1 FIELD_INVALID"]],
  ])("in YAML: %s", (_, text, findings) => {
    expect(findingsOf(text, "wrong.yaml")).toEqual(findings);
  });

  it.each([
    ["a comma too many", '{\n\t"id": "x",\n\t"states": {\n\t\t"A": {},\n\t}\n}', ["5:2 TEXT_INVALID"]],
    ["a comment", '{ "id": "x", // no\n "states": {} }', ["1:14 TEXT_INVALID"]],
    ["a text that ends too early", '{ "id": "x"', ["1:12 TEXT_INVALID"]],
    ["words without quotes", '{ "id": x }', ["1:9 TEXT_INVALID"]],
    [
      "a key that is written twice",
      '{ "id": "m", "initial": "A",\n  "states": { "A": {},\n "A": {} } }',
      ["3:2 KEY_DUPLICATE"],
    ],
    [
      "an edge to no state",
      '{ "id": "m", "version": "1", "initial": "A",\n  "states": { "A": {\n    "on": { "observed.B": "Bee" } }, "B": {} } }',
      ["3:13 STATE_UNKNOWN"],
    ],
    [
      "another type than must be",
      '{ "id": "m", "version": "1", "initial": "A",\n  "states": { "A": {\n    "invoke": "x" }, "B": null } }',
      ["3:5 FIELD_INVALID"],
    ],
  ])("in JSON: %s", (_, text, findings) => {
    expect(findingsOf(text, "wrong.json")).toEqual(findings);
  });

  it("says so of a file that is not there", () => {
    expect(() => readMachine(join(folder, "none.yaml"))).toThrow(
      expect.objectContaining({ code: "MACHINE_FILE_MISSING" }) as Error,
    );
  });
});

/** The positions that a machine comes to by these events, with their guards open or closed. */
function walk(
  machine: LifecycleMachine,
  events: readonly (readonly [string, boolean])[],
): readonly Position[] {
  const { chart } = compileLifecycle(machine);
  const positions = [chart.begin({ spec: {}, facts: {} }).position];
  for (const [type, isOpen] of events) {
    const before = positions.at(-1) as Position;
    const facts = { g0: isOpen, g1: !isOpen, g2: true };
    const step = chart.take(before, { type, spec: {}, facts });
    positions.push(step?.position ?? before);
  }
  return positions;
}
