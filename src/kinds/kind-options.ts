// What an author says about a kind: types alone.
import type { z } from "zod";
import type { NamesOf } from "../../machines/lifecycle-names.ts";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { LifecycleOptions } from "../lifecycle/graph/compile-lifecycle.ts";
import type { PrinterColumn, ScaleSubresource } from "./builtin/apiextensions.ts";
import type { CustomResource, LifecycleSpecField, LifecycleStatusField, Scope } from "./custom-resource.ts";
import type { KindChange } from "./kind-change.ts";
import type { KindNames } from "./kind-names.ts";
import type { KindValidation } from "./kind-validation.ts";
import type { SpecsByVersion, VersionsOf } from "./versions/version-options.ts";

/** Options of `defineKind`. */
export interface KindOptions<
  TSpec extends z.ZodObject,
  TStatus extends z.ZodObject | undefined,
  TMachine extends LifecycleMachine | undefined,
  TScope extends Scope = Scope,
  TSpecs extends SpecsByVersion = SpecsByVersion,
  TStatuses = object,
>
  extends KindNames, LifecycleOptions {
  /** The version that the operator works with; also called the hub, as all others are converted to and from it. */
  readonly version: string;
  /** Default `Namespaced`. */
  readonly scope?: TScope;
  /** What users write. Defaults become server-side defaults. */
  readonly spec: TSpec;
  /** What the operator writes, besides conditions, observedGeneration and lifecycle; default nothing. */
  readonly status?: TStatus;
  /** The application's statechart: adds spec.lifecycle, status.lifecycle, columns and rules; default none. */
  readonly lifecycle?: TMachine;
  /** The state that is desired when nobody desires one; default the first stable one on the path from the initial state. */
  readonly defaultDesiredState?: DesiredStateOf<TMachine>;
  /** Columns of `kubectl get`, between the ones that every kind has and Age; default none. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Rules in CEL that the API server holds every write to; default none. */
  readonly validations?: readonly KindValidation[];
  /** Makes `kubectl scale` and autoscalers work on the kind; without it they do not. */
  readonly scale?: ScaleSubresource;
  /** Whether instances get a finalizer, so that deletion waits for the operator. Default: true with a lifecycle. */
  readonly finalize?: boolean;
  /**
   * What speaks against a change besides the schema, the rules and what the states refuse; one sentence each. For what CEL
   * cannot say: `validateChange` and admission webhooks ask it, the API server alone does not. Must be pure. Default nothing.
   */
  readonly checkChange?: (
    change: KindChange<DefinedResource<TSpec, TStatus, TMachine, TScope>>,
  ) => readonly string[];
  /** One sentence, shown by `kubectl explain`; default none. */
  readonly description?: string;
  /** The other versions in which the kind is served, by name; default none. */
  readonly versions?: VersionsOf<TSpecs, TStatuses, TSpec, TStatus>;
  /** The version in which objects are stored; default `version`. */
  readonly storage?: string;
}

/** An instance of a kind that is defined with these schemas and this machine. */
export type DefinedResource<
  TSpec extends z.ZodObject,
  TStatus extends z.ZodObject | undefined,
  TMachine extends LifecycleMachine | undefined,
  TScope extends Scope,
> = TMachine extends LifecycleMachine
  ? CustomResource<
      z.output<TSpec> & LifecycleSpecField<DesiredStateOf<TMachine>>,
      OutputOf<TStatus> & LifecycleStatusField,
      TScope
    >
  : CustomResource<z.output<TSpec>, OutputOf<TStatus>, TScope>;

/** What may be desired of a machine, as far as the tags of its states say. */
export type DesiredStateOf<TMachine> = NamesOf<TMachine>["desired"];

type OutputOf<TSchema> = TSchema extends z.ZodObject ? z.output<TSchema> : unknown;
