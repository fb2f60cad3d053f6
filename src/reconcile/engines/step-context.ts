// What the hooks of a reconcile are given.
import type { KubeObject } from "../../meta/object.ts";
import type { HookContext } from "../hook-context.ts";
import type { Registry } from "../resources/registry.ts";
import type { ApplicationView } from "../resources/resource.ts";
import type { Results } from "../outcome/results.ts";
import type { StatusDraft } from "../status/status-draft.ts";

/** What each hook of a reconcile is given; one for each run, shared with no other. */
export interface StepContext<
  TCR extends KubeObject,
  TState extends string = string,
  TPath extends string = string,
> extends HookContext<TCR> {
  /** What the run has come to so far; a hook may add operations, give up or ask for another look. */
  readonly results: Results;
  /** The resources of this run. */
  readonly registry: Registry<TCR, TPath>;
  /** The status that is about to be written. */
  readonly status: StatusDraft;
  /** The application as this run has seen it; undefined before the Mutator stage has looked, and without a lifecycle. */
  readonly application: () => ApplicationView<TState> | undefined;
}

/** The registry behind what a hook was given: at run time every hook, and every function of a task, is given a whole context. */
export function registryOf(given: HookContext<KubeObject>): Registry {
  return (given as StepContext<KubeObject>).registry;
}
