// Binds claims to volumes that are there already, made by hand or by the provisioner of their class, as Kubernetes' controller of
// persistent volumes does; and says why a claim waits. What is made in folders is bound where it is made.
import { PersistentVolume, PersistentVolumeClaim } from "../../../kinds/builtin/core.ts";
import { StorageClass } from "../../../kinds/builtin/storage.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { writeStatus } from "../workload-status.ts";
import { bindCompleted, boundByController, isProvisionedHere, unprotectVolume } from "./claim-controller.ts";
import { chooseVolume, isDelayed, isKeptFor, provisioningOf } from "./volume-choice.ts";

/** The controller of volumes. RBAC: all on persistent volumes and claims and their status; `list`, `watch` on storage classes. */
export function volumeController(context: ControllerContext): ControllerDefinition {
  const { cache, client } = context;
  const events = context.events.from("persistentvolume-controller");
  const claims = cache.informer<PersistentVolumeClaim>(PersistentVolumeClaim);
  const volumes = cache.informer<PersistentVolume>(PersistentVolume);
  const classes = cache.informer<StorageClass>(StorageClass);
  /** What was said last of a claim that waits, by its key. */
  const reported = new Map<string, string>();

  function report(
    key: string,
    claim: PersistentVolumeClaim,
    event: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string },
  ): void {
    if (reported.get(key) === event.message) return;
    reported.set(key, event.message);
    events.record(claim, event);
  }

  async function bind(claim: PersistentVolumeClaim, chosen: PersistentVolume): Promise<void> {
    const { namespace, name, uid, resourceVersion } = claim.metadata;
    let volume = chosen;
    const byController = { [boundByController]: "yes" };
    if (volume.spec?.claimRef?.uid !== uid) {
      const isKept = volume.spec?.claimRef !== undefined;
      const annotations = { ...volume.metadata.annotations, ...(isKept ? {} : byController) };
      const claimRef = { kind: claim.kind, apiVersion: "v1", namespace, name, uid, resourceVersion };
      volume = await client.update(PersistentVolume, {
        ...volume,
        metadata: { ...volume.metadata, annotations },
        spec: { ...volume.spec, claimRef },
      });
    }
    await writeStatus(context, PersistentVolume, volume, { ...volume.status, phase: "Bound" });
    let bound = claim;
    const { annotations = {} } = claim.metadata;
    if (claim.spec.volumeName === undefined || annotations[bindCompleted] === undefined) {
      const isChosen = claim.spec.volumeName === undefined;
      bound = await client.update(PersistentVolumeClaim, {
        ...claim,
        metadata: {
          ...claim.metadata,
          annotations: { ...annotations, ...(isChosen ? byController : {}), [bindCompleted]: "yes" },
        },
        spec: { ...claim.spec, volumeName: volume.metadata.name },
      });
    }
    const { accessModes = [], capacity = {} } = volume.spec ?? {};
    await writeStatus(context, PersistentVolumeClaim, bound, {
      ...bound.status,
      phase: "Bound",
      accessModes,
      capacity,
    });
  }

  async function settleClaim(key: string, claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName, storageClassName = "" } = claim.spec;
    if (volumeName !== undefined) {
      const volume = volumes.lister.get({ name: volumeName });
      if (volume === undefined || isProvisionedHere(volume)) return;
      if (volume.spec?.claimRef === undefined || isKeptFor(volume, claim)) return bind(claim, volume);
      const message = `volume "${volumeName}" already bound to a different claim.`;
      return report(key, claim, { type: "Warning", reason: "FailedBinding", message });
    }
    const storageClass = classes.lister.get({ name: storageClassName });
    const volume = isDelayed(claim, storageClass) ? undefined : chooseVolume(claim, volumes.lister.list());
    if (volume !== undefined) {
      if (!isProvisionedHere(volume)) await bind(claim, volume);
      return;
    }
    const provisioning = provisioningOf(claim, (name) => classes.lister.get({ name }));
    if (provisioning.by === "nobody") return report(key, claim, provisioning);
    if (provisioning.by === "folder") return;
    const { provisioner } = provisioning;
    const annotations = {
      "volume.beta.kubernetes.io/storage-provisioner": provisioner,
      "volume.kubernetes.io/storage-provisioner": provisioner,
    };
    if (claim.metadata.annotations?.["volume.kubernetes.io/storage-provisioner"] !== provisioner) {
      const { uid } = claim.metadata;
      const body = { metadata: { uid, annotations } };
      await client.patch(PersistentVolumeClaim, keyOf(claim), { type: "merge", body });
    }
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    report(key, claim, { type: "Normal", reason: "ExternalProvisioning", message });
  }

  /** The phase of a volume that nobody uses, and its end. */
  async function settleVolume(volume: PersistentVolume): Promise<void> {
    if (isProvisionedHere(volume)) return;
    const { claimRef } = volume.spec ?? {};
    const key = { namespace: claimRef?.namespace ?? "", name: claimRef?.name ?? "" };
    const claim = claimRef === undefined ? undefined : claims.lister.get(key);
    if (claim !== undefined && isKeptFor(volume, claim)) return;
    if (volume.metadata.deletionTimestamp !== undefined) return unprotectVolume(client, volume);
    const phase = claimRef?.uid === undefined ? "Available" : "Released";
    await writeStatus(context, PersistentVolume, volume, { ...volume.status, phase });
  }

  async function reconcile(key: string): Promise<undefined> {
    const { namespace, name } = parseKey(key);
    if (namespace === undefined) {
      const volume = volumes.lister.get({ name });
      if (volume !== undefined) await settleVolume(volume);
      return undefined;
    }
    const claim = claims.lister.get({ namespace, name });
    if (claim === undefined || claim.status?.phase === "Bound") reported.delete(key);
    if (claim !== undefined && claim.metadata.deletionTimestamp === undefined) await settleClaim(key, claim);
    return undefined;
  }

  const claimKey = ({ metadata }: PersistentVolumeClaim): string => `${metadata.namespace}/${metadata.name}`;
  /** Those that may be waiting for what has come. */
  const waiting = (): readonly string[] =>
    claims.lister
      .list()
      .filter(({ status }) => status?.phase !== "Bound")
      .map(claimKey);
  return {
    name: "persistent-volume",
    sources: [
      fromInformer(claims, (claim) => {
        const { volumeName } = claim.spec;
        return [claimKey(claim), ...(volumeName === undefined ? [] : [volumeName])];
      }),
      fromInformer(volumes, ({ metadata }) => [metadata.name, ...waiting()]),
      fromInformer(classes, waiting),
    ],
    reconcile,
    // One after the other: no volume is chosen twice.
    workers: 1,
  };
}
