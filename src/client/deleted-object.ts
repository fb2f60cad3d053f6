// What the answer to a delete says of the object. Read by every client.
import type { KubeObject } from "../meta/object.ts";

/**
 * Whether the answer to a delete is an object that is still there. One that is gone is answered with a Status or, for pods and
 * some others, with its last state: nothing is left in it that could keep the object, or it has no version any more
 * (when another delete was faster).
 */
export function isKept(metadata: Partial<KubeObject["metadata"]> | undefined): boolean {
  const {
    deletionTimestamp,
    finalizers = [],
    deletionGracePeriodSeconds = 0,
    resourceVersion = "",
  } = metadata ?? {};
  if (deletionTimestamp === undefined || resourceVersion === "") return false;
  return finalizers.length > 0 || deletionGracePeriodSeconds > 0;
}
