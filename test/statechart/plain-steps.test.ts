// Steps that are remembered are those that the machine would make anew.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assign, enqueueActions, setup, type AnyStateMachine } from "xstate";
import { asksUnheard } from "../../src/statechart/plain-steps.ts";
import { createStatechart, type Position, type Statechart } from "../../src/statechart/statechart.ts";

const names = ["A", "B", "C"] as const;
const events = ["go", "come", "open", "xstate.done.actor.work", "unknown"] as const;

const edge = fc.record({
  to: fc.constantFrom("A", "B", "C", "C:past"),
  guard: fc.option(fc.constantFrom("even", "told"), { nil: undefined, freq: 2 }),
  action: fc.option(fc.constantFrom("count", "reset", "notify"), { nil: undefined, freq: 3 }),
});
const state = fc.record({
  on: fc.dictionary(fc.constantFrom(...events.slice(0, 3)), edge, { maxKeys: 3 }),
  always: fc.option(edge, { nil: undefined, freq: 5 }),
  entry: fc.option(fc.constantFrom("count", "notify"), { nil: undefined, freq: 4 }),
  task: fc.option(fc.record({ done: edge, hasInput: fc.boolean() }), { nil: undefined, freq: 3 }),
  after: fc.option(edge, { nil: undefined, freq: 4 }),
});
const drawn = fc.record({
  states: fc.record({ A: state, B: state, C: state }),
  parallel: fc.boolean(),
  walk: fc.array(fc.record({ type: fc.constantFrom(...events), told: fc.boolean() }), {
    minLength: 5,
    maxLength: 20,
  }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

/** `forgets`: an action that nobody names keeps its steps from being remembered. */
function chartOf({ states, parallel }: Drawn, forgets = false): Statechart {
  const target = (to: string): string => (to === "C:past" ? "#past" : `#${to}`);
  const written = ({ to, guard, action }: Drawn["states"]["A"]["always"] & object): object => ({
    target: target(to),
    ...(guard === undefined ? {} : { guard }),
    ...(action === undefined ? {} : { actions: action }),
  });
  const inner = {
    ...(parallel ? { type: "parallel" } : { initial: "left" }),
    states: {
      left: { initial: "one", states: { one: { on: { open: "two" } }, two: { on: { open: "one" } } } },
      right: { initial: "one", states: { one: { on: { come: "two" } }, two: {} } },
      past: { id: "past", type: "history", history: "deep" },
    },
  };
  const nodes = names.map((name) => {
    const { on, always, entry, task, after } = states[name];
    return [
      name,
      {
        id: name,
        ...(name === "C" ? inner : {}),
        on: Object.fromEntries(Object.entries(on).map(([type, each]) => [type, written(each)])),
        // Without a guard it would lead on for ever.
        ...(always === undefined ? {} : { always: written({ ...always, guard: "told" }) }),
        ...(entry === undefined ? {} : { entry }),
        ...(after === undefined ? {} : { after: { 1000: written(after) } }),
        ...(task === undefined
          ? {}
          : {
              invoke: {
                id: "work",
                src: "work",
                onDone: written(task.done),
                ...(task.hasInput
                  ? {
                      input: ({ context }: { readonly context: { readonly n: number } }) => ({
                        n: context.n,
                      }),
                    }
                  : {}),
              },
            }),
      },
    ] as const;
  });
  const machine = setup({
    types: { context: {} as { n: number } },
    guards: {
      even: ({ context }) => context.n % 2 === 0,
      told: ({ event }) => (event as { readonly told?: boolean }).told === true,
    },
    actions: {
      count: assign({ n: ({ context }) => context.n + 1 }),
      reset: assign({ n: 0 }),
      notify: () => undefined,
      unused: forgets ? enqueueActions(() => undefined) : () => undefined,
    },
  }).createMachine({
    id: "drawn",
    options: { maxIterations: 30 },
    context: { n: 0 },
    initial: "A",
    states: Object.fromEntries(nodes),
  } as never);
  return createStatechart(machine as unknown as AnyStateMachine);
}

/** What a step comes to; one that never ends is a failure like any other. */
function outcomeOf(step: () => unknown): unknown {
  try {
    return step();
  } catch (error) {
    return String(error);
  }
}

describe("the steps of a machine that are remembered", () => {
  it("are those that it would make anew, whatever its functions go by", () => {
    fc.assert(
      fc.property(drawn, (each) => {
        const [chart, forgetful] = [chartOf(each), chartOf(each, true)];
        const begun = outcomeOf(() => chart.begin({}));
        expect(begun).toEqual(outcomeOf(() => forgetful.begin({})));
        if (typeof begun === "string") return;
        // Three times: what was remembered is asked for again.
        for (let round = 0; round < 3; round += 1) {
          let at: Position = chart.begin({}).position;
          for (const { type, told } of each.walk) {
            const event = { type, told };
            const step = outcomeOf(() => chart.take(at, event));
            expect(step).toEqual(outcomeOf(() => forgetful.take(at, event)));
            if (typeof step === "object") at = (step as { readonly position: Position }).position;
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are made once where nothing of the author's is asked, and each time where something is", () => {
    let asked = 0;
    const machine = setup({ guards: { open: () => (asked += 1) > 0 } }).createMachine({
      id: "door",
      initial: "Shut",
      states: {
        Shut: { on: { push: { target: "Open", guard: "open" }, kick: "Broken" } },
        Open: {},
        Broken: {},
      },
    });
    const chart = createStatechart(machine);
    const at = chart.begin({}).position;
    chart.take(at, { type: "push" });
    const once = asked;
    expect(once).toBeGreaterThan(0);
    chart.take(at, { type: "push" });
    expect(asked).toBe(2 * once);
    const [one, other] = [chart.take(at, { type: "kick" }), chart.take(at, { type: "kick" })];
    expect(one?.position.leaves).toBe(other?.position.leaves);
  });

  it("are none of a machine with functions that XState asks behind its back", () => {
    const enqueued = { entry: enqueueActions(({ context, enqueue }) => enqueue(JSON.stringify(context))) };
    expect(asksUnheard({ states: { A: enqueued } }, {})).toBe(true);
    expect(asksUnheard({ on: { go: { actions: { type: "tell", params: () => 1 } } } }, {})).toBe(true);
    expect(asksUnheard({ on: { go: "B" } }, { tell: enqueued.entry })).toBe(true);
    expect(asksUnheard({ on: { go: { target: "B", actions: "tell" } } }, { tell: () => undefined })).toBe(
      false,
    );
  });
});
