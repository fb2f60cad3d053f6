// Where the files of a pod come from.
import type { PersistentVolumeClaimSpec } from "./persistent-volume-claim.ts";

/** A volume of a pod: a name and exactly one source. */
export interface Volume extends VolumeSource {
  readonly name: string;
}

/** The sources of a volume; exactly one is set. */
export interface VolumeSource {
  readonly configMap?: ConfigMapVolume;
  readonly secret?: SecretVolume;
  readonly emptyDir?: { readonly medium?: "" | "Memory"; readonly sizeLimit?: string };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly projected?: {
    readonly defaultMode?: number;
    readonly sources?: readonly Readonly<Record<string, unknown>>[];
  };
  readonly downwardAPI?: {
    readonly defaultMode?: number;
    readonly items?: readonly Readonly<Record<string, unknown>>[];
  };
  readonly csi?: {
    readonly driver: string;
    readonly readOnly?: boolean;
    readonly fsType?: string;
    readonly volumeAttributes?: Readonly<Record<string, string>>;
  };
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean };
  readonly ephemeral?: {
    readonly volumeClaimTemplate?: { readonly spec: PersistentVolumeClaimSpec };
  };
}

/** One key as one file. */
export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** The keys of a ConfigMap as files. */
export interface ConfigMapVolume {
  readonly name: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

/** The keys of a Secret as files. */
export interface SecretVolume {
  readonly secretName: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}
