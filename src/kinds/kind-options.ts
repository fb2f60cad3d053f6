// What an author says about a kind: types alone.
import type { z } from "zod";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { LifecycleOptions } from "../lifecycle/graph/compile-lifecycle.ts";
import type { PrinterColumn, ScaleSubresource } from "./builtin/parts.ts";
import type { ValidationRule } from "./builtin/json-of.ts";
import type { CustomResource, LifecycleSpecField, LifecycleStatusField, Scope } from "./custom-resource.ts";
import type { KindChange } from "./kind-change.ts";
import type { KindNames } from "./kind-names.ts";

/** A CEL rule of a kind, and where it stands. */
export interface KindValidation extends ValidationRule {
  /** What `self` is: the spec (default), or the whole object with its `metadata.name` and status. */
  readonly on?: "spec" | "object";
}

/** Options of `defineKind`. */
export interface KindOptions<
  TSpec extends z.ZodObject,
  TStatus extends z.ZodObject | undefined,
  TMachine extends LifecycleMachine | undefined,
  TScope extends Scope = Scope,
>
  extends KindNames, LifecycleOptions {
  /** Default `Namespaced`. */
  readonly scope?: TScope;
  /** What users write. Defaults become server-side defaults. */
  readonly spec: TSpec;
  /** What the operator writes, besides conditions, observedGeneration and lifecycle. */
  readonly status?: TStatus;
  /** The application's statechart: adds spec.lifecycle, status.lifecycle, columns and rules. */
  readonly lifecycle?: TMachine;
  /** Columns of `kubectl get`, between the ones that every kind has and Age. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Rules in CEL that the API server holds every write to. */
  readonly validations?: readonly KindValidation[];
  /** Makes `kubectl scale` and autoscalers work on the kind. */
  readonly scale?: ScaleSubresource;
  /** Whether instances get a finalizer, so that deletion waits for the operator. Default: true with a lifecycle. */
  readonly finalize?: boolean;
  /**
   * What speaks against a change besides the schema, the rules and what the states refuse; one sentence each. For what CEL
   * cannot say: `validateChange` and admission webhooks ask it, the API server alone does not. Must be pure.
   */
  readonly checkChange?: (
    change: KindChange<CustomResource<SpecOf<TSpec, TMachine>, StatusOf<TStatus, TMachine>, TScope>>,
  ) => readonly string[];
  /** One sentence, shown by `kubectl explain`. */
  readonly description?: string;
}

/** What users write of a kind with this schema and machine. */
export type SpecOf<TSpec extends z.ZodObject, TMachine> = z.output<TSpec> &
  (TMachine extends LifecycleMachine ? LifecycleSpecField : unknown);

/** What its operator writes. */
export type StatusOf<TStatus, TMachine> = (TStatus extends z.ZodObject ? z.output<TStatus> : unknown) &
  (TMachine extends LifecycleMachine ? LifecycleStatusField : unknown);
