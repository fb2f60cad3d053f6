// The fields of the built-in types, by the path of their collections.
import { builtinSchema } from "../../../src/cluster/api/builtin/builtin-schemas.ts";
import { createBuiltinTypes } from "../../../src/cluster/api/builtin/builtin-types.ts";
import { ObjectStore } from "../../../src/cluster/api/storage/object-store.ts";
import { apiVersionOf } from "../../../src/meta/resource-type.ts";
import type { StructuralSchema } from "../../../src/schema/structural-schema.ts";
import { roots } from "../api-server/wrong-object-cases.ts";

/** A type under which wrong values are looked for. */
export interface SweptType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Of its collection, in the namespace `default`. */
  readonly path: string;
  readonly schema: StructuralSchema;
}

const definitions: SweptType = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  schema: builtinSchema("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"),
};
const types = [
  definitions,
  ...createBuiltinTypes(new ObjectStore(), () => 0).map((type): SweptType => {
    const { group, kind, plural, schema } = type;
    const space = type.namespaced ? "/namespaces/default" : "";
    const apiVersion = apiVersionOf(type);
    const path = `${group === "" ? "/api" : "/apis"}/${apiVersion}${space}/${plural}`;
    return { apiVersion, kind, plural, path, schema };
  }),
];

/** The type of a plural. */
export function sweptType(plural: string): SweptType {
  const path = `${roots[plural] ?? ""}${plural}`;
  const found = types.find((type) => type.path === path);
  if (found === undefined) throw new Error(`there is no type ${plural}`);
  return found;
}
