// Lifecycles of any shape, drawn at random.
import * as fc from "fast-check";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { Lifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import type { Leaves } from "../../src/statechart/configuration.ts";
import type { GraphEdge } from "../../src/statechart/graph.ts";

/** Names of the states that are drawn; `End` comes after them. */
export const names = ["A", "B", "C", "D", "E"] as const;

/** A state as it is drawn: where each kind of edge leads, by position. */
export interface DrawnState {
  readonly desired: readonly number[];
  readonly observed: readonly number[];
  readonly after: number | undefined;
  readonly task: { readonly done: number; readonly failed: number | undefined } | undefined;
}

/** Position of a state; the last is the end. */
export const target = fc.nat({ max: names.length });
/** Any state. */
export const drawnState: fc.Arbitrary<DrawnState> = fc.record({
  desired: fc.array(target, { maxLength: 3 }),
  observed: fc.array(target, { maxLength: 2 }),
  after: fc.option(target, { nil: undefined, freq: 5 }),
  task: fc.option(fc.record({ done: target, failed: fc.option(target, { nil: undefined }) }), {
    nil: undefined,
    freq: 3,
  }),
});

/** Name of the state at a position. */
export function nameOf(index: number): string {
  return names[index] ?? "End";
}

/** The machine of drawn states: anything may be wrong with it. */
export function build(states: readonly DrawnState[]): LifecycleMachine {
  const drawn = states.map(({ desired, observed, after, task }, index) => {
    const to = (other: number): unknown =>
      other === index ? { target: nameOf(other), reenter: true } : nameOf(other);
    const events = [
      ...desired.map((to) => [`desired.${nameOf(to)}`, nameOf(to)]),
      ...observed.map((to) => [`observed.${nameOf(to)}`, nameOf(to)]),
    ].filter(([, to]) => to !== nameOf(index));
    const invoke = task && {
      id: "work",
      src: "work",
      onDone: to(task.done),
      ...(task.failed === undefined ? {} : { onError: to(task.failed) }),
    };
    return [
      nameOf(index),
      {
        on: Object.fromEntries(events),
        ...(after === undefined ? {} : { after: { "1h": to(after) } }),
        ...(invoke === undefined ? {} : { invoke }),
      },
    ] as const;
  });
  const config = {
    id: "drawn",
    version: "1",
    initial: "A",
    states: { ...Object.fromEntries(drawn), End: { type: "final" } },
  };
  return setupLifecycle().createMachine(config);
}

/** The machine of drawn states, with a way from each to the next and out of each failure: one that a kind accepts. */
export function buildWhole(states: readonly DrawnState[]): LifecycleMachine {
  return build(
    states.map((state, index) => ({
      ...state,
      desired: [...state.desired, index + 1],
      task: state.task && { ...state.task, failed: state.task.failed ?? index + 1 },
    })),
  );
}

/** What the application comes to by itself, where the state of an open target is left by an observation alone. */
export function progressFrom(
  { index, roles }: Lifecycle,
  status: LifecycleStatus | undefined,
  leaves: Leaves,
): GraphEdge | undefined {
  const isBusy = leaves.some((leaf) => (index.nodes.get(leaf)?.invokes ?? []).length > 0);
  if (status?.target.reached === true || isBusy) return undefined;
  const edges = leaves.flatMap((leaf) => index.edges.get(leaf) ?? []);
  return edges.find((edge) => roles.leadsOn(edge) && edge.event.startsWith("observed."));
}

/** The first instant that the status names as waited for. */
export function nextInstant(status: LifecycleStatus | undefined, now: number): number | undefined {
  const instants = [
    status?.target.notBefore,
    ...Object.values(status?.timers ?? {}).map(({ due, delivered }) =>
      delivered === true ? undefined : due,
    ),
    ...Object.values(status?.tasks ?? {}).map(({ nextAttempt }) => nextAttempt),
  ].flatMap((instant) => (instant === undefined ? [] : [Date.parse(instant)]));
  const later = instants.filter((instant) => instant > now);
  return later.length === 0 ? undefined : Math.min(...later);
}

/** A state to rest in that a timer leaves for work which comes back: the application is away for a while, again and again. */
export function isRound({ roles, index }: Lifecycle, state: string): boolean {
  const isLeft = index.graph.edges.some(({ source, kind }) => source === state && kind === "after");
  return isLeft && ["initial", "stable"].includes(roles.states.get(state)?.role ?? "");
}
