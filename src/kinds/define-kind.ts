// defineKind: the one declaration from which a kind's types, CRD, columns and checks follow. Inert: nothing is registered.
// Read by crd.ts, by controllers and by clients (a kind is a ResourceType).
import type { z } from "zod";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { LifecycleOptions } from "../lifecycle/compile-lifecycle.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type {
  PrinterColumn,
  ScaleSubresource,
  ValidationRule,
} from "./builtin/custom-resource-definition.ts";
import type { CustomResource, LifecycleSpecField, LifecycleStatusField } from "./custom-resource.ts";
import { compileKindLifecycle, type KindLifecycle } from "./kind-lifecycle.ts";
import { changeRefusalsOf, type ChangeRefusal } from "./change-refusals.ts";
import type { KindChange } from "./kind-change.ts";
import { compileKindNames, type KindNames } from "./kind-names.ts";
import { parseCustomResource } from "./parse-custom-resource.ts";
import { structuralSchemaOf } from "./structural-schema.ts";

export type { CustomResource } from "./custom-resource.ts";

/** A CEL rule of a kind, and where it stands. */
export interface KindValidation extends ValidationRule {
  /** What `self` is: the spec (default), or the whole object with its `metadata.name` and status. */
  readonly on?: "spec" | "object";
}

/** Options of {@link defineKind}. */
export interface KindOptions<
  TSpec extends z.ZodObject,
  TStatus extends z.ZodObject | undefined,
  TMachine extends LifecycleMachine | undefined,
>
  extends KindNames, LifecycleOptions {
  /** Default `Namespaced`. */
  readonly scope?: "Namespaced" | "Cluster";
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
   * cannot say: {@link validateChange} and admission webhooks ask it, the API server alone does not. Must be pure.
   */
  readonly checkChange?: (
    change: KindChange<CustomResource<SpecOf<TSpec, TMachine>, StatusOf<TStatus, TMachine>>>,
  ) => readonly string[];
  /** One sentence, shown by `kubectl explain`. */
  readonly description?: string;
}

/** A declared kind: usable wherever a type is (client, cache, `owns`). */
export interface Kind<TCR extends KubeObject = CustomResource> extends ResourceType<TCR> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description: string | undefined;
  readonly specSchema: z.ZodObject;
  readonly statusSchema: z.ZodObject | undefined;
  readonly lifecycle: KindLifecycle | undefined;
  readonly printerColumns: readonly PrinterColumn[];
  readonly validations: readonly KindValidation[];
  readonly scale: ScaleSubresource | undefined;
  readonly finalize: boolean;
  /** Fields of the spec that cannot be changed in some states. */
  readonly changeRefusals: readonly ChangeRefusal[];
  /** What the author has against a change. A method, so that a list of different kinds type-checks. */
  checkChange?(change: KindChange<TCR>): readonly string[];
  /**
   * Checks an object of unknown origin and gives it its type; defaults are filled in.
   *
   * **Errors**: `CR_INVALID`, with one line per field that is wrong.
   */
  parse(object: unknown): TCR;
}

/** The instance type of a kind: `type Database = InstanceOf<typeof Database>`. */
export type InstanceOf<TKind extends ResourceType> =
  TKind extends ResourceType<infer TInstance> ? TInstance : never;

type SpecOf<TSpec extends z.ZodObject, TMachine> = z.output<TSpec> &
  (TMachine extends LifecycleMachine ? LifecycleSpecField : unknown);

type StatusOf<TStatus, TMachine> = (TStatus extends z.ZodObject ? z.output<TStatus> : unknown) &
  (TMachine extends LifecycleMachine ? LifecycleStatusField : unknown);

/**
 * Declares a kind.
 *
 * **Errors**: `KIND_INVALID` for names the API server would refuse, for fields that the operator adds itself, and for
 * states that refuse changes of a field which the spec does not have;
 * `LIFECYCLE_INVALID` for a machine that cannot be used.
 *
 * @example
 * const Website = defineKind({
 *   group: "web.example.com", version: "v1", kind: "Website",
 *   spec: z.object({ replicas: z.int().min(1).default(1) }),
 * });
 */
export function defineKind<
  TSpec extends z.ZodObject,
  TStatus extends z.ZodObject | undefined = undefined,
  TMachine extends LifecycleMachine | undefined = undefined,
>(
  options: KindOptions<TSpec, TStatus, TMachine>,
): Kind<CustomResource<SpecOf<TSpec, TMachine>, StatusOf<TStatus, TMachine>>> {
  const names = compileKindNames(options);
  const lifecycleOptions = lifecycleOptionsOf(names.kind, options);
  const lifecycle =
    options.lifecycle === undefined ? undefined : compileKindLifecycle(options.lifecycle, lifecycleOptions);
  refuseOwnFields(names.kind, "spec", options.spec, lifecycle === undefined ? [] : ["lifecycle"]);
  refuseOwnFields(names.kind, "status", options.status, ["conditions", "observedGeneration", "lifecycle"]);
  const kind = {
    ...names,
    namespaced: options.scope !== "Cluster",
    description: options.description,
    specSchema: options.spec,
    statusSchema: options.status,
    lifecycle,
    printerColumns: options.printerColumns ?? [],
    validations: options.validations ?? [],
    scale: options.scale,
    finalize: options.finalize ?? lifecycle !== undefined,
    changeRefusals:
      lifecycle === undefined
        ? []
        : changeRefusalsOf(names.kind, lifecycle.index, () => structuralSchemaOf(options.spec, "spec")),
    ...(options.checkChange === undefined ? {} : { checkChange: options.checkChange }),
    parse: (object: unknown) => parseCustomResource(kind, object),
  };
  return Object.freeze(kind) as never;
}

/** Of all options those that are the lifecycle's. */
function lifecycleOptionsOf(
  kind: string,
  options: LifecycleOptions & { readonly lifecycle?: LifecycleMachine | undefined },
): LifecycleOptions {
  const { migrate, renames, defaultWish, specEdits, snapshotBudget } = options;
  const given = Object.entries({ migrate, renames, defaultWish, specEdits, snapshotBudget }).filter(
    ([, value]) => value !== undefined,
  );
  const [first] = given;
  if (first !== undefined && options.lifecycle === undefined) {
    throw new OperatorError("KIND_INVALID", `${kind} has the option "${first[0]}", but no lifecycle`, {
      remedy: "Give defineKind a lifecycle, or leave the option out.",
    });
  }
  return Object.fromEntries(given) as LifecycleOptions;
}

function refuseOwnFields(
  kind: string,
  part: "spec" | "status",
  schema: z.ZodObject | undefined,
  own: readonly string[],
): void {
  const taken = own.find((field) => schema !== undefined && field in schema.shape);
  if (taken === undefined) return;
  throw new OperatorError(
    "KIND_INVALID",
    `the ${part} of ${kind} declares "${taken}", which the operator adds`,
    {
      remedy: `Remove ${part}.${taken} from the schema, or give it another name.`,
    },
  );
}
