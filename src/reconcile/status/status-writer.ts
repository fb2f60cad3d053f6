// Writes the drafted status: a merge patch of what differs, guarded by the resource version it was worked out from.
import type { KubeClient } from "../../client/kube-client.ts";
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { SettledStatuses } from "./settled-statuses.ts";
import type { StatusDraft } from "./status-draft.ts";

/** Options of {@link createStatusWriter}. */
export interface StatusWriterOptions<TCR extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType<TCR>;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  readonly settled: SettledStatuses;
  /** The custom resource whose status was drafted; its resource version guards the write. */
  readonly cr: TCR;
  /** Told of each write request that was sent. */
  readonly countWrite: () => void;
  readonly onWritten: (cr: TCR) => void;
}

/**
 * A function that writes a draft if it differs from what is stored; without a difference no request is sent.
 *
 * **Errors**: the client's; a conflict (409) when the custom resource has changed since it was read.
 * **RBAC**: `patch` on the custom resource's `status`.
 */
export function createStatusWriter<TCR extends KubeObject>(
  options: StatusWriterOptions<TCR>,
): (draft: StatusDraft) => Promise<void> {
  const { client, type, fieldManager, signal, settled } = options;
  const { uid } = options.cr.metadata;
  let { resourceVersion } = options.cr.metadata;
  return async (draft) => {
    const status = draft.patch();
    if (status === undefined || settled.covers(uid, resourceVersion, status)) return;
    signal.throwIfAborted();
    options.countWrite();
    const body = { metadata: { resourceVersion }, status };
    const written = await client.patch(
      type,
      keyOf(options.cr),
      { type: "merge", body },
      { subresource: "status", fieldManager, signal },
    );
    resourceVersion = written.metadata.resourceVersion;
    const dropped = draft.accept(written);
    if (dropped !== undefined) settled.remember(uid, resourceVersion, dropped);
    options.onWritten(written);
  };
}
