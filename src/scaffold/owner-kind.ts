// The kind of the custom resources that resources are generated for, and what a manifest may ask of them.
import { crdOf } from "../kinds/crd.ts";
import type { Kind } from "../kinds/define-kind.ts";
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";
import type { KubeObject } from "../meta/object.ts";
import { apiVersionOf } from "../meta/resource-type.ts";
import { meantBy } from "../ports/misspelling.ts";

/** The kind whose custom resources own what is generated. */
export interface OwnerKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  /** How the generated file imports its type; absent where no module declares it. */
  readonly module?: string;
  /** What is wrong with a path into its spec, which begins with `spec`. */
  readonly refusalOf: (path: readonly string[]) => string | undefined;
}

/** A kind that a module declares. */
export function declaredOwner(kind: Kind<KubeObject>, module: string): OwnerKind {
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    namespaced: kind.namespaced,
    module,
    refusalOf: (path) => refusalIn(schemaOf(kind), kind.kind, path),
  };
}

function schemaOf(kind: Kind<KubeObject>): StructuralSchema | undefined {
  return crdOf(kind).spec.versions.find(({ name }) => name === kind.version)?.schema?.openAPIV3Schema;
}

/** A kind of which only the name is known. */
export function undeclaredOwner(kind: string, apiVersion: string): OwnerKind {
  return {
    kind,
    apiVersion,
    namespaced: true,
    refusalOf: () => `no module here declares the kind ${kind}`,
  };
}

function refusalIn(
  schema: StructuralSchema | undefined,
  kind: string,
  path: readonly string[],
): string | undefined {
  let at: StructuralSchema | undefined = schema;
  for (const [index, step] of path.entries()) {
    const place = path.slice(0, index).join(".");
    const { properties = {}, required = [] }: Partial<StructuralSchema> = at ?? {};
    const field: StructuralSchema | undefined = Object.hasOwn(properties, step)
      ? properties[step]
      : undefined;
    if (field === undefined) {
      const meant = meantBy(step, Object.keys(properties));
      return `the ${place === "" ? "object" : place} of a ${kind} has no field "${step}"${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
    }
    if (index > 0 && !required.includes(step) && field.default === undefined) {
      return `${path.slice(0, index + 1).join(".")} of a ${kind} may be missing, as it has no default`;
    }
    at = field;
  }
  return undefined;
}
