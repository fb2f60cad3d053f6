// An engine fills the stages of the pipeline with an author's code; the pipeline itself is the same for all.
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
