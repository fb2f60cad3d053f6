// defineKind: the one declaration from which a kind's types, CRD, columns and checks follow. Inert: nothing is registered.
// Read by crd.ts, by controllers and by clients (a kind is a ResourceType).
import type { z } from "zod";
import type { LifecycleNames, Named, NamesOf } from "../../machines/lifecycle-names.ts";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { checkLifecycle } from "../lifecycle/checks/check-lifecycle.ts";
import type { LifecycleOptions } from "../lifecycle/graph/compile-lifecycle.ts";
import { refuseErrors } from "../ports/problem.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { isMachine } from "../statechart/is-machine.ts";
import type { PrinterColumn, ScaleSubresource } from "./builtin/apiextensions.ts";
import type { CustomResource, Scope } from "./custom-resource.ts";
import { checkKindOptions } from "./check-kind-options.ts";
import { compileKindLifecycle, type KindLifecycle } from "./kind-lifecycle.ts";
import { changeRefusalsOf, type ChangeRefusal } from "./change-refusals.ts";
import type { KindChange } from "./kind-change.ts";
import { compileKindNames } from "./kind-names.ts";
import type { DefinedResource, KindOptions } from "./kind-options.ts";
import type { KindValidation } from "./kind-validation.ts";
import { parseCustomResource } from "./parse-custom-resource.ts";
import { ownStatusFields } from "./status-conditions.ts";
import { structuralSchemaOf } from "./structural-schema.ts";
import { versionOf } from "./versions/convert.ts";
import { compileVersions, type KindVersion, type VersionedOptions } from "./versions/kind-version.ts";
import type { SpecsByVersion } from "./versions/version-options.ts";

export type { CustomResource } from "./custom-resource.ts";

/** A declared kind: usable wherever a type is (client, cache, `owns`). */
export interface Kind<TCR extends KubeObject = CustomResource, TNames extends LifecycleNames = LifecycleNames>
  extends ResourceType<TCR>, Named<TNames> {
  /** As in `kubectl get website`. */
  readonly singular: string;
  /** Further names for kubectl: `deploy`. */
  readonly shortNames: readonly string[];
  /** Groups of kinds for kubectl, as `all`. */
  readonly categories: readonly string[];
  /** What `kubectl explain` says of the kind. */
  readonly description: string | undefined;
  /** The spec as it was declared, without what a lifecycle adds to it. */
  readonly specSchema: z.ZodObject;
  /** The author's own fields of the status. */
  readonly statusSchema: z.ZodObject | undefined;
  /** @internal */
  readonly lifecycle: KindLifecycle | undefined;
  /** The author's own columns of `kubectl get`. */
  readonly printerColumns: readonly PrinterColumn[];
  /** Rules in CEL that the API server checks. */
  readonly validations: readonly KindValidation[];
  /** Where `kubectl scale` reads and writes. */
  readonly scale: ScaleSubresource | undefined;
  /** Whether resources get the operator's finalizer: a deletion waits until the operator has cleaned up. */
  readonly finalize: boolean;
  /**
   * All versions, the preferred one first.
   *
   * @internal
   */
  readonly versions: readonly KindVersion[];
  /**
   * Fields of the spec that cannot be changed in some states.
   *
   * @internal
   */
  readonly changeRefusals: readonly ChangeRefusal[];
  /** What the author has against a change. A method, so that a list of different kinds type-checks. */
  checkChange?(change: KindChange<TCR>): readonly string[];
  /**
   * The kind in another of its versions, for clients: `client.list(Database.at("v1alpha1"))`.
   *
   * **Errors**: `VERSION_UNKNOWN`.
   */
  at(version: string): ResourceType;
  /**
   * Checks an object of unknown origin and gives it its type; defaults are filled in, also the namespace `default` where
   * objects of the kind live in namespaces and this one names none.
   *
   * **Caveats**: what only the server can give to `metadata` is missing in an object that never was there, as `uid`.
   * **Errors**: `CR_INVALID`, with one line per field that is wrong.
   */
  parse(object: unknown): TCR;
}

/** The instance type of a kind: `type Database = InstanceOf<typeof Database>`. */
export type InstanceOf<TKind extends ResourceType> =
  TKind extends ResourceType<infer TInstance> ? TInstance : never;

/**
 * Declares a kind.
 *
 * **Errors**: `KIND_INVALID` for names the API server would refuse, for fields that the operator adds itself, for options
 * that are unknown or have a wrong form, and for states that refuse changes of a field which the spec does not have;
 * `LIFECYCLE_INVALID` for a machine that cannot be used, or options that do not fit it.
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
  TScope extends Scope = "Namespaced",
  TSpecs extends SpecsByVersion = SpecsByVersion,
  TStatuses = object,
>(
  options: KindOptions<TSpec, TStatus, TMachine, TScope, TSpecs, TStatuses>,
): Kind<DefinedResource<TSpec, TStatus, TMachine, TScope>, NamesOf<TMachine>> {
  refuseOptions(options);
  const names = compileKindNames(options);
  const lifecycleOptions = lifecycleOptionsOf(names.kind, options);
  const lifecycle =
    options.lifecycle === undefined
      ? undefined
      : compileKindLifecycle(names.kind, options.lifecycle, lifecycleOptions);
  const shown = {
    printerColumns: options.printerColumns ?? [],
    validations: options.validations ?? [],
    scale: options.scale,
  };
  const versions = compileVersions({ ...shown, ...declaredVersionsOf(names.kind, options) });
  for (const { specSchema, statusSchema } of versions) {
    refuseOwnFields(names.kind, "spec", specSchema, lifecycle === undefined ? [] : ["lifecycle"]);
    refuseOwnFields(names.kind, "status", statusSchema, ownStatusFields);
  }
  const kind = {
    ...names,
    namespaced: options.scope !== "Cluster",
    description: options.description,
    specSchema: options.spec,
    statusSchema: options.status,
    lifecycle,
    ...shown,
    versions,
    finalize: options.finalize ?? lifecycle !== undefined,
    changeRefusals:
      lifecycle === undefined
        ? []
        : changeRefusalsOf(names.kind, lifecycle.index, () => structuralSchemaOf(options.spec, "spec")),
    ...(options.checkChange === undefined ? {} : { checkChange: options.checkChange }),
    at: (version: string): ResourceType => ({
      group: names.group,
      version: versionOf(kind, version).name,
      kind: names.kind,
      plural: names.plural,
      namespaced: kind.namespaced,
    }),
    parse: (object: unknown) => parseCustomResource(kind, object),
  };
  return Object.freeze(kind) as never;
}

/** Refuses options that a compiler would have refused, together with what is wrong with the machine. */
function refuseOptions(options: unknown): void {
  const wrong = checkKindOptions(options);
  if (wrong.length === 0) return;
  // Whatever it is: without a compiler it may be nothing at all.
  const { kind, lifecycle } = (options ?? {}) as { readonly kind?: unknown; readonly lifecycle?: unknown };
  const found = isMachine(lifecycle) ? checkLifecycle(lifecycle) : [];
  refuseErrors([...wrong, ...found], {
    code: "KIND_INVALID",
    subject: typeof kind === "string" ? `the kind ${kind}` : "a kind",
    fields: { kind, ...(isMachine(lifecycle) ? { machine: lifecycle.id } : {}) },
    remedy: "Correct each line.",
  });
}

/** Of all options those that say which versions there are. */
function declaredVersionsOf(
  kind: string,
  options: object,
): Pick<VersionedOptions, "kind" | "version" | "spec" | "status" | "storage" | "versions"> {
  // What is typed for an author schema by schema is one form here.
  const { version, spec, status, storage, versions } = options as VersionedOptions;
  return { kind, version, spec, status, storage, versions };
}

/** Of all options those that are the lifecycle's. */
function lifecycleOptionsOf(
  kind: string,
  options: LifecycleOptions & { readonly lifecycle?: LifecycleMachine | undefined },
): LifecycleOptions {
  const { migrate, renames, defaultDesiredState, specEdits, snapshotBudget } = options;
  const given = Object.entries({ migrate, renames, defaultDesiredState, specEdits, snapshotBudget }).filter(
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
      fields: { option: `${part}.${taken}` },
      remedy: `Remove ${part}.${taken} from the schema, or give it another name.`,
    },
  );
}
