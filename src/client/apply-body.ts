// What an apply sends. One that may only create is guarded by a version that no object has: the API server compares a version
// with that of the object it finds, and ignores it where it finds none.
import type { AnyManifest } from "../meta/object.ts";
import type { ApplyOptions } from "./kube-client.ts";

/** The revision of a store in which nothing was written yet. */
const versionOfNothing = "1";

/** The manifest as an apply with these options sends it. */
export function bodyOfApply(
  manifest: AnyManifest,
  { onlyIfAbsent = false }: Pick<ApplyOptions, "onlyIfAbsent">,
): AnyManifest {
  if (!onlyIfAbsent) return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, resourceVersion: versionOfNothing } };
}
