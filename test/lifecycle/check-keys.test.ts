// Names that XState would ignore, at every level of a machine's configuration; and that no name it knows is told.
import { describe, expect, it } from "vitest";
import {
  createMachine,
  setup,
  type AnyInvokeConfig,
  type AnyStateMachine,
  type AnyStateNodeConfig,
  type AnyTransitionConfig,
  type MachineOptions,
} from "xstate";
import { checkLifecycle } from "../../src/lifecycle/checks/check-lifecycle.ts";

/** XState's setup as JavaScript has it. */
interface AnySetup {
  createMachine(config: object): AnyStateMachine;
}

const found = (config: object): string[] =>
  checkLifecycle(createMachine(config as never))
    .filter(({ code }) => code.endsWith("_KEY_UNKNOWN"))
    .map(
      ({ code, severity, state = "", event = "", option = "", message, remedy }) =>
        `${severity} ${code} ${state}|${event}|${option}: ${message}. ${remedy}`,
    );

/** A machine whose state A has these parts. */
const withParts = (parts: object, top: object = {}): object => ({
  id: "m",
  version: "1",
  initial: "A",
  ...top,
  states: { A: parts, B: { on: { "human.back": "A" } }, HumanIntervention: { tags: "intervention" } },
});

describe("a name that means nothing", () => {
  it.each<[string, object, string]>([
    [
      "the machine",
      withParts({}, { contxt: {} }),
      'error STATE_KEY_UNKNOWN ||contxt: the machine has "contxt"',
    ],
    ["a state", withParts({ entyr: "x" }), 'error STATE_KEY_UNKNOWN A||entyr: A has "entyr"'],
    [
      "a state inside",
      withParts({ initial: "I", states: { I: { onDnoe: "B" } } }),
      'error STATE_KEY_UNKNOWN A:I||onDnoe: A:I has "onDnoe"',
    ],
    [
      "an edge",
      withParts({ on: { "human.go": { target: "B", gaurd: "x" } } }),
      'error EDGE_KEY_UNKNOWN A|human.go|gaurd: A has "gaurd" in its edge for human.go',
    ],
    [
      "an edge without a target",
      withParts({ on: { "human.go": { taget: "B" } } }),
      'error EDGE_KEY_UNKNOWN A|human.go|taget: A has "taget" in its edge for human.go',
    ],
    [
      "the second of several edges",
      withParts({ on: { "human.go": [{ target: "B" }, { target: "A", acitons: "x" }] } }),
      'error EDGE_KEY_UNKNOWN A|human.go|acitons: A has "acitons"',
    ],
    [
      "an edge of the machine",
      withParts({}, { on: { "human.go": { target: ".B", reentre: true } } }),
      'error EDGE_KEY_UNKNOWN |human.go|reentre: the machine has "reentre" in its edge for human.go',
    ],
    [
      "a timer",
      withParts({ after: { "5m": { target: "B", gard: "x" } } }),
      "error EDGE_KEY_UNKNOWN A|after.5m|gard: ",
    ],
    [
      "always",
      withParts({ always: [{ target: "B", Guard: "x" }] }),
      "error EDGE_KEY_UNKNOWN A|always|Guard: ",
    ],
    [
      "the end of a state",
      withParts({
        initial: "I",
        states: { I: { type: "final" } },
        onDone: { target: "B", descripton: "" },
      }),
      "error EDGE_KEY_UNKNOWN A|done.A|descripton: ",
    ],
    [
      "a beginning",
      withParts({ initial: { target: "I", action: "x" }, states: { I: {} } }),
      'error EDGE_KEY_UNKNOWN A|initial|action: A has "action" in initial',
    ],
    [
      "an invoke",
      withParts({ invoke: { id: "w", src: "work", ondone: "B" } }),
      'error INVOKE_KEY_UNKNOWN A||ondone: A has "ondone" in its invoke of w',
    ],
    [
      "the second of several invokes",
      withParts({ invoke: [{ src: "a" }, { src: "b", onErorr: "B" }] }),
      'error INVOKE_KEY_UNKNOWN A||onErorr: A has "onErorr" in its invoke of b',
    ],
    [
      "the end of a task",
      withParts({ invoke: { id: "w", src: "work", onDone: { taregt: "B" } } }),
      "error EDGE_KEY_UNKNOWN A|done.w|taregt: ",
    ],
    [
      "the failure of a task",
      withParts({ invoke: { id: "w", src: "work", onError: [{ target: "B", guad: "x" }] } }),
      "error EDGE_KEY_UNKNOWN A|error.w|guad: ",
    ],
  ])("in %s is refused where it looks like another", (_, config, start) => {
    const [first = "", ...others] = found(config);
    expect(others).toEqual([]);
    expect(first.slice(0, start.length)).toBe(start);
    expect(first).toMatch(/, which is unknown and ignored\. Did you mean "\w+"\?$/);
  });

  it("is told where it looks like none", () => {
    const parts = {
      colour: "red",
      on: { "human.go": { target: "B", colour: "red" } },
      invoke: { id: "w", src: "work", colour: "red" },
    };
    const lines = found(withParts(parts, { colour: "red" }));
    expect(lines).toHaveLength(4);
    for (const line of lines)
      expect(line).toMatch(/^warning .* Leave it out; notes of your own go into meta\.$/);
  });

  it("is told in meta only where it looks like one of the operator's", () => {
    const notes = { message: 1, colour: "red", massage: "anybody's", "@statelyai.color": 1, refusal: true };
    expect(found(withParts({ meta: notes }))).toEqual([]);
    expect(found(withParts({ meta: { refuses: ["size"], message: "stop it first" } }))).toEqual([]);
    expect(found(withParts({ meta: { refuse: ["size"], mesage: "stop it first" } }))).toEqual([
      expect.stringMatching(/^warning META_KEY_UNKNOWN A\|\|refuse: .* Did you mean "refuses"\?/),
      expect.stringMatching(/^warning META_KEY_UNKNOWN A\|\|mesage: .* Did you mean "message"\?/),
    ]);
    expect(found(withParts({}, { meta: { acepts: [] } }))).toEqual([
      expect.stringMatching(/^warning META_KEY_UNKNOWN \|\|acepts: the machine has "acepts" in its meta/),
    ]);
  });
});

describe("a name that XState knows", () => {
  // The compiler holds these to be all.
  const edge: Record<keyof AnyTransitionConfig, unknown> = {
    target: "B",
    guard: "g",
    actions: "a",
    reenter: true,
    meta: {},
    description: "",
  };
  const invoke: Record<keyof AnyInvokeConfig, unknown> = {
    id: "w",
    systemId: "s",
    src: "work",
    input: {},
    onDone: edge,
    onError: [edge],
    onSnapshot: edge,
  };
  const state: Record<keyof AnyStateNodeConfig, unknown> = {
    initial: { ...edge, target: "I" },
    type: "compound",
    history: undefined,
    states: { I: {}, H: { type: "history", history: "deep", target: "I" } },
    invoke: [invoke],
    on: { "human.go": edge },
    entry: "a",
    exit: "a",
    onDone: edge,
    after: { "5m": [edge] },
    always: edge,
    parent: undefined,
    meta: {},
    output: undefined,
    id: "here",
    order: 1,
    tags: [],
    description: "",
    target: undefined,
    route: { guard: "g", actions: "a", meta: {}, description: "" },
  };
  const options: Record<keyof MachineOptions, unknown> = { maxIterations: 5 };

  it("is taken at every level", () => {
    const machine = createMachine({
      ...withParts(state, { context: {}, options, schemas: {}, types: {}, output: {} }),
    } as never);
    const problems = checkLifecycle(machine).map(({ code, message }) => `${code} ${message}`);
    expect(problems.filter((line) => /KEY_UNKNOWN|LIFECYCLE_INVALID/.test(line))).toEqual([]);
    // They were looked at.
    expect(problems.join("\n")).toMatch(/GUARD_UNKNOWN A is guarded by "g" on human\.go/);
  });
});

describe("what a machine was given for its names", () => {
  const machine = (given: object): AnyStateMachine =>
    (setup(given as never) as AnySetup).createMachine(withParts({ on: { "observed.B": "B" } }));
  const found = (given: object): ReturnType<typeof checkLifecycle> =>
    checkLifecycle(machine(given)).filter(({ code }) => !code.endsWith("_UNUSED"));

  it("is refused where it can be none", () => {
    const problems = found({ guards: { g: true }, actions: { a: 5, b: {} } });
    expect(problems.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'error the machine\'s guards have "g", which is not a function',
      'error the machine\'s actions have "a", which is not a function',
      'error the machine\'s actions have "b", which is not a function',
    ]);
  });

  it("is taken in every form that XState takes", () => {
    const given = { guards: { g: () => true, h: "g", i: { type: "g" } }, actions: { a: () => undefined } };
    expect(found(given)).toEqual([]);
  });
});
