// Tells the watch event of an own status write from everything else, so that a reconcile does not cause the next one.
// Sure of itself or silent: an event that might hide a foreign edit or a delete is never taken for an own one.
import type { Change } from "../cache/informer.ts";
import { isEqualJson } from "../meta/changed-paths.ts";
import type { KubeObject } from "../meta/object.ts";
import { formatKey, keyOf } from "../meta/object-key.ts";

interface OwnWrite {
  readonly uid: string;
  /** The state that the write was made on. */
  readonly base: string;
  readonly written: string;
}

/** The last own write of each custom resource that the watch has not shown yet. */
export class OwnWrites {
  readonly #last = new Map<string, OwnWrite>();

  /** Remembers that a write turned one state into another. A write that changed nothing is none. */
  record(before: KubeObject | undefined, after: KubeObject): void {
    const { uid, resourceVersion } = after.metadata;
    if (before?.metadata.uid !== uid || before.metadata.resourceVersion === resourceVersion) return;
    const write = { uid, base: before.metadata.resourceVersion, written: resourceVersion };
    this.#last.set(formatKey(keyOf(after)), write);
  }

  /**
   * Whether a change is exactly the own write: it leads from the very state the write was made on to the very state it
   * answered, and nothing but the status differs. Everything else is foreign.
   */
  explain(change: Change<KubeObject>): boolean {
    const key = formatKey(keyOf(change.object));
    const own = this.#last.get(key);
    if (own === undefined) return false;
    const { uid, resourceVersion } = change.object.metadata;
    if (change.type === "deleted" || own.uid !== uid) {
      this.#last.delete(key);
      return false;
    }
    if (own.written !== resourceVersion) return false;
    this.#last.delete(key);
    return (
      change.type === "modified" &&
      change.old.metadata.resourceVersion === own.base &&
      isEqualJson(withoutStatus(change.old), withoutStatus(change.object))
    );
  }
}

/** What anybody but the status's writer could have changed. */
function withoutStatus(object: KubeObject): unknown {
  const { status: _status, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: _version, managedFields: _fields, ...others } = metadata;
  return { ...rest, metadata: others };
}
