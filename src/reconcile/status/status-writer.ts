// Writes the drafted status: a patch of what differs, or the whole of it, guarded by the resource version it was worked out from. The guard is
// for the status: what another client wrote is not overwritten. Where only something else has changed meanwhile (a hook that
// annotates its own resource in each run), the same patch goes in once more, guarded by the version that is there now.
import { isConflict, isNotFound } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { KubeObject } from "../../meta/object.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { Ends } from "../../ports/deadline.ts";
import {
  storedStatus,
  withStatus,
  type StatusDraft,
  statusPatchOf,
  type StatusChange,
} from "./status-draft.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";

/** Whose status is written, and how. */
export interface StatusTarget<TCR extends KubeObject> {
  /** The custom resource whose status was drafted. */
  readonly cr: TCR;
  readonly crType: ResourceType<TCR>;
  readonly client: KubeClient;
  readonly fieldManager: string;
  readonly memory: { readonly statuses: SettledStatuses };
  /** Nothing is written after it is over. */
  readonly lifetime: Ends;
  /** Called with each write request that was sent. */
  readonly countWrite: () => void;
}

/**
 * Writes a draft if it differs from what is stored; without a difference no request is sent.
 *
 * **Errors**: the client's; a conflict (409) when another client has written the status since it was read, when the custom
 * resource is to be deleted by now, or is another one of that name.
 * **RBAC**: `update` on the custom resource's `status`, or `patch`, which costs the server more; `get` on the custom resource.
 */
export async function writeStatus<TCR extends KubeObject>(
  target: StatusTarget<TCR>,
  draft: StatusDraft,
): Promise<void> {
  const { statuses } = target.memory;
  const { uid } = target.cr.metadata;
  const { version, persisted } = draft;
  const change = draft.change();
  if (change === undefined || statuses.covers(uid, version, change)) return;
  let written: TCR;
  try {
    written = await send(target, { on: persisted, draft, change });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const now = await withSameStatus(target, draft);
    if (now === undefined) throw error;
    written = await send(target, { on: now, draft, change });
  }
  const dropped = draft.accept(written);
  if (dropped !== undefined) statuses.remember(uid, draft.version, dropped);
}

/** A change of the status, the state that it is made on, and the draft that it leads to. */
interface StatusWrite {
  readonly on: KubeObject;
  readonly draft: StatusDraft;
  readonly change: StatusChange;
}

function send<TCR extends KubeObject>(
  { client, crType, cr, fieldManager, lifetime: until, countWrite }: StatusTarget<TCR>,
  { on, draft, change }: StatusWrite,
): Promise<TCR> {
  if (until.over !== undefined) throw until.over.reason;
  countWrite();
  const patch = statusPatchOf(change, on.metadata.resourceVersion);
  const whole = withStatus(on, draft.drafted);
  return client.patch(crType, keyOf(cr), patch, {
    subresource: "status",
    fieldManager,
    until,
    ...(whole === undefined ? {} : { whole }),
  });
}

/** The custom resource as it is now, if its status is still the one that the draft was worked out from. */
async function withSameStatus<TCR extends KubeObject>(
  { client, crType, cr, lifetime: until }: StatusTarget<TCR>,
  draft: StatusDraft,
): Promise<TCR | undefined> {
  let found: TCR;
  try {
    found = await client.get(crType, keyOf(cr), { until });
  } catch (error) {
    if (isNotFound(error)) throw error;
    return undefined;
  }
  const { uid, deletionTimestamp } = found.metadata;
  const same =
    uid === cr.metadata.uid &&
    deletionTimestamp === cr.metadata.deletionTimestamp &&
    isEqualJson(storedStatus(found), draft.stored);
  return same ? found : undefined;
}

const remembered = 10_000;

interface SettledStatus {
  readonly resourceVersion: string;
  readonly patch: string;
}

/** For each custom resource, the last status patch and the state it led to. */
export class SettledStatuses {
  readonly #settled = new BoundedMap<string, SettledStatus>(remembered);

  /** Remembers that this patch led to this resource version and would be made again. */
  remember(uid: string, resourceVersion: string, patch: unknown): void {
    this.#settled.set(uid, { resourceVersion, patch: JSON.stringify(patch) });
  }

  /** Whether this very patch led to this resource version. */
  covers(uid: string, resourceVersion: string, patch: unknown): boolean {
    const settled = this.#settled.get(uid);
    return settled?.resourceVersion === resourceVersion && settled.patch === JSON.stringify(patch);
  }

  forget(uid: string): void {
    this.#settled.delete(uid);
  }
}
