// The FreeStyle engine: one function does it all; status, finalizer and failures are still the pipeline's.
import type { KubeObject } from "../../meta/object.ts";
import { mergeReturned, type Engine } from "./engine.ts";
import type { StepperHooks } from "./stepper.ts";

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
    Updater: async (context) => {
      mergeReturned("freeStyle", await hook(context), context.status);
    },
  };
}
