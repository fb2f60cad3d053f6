// The cached reads of one run, and what its writes tell the cache.
import { metadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ClusterReader } from "../../reconcile/resources/resource-scope.ts";
import type { SecretValues } from "../../reconcile/secrets/secret-values.ts";
import type { HotLoopGuard } from "../detectors/hot-loop-guard.ts";
import type { OwnWrites } from "../changes/own-writes.ts";
import type { ScopedReader } from "./scoped-reader.ts";

/** What {@link createRunReader} needs of the controller. */
export interface RunReaderParts {
  readonly kind: ResourceType;
  readonly reader: ScopedReader;
  readonly ownWrites: OwnWrites;
  readonly guard: HotLoopGuard;
}

/** Makes the reader of a run for `cr`; `read` is told of each object that it hands out. */
export function createRunReader(parts: RunReaderParts, cr: KubeObject, read: SecretValues): ClusterReader {
  const { kind, reader, ownWrites, guard } = parts;
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
    recordWrite: (type, object, before) => {
      guard.written(object);
      const key = keyOf(object);
      if (!reader.holds(type, key)) return;
      if (type === kind) ownWrites.record(before ?? reader.lookUp(type, key), object);
      reader.informerOf(type, key).recordWrite(object);
    },
    recordDelete: (type, object) => {
      if (type !== kind) guard.deleted(type, keyOf(object), object.metadata.uid);
      if (reader.holds(type, keyOf(object))) reader.informerOf(type, keyOf(object)).recordDelete(object);
    },
    noteWrite: (type, object) => {
      guard.written(object);
      if (reader.holds(type, keyOf(object))) reader.informerOf(type, keyOf(object)).recordWrite(object);
    },
    noteDelete: (type, key) => {
      const object = reader.holds(type, key) ? reader.lookUp(metadataOnly(type), key) : undefined;
      if (type !== kind && reader.holds(type, key)) guard.deleted(type, key, object?.metadata.uid);
      if (object !== undefined) reader.informerOf(type, key).recordDelete(object);
    },
  };
}

function inNamespaceOf({ metadata: { namespace } }: KubeObject): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
