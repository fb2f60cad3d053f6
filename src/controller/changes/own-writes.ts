// The ledger of what one controller has written and deleted: it decides whether a change is the controller's own. Kept by
// a layer around its client, so that no caller has to remember. It shows own writes to readers at once (the cache's
// overlay), keeps the watch events from causing another run that show nothing new, and tells the hot-loop detector who has changed something.
//
// Sure of itself or silent: an event that might hide a foreign edit or delete is never taken for an own one. Nor is an object
// changed by what follows from a cache that an own write has left behind: where an answer was lost, the server is asked first.
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  mayHaveHappened,
} from "../../client/api-error.ts";
import type { Change, Informer } from "../../cache/informer.ts";
import { compareResourceVersions } from "../../cache/resource-version.ts";
import {
  isCreation,
  isWrite,
  keyOfWrite,
  nameOfWrite,
  outcomeOf,
  type ClientLayer,
  type Send,
  type WriteCall,
} from "../../client/client-layers.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, type ObjectKey } from "../../meta/object-key.ts";
import { typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";

/** The part of an informer in which own writes show at once. */
export type WriteOverlay = Pick<
  Informer<KubeObject>,
  "hasSynced" | "lister" | "recordWrite" | "recordDelete"
>;

/** Options of {@link OwnWrites}. */
export interface OwnWritesOptions {
  /** The type of the custom resources. */
  readonly kind: ResourceType;
  /** Ours: adding it is a write that needs no other run. */
  readonly finalizer?: string;
  /** Where objects of a type are cached; undefined where they are not. */
  readonly overlayOf: (type: ResourceType, key: ObjectKey) => WriteOverlay | undefined;
  /** The run that was let through last, kept with each write; see hot-loop-detector.ts. */
  readonly turn?: () => number;
}

/** One state that an own write has led to. */
interface OwnWrite {
  readonly version: string;
  /** The run that was let through last when it was written. */
  readonly turn: number;
  /** The version that the server made it on; undefined when nobody can tell, or its event was explained by it. */
  readonly base: string | undefined;
}

/** A child that runs of a key have written. */
interface SeenChild {
  readonly key: string;
  readonly versions: readonly string[];
}

/** Objects of which own writes are remembered: as many as a controller writes while its watch lags by seconds. */
const remembered = 10_000;
/** Writes of one object that the watch may not have shown yet; a run makes a few. */
const maxWrites = 16;

/**
 * The own writes of one controller.
 *
 * **Memory**: the last writes of the objects written last, up to a bound; what is forgotten counts as foreign.
 */
export class OwnWrites {
  /** What is to be put around the client that the controller writes by. */
  readonly layer: ClientLayer = {
    place: "ownWrites",
    request: (call, send) => (isWrite(call) ? this.#note(call, send) : send(call)),
  };
  readonly #options: OwnWritesOptions;
  /** By uid. */
  readonly #writes = new BoundedMap<string, readonly OwnWrite[]>(remembered);
  readonly #deletions = new BoundedMap<string, true>(remembered);
  /** Children as runs have written them, in states that nobody has to see any more; by uid. */
  readonly #seenChildren = new BoundedMap<string, SeenChild>(remembered);
  /** Objects of which a write may have been carried out, with the version that was seen before it: `absent` when none. */
  readonly #unanswered = new BoundedMap<string, string>(remembered);

  constructor(options: OwnWritesOptions) {
    this.#options = options;
  }

  /** Records the state that a write has led to, and the version it was made on where the server has compared it. */
  recordWrite(type: ResourceType, object: KubeObject, base?: string): void {
    const { uid, resourceVersion: version } = object.metadata;
    // A write that has changed nothing is none: the state is whoever's it was.
    if (base !== version) {
      const write = { version, turn: this.#options.turn?.() ?? 0, base };
      this.#writes.set(uid, [...(this.#writes.get(uid) ?? []), write].slice(-maxWrites));
    }
    this.#overlayOf(type, object.metadata)?.recordWrite(object);
  }

  /** Records that a delete has removed an object, or has begun to: then it is `left` to its finalizers. */
  recordDelete(type: ResourceType, uid: string, { gone, left }: DeletedObject = {}): void {
    // The custom resource itself is forgotten when it is gone.
    if (!this.#isPrimary(type)) this.#deletions.set(uid, true);
    if (left !== undefined) this.recordWrite(type, left);
    else if (gone !== undefined) this.#overlayOf(type, gone.metadata)?.recordDelete(gone);
  }

  /**
   * Whether a change of a custom resource is exactly an own write that needs no other run: it leads from the very state
   * that the server has made the write on to the very state it has answered, and nothing differs but the status, and our
   * finalizer that was added. Answered once for each write.
   */
  explains(change: Change<KubeObject>): boolean {
    const { uid, resourceVersion: version } = change.object.metadata;
    const writes = this.#writes.get(uid);
    if (writes === undefined) return false;
    // Its uid does not come again.
    if (change.type === "deleted") this.#writes.delete(uid);
    if (change.type !== "modified") return false;
    const { old, object } = change;
    const before = old.metadata.resourceVersion;
    // The cluster was restored from a backup: its versions come again, and mean something else.
    if (compareResourceVersions(version, before) < 0) this.#writes.delete(uid);
    const write = writes.find((each) => each.version === version && each.base === before);
    if (write === undefined || old.metadata.uid !== uid || !this.#isSettled(old, object)) return false;
    const answered = { ...write, base: undefined };
    this.#writes.set(
      uid,
      writes.map((each) => (each === write ? answered : each)),
    );
    return true;
  }

  /** Records what the run of a key has written of its children where no hook has to see it in another run. */
  recordSeen(key: string, children: readonly KubeObject[]): void {
    for (const { metadata } of children) {
      const { uid, resourceVersion } = metadata;
      const known = this.#seenChildren.get(uid);
      const before = known?.key === key ? known.versions : [];
      this.#seenChildren.set(uid, { key, versions: [...before, resourceVersion].slice(-maxWrites) });
    }
  }

  /** Whether a run of the key has written a child in this very state, and nobody has to see that. */
  hasSeen(key: string, uid: string, version: string): boolean {
    const seen = this.#seenChildren.get(uid);
    return seen?.key === key && seen.versions.includes(version);
  }

  /** The turn at which this controller has written a state; undefined when another client did. */
  turnOf(uid: string, version: string): number | undefined {
    return this.#writes.get(uid)?.find((each) => each.version === version)?.turn;
  }

  /** Whether this controller has deleted an object: that it wrote the last state says nothing about who did. */
  hasDeleted(uid: string): boolean {
    return this.#deletions.get(uid) === true;
  }

  async #note(call: WriteCall, send: Send): Promise<unknown> {
    const { type } = call;
    const key = keyOfWrite(call);
    // Before it is sent: its event may come before its answer.
    const seen = this.#seen(type, key);
    // A creation changes nothing that readers have not seen, nor does a delete of exactly this object.
    if (!isCreation(call) && call.verb !== "delete") await this.#assertUnchanged(call, seen, send);
    try {
      const answer = await this.#sent(call, seen, send);
      const outcome = outcomeOf(call, answer, seen);
      if (outcome === undefined) return answer;
      if (outcome.kind === "removed") {
        const { uid, object } = outcome;
        if (uid !== undefined) this.recordDelete(type, uid, object === undefined ? {} : { gone: object });
        return answer;
      }
      const { object, base = unchanged(outcome.object, seen) } = outcome;
      const begun = call.verb === "delete" && seen?.metadata.deletionTimestamp === undefined;
      if (begun) this.recordDelete(type, object.metadata.uid, { left: object });
      else this.recordWrite(type, object, base);
      return answer;
    } catch (error) {
      if (seen === undefined && isTaken(call, error)) {
        // Readers see it from now on; whatever keeps it from being read is met again by the next write.
        await this.#read(call, seen, send).catch(() => undefined);
      }
      // Another client has deleted it: readers must not see an object that is known to be deleted.
      if (seen !== undefined && isNotFound(error) && error.details.name !== undefined) {
        this.#overlayOf(type, key)?.recordDelete(seen);
      }
      throw error;
    }
  }

  /** Sends a write; remembers whether nobody knows what has become of it. */
  async #sent(call: WriteCall, seen: KubeObject | undefined, send: Send): Promise<unknown> {
    const object = idOf(call);
    try {
      const answer = await send(call);
      this.#unanswered.delete(object);
      return answer;
    } catch (error) {
      if (
        mayHaveHappened(error) &&
        call.options.dryRun !== true &&
        this.#unanswered.get(object) === undefined
      ) {
        this.#unanswered.set(object, versionOf(seen));
      }
      throw error;
    }
  }

  /**
   * Asks the server for the object of a write, if one before it went unanswered. Errors: a conflict when that was carried
   * out: what is about to be written may follow from what was seen before it.
   */
  async #assertUnchanged(call: WriteCall, seen: KubeObject | undefined, send: Send): Promise<void> {
    const object = idOf(call);
    const before = this.#unanswered.get(object);
    if (before === undefined || this.#overlayOf(call.type, keyOfWrite(call)) === undefined) return;
    let found: KubeObject | undefined;
    try {
      found = await this.#read(call, seen, send);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      // Who may not read it can only go by the cache.
      found = seen;
    }
    this.#unanswered.delete(object);
    if (versionOf(found) === before) return;
    const request = nameOfWrite(call);
    throw new ApiError(
      `${request}: an earlier write, whose answer was lost, or somebody else has changed it`,
      {
        status: 409,
        reason: "Conflict",
        details: { kind: call.type.kind, name: keyOfWrite(call).name },
        retryAfter: undefined,
        request,
      },
    );
  }

  /** What the server has of the object of a write; readers see it at once. */
  async #read(call: WriteCall, seen: KubeObject | undefined, send: Send): Promise<KubeObject | undefined> {
    const { type } = call;
    const { signal, until } = call.options;
    const key = keyOfWrite(call);
    const overlay = this.#overlayOf(type, key);
    try {
      const options = {
        ...(signal === undefined ? {} : { signal }),
        ...(until === undefined ? {} : { until }),
      };
      const found = (await send({ verb: "get", type, key, options })) as KubeObject;
      overlay?.recordWrite(found);
      return found;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (seen !== undefined) overlay?.recordDelete(seen);
      return undefined;
    }
  }

  #seen(type: ResourceType, key: ObjectKey): KubeObject | undefined {
    const overlay = this.#overlayOf(type, key);
    return overlay?.hasSynced === true ? overlay.lister.get(key) : undefined;
  }

  #overlayOf(type: ResourceType, key: ObjectKey): WriteOverlay | undefined {
    return this.#options.overlayOf(type, key);
  }

  #isPrimary(type: ResourceType): boolean {
    return typeKeyOf(type) === typeKeyOf(this.#options.kind);
  }

  #isSettled(old: KubeObject, object: KubeObject): boolean {
    const { finalizer } = this.#options;
    const [before = [], after = []] = [old.metadata.finalizers, object.metadata.finalizers];
    const added = finalizer !== undefined && !before.includes(finalizer) ? [...before, finalizer] : before;
    const finalizers = isEqualJson(after, before) || isEqualJson(after, added);
    return finalizers && isEqualJson(withoutOurs(old), withoutOurs(object));
  }
}

function idOf(call: WriteCall): string {
  return `${typeKeyOf(call.type)} ${formatKey(keyOfWrite(call))}`;
}

function versionOf(object: KubeObject | undefined): string {
  return object?.metadata.resourceVersion ?? "absent";
}

/** Whether a creation was refused because of an object of that name. */
function isTaken(call: WriteCall, error: unknown): boolean {
  return isCreation(call) && (isAlreadyExists(error) || isConflict(error));
}

/** What became of a deleted object. */
interface DeletedObject {
  readonly gone?: KubeObject;
  readonly left?: KubeObject;
}

/** The version of a write that has left an object as it was seen, which the write was then made on. */
function unchanged({ metadata }: KubeObject, seen: KubeObject | undefined): string | undefined {
  return seen?.metadata.resourceVersion === metadata.resourceVersion ? metadata.resourceVersion : undefined;
}

/** What other clients could have changed, except for the finalizers. */
function withoutOurs(object: KubeObject): unknown {
  const { status: _status, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { resourceVersion: _version, managedFields: _fields, finalizers: _finalizers, ...others } = metadata;
  return { ...rest, metadata: others };
}
