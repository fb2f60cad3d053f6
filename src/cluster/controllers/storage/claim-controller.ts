// Binds persistent volume claims of no class, and of classes whose provisioner is ours, at once to a volume made for them: a folder of the
// pod runtime, or nothing where pods are simulated. The volume and its folder go with the claim.
import { isAlreadyExists, isNotFound } from "../../../client/api-error.ts";
import type { KubeClient } from "../../../client/kube-client.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../kinds/builtin/core.ts";
import { StorageClass } from "../../../kinds/builtin/storage.ts";
import type { KubeObject } from "../../../meta/object.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import type { PodRuntime } from "../../pods/pod-runtime.ts";
import { isPodFinished } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { writeStatus } from "../workload-status.ts";
import { claimsOf } from "./claim-names.ts";
import { chooseVolume, folderProvisioner, provisioningOf } from "./volume-choice.ts";

/** Finalizers that Kubernetes' admission adds, and whose removal is the controllers' part. */
const claimProtection = "kubernetes.io/pvc-protection";
const volumeProtection = "kubernetes.io/pv-protection";

/** Marks the volumes that are ours to delete. */
const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** Whether a volume was made here. */
export function isProvisionedHere({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[provisionedBy] === folderProvisioner;
}

/** Marks claims that have their volume, and those for which it was chosen here. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const boundByController = "pv.kubernetes.io/bound-by-controller";

/** The controller of claims. RBAC: all on persistent volumes and claims and their status; `list`, `watch` on pods. */
export function claimController(context: ControllerContext, runtime: PodRuntime): ControllerDefinition {
  const { cache, client } = context;
  const claims = cache.informer<PersistentVolumeClaim>(PersistentVolumeClaim);
  const volumes = cache.informer<PersistentVolume>(PersistentVolume);
  const pods = cache.informer<Pod>(Pod);
  const classes = cache.informer<StorageClass>(StorageClass);

  /** Whether the volume of a claim is made here: of those that are there, none is for it. */
  function isForUs(claim: PersistentVolumeClaim): boolean {
    const { volumeName } = claim.spec;
    if (volumeName !== undefined) {
      const volume = volumes.lister.get({ name: volumeName });
      return volume !== undefined && isProvisionedHere(volume);
    }
    const chosen = chooseVolume(claim, volumes.lister.list());
    if (chosen !== undefined && !isProvisionedHere(chosen)) return false;
    return provisioningOf(claim, (name) => classes.lister.get({ name })).by === "folder";
  }

  async function bind(claim: PersistentVolumeClaim): Promise<void> {
    const { name, namespace, uid } = claim.metadata;
    const volumeName = claim.spec.volumeName ?? `pvc-${uid}`;
    const capacity = claim.spec.resources?.requests ?? {};
    if (claim.spec.volumeName === undefined) {
      const path = (await runtime.claimFolder(namespace, name)) ?? `/simulated/${namespace}/${name}`;
      await createVolume(claim, volumeName, path);
      const annotations = { [bindCompleted]: "yes", [boundByController]: "yes" };
      const body = { metadata: { uid, annotations }, spec: { volumeName } };
      await client.patch(PersistentVolumeClaim, keyOf(claim), { type: "merge", body });
    }
    const volume = volumes.lister.get({ name: volumeName });
    if (volume !== undefined)
      await writeStatus(context, PersistentVolume, volume, { ...volume.status, phase: "Bound" });
    const bound = claims.lister.get(keyOf(claim)) ?? claim;
    const accessModes = claim.spec.accessModes ?? ["ReadWriteOnce"];
    await writeStatus(context, PersistentVolumeClaim, bound, {
      ...bound.status,
      phase: "Bound",
      accessModes,
      capacity,
    });
  }

  async function createVolume(claim: PersistentVolumeClaim, name: string, path: string): Promise<void> {
    const { metadata, spec } = claim;
    const manifest = {
      apiVersion: "v1",
      kind: PersistentVolume.kind,
      metadata: { name, annotations: { [provisionedBy]: folderProvisioner } },
      spec: {
        capacity: spec.resources?.requests ?? {},
        accessModes: spec.accessModes ?? ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Delete",
        ...(spec.storageClassName === undefined ? {} : { storageClassName: spec.storageClassName }),
        volumeMode: spec.volumeMode ?? "Filesystem",
        hostPath: { path },
        claimRef: {
          apiVersion: "v1",
          kind: PersistentVolumeClaim.kind,
          namespace: metadata.namespace,
          name: metadata.name,
          uid: metadata.uid,
        },
      },
    };
    try {
      await client.create(PersistentVolume, manifest);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  function isInUse({ metadata }: PersistentVolumeClaim): boolean {
    const { namespace, name } = metadata;
    return pods.lister
      .list({ namespace })
      .some((pod) => !isPodFinished(pod) && claimsOf(pod).some((each) => each.name === name));
  }

  /** Removes the volumes of claims that are gone, with their folders. */
  async function reclaim(namespace: string, name: string): Promise<void> {
    const present = claims.lister.get({ namespace, name });
    for (const volume of volumes.lister.list()) {
      const { claimRef } = volume.spec ?? {};
      if (!isProvisionedHere(volume) || claimRef?.namespace !== namespace || claimRef.name !== name) continue;
      if (claimRef.uid === present?.metadata.uid) continue;
      if (present === undefined) await runtime.releaseClaim(namespace, name);
      try {
        if (volume.metadata.deletionTimestamp === undefined) {
          await client.delete(PersistentVolume, keyOf(volume), {
            preconditions: { uid: volume.metadata.uid },
          });
        }
        await unprotectVolume(client, volumes.lister.get(keyOf(volume)) ?? volume);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  async function reconcile(key: string): Promise<undefined> {
    const { namespace = "", name } = parseKey(key);
    const claim = claims.lister.get({ namespace, name });
    await reclaim(namespace, name);
    if (claim === undefined) return undefined;
    if (claim.metadata.deletionTimestamp === undefined) {
      if (isForUs(claim)) await bind(claim);
    } else if (!isInUse(claim)) await unprotect(client, PersistentVolumeClaim, claim, claimProtection);
    return undefined;
  }

  return {
    name: "claim",
    sources: [
      fromInformer(claims, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]),
      fromInformer(volumes, (volume) => {
        const { claimRef } = volume.spec ?? {};
        return isProvisionedHere(volume) && claimRef !== undefined
          ? [`${claimRef.namespace}/${claimRef.name}`]
          : [];
      }),
      fromInformer(classes, () =>
        claims.lister
          .list()
          .filter(({ status }) => status?.phase !== "Bound")
          .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      ),
      fromInformer(pods, (pod) => claimsOf(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`)),
    ],
    reconcile,
  };
}

/** Lets a volume go that is being deleted. */
export function unprotectVolume(client: KubeClient, volume: PersistentVolume): Promise<void> {
  return unprotect(client, PersistentVolume, volume, volumeProtection);
}

async function unprotect<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  object: T,
  finalizer: string,
): Promise<void> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  const left = finalizers.filter((each) => each !== finalizer);
  const body = { metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left } };
  await client.patch(type, keyOf(object), { type: "merge", body });
}
