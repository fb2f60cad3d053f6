// How an author writes the statechart of an application, and the lifecycle that an operator has when it draws none.
// Effects are names: tasks (`invoke.src`), actions and delays are filled in by whoever runs the machine.
import { assign, setup, type AnyStateMachine, type UnknownActorLogic } from "xstate";
import type { Json } from "../src/meta/object.ts";
import { optionProblems } from "../src/options/option-problems.ts";
import {
  callable,
  durationOrFunction,
  listOf,
  optionsOf,
  recordOf,
  text,
} from "../src/options/option-schemas.ts";
import { toMilliseconds, type Duration } from "../src/ports/duration.ts";
import { refuseErrors } from "../src/ports/problem.ts";
import { refuseNoConfig, refusedConfig } from "./refused-config.ts";

/** What a lifecycle remembers by itself: plain JSON, small, persisted on the custom resource. */
export type LifecycleContext = Record<string, Json>;

/** The spec of a kind, when the type parameter has one. */
export type SpecOf<TKind> = TKind extends { readonly spec: infer TSpec }
  ? TSpec
  : Readonly<Record<string, unknown>>;

/** What every lifecycle event carries, for guards and actions. */
export interface LifecycleFacts<TKind> {
  /** The custom resource's spec when the event was derived. */
  readonly spec: SpecOf<TKind>;
  /** The facts of the last observation; empty when nothing could be observed. */
  readonly facts: Readonly<Record<string, Json>>;
}

/**
 * The events of a lifecycle, by family: what is seen (`observed.Running`), what is desired (`desired.End`), what a person
 * says (`human.retry`), and a changed spec (`config.changed`). Tasks and timers have `onDone`, `onError` and `after`.
 */
export type LifecycleEvent<TKind> = LifecycleFacts<TKind> & {
  readonly type: `observed.${string}` | `desired.${string}` | `human.${string}` | "config.changed";
} & ChangedSpec;

/** What `config.changed` says besides. */
export interface ChangedSpec {
  /**
   * Dotted paths that differ from the spec that the application was last told about, in order of the alphabet: of leaves,
   * or of top-level fields where the spec is large. Every top-level field when the earlier spec is not known any more.
   * Present on `config.changed` alone.
   */
  readonly changed?: readonly string[];
}

/**
 * Whether a field of the spec, something inside it or something around it is among the changed ones: for guards.
 *
 * @example
 * guards: { needsRestart: ({ event }) => specChanged(event, "parameters", "port") }
 */
export function specChanged(event: ChangedSpec, ...paths: readonly string[]): boolean {
  const isSame = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
  return (event.changed ?? []).some((changed) => paths.some((path) => isSame(changed, path)));
}

/** What guards and actions are given. */
export interface LifecycleArguments<TKind> {
  readonly context: LifecycleContext;
  /** `output` on the end of a task, `error` on its failure. */
  readonly event: LifecycleFacts<TKind> & {
    readonly type: string;
    readonly output?: Json;
    readonly error?: unknown;
  } & ChangedSpec;
}

/** Options of {@link setupLifecycle}. */
export interface LifecycleSetupOptions<TKind> {
  /**
   * Durations by the names used in `after`, or pure functions of spec and context that are asked when the state is entered;
   * a name that is itself a duration (`10m`) needs no entry.
   */
  readonly delays?: Readonly<Record<string, Duration | ((given: LifecycleArguments<TKind>) => Duration)>>;
  /** Pure tests by the names used in `guard`. */
  readonly guards?: Readonly<Record<string, (given: LifecycleArguments<TKind>) => boolean>>;
  /** By the names used in `actions`: what changes in the context; pure, plain JSON. */
  readonly actions?: Readonly<Record<string, (given: LifecycleArguments<TKind>) => LifecycleContext>>;
  /** Further names used in `actions`: effects that the operator's `application.actions` carry out after the move. */
  readonly effects?: readonly string[];
}

// XState would take a guard that is not a function for one that is false, and ignore an option under another name.
const setupOptions = optionsOf<LifecycleSetupOptions<never>>()({
  delays: recordOf(durationOrFunction).optional(),
  guards: recordOf(callable).optional(),
  actions: recordOf(callable).optional(),
  effects: listOf(text).optional(),
});

/** The state that takes what the operator cannot settle by itself. */
export const humanIntervention = "HumanIntervention";

/** Durations that every lifecycle knows unless it sets its own. */
export const defaultDelays: Readonly<Record<string, Duration>> = { startTimeout: "10m" };

// Not `in`: a JSON configuration may come from a file, and `constructor` is no state of it.
const has = (record: object, name: string): boolean => Object.hasOwn(record, name);

/**
 * The configuration with the state {@link humanIntervention}, unless it has one or its root is not a plain choice of states.
 * The added state leads back to the initial one on `human.retry` and when the spec is corrected.
 */
export function withHumanIntervention<TConfig>(config: TConfig): TConfig {
  const { initial, states, type } = config as {
    initial?: unknown;
    states?: Record<string, unknown>;
    type?: string;
  };
  if (states === undefined || typeof initial !== "string" || type === "parallel") return config;
  if (has(states, humanIntervention)) return config;
  const added = {
    description: "The operator cannot go on by itself: someone has to look.",
    // An initial state that does not exist is told by the checks, and not as an edge that nobody has drawn.
    on: has(states, initial) ? { "human.retry": initial, "config.changed": initial } : {},
  };
  return { ...config, states: { ...states, [humanIntervention]: added } };
}

/**
 * Prepares the statechart of one kind; the literal `createMachine({…})` on what it returns is what editors read.
 *
 * **Guarantees**: events, context and the spec in guards are typed; a missing `HumanIntervention` state is added, so that
 * edges may lead to it; nothing is executed.
 * **Caveats**: XState checks targets when the machine is made and no names at all; `checkLifecycle` does both.
 * **Errors**: `LIFECYCLE_INVALID` for an edge to no state, and for options that do not exist or have a wrong form.
 *
 * @example
 * export const databaseLifecycle = setupLifecycle<Database>().createMachine({
 *   id: "database", version: "1", initial: "Start",
 *   states: { Start: { on: { "observed.Running": "Running" } }, Running: { on: { "desired.End": "End" } }, End: { type: "final" } },
 * });
 */
export function setupLifecycle<TKind = unknown>(options: LifecycleSetupOptions<TKind> = {}) {
  refuseErrors(optionProblems(setupOptions, options, "setupLifecycle"), {
    code: "LIFECYCLE_INVALID",
    subject: "what setupLifecycle was given",
    fields: { by: "setupLifecycle" },
    remedy: "Correct each line.",
  });
  const delays = Object.entries({ ...defaultDelays, ...options.delays }).map(
    ([name, delay]) =>
      [
        name,
        typeof delay === "function"
          ? (given: { readonly context: LifecycleContext; readonly event: object }): number =>
              toMilliseconds(delay({ context: given.context, event: given.event as never }))
          : toMilliseconds(delay),
      ] as const,
  );
  const updates = Object.entries(options.actions ?? {}).map(
    ([name, update]) =>
      [name, assign(({ context, event }) => update({ context, event: event as never }))] as const,
  );
  // An effect is done by the caller after the move; for XState it is an action with nothing in it.
  const effects = (options.effects ?? []).map((name) => [name, (): void => undefined] as const);
  const prepared = setup<
    LifecycleContext,
    LifecycleEvent<TKind>,
    Record<string, UnknownActorLogic>,
    // No child has a fixed id: the empty map is what XState infers itself.
    // oxlint-disable-next-line typescript/no-generated-empty-object-type
    Record<never, string>,
    Record<string, undefined>,
    Record<string, undefined>,
    string
  >({
    delays: Object.fromEntries(delays),
    guards: options.guards ?? {},
    actions: Object.fromEntries([...updates, ...effects]) as never,
  });
  const createMachine: (typeof prepared)["createMachine"] = (config) => {
    refuseNoConfig(config);
    try {
      return prepared.createMachine(withHumanIntervention(config));
    } catch (error: unknown) {
      throw refusedConfig(config, error);
    }
  };
  return { createMachine };
}

/** Any statechart of XState. */
export type LifecycleMachine = AnyStateMachine;

/**
 * The lifecycle of a kind that draws none: it starts, runs, may be serviced by a task named `service`, and stops by a task
 * named `stop`; what goes wrong waits for a person.
 */
export const applicationLifecycle = setupLifecycle().createMachine({
  id: "application",
  version: "1",
  description: "Start, run, service, stop.",
  initial: "Start",
  states: {
    Start: {
      description: "The application was created and is not seen running yet.",
      on: { "observed.Running": "Running", "desired.End": "Stopping" },
      after: { startTimeout: "HumanIntervention" },
    },
    Running: {
      description: "The application does its work.",
      on: { "desired.Servicing": "Servicing", "desired.End": "Stopping", "observed.Down": "Start" },
    },
    Servicing: {
      description: "The application is looked after: a backup, an upgrade, a check.",
      invoke: { id: "service", src: "service", onDone: "Running", onError: "HumanIntervention" },
      on: { "human.abort": "Running" },
    },
    Stopping: {
      description: "The application ends its work.",
      invoke: { id: "stop", src: "stop", onDone: "End", onError: "HumanIntervention" },
      on: { "human.skip": "End" },
    },
    HumanIntervention: {
      description: "The operator cannot go on by itself: someone has to look.",
      on: {
        "human.retry": "Start",
        "human.skip": "Running",
        "config.changed": "Start",
        "desired.End": "Stopping",
      },
    },
    End: { type: "final", description: "The application is gone." },
  },
});
