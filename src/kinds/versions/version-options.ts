// What an author says about the versions of a kind besides the one that controllers see: types alone.
import type { z } from "zod";
import type { PrinterColumn, ScaleSubresource } from "../builtin/apiextensions.ts";
import type { KindValidation } from "../kind-validation.ts";

/** An object of one version as a conversion receives it. */
export interface ConvertedFrom<TSpec extends z.ZodObject, TStatus> {
  /** Without `lifecycle`, which is the same in all versions. */
  readonly spec: z.output<TSpec>;
  /** The author's fields alone; empty before the operator has written any. */
  readonly status: TStatus extends z.ZodObject
    ? Partial<z.output<TStatus>>
    : Readonly<Record<string, unknown>>;
}

/** An object of one version as a conversion returns it. */
export interface ConvertedTo<TSpec extends z.ZodObject, TStatus> {
  /** What has a default may be left out. */
  readonly spec: z.input<TSpec>;
  /** Default: the fields of the status that this version has as well. */
  readonly status?: TStatus extends z.ZodObject
    ? Partial<z.input<TStatus>>
    : Readonly<Record<string, unknown>>;
}

/**
 * How objects of a version become those of the kind's own, and back. Both functions must be pure. What `down` leaves out is
 * kept beside the object and restored; so is what `up` leaves out.
 */
export interface Conversion<
  TSpec extends z.ZodObject = z.ZodObject,
  TStatus = z.ZodObject | undefined,
  THubSpec extends z.ZodObject = z.ZodObject,
  THubStatus = z.ZodObject | undefined,
> {
  /** From this version to the kind's own. */
  up(object: ConvertedFrom<TSpec, TStatus>): ConvertedTo<THubSpec, THubStatus>;
  /** From the kind's own version to this one. */
  down(object: ConvertedFrom<THubSpec, THubStatus>): ConvertedTo<TSpec, TStatus>;
}

/**
 * Another version in which a kind is served. It is converted to and from the kind's own version, and by way of that to and
 * from every other.
 */
export interface VersionOptions<
  TSpec extends z.ZodObject,
  TStatus,
  THubSpec extends z.ZodObject,
  THubStatus,
> {
  /** What users of this version write. */
  readonly spec: TSpec;
  /** How it is converted; default not at all, where the schemas are those of the kind's own version. */
  readonly convert?: Conversion<TSpec, TStatus, THubSpec, THubStatus>;
  /** Whether requests in this version are answered; default true. */
  readonly served?: boolean;
  /** Clients of this version are warned, with this text if it is one; default false. */
  readonly deprecated?: boolean | string;
  /** Columns of `kubectl get`; default: the kind's where `spec` is the kind's own schema, else none. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Rules in CEL; default as for the columns. */
  readonly validations?: readonly KindValidation[];
  /** Where the scale subresource finds its numbers; default as for the columns. */
  readonly scale?: ScaleSubresource;
}

/** The option `versions` of `defineKind`: the other versions, by name. */
export type VersionsOf<TSpecs extends SpecsByVersion, TStatuses, THubSpec extends z.ZodObject, THubStatus> = {
  readonly [TName in keyof TSpecs]: VersionOptions<
    TSpecs[TName],
    StatusOf<TStatuses, TName, THubStatus>,
    THubSpec,
    THubStatus
  >;
} & { readonly [TName in keyof TStatuses]: StatusOption<TStatuses[TName]> };

/** The schemas of the specs of other versions, by the name of the version. */
export type SpecsByVersion = Readonly<Record<string, z.ZodObject>>;

/** The status of a version that declares none is the kind's. */
type StatusOf<TStatuses, TName, THubStatus> = TName extends keyof TStatuses
  ? TStatuses[TName] extends z.ZodObject
    ? TStatuses[TName]
    : THubStatus
  : THubStatus;

/** The schema of a version's status; a version may do without one of its own. */
export type StatusOption<TStatus> =
  | {
      /** What the operator writes, besides its own fields; default: the kind's. */
      readonly status: TStatus;
    }
  | { readonly status?: never };
