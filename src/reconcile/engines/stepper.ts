// The Stepper engine: one hook for each stage, each optional, with the natural default.
import type { KubeObject } from "../../meta/object.ts";
import type { Engine, Hook, StatusChange } from "./engine.ts";
import type { StepContext } from "./step-context.ts";

/**
 * The hooks of the Stepper; each is optional. A hook that throws ends its stage: the run continues in ErrorManager.
 * A `TerminalError` gives up, a `RequeueError` waits its own delay, anything else is retried with backoff.
 */
export interface StepperHooks<TCR extends KubeObject, TState extends string = string> {
  /** Does the custom resource make sense? Also called while it is being deleted and waits for us. */
  readonly CRChecker?: (context: StepContext<TCR, TState>) => unknown;
  /** Registers the resources: `registry.add(…)`. Default: none. */
  readonly ObjectsGetter?: (context: StepContext<TCR, TState>) => unknown;
  /** Default: `registry.mutateAll()`. */
  readonly Mutator?: (context: StepContext<TCR, TState>) => unknown;
  /** Default: `registry.createOrUpdateAll()`; of the basic reconciler `registry.createAll()`. */
  readonly Updater?: (context: StepContext<TCR, TState>) => unknown;
  /** Returns fields that are merged into the status. Default: none. */
  readonly SuccessManager?: (
    context: StepContext<TCR, TState>,
  ) => Promise<StatusChange<TCR> | void> | StatusChange<TCR> | void;
  /**
   * Cleans up what the garbage collector does not; the finalizer goes when it returns. Asked again until it does. An API
   * server's or HTTP client's "not found" (an error with `status` 404) means that it is gone already. Default: nothing.
   */
  readonly CRFinalizer?: (context: StepContext<TCR, TState>) => unknown;
  /** Receives the first error, before the condition is set. Default: nothing. */
  readonly ErrorManager?: (
    context: StepContext<TCR, TState> & {
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
  const mutate: Hook<StepContext<TCR>> = ({ registry }) => registry.mutateAll();
  const write: Hook<StepContext<TCR>> = ({ registry }) =>
    basic ? registry.createAll() : registry.createOrUpdateAll();
  return {
    ...hooks,
    name: basic ? "basic stepper" : "stepper",
    Mutator: hooks.Mutator ?? mutate,
    Updater: hooks.Updater ?? write,
  };
}
