// Writes the drafted status: a patch of what differs, guarded by the resource version it was worked out from. The guard is
// for the status: what another client wrote is not overwritten. Where only something else has changed meanwhile (a hook that
// annotates its own resource in each run), the same patch goes in once more, guarded by the version that is there now.
import { isConflict, isNotFound } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { KubeObject } from "../../meta/object.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { SettledStatuses } from "./settled-statuses.ts";
import { storedStatus, type StatusDraft } from "./status-draft.ts";
import { statusPatchOf, type StatusChange } from "./status-patch.ts";

/** Options of {@link createStatusWriter}. */
export interface StatusWriterOptions<TCR extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType<TCR>;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  readonly settled: SettledStatuses;
  /** The custom resource whose status was drafted; its resource version guards the write. */
  readonly cr: TCR;
  /** Called with each write request that was sent. */
  readonly countWrite: () => void;
}

/**
 * A function that writes a draft if it differs from what is stored; without a difference no request is sent.
 *
 * **Errors**: the client's; a conflict (409) when another client has written the status since it was read, when the custom
 * resource is to be deleted by now, or is another one of that name.
 * **RBAC**: `patch` on the custom resource's `status`, `get` on the custom resource.
 */
export function createStatusWriter<TCR extends KubeObject>(
  options: StatusWriterOptions<TCR>,
): (draft: StatusDraft) => Promise<void> {
  const { client, type, fieldManager, signal, settled, countWrite } = options;
  const key = keyOf(options.cr);
  const { uid, deletionTimestamp } = options.cr.metadata;
  let { resourceVersion } = options.cr.metadata;

  function send(version: string, change: StatusChange): Promise<TCR> {
    signal.throwIfAborted();
    countWrite();
    const patch = statusPatchOf(change, version);
    return client.patch(type, key, patch, { subresource: "status", fieldManager, signal });
  }

  /** The custom resource as it is now, if its status is still the one that the draft was worked out from. */
  async function withSameStatus(draft: StatusDraft): Promise<TCR | undefined> {
    let found: TCR;
    try {
      found = await client.get(type, key, { signal });
    } catch (error) {
      if (isNotFound(error)) throw error;
      return undefined;
    }
    const { metadata } = found;
    const same =
      metadata.uid === uid &&
      metadata.deletionTimestamp === deletionTimestamp &&
      isEqualJson(storedStatus(found), draft.stored);
    return same ? found : undefined;
  }

  return async (draft) => {
    const change = draft.change();
    if (change === undefined || settled.covers(uid, resourceVersion, change)) return;
    let written: TCR;
    try {
      written = await send(resourceVersion, change);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const now = await withSameStatus(draft);
      if (now === undefined) throw error;
      written = await send(now.metadata.resourceVersion, change);
    }
    resourceVersion = written.metadata.resourceVersion;
    const dropped = draft.accept(written);
    if (dropped !== undefined) settled.remember(uid, resourceVersion, dropped);
  };
}
