// What a task is given: computed once when its state is entered, recorded, and the same for every attempt.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { checkLifecycle } from "../../src/lifecycle/checks/check-lifecycle.ts";
import { createTaskRunner } from "../../src/lifecycle/tasks/task-runner.ts";
import type { TaskCall } from "../../src/lifecycle/tasks/task-definition.ts";
import { configOf } from "../../src/diagram/config.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { createStatechart } from "../../src/statechart/statechart.ts";
import { parseGraph } from "../../src/statechart/parse-graph.ts";
import { Life } from "./life.ts";

const setup = setupLifecycle({
  actions: { choose: ({ event }) => ({ bucket: String(event.spec["bucket"]) }) },
  inputs: { chosen: ({ context, event }) => ({ bucket: context["bucket"] ?? null, by: event.type }) },
});

const copying = setup.createMachine({
  id: "copying",
  version: "1",
  initial: "Idle",
  context: { bucket: "none" },
  states: {
    Idle: { on: { "desired.Copying": { target: "Copying", actions: "choose" }, "desired.Plain": "Plain" } },
    Copying: {
      invoke: { id: "copy", src: "copy", input: "chosen", onDone: "Idle", onError: "Idle" },
      on: { "human.stop": "Idle" },
    },
    Plain: {
      invoke: [
        { id: "copy", src: "copy", input: { bucket: "fixed" }, onDone: "Idle", onError: "Idle" },
        { id: "note", src: "note", input: ({ event }) => event.facts["seen"] ?? null },
        { id: "tidy", src: "tidy" },
      ],
    },
  },
});

function idle(): Life {
  const life = new Life(copying, { policies: { copy: { attempts: 3, delay: 1_000 } } });
  life.spec = { bucket: "first" };
  life.settle();
  return life;
}

function copyingLife(): Life {
  const life = idle();
  life.ask("Copying");
  life.cycle("beforeEffects");
  return life;
}

describe("the input of a task", () => {
  it("is what its function returns once the actions on the way in have run, and is persisted with the intent", () => {
    const life = copyingLife();
    expect(life.task).toMatchObject({
      phase: "Intended",
      input: { bucket: "first", by: "desired.Copying" },
      event: "desired.Copying",
    });
  });

  it("is the same after a crash and for each attempt, whatever the spec has become", () => {
    const life = copyingLife();
    life.edit({ bucket: "second" });
    life.settle();
    expect(life.starts).toHaveLength(1);
    const given = { bucket: "first", by: "desired.Copying" };
    expect(life.task).toMatchObject({ phase: "Running", input: given });
    life.finish({ phase: "Failed", message: "the disk is full" });
    life.pass("1m");
    life.cycle();
    expect(life.task).toMatchObject({ attempt: 2, input: given, event: "desired.Copying" });
  });

  it("stays with a task that is cancelled", () => {
    const life = copyingLife();
    life.settle();
    life.send("stop");
    life.cycle("beforeEffects");
    expect(life.task).toMatchObject({ phase: "Cancelling", input: { bucket: "first" } });
  });

  it("is a value, or a function's, or nothing, each for its own invoke", () => {
    const life = idle();
    life.facts = { seen: 3 };
    life.ask("Plain");
    life.cycle("beforeEffects");
    const { copy, note, tidy } = life.status?.tasks ?? {};
    expect([copy?.input, note?.input]).toEqual([{ bucket: "fixed" }, 3]);
    expect(tidy).not.toHaveProperty("input");
  });

  it("is what it comes to now for a task that a new graph asks for in the state that is active", () => {
    const states = {
      Idle: { on: { "desired.Resting": "Resting" as const } },
      Resting: { on: { "human.go": "Idle" as const } },
    };
    const before = setupLifecycle().createMachine({ id: "copying", version: "0", initial: "Idle", states });
    const life = new Life(before);
    life.spec = { bucket: "first" };
    life.ask("Resting");
    life.settle();
    const invoke = { id: "copy", src: "copy", input: "chosen", onDone: "Idle", onError: "Idle" } as const;
    const after = setup.createMachine({
      id: "copying",
      version: "1",
      initial: "Idle",
      states: { ...states, Resting: { ...states.Resting, invoke } },
    });
    const next = new Life(after, { options: { migrate: { "0": (old) => old } } });
    Object.assign(next, { status: life.status, conditions: life.conditions, spec: life.spec, now: life.now });
    next.settle();
    expect(next.task).toMatchObject({ src: "copy", phase: "Running", input: { by: "lifecycle.restore" } });
  });

  it("that cannot be determined keeps the application where it is, and says which state and why", () => {
    const broken = setupLifecycle({
      inputs: {
        large: () => "x".repeat(3_000),
        late: () => Promise.resolve(1) as never,
        throwing: ({ event }) => (event.spec["no"] as { such: string }).such,
      },
    });
    const messages = (["large", "late", "throwing"] as const).map((input) => {
      const life = new Life(
        broken.createMachine({
          id: "broken",
          version: "1",
          initial: "Idle",
          states: {
            Idle: { on: { "desired.Working": "Working" } },
            Working: { invoke: { id: "work", src: "work", input, onDone: "Idle", onError: "Idle" } },
          },
        }),
      );
      life.settle();
      life.ask("Working");
      life.cycle();
      expect(life.state).toBe("Idle");
      return life.plans.at(-1)?.problems[0]?.message;
    });
    expect(messages).toEqual([
      expect.stringContaining(
        "the input large (entering Working) returned 3002 bytes, and the status has room for 2048",
      ),
      expect.stringContaining("the input late (entering Working) returned a promise"),
      expect.stringContaining("the input throwing (entering Working) threw: Cannot read properties"),
    ]);
  });

  it("reaches the functions of the task, beside the context and the event", async () => {
    const life = copyingLife();
    const calls: TaskCall[] = [];
    const runner = createTaskRunner({
      tasks: {
        copy: { start: (call: TaskCall) => void calls.push(call), cancel: (call) => void calls.push(call) },
      },
      context: {},
      clock: systemClock,
    });
    const { task } = life;
    await runner.run({ kind: "startTask", id: "copy", task }, { bucket: "first" });
    await runner.run({ kind: "cancelTask", id: "copy", task }, { bucket: "second" });
    expect(calls.map(({ input, context, event }) => ({ input, context, event }))).toEqual(
      ["first", "second"].map((bucket) => ({
        input: { bucket: "first", by: "desired.Copying" },
        context: { bucket },
        event: { type: "desired.Copying" },
      })),
    );
  });
});

describe("the input of an invoke", () => {
  const { graph } = createStatechart(copying);

  it("is part of the graph, and survives JSON", () => {
    const invokes = graph.nodes.flatMap((node) => node.invokes);
    expect(invokes.map(({ input }) => input)).toEqual([
      { name: "chosen" },
      { value: { bucket: "fixed" } },
      { name: "inline" },
      undefined,
    ]);
    expect(parseGraph(JSON.stringify(graph))).toEqual(graph);
  });

  it("is written into the configuration that is exported: a value as it is, a function by its name", () => {
    const { states } = configOf(graph) as { states: Record<string, { invoke: unknown }> };
    expect(states["Copying"]?.invoke).toMatchObject([{ src: "copy", input: "chosen" }]);
    expect(states["Plain"]?.invoke).toMatchObject([
      { src: "copy", input: { bucket: "fixed" } },
      expect.not.objectContaining({ input: expect.anything() }),
      {},
    ]);
  });

  it("is refused when it names no registered function", () => {
    const config = {
      id: "m",
      initial: "A",
      states: { A: { invoke: { id: "a", src: "a", input: "chosn" } } },
    } as never;
    expect(() => setup.createMachine(config)).toThrow(
      expect.objectContaining({
        code: "LIFECYCLE_INVALID",
        message: expect.stringContaining('A gives its task the input "chosn"'),
        remedy: expect.stringContaining("Did you mean chosen?"),
      }),
    );
    expect(() => setupLifecycle().createMachine(config)).not.toThrow();
  });

  it("is reported when it is a value that is no JSON or too large for the status", () => {
    const machine = setupLifecycle().createMachine({
      id: "m",
      version: "1",
      initial: "A",
      states: {
        A: { on: { "desired.B": "B" } },
        B: {
          invoke: [
            { id: "a", src: "a", input: { at: new Date(0) } as never, onDone: "A", onError: "A" },
            { id: "b", src: "b", input: "x".repeat(3_000), onDone: "A", onError: "A" },
          ],
        },
      },
    });
    const found = checkLifecycle(machine).filter(({ code }) => code === "INPUT_INVALID");
    expect(found.map(({ message }) => message)).toEqual([
      'B gives "a" an input that is not JSON: input.at',
      'B gives "b" an input of 3002 bytes, and the status has room for 2048',
    ]);
  });
});
