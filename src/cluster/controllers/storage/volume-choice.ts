// Which volume a claim is bound to, and who makes it one where there is none, as Kubernetes decides it. Pure.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/builtin/core.ts";
import { isSelectedBy } from "../../../kinds/selector-match.ts";
import type { StorageClass } from "../../../kinds/builtin/storage.ts";
import { nanoOf } from "../../../schema/cel/quantity.ts";
import { equal } from "../../../schema/json-value.ts";

/** Who makes volumes in folders: the provisioner that classes name for ours. */
export const folderProvisioner = "xstate-operator.dev/folder";

/** Names the node of the pod for which a volume is bound. */
export const selectedNode = "volume.kubernetes.io/selected-node";

/** Whether a volume is kept for a claim. */
export function isKeptFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  const isOfIt = uid === undefined || uid === metadata.uid;
  return namespace === metadata.namespace && name === metadata.name && isOfIt;
}

/** The volume for a claim: one kept for it, else the smallest that is large enough, of just its access modes before others. */
export function chooseVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const fitting = volumes.filter((volume) => fits(volume, claim));
  const kept = fitting.find((volume) => volume.spec?.claimRef !== undefined);
  if (kept !== undefined) return kept;
  const modes = modesOf(claim);
  const rank = ({ spec }: PersistentVolume): number =>
    equal(spec?.accessModes?.toSorted(), modes) ? 0 : (spec?.accessModes?.length ?? 0);
  return fitting.toSorted((one, other) => rank(one) - rank(other) || sizeOrder(one, other))[0];
}

function modesOf({ spec }: PersistentVolumeClaim): readonly string[] {
  return (spec.accessModes ?? []).toSorted();
}

function sizeOrder(one: PersistentVolume, other: PersistentVolume): number {
  const [a, b] = [sizeOf(one), sizeOf(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function sizeOf({ spec }: PersistentVolume): bigint {
  return nanoOf(spec?.capacity?.["storage"]);
}

function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { spec, metadata, status } = volume;
  if (spec === undefined || metadata.deletionTimestamp !== undefined) return false;
  if (status?.phase === "Released" || status?.phase === "Failed") return false;
  if (spec.claimRef !== undefined && !isKeptFor(volume, claim)) return false;
  const { resources, selector, storageClassName = "", volumeMode = "Filesystem" } = claim.spec;
  const isAsked = (spec.storageClassName ?? "") === storageClassName && spec.volumeMode === volumeMode;
  const isSelected = selector === undefined || isSelectedBy(selector, metadata.labels ?? {});
  const offered = spec.accessModes ?? [];
  const asked = nanoOf(resources?.requests?.["storage"]);
  // What is kept for a claim need not have its labels.
  return (
    isAsked &&
    (isSelected || spec.claimRef !== undefined) &&
    modesOf(claim).every((mode) => offered.includes(mode)) &&
    sizeOf(volume) >= asked
  );
}

/** What becomes of a claim for which there is no volume. */
export type Provisioning =
  /** We make it one. */
  | { readonly by: "folder" }
  /** Another provisioner does. */
  | { readonly by: "other"; readonly provisioner: string }
  /** It waits, and says so. */
  | {
      readonly by: "nobody";
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    };

/** Who makes the volume of a claim. A claim that names no class, where none is the default, gets a folder. */
export function provisioningOf(
  claim: PersistentVolumeClaim,
  classOf: (name: string) => StorageClass | undefined,
): Provisioning {
  const { storageClassName: name } = claim.spec;
  if (name === undefined) return { by: "folder" };
  if (name === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    return { by: "nobody", type: "Normal", reason: "FailedBinding", message };
  }
  const storageClass = classOf(name);
  const failed = { by: "nobody", type: "Warning", reason: "ProvisioningFailed" } as const;
  if (storageClass === undefined)
    return { ...failed, message: `storageclass.storage.k8s.io "${name}" not found` };
  if (isDelayed(claim, storageClass)) {
    const message = "waiting for first consumer to be created before binding";
    return { by: "nobody", type: "Normal", reason: "WaitForFirstConsumer", message };
  }
  const { provisioner } = storageClass;
  if (provisioner === folderProvisioner) return { by: "folder" };
  if (provisioner.startsWith("kubernetes.io/"))
    return { ...failed, message: `no volume plugin matched name: ${provisioner}` };
  return { by: "other", provisioner };
}

/** Whether a claim waits until a pod that uses it has a node. */
export function isDelayed(
  { metadata }: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): boolean {
  return (
    storageClass?.volumeBindingMode === "WaitForFirstConsumer" &&
    metadata.annotations?.[selectedNode] === undefined
  );
}
