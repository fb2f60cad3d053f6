// An engine fills the stages of the pipeline with an author's code; the pipeline itself is the same for all. There are two: the
// Stepper has one hook for each stage, FreeStyle one function for everything.
import type { KubeObject } from "../../meta/object.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { StatusDraft } from "../status/status-draft.ts";
import type { StepContext } from "./step-context.ts";

/** A hook that does its work; it may throw, and its return value is ignored. */
export type Hook<TContext> = (context: TContext) => unknown;

/** The fields of a custom resource's status, each of which a hook may return; null removes one. */
export type StatusChange<TCR extends KubeObject> = TCR extends { readonly status?: infer TStatus }
  ? { readonly [TField in keyof NonNullable<TStatus>]?: NonNullable<TStatus>[TField] | null }
  : Readonly<Record<string, unknown>>;

/** What runs in each stage; a stage without code does only what the pipeline itself does there. */
export interface Engine<TCR extends KubeObject> {
  /** For logs and traces. */
  readonly name: string;
  /** Whether resources are registered in later stages than ObjectsGetter as well. Default: no. */
  readonly registersLater?: boolean;
  readonly CRChecker?: Hook<StepContext<TCR>>;
  readonly ObjectsGetter?: Hook<StepContext<TCR>>;
  readonly Mutator?: Hook<StepContext<TCR>>;
  readonly Updater?: Hook<StepContext<TCR>>;
  readonly SuccessManager?: (
    context: StepContext<TCR>,
  ) => Promise<StatusChange<KubeObject> | void> | StatusChange<KubeObject> | void;
  readonly CRFinalizer?: Hook<StepContext<TCR>>;
  readonly ErrorManager?: Hook<StepContext<TCR> & { readonly error: Error }>;
}

/**
 * Merges what a hook has returned into the status; nothing and null change nothing.
 *
 * **Errors**: `HOOK_RESULT_INVALID` for anything but an object of fields.
 */
export function mergeReturned(hook: string, returned: unknown, status: StatusDraft): void {
  if (returned === undefined || returned === null) return;
  if (typeof returned === "object" && !Array.isArray(returned)) {
    status.merge(returned as Parameters<StatusDraft["merge"]>[0]);
    return;
  }
  const what = Array.isArray(returned) ? "a list" : `a ${typeof returned}`;
  throw new OperatorError(
    "HOOK_RESULT_INVALID",
    `${hook} returned ${what}, but must return an object of status fields, or nothing`,
    { fields: { hook }, remedy: "Return an object such as { endpoint: … }, or nothing." },
  );
}

/** Errors: `HOOK_RESULT_INVALID` when a hook has returned resources in place of registering them. */
export function refuseResources(hook: string, returned: unknown): void {
  const isList = Array.isArray(returned);
  const [one] = isList ? (returned as readonly unknown[]) : [returned];
  const isResource =
    typeof one === "object" && one !== null && ["apiVersion", "bind", "kindName"].some((name) => name in one);
  if (!isList && !isResource) return;
  throw new OperatorError(
    "HOOK_RESULT_INVALID",
    `${hook} returned ${isList ? "a list" : "a resource"}, which nobody reads: nothing of it is created`,
    { fields: { hook }, remedy: "Register resources by registry.add(…), and return nothing." },
  );
}

/**
 * The hooks of the Stepper; each is optional. A hook that throws ends its stage: the run continues in ErrorManager.
 * A `TerminalError` gives up, a `RequeueError` waits its own delay, anything else is retried with backoff.
 */
export interface StepperHooks<
  TCR extends KubeObject,
  TState extends string = string,
  TPath extends string = string,
> {
  /** Does the custom resource make sense? Also called while it is being deleted and waits for us. */
  readonly CRChecker?: (context: StepContext<TCR, TState, TPath>) => unknown;
  /** Registers the resources: `registry.add(…)`. Default: none. */
  readonly ObjectsGetter?: (context: StepContext<TCR, TState, TPath>) => Promise<void> | void;
  /** Default: `registry.mutateAll()`. */
  readonly Mutator?: (context: StepContext<TCR, TState, TPath>) => unknown;
  /** Default: `registry.createOrUpdateAll()`; of the basic reconciler `registry.createAll()`. */
  readonly Updater?: (context: StepContext<TCR, TState, TPath>) => unknown;
  /** Returns fields that are merged into the status. Default: none. */
  readonly SuccessManager?: (
    context: StepContext<TCR, TState, TPath>,
  ) => Promise<StatusChange<TCR> | void> | StatusChange<TCR> | void;
  /**
   * Cleans up what the garbage collector does not; the finalizer goes when it returns. Asked again until it does. An API
   * server's or HTTP client's "not found" (an error with `status` 404) means that it is gone already. Default: nothing.
   */
  readonly CRFinalizer?: (context: StepContext<TCR, TState, TPath>) => unknown;
  /** Receives the first error, before the condition is set. Default: nothing. */
  readonly ErrorManager?: (
    context: StepContext<TCR, TState, TPath> & {
      /** The first error, or the reason of the give-up. */
      readonly error: Error;
    },
  ) => unknown;
}

/** Options of {@link stepper}. */
export interface StepperOptions {
  /** Only creates, never changes. Default false. */
  readonly basic?: boolean;
}

/** The Stepper engine with an author's hooks. */
export function stepper<TCR extends KubeObject>(
  hooks: StepperHooks<TCR> = {},
  options: StepperOptions = {},
): Engine<TCR> {
  const basic = options.basic === true;
  const mutate: Hook<StepContext<TCR>> = ({ registry }) => registry.mutateEach();
  const write: Hook<StepContext<TCR>> = ({ registry }) =>
    basic ? registry.createAll() : registry.createOrUpdateEach();
  return {
    ...hooks,
    name: basic ? "basic stepper" : "stepper",
    registersLater: hooks.Mutator !== undefined || hooks.Updater !== undefined,
    Mutator: hooks.Mutator ?? mutate,
    Updater: hooks.Updater ?? write,
  };
}

/** The one function of the FreeStyle engine. */
export type FreeStyleHook<TCR extends KubeObject> = Required<StepperHooks<TCR>>["SuccessManager"];

/** Hooks that FreeStyle has besides its function. */
export type FreeStyleExtras<TCR extends KubeObject> = Pick<
  StepperHooks<TCR>,
  "CRChecker" | "CRFinalizer" | "ErrorManager"
>;

/** The FreeStyle engine with an author's function. It runs in the stage `Updater`. */
export function freeStyle<TCR extends KubeObject>(
  hook: FreeStyleHook<TCR>,
  extras: FreeStyleExtras<TCR> = {},
): Engine<TCR> {
  return {
    ...extras,
    name: "freeStyle",
    registersLater: true,
    Updater: async (context) => {
      mergeReturned("freeStyle", await hook(context), context.status);
    },
  };
}
