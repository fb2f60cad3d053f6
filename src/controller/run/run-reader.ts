// The cached reads of one run.
import type { KubeObject } from "../../meta/object.ts";
import type { ClusterReader } from "../../reconcile/resources/resource-scope.ts";
import type { SecretValues } from "../../reconcile/secrets/secret-values.ts";
import type { ScopedReader } from "./scoped-reader.ts";

/** Makes the reader of a run for `cr`; `read` is told of each object that it hands out. */
export function createRunReader(reader: ScopedReader, cr: KubeObject, read: SecretValues): ClusterReader {
  const noted = <T extends KubeObject>(objects: readonly T[]): readonly T[] => {
    for (const object of objects) read.note(object);
    return objects;
  };
  return {
    lookUp: (type, key) => {
      const object = reader.lookUp(type, key);
      read.note(object);
      return object;
    },
    list: (type, options) => noted(reader.list(type, { ...inNamespaceOf(cr), ...options })),
    owned: (type) => noted(reader.ownedBy(type, cr.metadata.uid)),
  };
}

function inNamespaceOf({ metadata: { namespace } }: KubeObject): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
