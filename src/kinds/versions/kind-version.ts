// The versions of a kind as it declares them: which there are, in what order, and what each of them is. Read by crd.ts, by
// the conversion between them, and by the checks.
import type { z } from "zod";
import { OperatorError } from "../../ports/operator-error.ts";
import type { PrinterColumn, ScaleSubresource } from "../builtin/apiextensions.ts";
import { checkVersionName } from "../kind-names.ts";
import type { KindValidation } from "../kind-validation.ts";
import type { Conversion, VersionOptions } from "./version-options.ts";
import { comparePriority } from "./version-priority.ts";

/** One version of a kind. */
export interface KindVersion {
  readonly name: string;
  readonly served: boolean;
  /** Objects are stored in it. */
  readonly storage: boolean;
  readonly deprecated: boolean | string;
  readonly specSchema: z.ZodObject;
  readonly statusSchema: z.ZodObject | undefined;
  readonly printerColumns: readonly PrinterColumn[];
  readonly validations: readonly KindValidation[];
  readonly scale: ScaleSubresource | undefined;
  /** To and from the kind's own version; absent for that one, and where both have the same schemas. */
  readonly convert: Conversion | undefined;
}

/** What the versions are made of. */
export interface VersionedOptions {
  readonly kind: string;
  /** The version that controllers see. */
  readonly version: string;
  readonly spec: z.ZodObject;
  readonly status: z.ZodObject | undefined;
  readonly printerColumns: readonly PrinterColumn[];
  readonly validations: readonly KindValidation[];
  readonly scale: ScaleSubresource | undefined;
  readonly storage: string | undefined;
  readonly versions: Readonly<Record<string, DeclaredVersion>> | undefined;
}

/** One of the versions that an author declares beside the kind's own. */
export type DeclaredVersion = VersionOptions<
  z.ZodObject,
  z.ZodObject | undefined,
  z.ZodObject,
  z.ZodObject | undefined
> & { readonly status?: z.ZodObject };

/** All versions of a kind, in the order in which Kubernetes prefers them. Errors: `KIND_INVALID`. */
export function compileVersions(options: VersionedOptions): readonly KindVersion[] {
  const { kind, version, versions = {}, storage = version } = options;
  for (const name of Object.keys(versions)) checkVersionName(name);
  if (Object.hasOwn(versions, version)) {
    throw new OperatorError("KIND_INVALID", `${kind} declares the version ${version} twice`, {
      fields: { kind },
      remedy: `Remove ${version} from the option versions: it is what the option version declares.`,
    });
  }
  if (storage !== version && !Object.hasOwn(versions, storage)) {
    throw new OperatorError("KIND_INVALID", `${kind} is stored as ${storage}, which is not a version of it`, {
      fields: { kind },
      remedy: `Name one of ${[version, ...Object.keys(versions)].join(", ")} in the option storage.`,
    });
  }
  const own: KindVersion = {
    name: version,
    served: true,
    storage: storage === version,
    deprecated: false,
    specSchema: options.spec,
    statusSchema: options.status,
    printerColumns: options.printerColumns,
    validations: options.validations,
    scale: options.scale,
    convert: undefined,
  };
  const others = Object.entries(versions).map(([name, declared]): KindVersion => {
    const inherited = declared.spec === options.spec ? own : undefined;
    return {
      name,
      served: declared.served ?? true,
      storage: storage === name,
      deprecated: declared.deprecated ?? false,
      specSchema: declared.spec,
      statusSchema: declared.status ?? options.status,
      printerColumns: declared.printerColumns ?? inherited?.printerColumns ?? [],
      validations: declared.validations ?? inherited?.validations ?? [],
      scale: declared.scale ?? inherited?.scale,
      convert: declared.convert,
    };
  });
  return [own, ...others].toSorted((one, other) => comparePriority(one.name, other.name));
}
