// An engine fills the stages of the pipeline with an author's code; the pipeline itself is the same for all.
import type { KubeObject } from "../../meta/object.ts";
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
