// What an author may write in `createMachine({…})`, typed from the literal itself: targets, `initial` and the states named in
// events are those of the states around them, as XState resolves them, and other names those of the setup. Types alone.
// Editors show these names beside a mistake, so they are few and plain; XState's own types of machines are not instantiated.
import type { Json } from "../src/meta/object.ts";
import type { LifecycleContext } from "./lifecycle-events.ts";
import type { NamesIn } from "./lifecycle-names.ts";
import type { LifecycleTag } from "./lifecycle-tags.ts";

/** What a setup has registered, and for which kind: the names that a configuration may use. */
export interface SetupNames {
  /** What guards and functions are given. */
  readonly given: unknown;
  readonly guard: string;
  /** Actions and effects. */
  readonly action: string;
  readonly delay: string;
  readonly task: string;
  /** Functions by the names that `invoke.input` may have. */
  readonly inputs: unknown;
  /** What tasks are given that declare it, by name. */
  readonly inputOf: unknown;
}

/** A duration as it may stand in `after`: `10m`, `90s`, `1h30m`. */
type DurationText =
  `${number}${"ms" | "s" | "m" | "h" | "d"}` | `${number}${"d" | "h" | "m" | "s"}${number}${string}`;

/** A list, written as a constant or not. No array type: a mistake is to be shown inside an edge, not at the whole list. */
interface ListOf<T> {
  readonly length: number;
  readonly [index: number]: T;
}

/** A registered name, alone or with parameters. */
type Reference<TName extends string> = TName | { readonly type: TName; readonly params?: unknown };

/** What XState makes of `and(…)` or `assign(…)`, or a function in its place. */
type Inline<TGiven, TResult> = (given: TGiven, params: never) => TResult;

/** Names of actions. Written into the machine may be only what changes nothing but the context. */
type Actions<TNames extends SetupNames> =
  | Reference<TNames["action"]>
  | Inline<TNames["given"], void>
  | ListOf<Reference<TNames["action"]> | Inline<TNames["given"], void>>;

/** An edge that says more than where it leads. */
interface Edge<TTarget extends string, TNames extends SetupNames> {
  readonly target?: TTarget | ListOf<TTarget> | undefined;
  readonly guard?: Reference<TNames["guard"]> | Inline<TNames["given"], boolean>;
  readonly actions?: Actions<TNames>;
  readonly reenter?: boolean;
  readonly description?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Where an event leads: to a state, by one edge, or by the first open one of several. */
type Edges<TTarget extends string, TNames extends SetupNames> =
  TTarget | Edge<TTarget, TNames> | ListOf<TTarget | Edge<TTarget, TNames>>;

/** The events of a lifecycle; what follows `desired.` is a state of the machine. */
type EdgesOn<TState extends string, TTarget extends string, TNames extends SetupNames> = {
  readonly [
    TEvent in `observed.${string}` | `desired.${TState}` | `human.${string}` | "config.changed"
  ]?: Edges<TTarget, TNames>;
};

/** Edges that are taken after a registered delay, a duration or milliseconds. */
type EdgesAfter<TDelay extends string, TTarget extends string, TNames extends SetupNames> = {
  readonly [TAfter in TDelay | DurationText | number]?: Edges<TTarget, TNames>;
};

/** The tasks that a state starts. Those that declare what they are given are held to it, each by its own name. */
type InvokesOf<TConfig, TTarget extends string, TNames extends SetupNames> = [
  keyof TNames["inputOf"],
] extends [never]
  ? AnyInvokes<TTarget, TNames>
  : TConfig extends { readonly invoke: infer TInvoke }
    ? TInvoke extends readonly unknown[]
      ? { readonly [TIndex in keyof TInvoke]: InvokeAs<TInvoke[TIndex], TTarget, TNames> }
      : TInvoke extends ListOf<unknown>
        ? ListOf<AnyInvoke<TTarget, TNames>>
        : InvokeAs<TInvoke, TTarget, TNames>
    : AnyInvokes<TTarget, TNames>;

type AnyInvokes<TTarget extends string, TNames extends SetupNames> =
  AnyInvoke<TTarget, TNames> | ListOf<AnyInvoke<TTarget, TNames>>;

interface AnyInvoke<TTarget extends string, TNames extends SetupNames>
  extends InvokeOf<TNames["task"], TTarget, TNames>, GivenAnything<TNames> {}

type InvokeAs<TInvoke, TTarget extends string, TNames extends SetupNames> = TInvoke extends {
  readonly src: infer TTask extends keyof TNames["inputOf"];
}
  ? InvokeOf<TTask, TTarget, TNames> & Given<TNames["inputOf"][TTask], TNames>
  : AnyInvoke<TTarget, TNames>;

interface GivenAnything<TNames extends SetupNames> {
  readonly input?: InputAs<Json | undefined, TNames>;
}

/** What is declared must be given, unless nothing will do. */
type Given<TInput, TNames extends SetupNames> = undefined extends TInput
  ? { readonly input?: InputAs<TInput, TNames> }
  : { readonly input: InputAs<TInput, TNames> };

/** A value, a function, or the name of one that returns what fits; where names are registered, a text is one. */
type InputAs<TInput, TNames extends SetupNames> =
  | ((given: TNames["given"]) => TInput)
  | ([keyof TNames["inputs"]] extends [never]
      ? TInput
      : Exclude<TInput, string> | NamesReturning<TInput, TNames["inputs"]>);

type NamesReturning<TInput, TInputs> = {
  [TName in keyof TInputs]: TInputs[TName] extends (...given: never) => TInput ? TName : never;
}[keyof TInputs];

interface InvokeOf<TTask, TTarget extends string, TNames extends SetupNames> {
  readonly id?: string;
  readonly systemId?: string;
  readonly src: TTask;
  readonly onDone?: Edges<TTarget, TNames>;
  readonly onError?: Edges<TTarget, TNames>;
  readonly onSnapshot?: Edges<TTarget, TNames>;
}

/** Where a state, or the machine, begins. */
type Initial<TState extends string, TNames extends SetupNames> =
  TState | { readonly target: TState; readonly actions?: Actions<TNames> };

type StateType = "atomic" | "compound" | "parallel" | "final" | "history";

/** A state, as far as it does not depend on the states inside. */
interface State<
  TTarget extends string,
  TState extends string,
  TNames extends SetupNames,
  TInvokes = AnyInvokes<TTarget, TNames>,
  TType extends string = StateType,
> {
  readonly id?: string;
  readonly type?: TType;
  readonly description?: string;
  readonly tags?: LifecycleTag | ListOf<LifecycleTag>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly on?: EdgesOn<TState, TTarget, TNames>;
  readonly after?: EdgesAfter<TNames["delay"], TTarget, TNames>;
  readonly always?: Edges<TTarget, TNames>;
  readonly invoke?: TInvokes;
  readonly entry?: Actions<TNames>;
  readonly exit?: Actions<TNames>;
  readonly output?: Json | ((given: TNames["given"]) => unknown);
  readonly history?: TType extends StateType ? "shallow" | "deep" | boolean : string | boolean;
  /** Of a history state: where it leads while nothing is remembered. */
  readonly target?: TTarget;
  readonly route?: object;
}

/** A state with states inside. */
interface OuterState<
  TConfig,
  TBeside extends string,
  TId extends string,
  TState extends string,
  TNames extends SetupNames,
> extends State<
  TBeside | `.${NamesIn<TConfig>["target"]}` | TId,
  TState,
  TNames,
  InvokesOf<TConfig, TBeside | `.${NamesIn<TConfig>["target"]}` | TId, TNames>
> {
  readonly initial?: Initial<NamesIn<TConfig>["state"], TNames>;
  readonly states?: {
    readonly [TKey in NamesIn<TConfig>["state"]]: StateOf<
      NamesIn<TConfig>["states"][TKey],
      NamesIn<TConfig>["target"],
      TId,
      TState,
      TNames
    >;
  };
  readonly onDone?: Edges<TBeside | `.${NamesIn<TConfig>["target"]}` | TId, TNames>;
}

/** A state as a configuration has it; optional, so that also LooseConfig gives the functions in it their parameters. */
type StateOf<
  TConfig,
  TBeside extends string,
  TId extends string,
  TState extends string,
  TNames extends SetupNames,
> = TConfig extends { readonly states?: object }
  ? OuterState<TConfig, TBeside, TId, TState, TNames>
  : State<TBeside | TId, TState, TNames, InvokesOf<TConfig, TBeside | TId, TNames>>;

/** What the machine has besides what every state has. */
interface Machine<TNames extends SetupNames> {
  readonly version?: string;
  readonly context?: LifecycleContext | ((given: TNames["given"]) => LifecycleContext);
  readonly types?: unknown;
  readonly schemas?: unknown;
}

/** The whole machine as its own configuration allows it. */
interface MachineConfig<TConfig, TNames extends SetupNames, TAdded extends string>
  extends
    Machine<TNames>,
    State<
      `.${NamesIn<TConfig>["target"] | TAdded}` | NamesIn<TConfig>["id"],
      NamesIn<TConfig>["path"] | TAdded,
      TNames
    > {
  readonly initial?: Initial<NamesIn<TConfig>["state"], TNames>;
  readonly states?: {
    readonly [TKey in NamesIn<TConfig>["state"]]: StateOf<
      NamesIn<TConfig>["states"][TKey],
      NamesIn<TConfig>["target"] | TAdded,
      NamesIn<TConfig>["id"],
      NamesIn<TConfig>["path"] | TAdded,
      TNames
    >;
  };
}

/** A state of a machine that was built at run time, or imported from JSON, of which the compiler knows no words but names. */
interface AnyState<TNames extends SetupNames> extends State<
  string,
  string,
  TNames,
  AnyInvokes<string, TNames>,
  string
> {
  readonly initial?: Initial<string, TNames>;
  readonly states?: { readonly [name: string]: AnyState<TNames> };
  readonly onDone?: Edges<string, TNames>;
}

/** A machine that was built at run time or imported from JSON: held to its form, and to no names. */
interface AnyMachine<TGiven> extends Machine<AnyNames<TGiven>>, AnyState<AnyNames<TGiven>> {}

interface AnyNames<TGiven> extends SetupNames {
  readonly given: TGiven;
}

/**
 * The parameter of `createMachine`: from the first branch the literal is inferred, to the others it is held. No intersection of
 * them: two literals that differ would make it `never`, and the error would not tell where.
 */
export type CheckedConfig<TConfig, TNames extends SetupNames> = unknown extends TConfig
  ? TConfig
  : string extends NamesIn<TConfig>["text"]
    ? AnyMachine<TNames["given"]>
    : MachineConfig<TConfig, TNames, NamesIn<TConfig>["added"]>;

// What every configuration is, whatever it names: lets a literal be inferred as it stands, mistakes included, and gives the
// functions in it their parameters. What is wrong with it is said by MachineConfig, at the place of the mistake.

type Anything = object | string | number | boolean | null | undefined;

/** The parameters of its functions are the same as above: editors and compilers give them a type only then. */
type LooseInline<TGiven> = Inline<TGiven, unknown> | Anything;
type LooseInput<TGiven> = ((given: TGiven) => unknown) | Anything;

interface LooseEdge<TGiven> {
  readonly [key: string]: unknown;
  readonly guard?: LooseInline<TGiven>;
  readonly actions?: LooseActions<TGiven>;
}

type LooseActions<TGiven> = LooseInline<TGiven> | ListOf<LooseInline<TGiven>>;
type LooseEdges<TGiven> = LooseEdge<TGiven> | ListOf<LooseEdge<TGiven>> | Anything;

interface LooseInvoke<TGiven> {
  readonly [key: string]: unknown;
  readonly input?: LooseInput<TGiven>;
  readonly onDone?: LooseEdges<TGiven>;
  readonly onError?: LooseEdges<TGiven>;
}

/** A configuration as it is inferred. */
export interface LooseConfig<TGiven> {
  readonly [key: string]: unknown;
  readonly on?: { readonly [event: string]: LooseEdges<TGiven> } | Anything;
  readonly after?: { readonly [delay: string]: LooseEdges<TGiven> } | Anything;
  readonly always?: LooseEdges<TGiven>;
  readonly onDone?: LooseEdges<TGiven>;
  readonly invoke?: LooseInvoke<TGiven> | ListOf<LooseInvoke<TGiven>> | Anything;
  readonly entry?: LooseActions<TGiven>;
  readonly exit?: LooseActions<TGiven>;
  readonly output?: LooseInput<TGiven>;
  readonly context?: LooseInput<TGiven>;
  readonly states?: { readonly [name: string]: LooseConfig<TGiven> };
}
