// Whether the stored lifecycle of a resource is exactly what a run of this process has decided: then it need not be read as what anyone
// may have written. Noted once it is stored (planned-cycle.ts), asked before the next run reads it (application.ts).
import { noteOwnDraft } from "../../lifecycle/stored/read-status.ts";
import type { LifecycleStatus } from "../../lifecycle/stored/snapshot.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { lifecycleStatusOf } from "./lifecycle-fields.ts";
import type { ApplicationMemory } from "./shared-parts.ts";

/** Notes what was stored; `stored` is the resource as the server has answered. */
export function noteStored(
  memory: ApplicationMemory,
  stored: KubeObject,
  decided: LifecycleStatus | undefined,
): void {
  const status = lifecycleStatusOf(stored) as Partial<LifecycleStatus> | null | undefined;
  // What was passed through is distinguished before its digest is worked out.
  const isStored = decided !== undefined && status?.state === decided.state && isEqualJson(status, decided);
  if (isStored) memory.own = stateOf(stored, decided);
}

/** Has the lifecycle of a resource read as it is, where it is what this process has stored. */
export function trustOwn({ own }: ApplicationMemory, cr: KubeObject): void {
  if (own === undefined) return;
  const status = lifecycleStatusOf(cr) as LifecycleStatus | null | undefined;
  if (typeof status === "object" && status !== null && own === stateOf(cr, status)) noteOwnDraft(status);
}

/** The digest as well: where a cluster is restored from a backup, versions come again and mean something else. */
function stateOf({ metadata }: KubeObject, { digest }: Pick<LifecycleStatus, "digest">): string {
  return `${metadata.resourceVersion} ${digest}`;
}
