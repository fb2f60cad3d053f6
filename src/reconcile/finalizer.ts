// Our finalizer on the custom resource: added before any child exists, removed only after the clean-up succeeded.
// Finalizers are a set that several controllers share: each change names only ours and tests what it is about to change.
import type { JsonPatchOperation, KubeClient } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import { keyOf } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { isNotFound } from "../client/api-error.ts";
import { statusOf } from "./outcome/failure-meaning.ts";

/** Attempts against concurrent changes before the run is given back to the queue. */
const attempts = 5;

/** Whose finalizers {@link addFinalizer} and {@link removeFinalizer} change, and how. */
export interface FinalizerTarget<TCR extends KubeObject> {
  readonly client: KubeClient;
  readonly crType: ResourceType<TCR>;
  readonly cr: TCR;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** Called with each write request that was sent. */
  readonly countWrite: () => void;
}

/** Whether the object carries the finalizer. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

/** The patch that adds the finalizer if the list is still what it was. */
export function addFinalizerPatch(object: KubeObject, finalizer: string): readonly JsonPatchOperation[] {
  const { uid, resourceVersion, finalizers = [] } = object.metadata;
  const same: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: uid };
  if (finalizers.length === 0) {
    // An absent list cannot be tested by value on every server; the resource version can.
    return [
      same,
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      { op: "add", path: "/metadata/finalizers", value: [finalizer] },
    ];
  }
  return [
    same,
    { op: "test", path: "/metadata/finalizers", value: finalizers },
    { op: "add", path: "/metadata/finalizers/-", value: finalizer },
  ];
}

/** The patch that removes every copy of the finalizer if each is still where it was; others are untouched. */
export function removeFinalizerPatch(object: KubeObject, finalizer: string): readonly JsonPatchOperation[] {
  const { uid, finalizers = [] } = object.metadata;
  const removals = finalizers
    .map((each, index) => ({ each, path: `/metadata/finalizers/${index}` }))
    .filter(({ each }) => each === finalizer)
    // From the end, so that the places before are still right.
    .reverse()
    .flatMap(({ path }): JsonPatchOperation[] => [
      { op: "test", path, value: finalizer },
      { op: "remove", path },
    ]);
  return removals.length === 0 ? [] : [{ op: "test", path: "/metadata/uid", value: uid }, ...removals];
}

/**
 * Adds the finalizer unless it is there or the object is being deleted; the custom resource as it is then, or undefined
 * when it is gone.
 *
 * **Errors**: `FINALIZER_CONTENDED` when the object changes faster than it can be patched; the client's errors.
 * **RBAC**: `get`, `patch` on the custom resource.
 */
export function addFinalizer<TCR extends KubeObject>(
  target: FinalizerTarget<TCR>,
  finalizer: string,
): Promise<TCR | undefined> {
  return patchUntil(target, finalizer, (cr) =>
    hasFinalizer(cr, finalizer) || cr.metadata.deletionTimestamp !== undefined
      ? []
      : addFinalizerPatch(cr, finalizer),
  );
}

/**
 * Removes the finalizer if it is there; the custom resource as it is then, or undefined when it is gone.
 *
 * **Errors**: `FINALIZER_CONTENDED` when the object changes faster than it can be patched; the client's errors.
 * **RBAC**: `get`, `patch` on the custom resource.
 */
export function removeFinalizer<TCR extends KubeObject>(
  target: FinalizerTarget<TCR>,
  finalizer: string,
): Promise<TCR | undefined> {
  return patchUntil(target, finalizer, (cr) => removeFinalizerPatch(cr, finalizer));
}

async function patchUntil<TCR extends KubeObject>(
  target: FinalizerTarget<TCR>,
  finalizer: string,
  patchOf: (cr: TCR) => readonly JsonPatchOperation[],
): Promise<TCR | undefined> {
  const { client, crType, fieldManager, signal } = target;
  const key = keyOf(target.cr);
  let { cr } = target;
  let conflict: unknown;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const body = patchOf(cr);
    if (body.length === 0) return cr;
    try {
      target.countWrite();
      return await client.patch(crType, key, { type: "json", body }, { fieldManager, signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isRefusedTest(error)) throw error;
      conflict = error;
    }
    const fresh = await readAgain(target);
    // Another uid is another object of the same name: ours is gone.
    if (fresh === undefined || fresh.metadata.uid !== cr.metadata.uid) return undefined;
    cr = fresh;
  }
  throw new OperatorError(
    "FINALIZER_CONTENDED",
    `the finalizers of ${crType.kind} "${key.name}" change faster than ${finalizer} can be set or removed`,
    { cause: conflict, remedy: "Find who else writes its finalizers, by managedFields or the audit log." },
  );
}

/** 409 for a stale object, 422 for a test that does not hold. */
function isRefusedTest(error: unknown): boolean {
  const status = statusOf(error);
  return status === 409 || status === 422;
}

/** The custom resource as the server has it; undefined when it is gone. **RBAC**: `get` on the custom resource. */
export async function readAgain<TCR extends KubeObject>({
  client,
  crType,
  cr,
  signal,
}: FinalizerTarget<TCR>): Promise<TCR | undefined> {
  try {
    return await client.get(crType, keyOf(cr), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
