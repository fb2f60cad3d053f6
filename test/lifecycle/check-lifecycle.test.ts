// What XState lets pass is found before anything runs.
import { describe, expect, it } from "vitest";
import { fromPromise } from "xstate";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { assertLifecycle, checkLifecycle } from "../../src/lifecycle/checks/check-lifecycle.ts";
import type { Problem } from "../../src/ports/problem.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";

function draw(states: object, more: object = {}): LifecycleMachine {
  const config = { id: "drawn", version: "1", initial: "A", states, ...more };
  return setupLifecycle({
    guards: { known: () => true },
    actions: { count: () => ({}) },
    effects: ["notify"],
  }).createMachine(config as never);
}

/** The findings, but for what every machine of these tests is given and few of them name. */
function found(machine: LifecycleMachine, known = {}): readonly Problem[] {
  return checkLifecycle(machine, known).filter(({ code }) => !code.endsWith("_UNUSED"));
}

function codesOf(machine: LifecycleMachine, known = {}): string[] {
  return found(machine, known).map(({ code, state }) => (state === undefined ? code : `${code} ${state}`));
}

const hold = { on: { "desired.A": "A" } };

describe("checking a lifecycle", () => {
  it("warns of guards and actions that nothing names", () => {
    const found = checkLifecycle(draw({ A: { entry: "count", on: { "observed.B": "B" } }, B: {} }));
    expect(found.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      ["GUARD_UNUSED", "warning", 'the machine has the guard "known", which no state and no edge names'],
      ["ACTION_UNUSED", "warning", 'the machine has the action "notify", which no state and no edge names'],
    ]);
  });

  it("warns of a delay that nothing waits for, but not of those that every machine has", () => {
    const delays = { soon: "1m", late: "1h" } as const;
    const machine = setupLifecycle({ delays }).createMachine({
      id: "delayed",
      version: "1",
      initial: "A",
      states: { A: { after: { soon: "B" } }, B: {} },
    });
    expect(checkLifecycle(machine).map(({ code, severity, message }) => [code, severity, message])).toEqual([
      ["DELAY_UNUSED", "warning", 'the machine has the delay "late", which no state and no edge names'],
    ]);
  });

  it("warns of no action that the machine itself names", () => {
    const states = { A: { on: { "observed.B": { target: "B", guard: "known" } } }, B: {} };
    const machine = draw(states, { entry: "count", exit: ["notify"] });
    expect(checkLifecycle(machine).filter(({ code }) => code.endsWith("_UNUSED"))).toEqual([]);
  });

  it("warns about the missing error edge of the manual's example, and about nothing else", () => {
    expect(checkLifecycle(databaseLifecycle, { tasks: ["backUp", "drain"] })).toEqual([
      expect.objectContaining({ code: "INVOKE_WITHOUT_ERROR_EDGE", severity: "warning", state: "Stopping" }),
    ]);
  });

  it.each<[string, LifecycleMachine, string[]]>([
    ["a state that nothing enters", draw({ A: {}, B: {} }), ["STATE_UNREACHABLE B"]],
    [
      "inner states once, by the outermost",
      draw({ A: {}, B: { initial: "C", states: { C: {} } } }),
      ["STATE_UNREACHABLE B"],
    ],
    [
      "a state from which neither an end nor a state that holds is reached",
      draw({ A: { on: { "observed.B": "B" } }, B: { after: { "1m": "C" } }, C: { after: { "1m": "B" } } }),
      ["STATE_DEAD_END A", "STATE_DEAD_END B", "STATE_DEAD_END C"],
    ],
    [
      "a target for a state that is none",
      draw({ A: { on: { "desired.Bee": "B" } }, B: hold }),
      ["STATE_UNKNOWN A"],
    ],
    [
      "a misspelt observation",
      draw({ A: { on: { "observed.Runing": "Running" } }, Running: hold }),
      ["STATE_UNKNOWN A"],
    ],
    ["an observation that is a word of its own", draw({ A: { on: { "observed.Down": "B" } }, B: hold }), []],
    [
      "a target that its own edge does not lead to",
      draw({ A: { on: { "desired.C": "B", "desired.B": "C" } }, B: {}, C: {} }),
      ["TARGET_UNREACHABLE A", "TARGET_UNREACHABLE A"],
    ],
    [
      "a target that is possible only after a person has gone first",
      draw({
        A: { on: { "desired.B": "B" } },
        B: { on: { "human.next": "D", "desired.A": "A" } },
        C: { on: { "desired.A": "A" } },
        D: { on: { "desired.C": "C", "desired.A": "A" } },
      }),
      ["TARGET_NEEDS_INTERVENTION D"],
    ],
    ["an event that nobody raises", draw({ A: { on: { "other.B": "B" } }, B: hold }), ["EVENT_UNKNOWN A"]],
    ["a wildcard", draw({ A: { on: { "*": "B" } }, B: hold }), ["EVENT_WILDCARD A"]],
    [
      "an unknown guard, also inside a combination",
      draw({ A: { on: { "observed.B": { target: "B", guard: "nope" } } }, B: hold }),
      ["GUARD_UNKNOWN A"],
    ],
    [
      "a known guard and action",
      draw({
        A: { on: { "observed.B": { target: "B", guard: "known", actions: ["count", "notify"] } } },
        B: hold,
      }),
      [],
    ],
    ["an unknown action", draw({ A: { entry: "nope" } }), ["ACTION_UNKNOWN A"]],
    ["an action written into the machine", draw({ A: { entry: () => undefined } }), ["ACTION_UNKNOWN A"]],
    ["an unknown delay", draw({ A: { after: { soon: "B" } }, B: hold }), ["DELAY_UNKNOWN A"]],
    ["a duration as a delay", draw({ A: { after: { "10m": "B" } }, B: hold }), []],
    [
      "logic written into the machine",
      draw({ A: { invoke: { id: "x", src: fromPromise(() => Promise.resolve(1)) } } }),
      ["ACTOR_INLINE A"],
    ],
    [
      "an invoke without an id",
      draw({ A: { invoke: { src: "x", onDone: "B", onError: "B" } }, B: {} }),
      ["INVOKE_WITHOUT_ID A"],
    ],
    [
      "one id for two tasks that run at the same time",
      draw({
        A: {
          type: "parallel",
          states: {
            L: { invoke: { id: "x", src: "x", onDone: "#drawn.B", onError: "#drawn.B" } },
            R: { invoke: { id: "x", src: "y", onDone: "#drawn.B", onError: "#drawn.B" } },
          },
        },
        B: {},
      }),
      ["INVOKE_ID_REPEATED A:R"],
    ],
    [
      "one id for tasks one after the other",
      draw({
        A: { invoke: { id: "x", src: "x", onDone: "B", onError: "C" } },
        B: { invoke: { id: "x", src: "x", onDone: "C", onError: "C" } },
        C: {},
      }),
      [],
    ],
    [
      "a context that is not JSON",
      draw({ A: {} }, { context: { at: new Date(0), f: () => 1 } }),
      ["CONTEXT_NOT_JSON", "CONTEXT_NOT_JSON"],
    ],
    [
      "a name that is no reason",
      draw({ A: { on: { "observed.B": "a-b" } }, "a-b": hold }),
      ["STATE_NAME_INVALID a-b"],
    ],
    [
      "names that YAML reads as something else",
      draw({
        A: { on: { "observed.On": "On", "observed.no": "no" } },
        On: {},
        no: { initial: "Off", states: { Off: {} } },
      }),
      ["STATE_NAME_YAML On", "STATE_NAME_YAML no"],
    ],
    [
      "tags that nearly decide something",
      draw({
        A: { tags: ["blue"], on: { "observed.B": "B" } },
        B: { tags: ["stabel", "Stable", "failures", "Ready", "degarded", "End", "read", "send"] },
      }),
      Array<string>(6).fill("TAG_MISSPELT B"),
    ],
    [
      "a grace that is no duration",
      draw({ A: { meta: { grace: "a while" }, on: { "observed.B": "B" } }, B: { meta: { grace: "10m" } } }),
      ["GRACE_INVALID A"],
    ],
    [
      "a default target that is reached only with help",
      draw({ A: { on: { "human.go": "B" } }, B: {} }),
      ["DEFAULT_NEEDS_PERSON B"],
    ],
    ["a missing version", draw({ A: {} }, { version: undefined }), ["LIFECYCLE_WITHOUT_VERSION"]],
    [
      "top states that are all active at once",
      draw({ A: {}, B: {} }, { type: "parallel", initial: undefined }),
      ["LIFECYCLE_PARALLEL_ROOT"],
    ],
    [
      "an edge that repeats for ever",
      draw({ A: { on: { "observed.A": { target: "A", reenter: true } } } }),
      ["EDGE_REPEATS A"],
    ],
    [
      "a task that begins itself anew without being entered",
      draw({
        A: { on: { "desired.B": "B" } },
        B: { invoke: { id: "x", src: "x", onDone: "A", onError: "B" } },
      }),
      ["EDGE_STAYS B"],
    ],
  ])("finds %s", (_name, machine, codes) => {
    expect(codesOf(machine)).toEqual(codes);
  });

  it("finds tasks and actions that the operator does not provide", () => {
    const machine = draw({
      A: { entry: "page", invoke: { id: "x", src: "x", onDone: "B", onError: "B" } },
      B: {},
    });
    expect(codesOf(machine, { tasks: [], actions: ["page"] })).toEqual(["TASK_UNKNOWN A"]);
    expect(codesOf(machine, { tasks: ["x"], actions: [] })).toEqual(["ACTION_UNKNOWN A"]);
  });

  it("finds effects that nobody carries out, once the operator is known", () => {
    const machine = draw({ A: { entry: ["notify", "count"] } });
    expect(codesOf(machine)).toEqual([]);
    expect(codesOf(machine, { actions: ["notify"] })).toEqual([]);
    expect(codesOf(machine, { actions: [] })).toEqual(["ACTION_UNKNOWN A"]);
  });

  it("warns about a machine that gives the words of a pause its own meaning", () => {
    const machine = draw({
      A: { on: { "observed.B": "B", "human.pause": "B" } },
      B: { on: { "human.resume": "A" } },
    });
    expect(found(machine)).toEqual([
      expect.objectContaining({
        code: "PAUSE_REDEFINED",
        severity: "warning",
        state: "A",
        event: "human.pause",
      }),
    ]);
  });

  it("names the edge that a finding is about", () => {
    const machine = draw({ A: { on: { "other.B": "B" } }, B: { after: { never: "A" } } });
    expect(found(machine).map(({ code, event }) => [code, event])).toEqual([
      ["EVENT_UNKNOWN", "other.B"],
      ["DELAY_UNKNOWN", "after.never"],
    ]);
  });

  it("gives every finding a remedy", () => {
    const machine = draw({ A: { on: { "other.B": "B" }, entry: "nope" }, B: {}, C: {} });
    for (const problem of checkLifecycle(machine)) {
      expect(problem.remedy).not.toBe("");
      expect(problem.message).not.toBe("");
    }
  });

  it("refuses errors and lets warnings pass", () => {
    expect(() => {
      assertLifecycle(databaseLifecycle);
    }).not.toThrow();
    expect(() => {
      assertLifecycle(draw({ A: {}, B: {} }));
    }).toThrow(
      expect.objectContaining({
        code: "LIFECYCLE_INVALID",
        message: expect.stringContaining("no path leads from A to B") as string,
      }) as Error,
    );
  });
});
