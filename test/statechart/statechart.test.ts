// A machine as a pure function: nothing runs, nothing is kept, nothing escapes.
import { assign, createMachine, not, raise, setup } from "xstate";
import { describe, expect, it, vi } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { createStatechart } from "../../src/statechart/statechart.ts";

describe("a statechart", () => {
  it("returns tasks, timers and effects as data and runs none of them", () => {
    const notify = vi.fn();
    const machine = createMachine(
      {
        id: "m",
        initial: "A",
        states: {
          A: {
            entry: { type: "notify", params: { to: "ops" } },
            invoke: { id: "job", src: "unregistered" },
            after: { "1h": "B" },
          },
          B: {},
        },
      },
      { actions: { notify } },
    );
    const chart = createStatechart(machine);
    const step = chart.begin({ spec: {}, facts: {} });
    expect(step).toEqual({
      position: { leaves: ["A"], context: {} },
      invoked: ["job"],
      armed: ["xstate.after.1h.m.A"],
      actions: [{ name: "notify", params: { to: "ops" } }],
    });
    expect(notify).not.toHaveBeenCalled();
  });

  it("makes each step for itself: what is invoked under a name of the system may be invoked again", () => {
    const machine = createMachine({
      id: "m",
      initial: "A",
      states: {
        A: {
          invoke: { id: "job", systemId: "job", src: "job" },
          on: { again: { target: "A", reenter: true } },
        },
      },
    });
    const chart = createStatechart(machine);
    const begun = chart.begin({});
    expect(begun.invoked).toEqual(["job"]);
    const [once, twice] = [1, 2].map(() => chart.take(begun.position, { type: "again" }));
    expect(once?.invoked).toEqual(["job"]);
    expect(twice).toEqual(once);
  });

  it("says nothing on the console about names without logic", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const machine = setupLifecycle().createMachine({
      id: "m",
      initial: "A",
      states: { A: { invoke: { id: "a", src: "a", onDone: "B" } }, B: {} },
    });
    const chart = createStatechart(machine);
    const { position } = chart.begin({});
    chart.take(position, { type: "xstate.done.actor.a", output: 1 });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it("takes no step for an event that no edge takes, a failure included", () => {
    const machine = setup({}).createMachine({
      id: "m",
      initial: "A",
      states: { A: { on: { go: "B" } }, B: {} },
    });
    const chart = createStatechart(machine);
    const { position } = chart.begin({});
    expect(chart.take(position, { type: "other" })).toBeUndefined();
    expect(chart.take(position, { type: "xstate.error.actor.x", error: "bad" })).toBeUndefined();
    expect(chart.take(position, { type: "go" })?.position.leaves).toEqual(["B"]);
  });

  it("does not change the position it is given", () => {
    const machine = setup({
      actions: {
        spoil: assign(({ context }) => {
          (context as { list: number[] }).list.push(1);
          return {};
        }),
      },
    }).createMachine({
      id: "m",
      initial: "A",
      context: { list: [] as number[] },
      states: { A: { on: { go: { target: "B", actions: "spoil" } } }, B: {} },
    });
    const chart = createStatechart(machine);
    const { position } = chart.begin({});
    chart.take(position, { type: "go" });
    expect(position).toEqual({ leaves: ["A"], context: { list: [] } });
    expect(chart.begin({}).position.context).toEqual({ list: [] });
  });

  it("gives the facts of the step also to guards and actions of events that it raises itself", () => {
    const machine = setup({
      guards: { isBig: ({ event }) => (event as never as { spec: { size: number } }).spec.size > 3 },
      actions: {
        keep: assign({ size: ({ event }) => (event as never as { spec: { size: number } }).spec.size }),
      },
    }).createMachine({
      id: "m",
      initial: "A",
      context: { size: 0 },
      states: {
        A: { on: { go: "B" } },
        B: {
          initial: "I",
          states: { I: { type: "final" } },
          onDone: { target: "C", guard: "isBig", actions: "keep" },
        },
        C: { entry: raise({ type: "again" }), on: { again: { target: "D", guard: not("isBig") } } },
        D: {},
      },
    });
    const chart = createStatechart(machine);
    const { position } = chart.begin({ spec: { size: 5 } });
    const step = chart.take(position, { type: "go", spec: { size: 5 } });
    expect(step?.position).toEqual({ leaves: ["C"], context: { size: 5 } });
    expect(chart.take(position, { type: "go", spec: { size: 1 } })?.position.leaves).toEqual(["B:I"]);
  });

  it("reports whatever an author's function throws as a failed machine", () => {
    const machine = setup({
      guards: {
        fail: () => {
          throw new Error("bad guard");
        },
      },
    }).createMachine({
      id: "m",
      initial: "A",
      states: { A: { on: { go: { target: "B", guard: "fail" } } }, B: {} },
    });
    const chart = createStatechart(machine);
    const { position } = chart.begin({});
    expect(() => chart.take(position, { type: "go" })).toThrow(
      expect.objectContaining({ code: "MACHINE_FAILED" }) as Error,
    );
  });

  it("knows delays by number, name and duration, and no others", () => {
    const machine = setupLifecycle({ delays: { soon: "2m" } }).createMachine({
      id: "m",
      initial: "A",
      // @ts-expect-error there is no delay "never"
      states: { A: { after: { soon: "B", "1h30m": "B", 250: "B", never: "B" } }, B: {} },
    });
    const chart = createStatechart(machine);
    const { position } = chart.begin({});
    const delay = (name: string): number | undefined => chart.delayOf(name, position, { type: "x" });
    expect(["soon", "1h30m", "250", "never"].map(delay)).toEqual([120_000, 5_400_000, 250, undefined]);
    expect(position.leaves).toEqual(["A"]);
  });
});
