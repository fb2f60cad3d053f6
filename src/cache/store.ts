// The local copy of one type, without time and without I/O. Two views of each object: what the server was seen to have
// (changes are differences of this view, so nothing that others did is ever swallowed), and what readers see, which is
// the same except where an own write or delete is ahead of the watch.
import type { KubeObject } from "../meta/object.ts";
import { formatKey } from "../meta/object-key.ts";
import type { Change } from "./informer.ts";
import { compareResourceVersions } from "./resource-version.ts";

/** Where an own write or delete is ahead of the watch. */
interface Overlay<T> {
  /** What was written; undefined for an own delete. */
  readonly written: T | undefined;
  /** The object's identity: what is gone stays gone, another uid is another object. */
  readonly uid: string;
  /** resourceVersion of what was written, or of the last known state of what was deleted. */
  readonly version: string;
  /** What the server was seen to have meanwhile. */
  observed: T | undefined;
}

const namespaceIndex = "metadata.namespace";

/** See the head of this file. Keys are `namespace/name`. */
export class Store<T extends KubeObject> {
  /** What readers see. */
  readonly #visible = new Map<string, T>();
  readonly #overlays = new Map<string, Overlay<T>>();
  /** The own writes that the watch has still to reach, the next one first; some may have been replaced or dropped. */
  #ahead: { readonly key: string; readonly version: string }[] = [];
  readonly #indexes = new Map<string, ObjectIndex<T>>();
  #version = "";

  constructor() {
    this.addIndex(namespaceIndex, (object) => [object.metadata.namespace ?? ""]);
  }

  /** The newest resourceVersion seen from the server: where a watch resumes. Empty before the first list. */
  get version(): string {
    return this.#version;
  }

  get size(): number {
    return this.#visible.size;
  }

  /** Own writes that the watch has not caught up with. */
  get overlays(): number {
    return this.#overlays.size;
  }

  get(key: string): T | undefined {
    return this.#visible.get(key);
  }

  values(): Iterable<T> {
    return this.#visible.values();
  }

  inNamespace(namespace: string): Iterable<T> {
    return this.#indexes.get(namespaceIndex)?.get(namespace) ?? [];
  }

  /** The objects under one value of an index; undefined when there is no such index. */
  byIndex(name: string, value: string): Iterable<T> | undefined {
    return this.#indexes.get(name)?.get(value);
  }

  /** Adds an index over what is there and what will come; a name that is taken is left as it is. */
  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void {
    if (this.#indexes.has(name)) return;
    const index = new ObjectIndex(valuesOf);
    for (const [key, object] of this.#visible) index.set(key, undefined, object);
    this.#indexes.set(name, index);
  }

  /** Takes over a complete list, by keys, in one step. What it lacks was deleted meanwhile. */
  replace(listed: ReadonlyMap<string, T>, version: string, initial: boolean): readonly Change<T>[] {
    const changes: Change<T>[] = [];
    // Time went backwards when a cluster was restored from a backup: then no own write is ahead of anything.
    const restored = this.#version !== "" && compareResourceVersions(version, this.#version) < 0;
    const reached = restored ? undefined : version;
    for (const key of new Set([...this.#visible.keys(), ...this.#overlays.keys()])) {
      if (listed.has(key)) continue;
      changes.push(
        ...succession(this.#observed(key), this.#missed(key, undefined, reached), undefined, initial),
      );
      this.#setObserved(key, undefined);
    }
    for (const [key, object] of listed) {
      const observed = this.#observed(key);
      const { resourceVersion, uid } = observed?.metadata ?? {};
      // A server that was set back uses its versions again, for other contents.
      const isSame = resourceVersion === object.metadata.resourceVersion && uid === object.metadata.uid;
      if (isSame && !restored) continue;
      changes.push(...succession(observed, this.#missed(key, object, reached), object, initial));
      this.#setObserved(key, object);
    }
    this.#version = version;
    for (const [key, overlay] of this.#overlays) {
      const { observed } = overlay;
      const caughtUp =
        overlay.written === undefined && observed !== undefined
          ? isSuccessor(overlay, observed)
          : !this.#isAhead(overlay.version);
      if (caughtUp || restored) this.#dropOverlay(key, overlay);
    }
    this.#ahead = this.#ahead.filter((write) => !restored && this.#isAhead(write.version));
    return changes;
  }

  /** Takes over one event of a watch; nothing changes when the object is not newer than what was seen. */
  apply(type: "ADDED" | "MODIFIED" | "DELETED", object: T): readonly Change<T>[] {
    const key = formatKey(object.metadata);
    const overlay = this.#overlays.get(key);
    const observed = overlay === undefined ? this.#visible.get(key) : overlay.observed;
    const changes = type === "DELETED" ? removal(observed, object) : arrival(observed, object);
    if (changes.length > 0) {
      const left = type === "DELETED" ? undefined : object;
      if (overlay === undefined) this.#setVisible(key, left);
      else overlay.observed = left;
    }
    if (overlay !== undefined && hasShown(overlay, type, object)) this.#dropOverlay(key, overlay);
    this.advance(object.metadata.resourceVersion);
    return changes;
  }

  /** Notes that the watch has reached a resourceVersion: own writes up to there need no overlay any more. */
  advance(version: string): void {
    if (this.#version !== "" && compareResourceVersions(version, this.#version) <= 0) return;
    this.#version = version;
    for (;;) {
      const next = this.#ahead[0];
      if (next === undefined || this.#isAhead(next.version)) return;
      this.#ahead.shift();
      const overlay = this.#overlays.get(next.key);
      if (overlay?.written !== undefined && overlay.version === next.version) {
        this.#dropOverlay(next.key, overlay);
      }
    }
  }

  /**
   * Shows an own write to readers until the watch has reached it. What the watch has already passed is left as the watch
   * has it: an object that is absent there was deleted since, which is reported, as a list may have skipped its whole life.
   */
  recordWrite(object: T): readonly Change<T>[] {
    const version = object.metadata.resourceVersion;
    const key = formatKey(object.metadata);
    if (!this.#isAhead(version)) {
      return this.#observed(key) === undefined ? succession(undefined, object, undefined, false) : [];
    }
    const before = this.#overlays.get(key);
    if (before !== undefined) {
      const isGone = before.written === undefined && before.uid === object.metadata.uid;
      if (isGone || compareResourceVersions(version, before.version) <= 0) return [];
    }
    this.#overlays.set(key, {
      written: object,
      uid: object.metadata.uid,
      version,
      observed: this.#observed(key),
    });
    this.#await(key, version);
    this.#setVisible(key, object);
    return [];
  }

  /** Hides an object that an own delete removed, until the watch shows the delete or another object of that name. */
  recordDelete(object: T): void {
    const key = formatKey(object.metadata);
    const { uid, resourceVersion: version } = object.metadata;
    const shown = this.#visible.get(key)?.metadata;
    if (shown?.uid !== uid) {
      // The watch has shown the delete already, or readers see a newer object of that name.
      if (!this.#isAhead(version)) return;
      if (shown !== undefined && compareResourceVersions(shown.resourceVersion, version) > 0) return;
    }
    const before = this.#overlays.get(key);
    // The answer of an earlier delete, come late.
    if (before !== undefined && before.uid !== uid && compareResourceVersions(version, before.version) < 0)
      return;
    this.#overlays.set(key, { written: undefined, uid, version, observed: this.#observed(key) });
    this.#setVisible(key, undefined);
  }

  /** Keeps the order of versions: answers come nearly in the order of the writes. */
  #await(key: string, version: string): void {
    let place = this.#ahead.length;
    for (; place > 0; place -= 1) {
      const before = this.#ahead[place - 1];
      if (before === undefined || compareResourceVersions(before.version, version) <= 0) break;
    }
    this.#ahead.splice(place, 0, { key, version });
  }

  /**
   * What readers were shown under a key as an own write, of which a list that has reached this version (undefined: any)
   * says that it is gone: the watch has seen neither its creation nor its end.
   */
  #missed(key: string, listed: T | undefined, reached: string | undefined): T | undefined {
    const overlay = this.#overlays.get(key);
    if (overlay?.written === undefined) return undefined;
    const { uid, version, observed } = overlay;
    if (listed?.metadata.uid === uid || observed?.metadata.uid === uid) return undefined;
    if (reached !== undefined && compareResourceVersions(version, reached) > 0) return undefined;
    return overlay.written;
  }

  #isAhead(version: string): boolean {
    return this.#version === "" || compareResourceVersions(version, this.#version) > 0;
  }

  #observed(key: string): T | undefined {
    const overlay = this.#overlays.get(key);
    return overlay === undefined ? this.#visible.get(key) : overlay.observed;
  }

  #setObserved(key: string, object: T | undefined): void {
    const overlay = this.#overlays.get(key);
    if (overlay === undefined) this.#setVisible(key, object);
    else overlay.observed = object;
  }

  #dropOverlay(key: string, overlay: Overlay<T>): void {
    this.#overlays.delete(key);
    this.#setVisible(key, overlay.observed);
  }

  #setVisible(key: string, object: T | undefined): void {
    const before = this.#visible.get(key);
    if (object === undefined) this.#visible.delete(key);
    else this.#visible.set(key, object);
    for (const index of this.#indexes.values()) index.set(key, before, object);
  }
}

/** Whether an object took the name over after the one that was deleted. */
function isSuccessor(deleted: Overlay<unknown>, object: KubeObject): boolean {
  const { uid, resourceVersion } = object.metadata;
  return uid !== deleted.uid && compareResourceVersions(resourceVersion, deleted.version) > 0;
}

/** Whether an event shows what an overlay has anticipated: the very write, the delete, or another object of that name. */
function hasShown(overlay: Overlay<unknown>, type: string, object: KubeObject): boolean {
  const { uid, resourceVersion } = object.metadata;
  if (overlay.written !== undefined) return overlay.version === resourceVersion;
  return type === "DELETED" ? overlay.uid === uid : isSuccessor(overlay, object);
}

/** What an event of an object that is there changes in what was seen: nothing when it is not newer. */
function arrival<T extends KubeObject>(observed: T | undefined, object: T): readonly Change<T>[] {
  const { resourceVersion } = object.metadata;
  if (
    observed !== undefined &&
    compareResourceVersions(resourceVersion, observed.metadata.resourceVersion) <= 0
  )
    return [];
  return difference(observed, object, false);
}

/** What the event of a delete changes in what was seen. */
function removal<T extends KubeObject>(observed: T | undefined, deleted: T): readonly Change<T>[] {
  if (observed === undefined) return [];
  const { uid, resourceVersion } = deleted.metadata;
  if (observed.metadata.uid === uid) return [{ type: "deleted", object: deleted, synthetic: false }];
  // The delete of an older object of that name is stale; a newer one means that its add and this one's delete were missed.
  const isStale = compareResourceVersions(resourceVersion, observed.metadata.resourceVersion) <= 0;
  return isStale ? [] : [{ type: "deleted", object: observed, synthetic: true }];
}

function difference<T extends KubeObject>(
  before: T | undefined,
  after: T | undefined,
  initial: boolean,
): readonly Change<T>[] {
  if (before === undefined) return after === undefined ? [] : [{ type: "added", object: after, initial }];
  if (before.metadata.uid === after?.metadata.uid) return [{ type: "modified", object: after, old: before }];
  const deleted: Change<T> = { type: "deleted", object: before, synthetic: true };
  return after === undefined ? [deleted] : [deleted, { type: "added", object: after, initial }];
}

/** The changes from the first to the last of three states of a name, by way of one in between if there was one. */
function succession<T extends KubeObject>(
  before: T | undefined,
  between: T | undefined,
  after: T | undefined,
  initial: boolean,
): readonly Change<T>[] {
  if (between === undefined) return difference(before, after, initial);
  return [...difference(before, between, false), ...difference(between, after, initial)];
}

/** A secondary index, value to objects, for instance owner uid to dependents; its store keeps it current. */
class ObjectIndex<T extends KubeObject> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #objects = new Map<string, Map<string, T>>();

  /** `valuesOf` must depend on the object alone: it is asked again when the object leaves. */
  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  /** Replaces what stands under a key; undefined for nothing. */
  set(key: string, before: T | undefined, after: T | undefined): void {
    const values = after === undefined ? [] : this.#valuesOf(after);
    if (before !== undefined) {
      for (const value of this.#valuesOf(before)) {
        // What stays under a value is replaced where it is.
        if (values.includes(value)) continue;
        const objects = this.#objects.get(value);
        objects?.delete(key);
        if (objects?.size === 0) this.#objects.delete(value);
      }
    }
    if (after === undefined) return;
    for (const value of values) {
      let objects = this.#objects.get(value);
      if (objects === undefined) this.#objects.set(value, (objects = new Map()));
      objects.set(key, after);
    }
  }

  /** The objects under a value. */
  get(value: string): Iterable<T> {
    return this.#objects.get(value)?.values() ?? [];
  }
}

/** Drops `metadata.managedFields`, which no reader needs and which is often a third of the object. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
