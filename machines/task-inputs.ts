// What a lifecycle's tasks are given: how a setup declares it, and the functions that it registers for `invoke.input` by name.
// XState knows no names there, so a name is replaced by its function when the machine is made.

/** What a setup says of a task besides its name: types alone, as in XState's own `types`. */
export interface TaskTypes {
  /** `{} as BackUpInput`: what its invokes must give it, and its functions are given. */
  readonly input?: unknown;
}

/** The tasks that a setup lists: their names, or their types by name. */
export type TaskList = readonly string[] | Readonly<Record<string, TaskTypes>>;

/** The names of listed tasks. */
export type TaskNamesOf<TTasks> = TTasks extends readonly (infer TName extends string)[]
  ? TName
  : string & keyof TTasks;

/** Nothing was given. */
export type Nothing = {};

/** The inputs that listed tasks declare, by name. */
export type InputsOf<TTasks> = TTasks extends readonly unknown[]
  ? Nothing
  : {
      readonly [
        TTask in keyof TTasks as TTasks[TTask] extends { readonly input: unknown } ? TTask : never
      ]: TTasks[TTask] extends { readonly input: infer TInput } ? TInput : never;
    };

/** Functions for `invoke.input`, by name. */
export type InputFunctions<TGiven> = Readonly<Record<string, (given: TGiven) => unknown>>;

interface Written {
  readonly states?: Readonly<Record<string, Written>>;
  readonly invoke?: unknown;
}

/** The configuration with functions in place of their names; the functions keep those names, which drawings show. */
export function withInputFunctions(config: object, inputs: InputFunctions<never>): object {
  if (Object.keys(inputs).length === 0) return config;
  const { invoke, states } = config as Written;
  const named = (each: unknown): unknown => {
    const { input } = (each ?? {}) as { readonly input?: unknown };
    if (typeof input !== "string" || !Object.hasOwn(inputs, input)) return each;
    const compute = inputs[input] as (given: unknown) => unknown;
    // A function of its own: one that is registered under two names has two.
    return { ...(each as object), input: Object.assign((given: unknown) => compute(given), { type: input }) };
  };
  return {
    ...config,
    ...(invoke === undefined ? {} : { invoke: Array.isArray(invoke) ? invoke.map(named) : named(invoke) }),
    ...(typeof states === "object" && (states as unknown) !== null
      ? {
          states: Object.fromEntries(
            Object.entries(states).map(([name, state]) => [
              name,
              // A configuration may come from a file, with anything in it.
              typeof state === "object" && (state as unknown) !== null
                ? withInputFunctions(state, inputs)
                : state,
            ]),
          ),
        }
      : {}),
  };
}
