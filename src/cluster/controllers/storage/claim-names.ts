// Which claims a pod uses.
import type { Pod } from "../../../kinds/builtin/core.ts";

/** The names of the claims of a pod, in the order of its volumes. */
export function claimNamesOf({ spec: { volumes = [] } }: Pod): readonly string[] {
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
