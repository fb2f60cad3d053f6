// How an author writes the statechart of an application, and the lifecycle that an operator has when it draws none.
// Effects are names: tasks (`invoke.src`), actions and delays are implemented by what runs the machine.
import { assign, setup, type AnyStateMachine } from "xstate";
import { refuseWrongOptions } from "../src/options/option-problems.ts";
import {
  anyObject,
  callable,
  durationOrFunction,
  either,
  listOf,
  optionsOf,
  recordOf,
  text,
} from "../src/options/option-schemas.ts";
import { durationOf, toMilliseconds, type Duration } from "../src/ports/duration.ts";
import type { CheckedConfig, LooseConfig } from "./lifecycle-config.ts";
import type { LifecycleArguments, LifecycleContext } from "./lifecycle-events.ts";
import type { Drawn, Named, NamesOfSetup } from "./lifecycle-names.ts";
import { interventionTag } from "./lifecycle-tags.ts";
import { refuseNoConfig, refusedConfig, refuseUnknownInputs, refuseUnknownTasks } from "./refused-config.ts";
import {
  withInputFunctions,
  type InputFunctions,
  type InputsOf,
  type Nothing,
  type TaskList,
  type TaskNamesOf,
} from "./task-inputs.ts";

/** Options of {@link setupLifecycle}; a configuration may use the names in them, and no others. */
export interface LifecycleSetupOptions<
  TKind = unknown,
  TGuard extends string = string,
  TAction extends string = string,
  TEffect extends string = string,
  TDelay extends string = string,
  TTasks extends TaskList = TaskList,
  TWord extends string = string,
  TInputs extends InputFunctions<LifecycleArguments<TKind>> = InputFunctions<LifecycleArguments<TKind>>,
> {
  /**
   * Durations by the names used in `after`, or pure functions of spec and context that are asked when the state is entered;
   * a name that is itself a duration (`10m`) needs no entry. Default none.
   */
  readonly delays?: Readonly<Record<TDelay, Duration | ((given: LifecycleArguments<TKind>) => Duration)>>;
  /** Pure tests by the names used in `guard`; default none. */
  readonly guards?: Readonly<Record<TGuard, (given: LifecycleArguments<TKind>) => boolean>>;
  /** By the names used in `actions`: what changes in the context; pure, plain JSON. Default none. */
  readonly actions?: Readonly<Record<TAction, (given: LifecycleArguments<TKind>) => LifecycleContext>>;
  /** Further names used in `actions`: effects that the operator's `application.actions` carry out after the move. Default none. */
  readonly effects?: readonly TEffect[];
  /**
   * The names that `invoke.src` may have, alone or with the type of what each is given:
   * `{ backUp: { input: {} as BackUpInput }, drain: {} }`; default any.
   */
  readonly tasks?: TTasks;
  /**
   * What tasks are given, by the names used in `invoke.input`: pure functions of context and event that return JSON, called once
   * when the state is entered. Where there are any, a text in `invoke.input` is one of their names, and no value. Default none.
   */
  readonly inputs?: TInputs & InputFunctions<LifecycleArguments<TKind>>;
  /** What an observer may say besides the states and the words that edges take, for people to read. Default nothing else. */
  readonly observations?: readonly TWord[];
}

// XState would take a guard that is not a function for one that is false, and ignore an option under another name.
const setupOptions = optionsOf<LifecycleSetupOptions<never>>()({
  delays: recordOf(durationOrFunction).optional(),
  guards: recordOf(callable).optional(),
  actions: recordOf(callable).optional(),
  effects: listOf(text).optional(),
  tasks: either(listOf(text), recordOf(anyObject("Write {}, or { input: {} as BackUpInput }.")), {
    expected: "a list of names, or an object by name",
    remedy: 'Write ["backUp", "drain"].',
  }).optional(),
  inputs: recordOf(callable).optional(),
  observations: listOf(text).optional(),
});

/** The name of the intervention state that a lifecycle gets when it has none. */
export const humanIntervention = "HumanIntervention";

/** Durations that every lifecycle knows unless it sets its own. */
export const defaultDelays: Readonly<Record<string, Duration>> = { startTimeout: "10m" };

// Not `in`: a JSON configuration may come from a file, and `constructor` is not a state of it.
const has = (record: object, name: string): boolean => Object.hasOwn(record, name);

/**
 * The configuration with an intervention state, unless it has one (the tag {@link interventionTag}), its root is not a
 * plain choice of states, or the name is taken: a state that an author calls {@link humanIntervention} means nothing by that name, and
 * `checkLifecycle` reports it. The state that is added leads back to the initial state on `human.retry` and when the spec is corrected.
 */
export function withHumanIntervention<TConfig>(config: TConfig): TConfig {
  const { initial, states, type } = config as WrittenState;
  if (states === undefined || typeof initial !== "string" || type === "parallel") return config;
  if (hasIntervention(config as WrittenState) || has(states, humanIntervention)) return config;
  const state: WrittenState = {
    tags: [interventionTag],
    description: "The operator cannot go on by itself: manual intervention is required.",
    // An initial state that does not exist is reported by the checks, and not as an edge that nobody has drawn.
    on: has(states, initial) ? { "human.retry": initial, "config.changed": initial } : {},
  };
  return { ...config, states: { ...states, [humanIntervention]: state } };
}

interface WrittenState {
  readonly initial?: unknown;
  readonly states?: Readonly<Record<string, WrittenState>>;
  readonly type?: string;
  readonly tags?: string | readonly string[];
  readonly on?: object;
  readonly after?: object;
  readonly description?: string;
}

function tagsOf({ tags = [] }: WrittenState): readonly string[] {
  return typeof tags === "string" ? [tags] : tags;
}

function hasIntervention(state: WrittenState): boolean {
  return (
    tagsOf(state).includes(interventionTag) ||
    // A configuration may come from a file, with anything in it.
    Object.values(state.states ?? {}).some((inner) => (inner as unknown) !== null && hasIntervention(inner))
  );
}

/** The delays of a configuration that are written as durations, with their milliseconds. */
function durationsIn(state: WrittenState): Readonly<Record<string, number>> {
  const { after, states } = (state as WrittenState | null) ?? {};
  const own = Object.keys(after ?? {}).flatMap((delay) => {
    const length = durationOf(delay);
    return length === undefined ? [] : [[delay, length] as const];
  });
  return Object.assign(Object.fromEntries(own), ...Object.values(states ?? {}).map(durationsIn));
}

/** Prepared names, and what makes a machine that uses them. */
export interface LifecycleSetup<
  TKind,
  TGuard extends string,
  TAction extends string,
  TEffect extends string,
  TDelay extends string,
  TTask extends string,
  TWord extends string,
  TInputs,
  TInputOf extends object,
> extends Named<NamesOfSetup<TEffect, TTask, TInputOf>> {
  /** The same setup with more names, as XState's own `extend`; a name that is given again counts as it is given last. */
  extend<
    const TMoreGuard extends string = never,
    const TMoreAction extends string = never,
    const TMoreEffect extends string = never,
    const TMoreDelay extends string = never,
    const TMoreTasks extends TaskList = readonly never[],
    const TMoreWord extends string = never,
    const TMoreInputs extends InputFunctions<LifecycleArguments<TKind>> = Nothing,
  >(
    options: LifecycleSetupOptions<
      TKind,
      TMoreGuard,
      TMoreAction,
      TMoreEffect,
      TMoreDelay,
      TMoreTasks,
      TMoreWord,
      TMoreInputs
    >,
  ): LifecycleSetup<
    TKind,
    TGuard | TMoreGuard,
    TAction | TMoreAction,
    TEffect | TMoreEffect,
    TDelay | TMoreDelay,
    TTask | TaskNamesOf<TMoreTasks>,
    TWord | TMoreWord,
    Omit<TInputs, keyof TMoreInputs> & TMoreInputs,
    Omit<TInputOf, TaskNamesOf<TMoreTasks>> & InputsOf<TMoreTasks>
  >;
  /** Makes the machine. A literal is held to the states and names that it may use; what was built at run time to its form. */
  createMachine<const TConfig extends LooseConfig<LifecycleArguments<TKind>>>(
    config: CheckedConfig<
      TConfig,
      SetupNamesOf<TKind, TGuard, TAction, TEffect, TDelay, TTask, TInputs, TInputOf>
    >,
  ): Drawn<TConfig, TEffect, TWord, TTask, TInputOf>;
}

/** The names of a setup, as {@link LifecycleSetup.createMachine} holds a configuration to them. */
export interface SetupNamesOf<
  TKind,
  TGuard extends string,
  TAction extends string,
  TEffect extends string,
  TDelay extends string,
  TTask extends string,
  TInputs = Nothing,
  TInputOf = Nothing,
> {
  /** What guards and actions are given. */
  readonly given: LifecycleArguments<TKind>;
  /** Names of guards. */
  readonly guard: TGuard;
  /** Names in `actions`. */
  readonly action: TAction | TEffect;
  /** Names in `after`. */
  readonly delay: TDelay | "startTimeout";
  /** Names in `invoke.src`. */
  readonly task: [TTask] extends [never] ? string : TTask;
  /** What each task is given. */
  readonly inputs: TInputs;
  /** Names in `invoke.input`. */
  readonly inputOf: TInputOf;
}

/**
 * Prepares the statechart of one kind; the literal `createMachine({…})` on what it returns is what editors read.
 *
 * **Guarantees**: events, context and the spec in guards are typed, and so is every name in a literal: states, guards, actions,
 * delays, and tasks if `tasks` lists them; a missing intervention state is added, so that edges may lead to it;
 * nothing is executed.
 * **Caveats**: TypeScript infers either all type arguments or none, so options that go with a kind are given to `extend`.
 * Without a compiler XState checks targets when the machine is made and no names at all; `checkLifecycle` does both.
 * **Errors**: `LIFECYCLE_INVALID` for an edge to no state, and for options that do not exist or have a wrong form.
 *
 * @example
 * export const databaseLifecycle = setupLifecycle<Database>().extend({ guards: { isBig: ({ event }) => event.spec.size > 9 } }).createMachine({
 *   id: "database", version: "1", initial: "Start",
 *   states: { Start: { on: { "observed.Running": "Running" } }, Running: { on: { "desired.End": "End" } }, End: { type: "final" } },
 * });
 */
export function setupLifecycle<
  TKind = unknown,
  const TGuard extends string = NoName<TKind>,
  const TAction extends string = NoName<TKind>,
  const TEffect extends string = NoName<TKind>,
  const TDelay extends string = NoName<TKind>,
  const TTasks extends TaskList = readonly NoName<TKind>[],
  const TWord extends string = NoName<TKind>,
  const TInputs extends InputFunctions<LifecycleArguments<TKind>> = NoInputs<TKind>,
>(
  options?: LifecycleSetupOptions<TKind, TGuard, TAction, TEffect, TDelay, TTasks, TWord, TInputs>,
): LifecycleSetup<
  TKind,
  Given<TGuard>,
  Given<TAction>,
  Given<TEffect>,
  Given<TDelay>,
  Given<TaskNamesOf<TTasks>>,
  Given<TWord>,
  Omit<TInputs, NamesNeedExtend>,
  InputsOf<TTasks>
>;
export function setupLifecycle(options: unknown = {}): unknown {
  return prepare(checkedOptions(options));
}

/** What an editor says beside a name that is given together with a type argument. */
type NamesNeedExtend =
  "Names are inferred only without a type argument: write setupLifecycle<Kind>().extend({ … })";

/** In place of names that were not given, and short, because editors show it beside any mistake in the options. */
type NoName<TKind> = unknown extends TKind ? "" : NamesNeedExtend;

type NoInputs<TKind> = unknown extends TKind ? Nothing : Readonly<Record<NamesNeedExtend, never>>;

type Given<TName extends string> = Exclude<TName, "" | NamesNeedExtend>;

function checkedOptions(options: unknown): LifecycleSetupOptions {
  refuseWrongOptions(setupOptions, options, "setupLifecycle", "LIFECYCLE_INVALID");
  return options as LifecycleSetupOptions;
}

/** By the configuration, which a machine keeps when it is provided with other implementations. */
const furtherWords = new WeakMap<object, readonly string[]>();

/** What the observer may say of an application for people to read, besides the words that the machine's edges take. */
export function furtherObservations({ config }: LifecycleMachine): readonly string[] {
  return furtherWords.get(config) ?? [];
}

function prepare(options: LifecycleSetupOptions): unknown {
  const delays = Object.entries({ ...defaultDelays, ...options.delays }).map(
    ([name, delay]) =>
      [
        name,
        typeof delay === "function"
          ? (given: LifecycleArguments<unknown>): number => {
              const length: unknown = delay(given);
              // What runs the machine names the delay in what it says of anything else, a promise above all.
              return typeof length === "object" ? (length as never) : toMilliseconds(length as Duration);
            }
          : toMilliseconds(delay),
      ] as const,
  );
  const updates = Object.entries(options.actions ?? {}).map(
    ([name, update]) =>
      [name, assign(({ context, event }) => update({ context, event: event as never }))] as const,
  );
  // An effect is done by the caller after the move; for XState it is an action with nothing in it.
  const effects = (options.effects ?? []).map((name) => [name, (): void => undefined] as const);
  const actions = Object.fromEntries([...updates, ...effects]);
  return {
    extend: (more: unknown) => prepare(merged(options, checkedOptions(more))),
    createMachine: (config: unknown): AnyStateMachine => {
      refuseNoConfig(config);
      const { inputs = {} } = options;
      refuseUnknownTasks(config as object, taskNamesOf(options));
      refuseUnknownInputs(config as object, Object.keys(inputs));
      try {
        const complete = withInputFunctions(withHumanIntervention(config as object), inputs);
        // What is written as a duration is one for XState too, which would let any name without a length elapse at once.
        const implementations: object = {
          delays: { ...durationsIn(config as WrittenState), ...Object.fromEntries(delays) },
          guards: options.guards ?? {},
          actions,
        };
        // The types of setupLifecycle stand for XState's own, which are dear to compile.
        const prepared: { readonly createMachine: (config: never) => unknown } = setup(
          implementations as never,
        );
        const machine = prepared.createMachine(complete as never) as AnyStateMachine;
        furtherWords.set(machine.config, options.observations ?? []);
        return machine;
      } catch (error: unknown) {
        throw refusedConfig(config as object, error);
      }
    },
  };
}

function merged(first: LifecycleSetupOptions, second: LifecycleSetupOptions): LifecycleSetupOptions {
  return {
    delays: { ...first.delays, ...second.delays },
    guards: { ...first.guards, ...second.guards },
    actions: { ...first.actions, ...second.actions },
    effects: [...(first.effects ?? []), ...(second.effects ?? [])],
    tasks: [...taskNamesOf(first), ...taskNamesOf(second)],
    inputs: { ...first.inputs, ...second.inputs },
    observations: [...(first.observations ?? []), ...(second.observations ?? [])],
  };
}

function taskNamesOf({ tasks = [] }: LifecycleSetupOptions): readonly string[] {
  return Array.isArray(tasks) ? (tasks as readonly string[]) : Object.keys(tasks);
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
      description: "The application was created and has not been observed running yet.",
      on: { "observed.Running": "Running", "desired.End": "Stopping" },
      after: { startTimeout: "HumanIntervention" },
    },
    Running: {
      description: "The application is running.",
      on: { "desired.Servicing": "Servicing", "desired.End": "Stopping", "observed.Down": "Start" },
    },
    Servicing: {
      description: "The application is being serviced: a backup, an upgrade, a check.",
      invoke: { id: "service", src: "service", onDone: "Running", onError: "HumanIntervention" },
      on: { "human.abort": "Running" },
    },
    Stopping: {
      description: "The application is shutting down.",
      invoke: { id: "stop", src: "stop", onDone: "End", onError: "HumanIntervention" },
      on: { "human.skip": "End" },
    },
    HumanIntervention: {
      tags: ["intervention"],
      description: "The operator cannot go on by itself: manual intervention is required.",
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
