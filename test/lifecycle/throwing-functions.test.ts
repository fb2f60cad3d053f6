// What an author's functions throw on any edge strands nothing: a failure that is drawn is taken, a deletion goes on without them, and
// once they are mended the application goes on by itself.
import { describe, expect, it } from "vitest";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { Life } from "./life.ts";

type Drawn = Readonly<Record<string, object>>;

/** Where functions throw, until they are mended. */
let isBroken = true;

const breaking =
  <T>(mended: T) =>
  (): T => {
    if (isBroken) throw new TypeError("no such field");
    return mended;
  };

function machine(states: Drawn): LifecycleMachine {
  return setupLifecycle({
    guards: { check: breaking(true) },
    actions: { note: breaking({ noted: true }) },
    inputs: { ask: breaking({ size: 1 }) },
  }).createMachine({
    id: "store",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Up": "Up" } },
      Up: { tags: ["stable"], on: { "desired.Saving": "Saving", "desired.End": "Stopping" } },
      Saving: {
        invoke: { id: "save", src: "save", onDone: { target: "Up", actions: "note" } },
      },
      Stopping: { invoke: { id: "drain", src: "drain", onDone: "End", onError: "Failed" } },
      Failed: { tags: ["failure"], on: { "human.retry": "Up" } },
      End: { type: "final" },
      ...states,
    },
  }) as LifecycleMachine;
}

function saving(states: Drawn = {}): Life {
  isBroken = true;
  const life = new Life(machine(states));
  life.observed = "Up";
  life.settle();
  life.observed = undefined;
  life.ask("Saving");
  life.settle();
  expect(life.state).toBe("Saving");
  life.finish();
  return life;
}

const stalled = (life: Life): string | undefined =>
  life.conditions.find(({ type }) => type === "Stalled")?.message;

function deleteWhole(life: Life): void {
  life.deleting = true;
  for (let round = 0; round < 5 && life.state !== "End"; round += 1) {
    life.settle();
    life.finish();
  }
}

const told = /throwing-functions\.test\.ts:\d+:\d+: .*action note \(Saving → Up by .*\) threw: no such field/;

describe("a function that throws when a task is done", () => {
  it("is a failure of the task, where an edge is drawn for that: told with its place", () => {
    const life = saving({
      Saving: {
        invoke: { id: "save", src: "save", onDone: { target: "Up", actions: "note" }, onError: "Failed" },
      },
    });
    const plans = life.settle();
    expect(life.path.at(-1)).toBe("Failed");
    expect(life.status?.last).toMatchObject({ event: "error.save" });
    expect(life.status?.last?.cause).toMatch(/^save is done, but /);
    expect(life.status?.last?.cause).toMatch(told);
    expect(life.status?.target).toMatchObject({ state: "Saving", outcome: "failed" });
    const events = plans.flatMap(({ pendingEvents }) => pendingEvents);
    expect(events).toContainEqual({
      type: "Warning",
      reason: "MachineFailed",
      message: expect.stringMatching(told) as string,
    });
    expect(plans.flatMap(({ problems }) => problems)[0]?.where).toMatch(/\.test\.ts:\d+:\d+$/);
    // The task is done, and not begun again for it.
    expect(life.starts).toHaveLength(1);
  });

  it("keeps the application where it is without such an edge, and is told until it is mended: then it goes on by itself", () => {
    const life = saving();
    life.settle();
    expect(life.state).toBe("Saving");
    expect(stalled(life)).toMatch(told);
    expect(life.condition.message).toMatch(told);
    const before = JSON.stringify([life.status, life.conditions]);
    life.settle();
    expect(JSON.stringify([life.status, life.conditions])).toBe(before);
    isBroken = false;
    life.settle();
    expect(life.state).toBe("Up");
    expect(life.status?.snapshot.context).toEqual({ noted: true });
    expect(stalled(life)).toBeUndefined();
    expect(life.starts).toHaveLength(1);
  });

  it("keeps it there where the drawn failure throws as well", () => {
    const life = saving({
      Saving: {
        invoke: {
          id: "save",
          src: "save",
          onDone: { target: "Up", actions: "note" },
          onError: { target: "Failed", actions: "note" },
        },
      },
    });
    life.settle();
    expect(life.state).toBe("Saving");
    expect(stalled(life)).toMatch(told);
  });
});

describe("a deletion", () => {
  const edge = (target: string, broken: object) => ({ target, ...broken });
  const onDone = (broken: object): Drawn => ({
    Saving: { invoke: { id: "save", src: "save", onDone: edge("Up", broken) } },
  });
  it.each<[where: string, states: Drawn]>([
    ["the end of a task", onDone({ actions: "note" })],
    ["the guard of the end of a task", onDone({ guard: "check" })],
    [
      "the end of the work before the end",
      { Stopping: { invoke: { id: "drain", src: "drain", onDone: edge("End", { actions: "note" }) } } },
    ],
    [
      "the guard before the end",
      { Stopping: { invoke: { id: "drain", src: "drain", onDone: edge("End", { guard: "check" }) } } },
    ],
    [
      "leaving every state",
      {
        Saving: { exit: "note", invoke: { id: "save", src: "save", onDone: "Up" } },
        Up: { exit: "note", tags: ["stable"], on: { "observed.Up": {}, "desired.End": "Stopping" } },
      },
    ],
    [
      "entering the work before the end",
      { Stopping: { entry: "note", invoke: { id: "drain", src: "drain", onDone: "End" } } },
    ],
    [
      "the input of that work",
      { Stopping: { invoke: { id: "drain", src: "drain", input: "ask", onDone: "End" } } },
    ],
    ["entering the end", { End: { type: "final", entry: "note" } }],
    ["what the end comes to", { End: { type: "final", output: breaking({}) } }],
    ["what the graph does by itself", { Stopping: { always: edge("End", { actions: "note" }) } }],
    ["its guard", { Stopping: { always: edge("End", { guard: "check" }) } }],
    ["a timer", { Stopping: { after: { "1ms": edge("End", { actions: "note" }) } } }],
    ["an observation", { Stopping: { on: { "observed.Gone": edge("End", { actions: "note" }) } } }],
    [
      "the desired end",
      {
        Up: {
          tags: ["stable"],
          on: { "desired.Saving": "Saving", "desired.End": edge("Stopping", { guard: "check" }) },
        },
      },
    ],
  ])("goes on where a function throws in %s", (_, states) => {
    isBroken = false;
    const life = new Life(machine(states));
    life.observed = "Up";
    life.settle();
    life.observed = undefined;
    if (!Object.hasOwn(states, "Up")) {
      life.ask("Saving");
      life.settle();
      expect(life.state).toBe("Saving");
      life.finish();
    }
    isBroken = true;
    life.observed = "Gone";
    life.deleting = true;
    for (let round = 0; round < 5 && !life.plans.at(-1)?.ended; round += 1) {
      life.settle();
      life.pass("1s");
      life.finish();
    }
    expect(life.plans.at(-1)?.ended).toBe(true);
    expect(life.state).toBe("End");
    expect(life.plans.flatMap(({ problems }) => problems).map(({ code }) => code)).toContain(
      "MACHINE_FAILED",
    );
  });

  it("still does the work that is drawn before the end", () => {
    const life = saving();
    deleteWhole(life);
    expect(life.state).toBe("End");
    expect(life.path.slice(-3)).toEqual(["Up", "Stopping", "End"]);
    expect(life.starts.map((key) => key.split(".")[0])).toHaveLength(2);
  });

  it("waits for a guard that is closed, as nothing throws", () => {
    isBroken = false;
    const lifecycle = compileLifecycle(machine({}));
    expect(lifecycle.final).toBe("End");
    const life = new Life(
      setupLifecycle({ guards: { never: () => false } }).createMachine({
        id: "shut",
        version: "1",
        initial: "Up",
        states: {
          Up: { tags: ["stable"], on: { "desired.End": { target: "End", guard: "never" } } },
          End: { type: "final" },
        },
      }),
    );
    life.settle();
    life.deleting = true;
    life.settle();
    expect(life.state).toBe("Up");
  });
});
