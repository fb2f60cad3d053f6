// Makes the folders and files of a pod's volumes.
import { fieldOf } from "../../../schema/json-value.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { KeyToPath, Volume } from "../../../kinds/builtin/parts.ts";
import { ContainerStartError } from "../container-backend.ts";
import { confinedPath } from "./confined-folder.ts";
import type { KeysOf } from "../pod-sources.ts";
import type { MountedTokens } from "./mounted-tokens.ts";
import { type PodFieldFacts, podField } from "./pod-field.ts";

/** What {@link makeVolumes} needs. */
export interface VolumeOptions {
  readonly pod: Pod;
  /** Below it each volume that belongs to the pod gets a folder of its name. */
  readonly folder: string;
  readonly facts: PodFieldFacts;
  readonly keysOf: KeysOf;
  readonly tokens: Pick<MountedTokens, "place">;
  readonly claimFolder: (namespace: string, name: string) => Promise<string>;
}

/** A volume on this machine. */
export interface VolumeFolder {
  readonly path: string;
  /** Whether its owner may be changed to the pod's user: not for a path of the host. */
  readonly owned: boolean;
}

/**
 * Makes every volume and returns its folder by the volume's name. Files of ConfigMaps and Secrets are those of this moment:
 * they do not follow later changes.
 * Errors: `ContainerStartError` (CreateContainerConfigError) for a missing source or one that a process cannot have.
 */
export async function makeVolumes(options: VolumeOptions): Promise<Map<string, VolumeFolder>> {
  const folders = new Map<string, VolumeFolder>();
  for (const volume of options.pod.spec.volumes ?? []) {
    folders.set(volume.name, await makeVolume(volume, options));
  }
  return folders;
}

async function makeVolume(volume: Volume, options: VolumeOptions): Promise<VolumeFolder> {
  const { pod } = options;
  if (volume.hostPath !== undefined) return { path: volume.hostPath.path, owned: false };
  if (volume.persistentVolumeClaim !== undefined) {
    const { claimName } = volume.persistentVolumeClaim;
    return { path: await options.claimFolder(pod.metadata.namespace, claimName), owned: true };
  }
  const path = join(options.folder, confinedPath(volume.name, "the volume's name"));
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (volume.configMap !== undefined) {
    await writeKeys(path, "ConfigMap", volume.configMap, volume.configMap.defaultMode, options);
  } else if (volume.secret !== undefined) {
    const { secretName, defaultMode } = volume.secret;
    await writeKeys(path, "Secret", { ...volume.secret, name: secretName ?? "" }, defaultMode, options);
  } else if (volume.projected !== undefined) {
    for (const source of volume.projected.sources ?? []) {
      const mode = volume.projected.defaultMode;
      if (source.configMap !== undefined) {
        await writeKeys(path, "ConfigMap", source.configMap, mode, options);
      }
      if (source.serviceAccountToken !== undefined) {
        const { path: file, audience, expirationSeconds = 3_600 } = source.serviceAccountToken;
        await options.tokens.place(
          { folder: path, path: file, mode: mode ?? 0o644 },
          { expirationSeconds, ...(audience === undefined ? {} : { audience }) },
        );
      }
      if (source.secret !== undefined) await writeKeys(path, "Secret", source.secret, mode, options);
      if (source.downwardAPI !== undefined) await writeFields(path, source.downwardAPI.items, options);
    }
  } else if (volume.downwardAPI !== undefined) {
    await writeFields(path, volume.downwardAPI.items, options);
  } else if (volume.emptyDir === undefined && volume.ephemeral === undefined) {
    throw new ContainerStartError(
      "CreateContainerConfigError",
      `volume "${volume.name}" is of a kind that process pods do not have`,
      { remedy: "Use emptyDir, configMap, secret, projected, hostPath or persistentVolumeClaim." },
    );
  }
  return { path, owned: true };
}

async function writeKeys(
  folder: string,
  kind: "ConfigMap" | "Secret",
  { name = "", items, optional }: NonNullable<Volume["configMap"]>,
  defaultMode: number | undefined,
  { keysOf }: VolumeOptions,
): Promise<void> {
  const keys = await keysOf(kind, name);
  if (keys === undefined) {
    if (optional === true) return;
    throw new ContainerStartError("CreateContainerConfigError", `${kind.toLowerCase()} "${name}" not found`);
  }
  const files: readonly KeyToPath[] = items ?? Object.keys(keys).map((key) => ({ key, path: key }));
  for (const { key, path, mode } of files) {
    const value = fieldOf(keys, key);
    if (value !== undefined) await write(folder, path, value, mode ?? defaultMode ?? 0o644);
    else if (optional !== true) {
      throw new ContainerStartError(
        "CreateContainerConfigError",
        `${kind.toLowerCase()} "${name}" has no key "${key}"`,
      );
    }
  }
}

async function writeFields(
  folder: string,
  items: NonNullable<Volume["downwardAPI"]>["items"],
  { pod, facts }: VolumeOptions,
): Promise<void> {
  for (const { path, fieldRef } of items ?? []) {
    if (fieldRef !== undefined) await write(folder, path, podField(pod, fieldRef.fieldPath, facts), 0o644);
  }
}

async function write(folder: string, path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const file = join(folder, confinedPath(path, "the path in a volume"));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, data, { mode });
}
