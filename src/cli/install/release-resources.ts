// Takes the operator's finalizer from resources that nobody will end any more; what they stand for is left behind.
import { isConflict, isInvalid, isNotFound } from "../../client/api-error.ts";
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { finalizerOf } from "../../controller/run/reconciler.ts";
import type { Progress } from "../progress.ts";
import { UsageError } from "../usage-error.ts";
import { fieldManager, type InstallTools } from "./apply-manifests.ts";

/** Attempts against others that change the finalizers of the same resource. */
const mostAttempts = 5;

/** Counts how often `--release` was given. */
export function countReleases(_value: string | undefined, times: number): number {
  return times + 1;
}

/** Errors: of the usage, when `--release` was given once. */
export function refuseOneRelease(release: number, instead: string): void {
  if (release !== 1) return;
  throw new UsageError(
    "--release leaves behind what the resources stand for, and nobody will ever end it",
    `Say it twice (--release --release), or ${instead}.`,
  );
}

/** Takes it from each of them that still has it, and is still the same object. */
export async function releaseResources(
  tools: InstallTools,
  type: ResourceType,
  held: readonly KubeObject[],
  progress: Progress,
): Promise<void> {
  if (held.length === 0) return;
  for (const resource of held) await releaseOne(tools, type, resource);
  progress.done(`${type.kind}: ${held.length} released`);
}

async function releaseOne(
  { client, signal }: InstallTools,
  type: ResourceType,
  resource: KubeObject,
): Promise<void> {
  const key = keyOf(resource);
  const finalizer = finalizerOf(type);
  const { uid } = resource.metadata;
  let { finalizers = [] } = resource.metadata;
  for (let attempt = 1; finalizers.includes(finalizer); attempt += 1) {
    const path = `/metadata/finalizers/${finalizers.indexOf(finalizer)}`;
    const body = [
      { op: "test", path: "/metadata/uid", value: uid },
      { op: "test", path, value: finalizer },
      { op: "remove", path },
    ] as const;
    try {
      await client.patch(type, key, { type: "json", body }, { fieldManager, signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (attempt === mostAttempts || !(isConflict(error) || isInvalid(error))) throw error;
    }
    const now = await client.get(type, key, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    finalizers = now?.metadata.uid === uid ? (now?.metadata.finalizers ?? []) : [];
  }
}
