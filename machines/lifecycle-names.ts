// The names in a configuration that was written as a literal, read from its type, and the form in which a machine carries them:
// a few unions, so that whoever is typed from a machine need not look into it. Types alone.
import type { AnyStateMachine } from "xstate";

type ValuesOf<T> = T[keyof T];
type StatesOf<TConfig> = TConfig extends { readonly states?: infer TStates } ? NonNullable<TStates> : object;

/** The state that is added to a machine in which none has the tag for manual intervention. */
type Added = "HumanIntervention";

/** Tags of states that may not be desired. */
type Undesired = "intervention" | "failure" | "notDesired";

/** The tags of a state, as they are written. */
type TagsOf<TState> = TState extends { readonly tags: infer TTags }
  ? TTags extends readonly (infer TTag)[]
    ? TTag
    : TTags
  : never;

/**
 * What a configuration names. Of one that was built at run time, or in part, each is any text. An interface, because an editor
 * would show a union that an alias makes by the name of the alias.
 */
export interface NamesIn<TConfig> {
  /** The states inside. */
  readonly states: StatesOf<TConfig>;
  /** Names of the states inside. */
  readonly state: string & keyof StatesOf<TConfig>;
  /** Paths of all states inside, as targets write them: `Outer.Inner`. */
  readonly target: string extends keyof StatesOf<TConfig>
    ? string
    : {
        [TKey in string & keyof StatesOf<TConfig>]:
          TKey | `${TKey}.${NamesIn<StatesOf<TConfig>[TKey]>["target"]}`;
      }[string & keyof StatesOf<TConfig>];
  /** Targets by id: of the machine itself, and of each state that has one, with what is inside. */
  readonly id:
    | (TConfig extends { readonly id: infer TId extends string }
        ? `#${TId}` | `#${TId}.${NamesIn<TConfig>["target"] | NamesIn<TConfig>["added"]}`
        : never)
    | (string extends keyof StatesOf<TConfig>
        ? string
        : {
            [TKey in keyof StatesOf<TConfig>]: NamesIn<StatesOf<TConfig>[TKey]>["id"];
          }[keyof StatesOf<TConfig>]);
  /** Paths of all states inside, as statuses and conditions write them: `Outer:Inner`; a history state is no state. */
  readonly path: string extends keyof StatesOf<TConfig>
    ? string
    : {
        [TKey in string & keyof StatesOf<TConfig>]: StatesOf<TConfig>[TKey] extends {
          readonly type: "history";
        }
          ? never
          : TKey | `${TKey}:${NamesIn<StatesOf<TConfig>[TKey]>["path"]}`;
      }[string & keyof StatesOf<TConfig>];
  /** Where an application may be: in an innermost state, or in several side by side. */
  readonly position: TConfig extends { readonly type: "parallel" }
    ? string
    : string extends keyof StatesOf<TConfig>
      ? string
      : {
          [TKey in string & keyof StatesOf<TConfig>]: StatesOf<TConfig>[TKey] extends {
            readonly type: "history";
          }
            ? never
            : StatesOf<TConfig>[TKey] extends { readonly states: object }
              ? StatesOf<TConfig>[TKey] extends { readonly type: infer TType }
                ? MayBeParallel<TType> extends true
                  ? string
                  : `${TKey}:${NamesIn<StatesOf<TConfig>[TKey]>["position"]}`
                : `${TKey}:${NamesIn<StatesOf<TConfig>[TKey]>["position"]}`
              : TKey;
        }[string & keyof StatesOf<TConfig>];
  /** Tags, its own and those of the states inside. */
  readonly tag:
    | TagsOf<TConfig>
    | (string extends keyof StatesOf<TConfig>
        ? string
        : {
            [TKey in keyof StatesOf<TConfig>]: NamesIn<StatesOf<TConfig>[TKey]>["tag"];
          }[keyof StatesOf<TConfig>]);
  /** Paths of the states inside that may be desired, as far as tags say. */
  readonly desired: string extends keyof StatesOf<TConfig>
    ? string
    : {
        [TKey in string & keyof StatesOf<TConfig>]: StatesOf<TConfig>[TKey] extends {
          readonly type: "history";
        }
          ? never
          : [Extract<TagsOf<StatesOf<TConfig>[TKey]>, Undesired>] extends [never]
            ? TKey | `${TKey}:${NamesIn<StatesOf<TConfig>[TKey]>["desired"]}`
            : never;
      }[string & keyof StatesOf<TConfig>];
  /** The state that the library adds to a machine: not where one has the tag, the name is taken, or the top states are parallel. */
  readonly added: TConfig extends { readonly type: "parallel" }
    ? never
    : TConfig extends { readonly initial: string; readonly states: object }
      ? string extends NamesIn<TConfig>["tag"]
        ? Added
        : "intervention" extends NamesIn<TConfig>["tag"]
          ? never
          : Exclude<Added, keyof StatesOf<TConfig>>
      : never;
  /** Tasks that states invoke. */
  readonly task:
    | (TConfig extends { readonly invoke: infer TInvoke } ? SourceOf<TInvoke> : never)
    | (string extends keyof StatesOf<TConfig>
        ? string
        : {
            [TKey in keyof StatesOf<TConfig>]: NamesIn<StatesOf<TConfig>[TKey]>["task"];
          }[keyof StatesOf<TConfig>]);
  /** What edges take an observer's word for: the ends of their `observed.…` events. */
  readonly word:
    | (TConfig extends { readonly on: infer TEvents } ? WordOf<keyof TEvents> : never)
    | (string extends keyof StatesOf<TConfig>
        ? string
        : {
            [TKey in keyof StatesOf<TConfig>]: NamesIn<StatesOf<TConfig>[TKey]>["word"];
          }[keyof StatesOf<TConfig>]);
  /** Every text that names something: of a literal its very words, so that any text among them means that it is none. */
  readonly text:
    | TextOf<TConfig>
    | (string extends keyof StatesOf<TConfig>
        ? string
        : {
            [TKey in keyof StatesOf<TConfig>]: NamesIn<StatesOf<TConfig>[TKey]>["text"];
          }[keyof StatesOf<TConfig>]);
}

/** Of JSON that was imported, the compiler knows a text as any text. */
type MayBeParallel<TType> = TType extends "parallel" ? true : string extends TType ? true : false;

type SourceOf<TInvoke> = TInvoke extends { readonly src: infer TTask }
  ? TTask & string
  : TInvoke extends readonly { readonly src: infer TTask }[]
    ? TTask & string
    : never;

type WordOf<TEvent> = TEvent extends `observed.${infer TWord}` ? TWord : never;

type TextOf<TConfig> = TConfig extends unknown ? TextOfOne<TConfig> : never;

type TextOfOne<TConfig> = {
  [TKey in keyof TConfig]: TKey extends "on" | "after"
    ? EdgeText<ValuesOf<TConfig[TKey]>>
    : TKey extends "always" | "onDone" | "entry" | "exit" | "initial"
      ? EdgeText<TConfig[TKey]>
      : TKey extends "invoke"
        ? InvokeText<TConfig[TKey]>
        : never;
}[keyof TConfig];

type EdgeText<TEdge> = TEdge extends string
  ? TEdge
  : TEdge extends readonly (infer TOne)[]
    ? EdgeText<TOne>
    : FieldText<TEdge[keyof TEdge & ("target" | "guard" | "actions" | "type")]>;

type FieldText<TField> = TField extends string
  ? TField
  : TField extends readonly (infer TOne)[]
    ? FieldText<TOne>
    : never;

type InvokeText<TInvoke> = TInvoke extends readonly (infer TOne)[]
  ? InvokeText<TOne>
  : FieldText<TInvoke[keyof TInvoke & "src"]> | EdgeText<TInvoke[keyof TInvoke & ("onDone" | "onError")]>;

/** The names of a lifecycle; each is any text where a machine's own are not known. */
export interface LifecycleNames {
  /** Paths of its states; nested ones are joined by colons. */
  readonly state: string;
  /** Paths of its states that may be desired; tags may exclude some, and so may the shape of the graph. */
  readonly desired: string;
  /** What an application's state may be at one moment. */
  readonly position: string;
  /** Tasks that its states invoke. */
  readonly task: string;
  /** Effects that its actions ask for. */
  readonly effect: string;
  /** What an observer may say: a state, or a word that some edge takes. */
  readonly observed: string;
  /** What the tasks are given that declare it, by name. */
  readonly inputs?: object;
}

declare const namesOfLifecycle: unique symbol;

/** Something that knows the names of its lifecycle; the property exists for the compiler alone. */
export interface Named<TNames extends LifecycleNames> {
  readonly [namesOfLifecycle]?: TNames;
}

/**
 * A statechart that was drawn by `setupLifecycle`: one of XState, and its names. No interface that extends both: compilers would
 * compare it with XState's machines member by member.
 */
export type DrawnLifecycle<TNames extends LifecycleNames> = AnyStateMachine & Named<TNames>;

/** The names that a machine carries, or any. */
export type NamesOf<TMachine> =
  TMachine extends Named<infer TNames> ? (unknown extends TNames ? LifecycleNames : TNames) : LifecycleNames;

/** The names of a machine of which only the setup is known to the compiler: what a file says is not. */
export interface NamesOfSetup<TEffect extends string, TTask extends string, TInputs extends object> {
  /** States. */
  readonly state: string;
  /** States that may be desired. */
  readonly desired: string;
  /** States at any depth, as paths. */
  readonly position: string;
  /** Tasks. */
  readonly task: AnyOf<TTask>;
  /** Effects. */
  readonly effect: AnyOf<TEffect>;
  /** What an observer may say. */
  readonly observed: string;
  /** What each task is given. */
  readonly inputs: TInputs;
}

/** The names that were listed; any text where none were. */
type AnyOf<TName extends string> = [TName] extends [never] ? string : TName;

/**
 * What `createMachine` returns for a configuration. Of one that was imported from JSON or built at run time the compiler knows at most
 * the names of states and events, which are keys.
 */
export type Drawn<
  TConfig,
  TEffect extends string,
  TWord extends string,
  TTask extends string,
  TInputs extends object = object,
> = string extends NamesIn<TConfig>["path"]
  ? DrawnLifecycle<LifecycleNames>
  : DrawnLifecycle<{
      state: NamesIn<TConfig>["path"] | NamesIn<TConfig>["added"];
      desired: NamesIn<TConfig>["desired"];
      position: NamesIn<TConfig>["position"] | NamesIn<TConfig>["added"];
      task: string extends NamesIn<TConfig>["task"] ? AnyOf<TTask> : NamesIn<TConfig>["task"];
      effect: string extends NamesIn<TConfig>["text"] ? AnyOf<TEffect> : TEffect;
      observed: NamesIn<TConfig>["path"] | NamesIn<TConfig>["added"] | NamesIn<TConfig>["word"] | TWord;
      inputs: TInputs;
    }>;
