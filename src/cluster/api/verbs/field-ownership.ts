// Where writes meet server-side apply: who owns which fields after an update.
// The rules themselves are in src/cluster/patch; until an entry exists there, nothing is recorded.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { WriteObjectRequest } from "./object-request.ts";

/** What a write did. */
export interface OwnershipChange {
  readonly next: ApiObject;
  readonly current: ApiObject | undefined;
  readonly manager: string;
  /** The client wiped the record. */
  readonly cleared?: boolean;
}

/** The object with its managedFields after a write that is not an apply. */
export function recordOwnership(
  _core: ApiCore,
  _request: WriteObjectRequest,
  change: OwnershipChange,
): ApiObject {
  return change.next;
}
