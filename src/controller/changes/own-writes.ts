// Tells the watch event of an own write of the status or of our finalizer from everything else, so that a reconcile does
// not cause the next one. Sure of itself or silent: an event that might hide a foreign edit or a delete is never taken
// for an own one.
import type { Change } from "../../cache/informer.ts";
import { compareResourceVersions } from "../../cache/resource-version.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";

interface OwnWrite {
  readonly uid: string;
  /** The state that the write was made on. */
  readonly base: string;
  readonly written: string;
}

/** Writes of one custom resource that the watch may not have shown yet; a run makes a few. */
const maxWrites = 8;

/** The own writes of each custom resource that the watch has not shown yet. */
export class OwnWrites {
  readonly #writes = new Map<string, readonly OwnWrite[]>();
  readonly #finalizer: string | undefined;

  /** `finalizer` is ours: adding it is a write that needs no other run. */
  constructor(finalizer?: string) {
    this.#finalizer = finalizer;
  }

  /** Remembers that a write turned one state into another. A write that changed nothing is none. */
  record(before: KubeObject | undefined, after: KubeObject): void {
    const { uid, resourceVersion } = after.metadata;
    if (before?.metadata.uid !== uid || before.metadata.resourceVersion === resourceVersion) return;
    const write = { uid, base: before.metadata.resourceVersion, written: resourceVersion };
    const key = formatKey(keyOf(after));
    const known = (this.#writes.get(key) ?? []).filter((each) => each.uid === uid);
    this.#writes.set(key, [...known, write].slice(-maxWrites));
  }

  /**
   * Whether a change is exactly an own write: it leads from the very state the write was made on to the very state it
   * answered, and nothing differs but the status, and our finalizer that was added. Everything else is foreign.
   */
  explain(change: Change<KubeObject>): boolean {
    const key = formatKey(keyOf(change.object));
    const writes = this.#writes.get(key);
    if (writes === undefined) return false;
    const { uid, resourceVersion } = change.object.metadata;
    const own =
      change.type === "modified" ? writes.find(({ written }) => written === resourceVersion) : undefined;
    const left =
      change.type === "deleted"
        ? []
        : writes.filter(
            (each) => each.uid === uid && compareResourceVersions(each.written, resourceVersion) > 0,
          );
    if (left.length === 0) this.#writes.delete(key);
    else this.#writes.set(key, left);
    return (
      own?.uid === uid &&
      change.type === "modified" &&
      change.old.metadata.resourceVersion === own.base &&
      this.#isOurs(change.old, change.object)
    );
  }

  #isOurs(old: KubeObject, object: KubeObject): boolean {
    const [before = [], after = []] = [old.metadata.finalizers, object.metadata.finalizers];
    const added =
      this.#finalizer !== undefined && !before.includes(this.#finalizer)
        ? [...before, this.#finalizer]
        : before;
    const finalizers = isEqualJson(after, before) || isEqualJson(after, added);
    return finalizers && isEqualJson(withoutOurs(old), withoutOurs(object));
  }
}

/** What anybody but us could have changed, but for the finalizers. */
function withoutOurs(object: KubeObject): unknown {
  const { status: _status, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: _version, managedFields: _fields, finalizers: _finalizers, ...others } = metadata;
  return { ...rest, metadata: others };
}
