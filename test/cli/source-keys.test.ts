import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemPlaces } from "../../src/cli/check/problem-places.ts";
import { lineOf, writtenOptions } from "../../src/cli/check/source-keys.ts";
import { keyPath } from "../../src/machine-file/place-of-problem.ts";

const source = `import { setupLifecycle } from "xstate-operator";
import { other } from "./other.ts";
// createMachine({ id: "comment" }) is no call of ours, and is found all the same: nothing is lost by it.
export const light = setupLifecycle({ guards: { open: () => ({ a: "}" }) } }).createMachine({
  id: "light", /* } */ version: '1',
  states: {
    Off: { on: { "desired.On": { target: "On", guard: "open" } } },
    "On": {
      // On: { a comment }
      on: { \`observed.Off\`: "Off" },
      after: { warmUp: "Off" },
      invoke: [{ id: "glow", src: "glow", onDone: "Off" }],
      initial: "Bright",
      states: { Bright: {}, Dim: { entry: [other(1, { x: 2 }), "b"], on: {} } },
      ...spread({ Off: 1 }),
    },
  },
});
`;

const light = writtenOptions(source).find(({ id }) => id === "light");
const at = (...names: string[]): string | undefined => {
  const offset = light?.keys.get(keyPath(...names));
  return offset === undefined ? undefined : lineOf(source, offset);
};

describe("the keys of a machine in its source", () => {
  it("are found with line and column, through comments, texts and nested values", () => {
    expect(at("id")).toBe("5:3");
    expect(at("version")).toBe("5:24");
    expect(at("states", "Off")).toBe("7:5");
    expect(at("states", "Off", "on", "desired.On")).toBe("7:18");
    expect(at("states", "On", "on", "observed.Off")).toBe("10:13");
    expect(at("states", "On", "after", "warmUp")).toBe("11:16");
    expect(at("states", "On", "invoke", "onDone")).toBe("12:43");
    expect(at("states", "On", "states", "Dim", "on")).toBe("14:70");
    expect(at("states", "On", "states", "Off")).toBeUndefined();
  });

  it("are looked for without ever throwing or hanging, whatever the text is", () => {
    const piece = fc.constantFrom(
      "createMachine(",
      "{",
      "}",
      "[",
      "]",
      "(",
      ")",
      ":",
      ",",
      '"',
      "'",
      "`",
      "\\",
      "//",
      "/*",
      "*/",
      "\n",
      "a",
      "id",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(Array.isArray(writtenOptions(`createMachine({${pieces.join("")}`))).toBe(true);
      }),
    );
  });
});

describe("the place of a finding", () => {
  const files: Readonly<Record<string, string>> = {
    "/app/operator.ts": `import { light } from "./machines/light.ts";`,
    "/app/machines/light.ts": source,
    "/app/machines/other.ts": `import "../operator.ts";\nexport const x = createMachine({ id: "door", states: {} });`,
    "/app/machines/bell.ts": `import "./light.ts";
export const bell = setupLifecycle<Bell>().extend({
  actions: { ring: 5 },
}).createMachine({ id: "bell", contxt: {}, states: { Still: {
  on: { "human.ring": [{ target: "Loud", guard: "a" },
    { taget: "Loud" }], "human.hush": "Still" },
  invoke: [{ src: "a" },
    { src: "b", ondone: "Still", onDone: { gaurd: "x" } }],
  onDone: { guad: "x" },
  meta: { refuse: [] },
} } });`,
  };
  const placeOf = problemPlaces("/app/operator.ts", (file) => files[file]);

  it.each<[string, object, string | undefined]>([
    ["is the edge", { state: "On", event: "observed.Off" }, "/app/machines/light.ts:10:13"],
    ["is the timer", { state: "On", event: "after.warmUp" }, "/app/machines/light.ts:11:16"],
    ["is the end of a task", { state: "On", event: "done.glow" }, "/app/machines/light.ts:12:43"],
    ["is the invoke", { state: "On", code: "INVOKE_WITHOUT_ERROR_EDGE" }, "/app/machines/light.ts:12:7"],
    ["is the inner state", { state: "On:Dim" }, "/app/machines/light.ts:14:29"],
    [
      "is the state, when its edge is not found",
      { state: "Off", event: "human.x" },
      "/app/machines/light.ts:7:5",
    ],
    ["is the machine, when the state is not found", { state: "Gone" }, "/app/machines/light.ts:4:79"],
  ])("%s", (_, problem, place) => {
    expect(placeOf({ machine: "light" }, { code: "X", ...problem })).toBe(place);
  });

  it.each<[string, object, string]>([
    ["of the machine", { code: "STATE_KEY_UNKNOWN", option: "contxt" }, "4:32"],
    [
      "of an edge, the second for its event",
      { state: "Still", code: "EDGE_KEY_UNKNOWN", event: "human.ring", option: "taget" },
      "6:7",
    ],
    [
      "of an invoke, the second of its state",
      { state: "Still", code: "INVOKE_KEY_UNKNOWN", option: "ondone" },
      "8:17",
    ],
    [
      "of the end of a task",
      { state: "Still", code: "EDGE_KEY_UNKNOWN", event: "done.b", option: "gaurd" },
      "8:44",
    ],
    [
      "of the end of a state",
      { state: "Still", code: "EDGE_KEY_UNKNOWN", event: "done.Still", option: "guad" },
      "9:13",
    ],
    ["of meta", { state: "Still", code: "META_KEY_UNKNOWN", option: "refuse" }, "10:11"],
  ])("is the name that means nothing: %s", (_, problem, place) => {
    const find = problemPlaces("/app/machines/bell.ts", (file) => files[file]);
    expect(find({ machine: "bell" }, { code: "X", ...problem })).toBe(`/app/machines/bell.ts:${place}`);
  });

  it("is the option of setupLifecycle, where one call alone has it", () => {
    const find = problemPlaces("/app/machines/bell.ts", (file) => files[file]);
    const setup = { by: "setupLifecycle" };
    expect(find(setup, { code: "OPTION_INVALID", option: "actions.ring" })).toBe(
      "/app/machines/bell.ts:3:14",
    );
    expect(find(setup, { code: "OPTION_INVALID", option: "guards.open" })).toBe(
      "/app/machines/light.ts:4:49",
    );
    expect(find(setup, { code: "OPTION_INVALID", option: "effects" })).toBeUndefined();
  });

  it("is the option of the one of several tasks that has it", () => {
    const text = "const tasks = {\n  a: jobTask({ job: first }),\n  b: jobTask({ jb: second }),\n};\n";
    const find = problemPlaces("/app/tasks.ts", () => text);
    expect(find({ by: "jobTask" }, { code: "OPTION_UNKNOWN", option: "jb" })).toBe("/app/tasks.ts:3:16");
  });

  it("is found in any module that is imported, in circles too, and nowhere else", () => {
    expect(placeOf({ machine: "door" }, { code: "X" })).toBe("/app/machines/other.ts:2:18");
    expect(placeOf({ machine: "unknown" }, { code: "X" })).toBeUndefined();
  });
});
