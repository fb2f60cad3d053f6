// Graphs of any shape, drawn at random: nested and parallel states, history, tags, guards, and edges of every kind.
import * as fc from "fast-check";
import { createMachine } from "xstate";
import { indexGraph, type GraphIndex } from "../../src/statechart/configuration.ts";
import { readGraph } from "../../src/statechart/graph.ts";

/** A state as it is drawn; where edges lead is a number that picks one of all states. */
interface DrawnState {
  readonly tags: readonly string[];
  readonly final: boolean;
  readonly parallel: boolean;
  readonly inner: readonly DrawnState[];
  readonly on: readonly { readonly family: string; readonly to: number; readonly guarded: boolean }[];
  readonly always: number | undefined;
  readonly after: number | undefined;
  readonly task: { readonly done: number; readonly failed: number | undefined } | undefined;
  readonly onDone: number | undefined;
}

const maybe = (freq: number): fc.Arbitrary<number | undefined> =>
  fc.option(fc.nat({ max: 40 }), { nil: undefined, freq });

const tags = fc.subarray(
  ["stable", "transient", "failure", "intervention", "suspended", "notDesired", "degraded"],
  {
    maxLength: 2,
  },
);

const { state } = fc.letrec<{ state: DrawnState }>((tie) => ({
  state: fc.record({
    tags: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, tags),
    final: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    parallel: fc.boolean(),
    inner: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant([]),
      fc.array(tie("state"), { maxLength: 3 }),
    ),
    on: fc.array(
      fc.record({
        family: fc.constantFrom("observed", "desired", "human", "config"),
        to: fc.nat({ max: 40 }),
        guarded: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    always: maybe(6),
    after: maybe(5),
    task: fc.option(fc.record({ done: fc.nat({ max: 40 }), failed: maybe(2) }), { nil: undefined, freq: 3 }),
    onDone: maybe(2),
  }),
}));

/** A graph as it is drawn, before its states have names. */
export type DrawnGraph = readonly DrawnState[];

/** Any graph. */
export const drawnGraph: fc.Arbitrary<DrawnGraph> = fc.array(state, { minLength: 1, maxLength: 5 });

/** The graph of what was drawn, each state named by its number. */
export function graphOf(drawn: DrawnGraph, nameOf: (number: number) => string): GraphIndex {
  const ids: string[] = [];
  const paths = new Map<string, string>();
  const number = (states: DrawnGraph, outer: string): void => {
    for (const each of states) {
      const id = `s${ids.length}`;
      const path = `${outer}${nameOf(ids.length)}`;
      ids.push(id);
      paths.set(id, path);
      if (!each.final) number(each.inner, `${path}:`);
    }
  };
  number(drawn, "");
  let next = 0;
  const target = (to: number): string => `#${ids[to % ids.length] ?? "s0"}`;
  const written = (each: DrawnState): readonly [name: string, config: object] => {
    const id = `s${next}`;
    const name = nameOf(next);
    next += 1;
    if (each.final) return [name, { id, type: "final", tags: each.tags }];
    const states = each.inner.map(written);
    const edge = (to: number, guarded = false): object => ({
      target: target(to),
      ...(guarded ? { guard: "closed" } : {}),
    });
    return [
      name,
      {
        id,
        tags: each.tags,
        ...(states.length === 0
          ? {}
          : each.parallel
            ? { type: "parallel", states: Object.fromEntries(states) }
            : { initial: states[0]?.[0], states: Object.fromEntries(states) }),
        ...(states.length === 0 || each.onDone === undefined ? {} : { onDone: edge(each.onDone) }),
        on: Object.fromEntries(
          each.on.map(({ family, to, guarded }) => [
            family === "config" ? "config.changed" : `${family}.${paths.get(target(to).slice(1)) ?? ""}`,
            edge(to, guarded),
          ]),
        ),
        ...(each.always === undefined ? {} : { always: edge(each.always, true) }),
        ...(each.after === undefined ? {} : { after: { 1000: edge(each.after) } }),
        ...(each.task === undefined
          ? {}
          : {
              invoke: {
                id: `work-${id}`,
                src: "work",
                onDone: edge(each.task.done),
                ...(each.task.failed === undefined ? {} : { onError: edge(each.task.failed) }),
              },
            }),
      },
    ];
  };
  const states = drawn.map(written);
  const config = { id: "drawn", initial: states[0]?.[0], states: Object.fromEntries(states) };
  return indexGraph(readGraph(createMachine(config as never)));
}
