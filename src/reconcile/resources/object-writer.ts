// The ways to make a live object what is declared (server-side apply, a merge patch, or a whole update), which of them costs least, and
// its deletion.
import type { KubeClient, RequestOptions } from "../../client/kube-client.ts";
import type { KubeObject, Manifest } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ListRules } from "../comparison/list-types.ts";
import { copyOf, mergeDeclared, mergePatchOf } from "../comparison/manifest-merge.ts";
import { storedHash, withMark } from "../comparison/intent-hash.ts";
import { causesOf, isAboutDeclared, mayStandInTheWay, withoutObstacles } from "../comparison/obstacles.ts";
import { appliedEntries, sharesUndeclared, withoutUndeclared } from "../comparison/owned-fields.ts";
import { hasUndeclared, isStoredAsSent } from "../comparison/undeclared.ts";
import { isConflict, isInvalid, isMisfit, isNotFound, ApiError } from "../../client/api-error.ts";
import type { ResourceScope } from "./resource-scope.ts";

/**
 * How an object is written, where it is not to be whatever costs the server least.
 *
 * - `apply`: server-side apply with our field manager, taking over what we declare.
 * - `patch`: a merge patch of what differs, guarded by the resource version; cheaper for the server.
 * - `update`: the whole object, guarded by the resource version.
 *
 * The last two read the object first, to know from managedFields which fields were ours.
 */
export type WriteMode = "apply" | "patch" | "update";

/**
 * `cheapest`: a type that the server stores as it is sent is created by POST and changed by a merge patch, without a read unless
 * something that is not declared may be ours; any other one by apply. Who owns which field comes out the same.
 */
type WriteForm = WriteMode | "cheapest";

/** One write of a declared object. */
export interface ObjectWrite<TObject extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType<TObject>;
  readonly manifest: Manifest;
  /** What it is created with: the same, and the fields that belong to others afterwards. */
  readonly creation: Manifest;
  /** Dotted paths of those. */
  readonly kept: readonly string[];
  /** Of the manifest; kept on the object. */
  readonly hash: string;
  readonly fieldManager: string;
  /** Under which earlier versions of the operator wrote: what they own is ours. */
  readonly formerManagers: readonly string[];
  /** What ends its requests. */
  readonly limits: RequestOptions;
  readonly mode: WriteForm;
  readonly rules: ListRules;
  /** As it was seen last; undefined when there is none. */
  readonly live: TObject | undefined;
  /** Whether the live object was last written by apply, as far as it says so. */
  readonly isApplied: boolean;
  /** Whether this operator has made it, and has written it last in another way than by apply, as far as it says so. */
  readonly isPosted: boolean;
  readonly countWrite: () => void;
}

/**
 * Creates the object, and changes none: that the cache shows none says little.
 *
 * **Errors**: the client's; a conflict when there is one of that name. **RBAC**: `patch` and `create` (mode `apply`), else
 * `create`.
 */
export function createObject<TObject extends KubeObject>(write: ObjectWrite<TObject>): Promise<TObject> {
  const { client, type, fieldManager, limits, creation, hash, kept } = write;
  const applies = write.mode === "apply" || (write.mode === "cheapest" && !isChangedByPatch(write));
  // What is kept is ours until the first change, which begins as one of an object that was written in another way.
  const manifest = withMark(creation, {
    hash,
    byApply: applies && kept.length === 0,
    operator: fieldManager,
  });
  write.countWrite();
  // What is applied later is not created by POST: the same name would then own the fields twice, and dropping one would not remove it.
  if (applies) return client.apply(type, manifest, { fieldManager, onlyIfAbsent: true, ...limits });
  return client.create(type, manifest, { fieldManager, ...limits });
}

/** Whether an object that was created by POST goes on to be changed by patches. */
function isChangedByPatch({ type, kept }: Pick<ObjectWrite<KubeObject>, "type" | "kept">): boolean {
  return isStoredAsSent(type) && kept.length === 0;
}

/**
 * Makes an existing object what is declared. What stands in its way, and is not declared, goes: an element of a keyed list with
 * the unique value of one of ours, an alternative to a declared member of a union. Only then a refusal costs more requests.
 *
 * **RBAC**: `patch`; `get` for others than `apply`, and where something stands in the way; `update` for mode `update`.
 */
export async function updateObject<TObject extends KubeObject>(
  write: ObjectWrite<TObject>,
): Promise<TObject> {
  const { mode, live } = write;
  if (mode === "patch" || mode === "update") return updateWhole(write, mode);
  if (mode === "cheapest" && live !== undefined && write.isPosted && isChangedByPatch(write)) {
    return patchPosted(write, live);
  }
  if (!write.isApplied) await markAsApplied(write);
  try {
    return await applyTo(write);
  } catch (error) {
    if (!isInvalid(error) && !isMisfit(error)) throw error;
    // The object is valid, and so is what is declared, or nothing helps: apply only adds, so the rest is taken out by a patch.
    await updateWhole(write, "patch", { refusal: error });
    await markAsApplied(write);
    return applyTo(write);
  }
}

/**
 * What the server would make of the object, which it leaves as it is.
 *
 * **Errors**: the client's; also where an admission webhook has no dry run. **RBAC**: as {@link updateObject}.
 */
export async function previewOf<TObject extends KubeObject>(write: ObjectWrite<TObject>): Promise<TObject> {
  const { client, type, fieldManager, limits, mode } = write;
  if (mode === "apply" || mode === "cheapest") {
    const options = { fieldManager, force: true, dryRun: true, ...limits };
    return client.apply(type, manifestOf(write, "apply"), options);
  }
  const { live, wanted } = await readAndMerge(write, manifestOf(write, mode));
  return replace({ ...write, countWrite: () => undefined }, mode, live, wanted, true);
}

/** Applies to the very object that was seen: one that has taken its name is another's. */
async function applyTo<TObject extends KubeObject>(write: ObjectWrite<TObject>): Promise<TObject> {
  const { client, type, fieldManager, limits, live } = write;
  const uid = live?.metadata.uid;
  const { metadata, ...rest } = manifestOf(write, "apply");
  write.countWrite();
  try {
    const manifest = { ...rest, metadata: uid === undefined ? metadata : { ...metadata, uid } };
    return await client.apply(type, manifest, { fieldManager, force: true, ...limits });
  } catch (error) {
    const isReplaced = isInvalid(error) && causesOf(error).some(({ field }) => field === "metadata.uid");
    throw isReplaced ? anotherObject(write) : error;
  }
}

/** The conflict where the object that was seen is gone, or another one has taken its name. */
function anotherObject(
  { type, manifest }: ObjectWrite<KubeObject>,
  what: "deleted" | "deleted and created again" = "deleted and created again",
): ApiError {
  const { name } = manifest.metadata;
  const message = `${type.kind} "${name}" was ${what} since it was read`;
  const details = { kind: type.kind, name };
  return new ApiError(message, {
    status: 409,
    reason: "Conflict",
    details,
    retryAfter: undefined,
    request: `write ${type.kind} ${name}`,
  });
}

function manifestOf({ manifest, hash, fieldManager }: ObjectWrite<KubeObject>, mode: WriteMode): Manifest {
  return withMark(manifest, { hash, byApply: mode === "apply", operator: fieldManager });
}

function managersOf({ fieldManager, formerManagers }: ObjectWrite<KubeObject>): readonly string[] {
  return [fieldManager, ...formerManagers];
}

/**
 * Changes an object that was created by POST, as it was seen, by what differs. Only where something of it is not declared, and may
 * be what was declared before, managedFields are read; and where another client has changed it since.
 */
async function patchPosted<TObject extends KubeObject>(
  write: ObjectWrite<TObject>,
  live: TObject,
): Promise<TObject> {
  const { rules, hash } = write;
  const manifest = manifestOf(write, "patch");
  if (storedHash(live) !== hash && hasUndeclared(live, manifest, rules)) return patchAsRead(write);
  const wanted = copyOf(live) as TObject;
  mergeDeclared(wanted, manifest, rules);
  try {
    return await replace(write, "patch", live, wanted);
  } catch (error) {
    if (isNotFound(error)) throw anotherObject(write, "deleted");
    if (isConflict(error)) return patchAsRead(write);
    if (!isInvalid(error) && !isMisfit(error)) throw error;
    return updateWhole(write, "patch", { refusal: error });
  }
}

/** The same, by what managedFields say. What stays because another client owns it as well is let go of, which only apply does. */
async function patchAsRead<TObject extends KubeObject>(write: ObjectWrite<TObject>): Promise<TObject> {
  const manifest = manifestOf(write, "patch");
  const read = await readAndMerge(write, manifest);
  if (!sharesUndeclared(read.live, manifest, managersOf(write))) return updateWhole(write, "patch", { read });
  await markAsApplied(write);
  return applyTo(write);
}

/** Requests in which what the server says stands in the way may come to light. */
const mostAttempts = 4;

/**
 * Writes the object as it is with what is declared, guarded by its version; without what a refusal says stands in the way. After
 * a `refusal` of the same by apply nothing is sent unless there is such a thing. Errors: the client's, or the refusal.
 */
async function updateWhole<TObject extends KubeObject>(
  write: ObjectWrite<TObject>,
  mode: "patch" | "update",
  { refusal, read }: { readonly refusal?: ApiError; readonly read?: ReadObject<TObject> } = {},
): Promise<TObject> {
  const { rules } = write;
  if (refusal !== undefined && isAboutDeclared(refusal)) throw refusal;
  const manifest = manifestOf(write, mode);
  const { live, wanted: merged } = read ?? (await readAndMerge(write, manifest));
  let wanted = merged;
  if (refusal !== undefined && !mayStandInTheWay(wanted, manifest, refusal, rules)) throw refusal;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await replace(write, mode, live, wanted);
    } catch (error) {
      if ((!isInvalid(error) && !isMisfit(error)) || attempt === mostAttempts) throw error;
      // The elements of its lists are where the server says, as it was sent whole.
      const cleared = withoutObstacles(wanted, manifest, error, rules);
      if (cleared === undefined) throw error;
      wanted = cleared;
    }
  }
}

/** An object that was read to be written. */
interface ReadObject<TObject> {
  readonly live: TObject;
  /** The same with what is declared. */
  readonly wanted: TObject;
}

/** The object as it is, and as it is with what is declared. Errors: a conflict when it is another one than was seen. */
async function readAndMerge<TObject extends KubeObject>(
  write: ObjectWrite<TObject>,
  manifest: Manifest,
): Promise<ReadObject<TObject>> {
  const { client, type, limits, rules } = write;
  const uid = write.live?.metadata.uid;
  const live = await client.get(type, keyOf(manifest), limits);
  if (uid !== undefined && live.metadata.uid !== uid) throw anotherObject(write);
  const wanted = withoutUndeclared(live, manifest, managersOf(write), { kept: write.kept, rules });
  mergeDeclared(wanted, manifest, rules);
  return { live, wanted };
}

/** Replaces the object as it was read. */
async function replace<TObject extends KubeObject>(
  { client, type, fieldManager, limits, countWrite }: ObjectWrite<TObject>,
  mode: "patch" | "update",
  live: TObject,
  wanted: TObject,
  dryRun = false,
): Promise<TObject> {
  const { managedFields: _server, ...metadata } = wanted.metadata;
  const next = { ...wanted, metadata };
  if (mode === "update") {
    countWrite();
    return client.update(type, next, { fieldManager, ...limits, dryRun });
  }
  const { managedFields: _ours, ...liveMetadata } = live.metadata;
  const patch = mergePatchOf(fieldsOf({ ...live, metadata: liveMetadata }), fieldsOf(next));
  if (patch === undefined) return live;
  const { resourceVersion } = live.metadata;
  const body = { ...patch, metadata: { ...(patch["metadata"] as object | undefined), resourceVersion } };
  countWrite();
  return client.patch(type, keyOf(live), { type: "merge", body }, { fieldManager, ...limits, dryRun });
}

/**
 * Makes fields that we have written in another way ours by apply. Apply would own them beside that, and what is no longer
 * declared would stay; so this comes first, and is found to be done already when it is cut off before the apply.
 */
async function markAsApplied<TObject extends KubeObject>(write: ObjectWrite<TObject>): Promise<void> {
  const { client, type, manifest, fieldManager, limits, kept } = write;
  const key = keyOf(manifest);
  const { resourceVersion, managedFields = [] } = (await client.get(type, key, limits)).metadata;
  const value = appliedEntries(managedFields, managersOf(write), kept);
  if (value === undefined) return;
  write.countWrite();
  // The version is replaced, not tested: then another write in between is a conflict, and no invalid request.
  const body = [
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "replace", path: "/metadata/managedFields", value },
  ] as const;
  await client.patch(type, key, { type: "json", body }, { fieldManager, ...limits });
}

function fieldsOf(object: object): Readonly<Record<string, unknown>> {
  return { ...object };
}

/**
 * Deletes the object with this uid, whatever has become of it or only `as seen`; or so that it is gone only after what belongs
 * to it is. What belongs to it is deleted in any case.
 *
 * **Errors**: the client's; a conflict when another object took its name, or it is not as it was seen. **RBAC**: `delete` on the type.
 */
export async function deleteObject(
  scope: Pick<ResourceScope, "client" | "signal" | "countWrite">,
  type: ResourceType,
  object: KubeObject,
  which: "whatever it is" | "as seen" | "with dependents first" = "whatever it is",
): Promise<void> {
  const { client, signal, countWrite } = scope;
  const { uid, resourceVersion } = object.metadata;
  const preconditions = which === "as seen" ? { uid, resourceVersion } : { uid };
  try {
    countWrite();
    // Always said: what belongs to a Job would stay otherwise.
    const propagationPolicy = which === "with dependents first" ? "Foreground" : "Background";
    await client.delete(type, keyOf(object), { signal, preconditions, propagationPolicy });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
