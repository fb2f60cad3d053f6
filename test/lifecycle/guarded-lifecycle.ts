// Lifecycles of any shape with tags and guards, drawn at random. A guard is open while the fact of its name is true.
import * as fc from "fast-check";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { nameOf, names } from "./drawn-lifecycle.ts";

const guardNames = ["g0", "g1", "g2"] as const;

interface DrawnEdge {
  readonly to: number;
  readonly guard: number | undefined;
}

/** A state as it is drawn. */
export interface GuardedState {
  readonly tags: readonly string[];
  readonly on: readonly (DrawnEdge & { readonly family: string; readonly word: string | undefined })[];
  readonly always: DrawnEdge | undefined;
  readonly after: DrawnEdge | undefined;
  readonly task: { readonly done: readonly DrawnEdge[]; readonly failed: DrawnEdge | undefined } | undefined;
}

const to = fc.nat({ max: names.length });
const guard = fc.option(fc.nat({ max: guardNames.length - 1 }), { nil: undefined, freq: 2 });
const edge: fc.Arbitrary<DrawnEdge> = fc.record({ to, guard });

/** Any state. */
export const guardedState: fc.Arbitrary<GuardedState> = fc.record({
  tags: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.subarray(["stable", "transient", "failure", "notDesired", "degraded", "suspended"], { maxLength: 1 }),
  ),
  on: fc.array(
    fc.record({
      family: fc.constantFrom("observed", "observed", "desired", "desired", "human", "config"),
      word: fc.option(fc.constantFrom("W", "V"), { nil: undefined }),
      to,
      guard,
    }),
    { maxLength: 4 },
  ),
  always: fc.option(fc.record({ to, guard: fc.nat({ max: guardNames.length - 1 }) }), {
    nil: undefined,
    freq: 4,
  }),
  after: fc.option(edge, { nil: undefined, freq: 5 }),
  task: fc.option(
    fc.record({
      done: fc.array(edge, { minLength: 1, maxLength: 2 }),
      failed: fc.option(edge, { nil: undefined }),
    }),
    { nil: undefined, freq: 3 },
  ),
});

/** The states of a whole lifecycle. */
export const guardedStates = fc.array(guardedState, { minLength: names.length, maxLength: names.length });

/** Which states are inside which: none, or two inside another one. */
export const shapes = ["flat", "nested"] as const;

/** How drawn states are put together. */
export type Shape = (typeof shapes)[number];

const around: Readonly<Record<Shape, Readonly<Record<string, string>>>> = {
  flat: {},
  nested: { C: "N:", D: "N:" },
};

/** Path of the state at a position. */
export function pathOf(shape: Shape, index: number): string {
  const name = nameOf(index);
  return `${around[shape][name] ?? ""}${name}`;
}

/** The machine of drawn states; the end comes after them. */
export function buildGuarded(states: readonly GuardedState[], shape: Shape = "flat"): LifecycleMachine {
  const drawn = states.map(({ tags, on, always, after, task }, index) => {
    const written = ({ to, guard }: DrawnEdge) => ({
      target: `#guarded.${pathOf(shape, to).replaceAll(":", ".")}`,
      ...(to === index ? { reenter: true } : {}),
      ...(guard === undefined ? {} : { guard: guardNames[guard] }),
    });
    const edges = on.filter(({ family, to }) => family !== "desired" || to !== index);
    const events = Object.groupBy(edges, ({ family, word, to }) => eventOf(family, word, to, shape));
    const lists = Object.entries(events).map(([event, each = []]) => [event, each.map(written)]);
    return [
      nameOf(index),
      {
        tags,
        on: Object.fromEntries(lists) as object,
        // Never in a circle, which no machine survives.
        ...(always === undefined || always.to <= index ? {} : { always: written(always) }),
        ...(after === undefined ? {} : { after: { "1h": written(after) } }),
        ...(task === undefined
          ? {}
          : {
              invoke: {
                id: "work",
                src: "work",
                onDone: task.done.map(written),
                ...(task.failed === undefined ? {} : { onError: written(task.failed) }),
              },
            }),
      },
    ] as const;
  });
  const config = {
    id: "guarded",
    version: "1",
    initial: "A",
    states: { ...arranged(shape, Object.fromEntries(drawn)), End: { type: "final" } },
  };
  const isOpen =
    (name: string) =>
    ({ event }: { readonly event: { readonly facts: Readonly<Record<string, unknown>> } }) =>
      event.facts[name] === true;
  const guards = Object.fromEntries(guardNames.map((name) => [name, isOpen(name)]));
  return setupLifecycle({ guards } as never).createMachine(config);
}

function arranged(shape: Shape, states: Readonly<Record<string, object>>): object {
  const { A, B, C, D, E } = states;
  return shape === "flat" ? states : { A, B, N: { initial: "C", states: { C, D } }, E };
}

function eventOf(family: string, word: string | undefined, to: number, shape: Shape): string {
  if (family === "config") return "config.changed";
  if (family === "human") return `human.${word ?? "go"}`;
  return family === "observed" ? `observed.${word ?? nameOf(to)}` : `desired.${pathOf(shape, to)}`;
}
