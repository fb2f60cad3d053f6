// The defaults of the sources of volumes, wherever one is described: in pods, in PersistentVolumes, in attachments.
import { fieldsOf, isFields, setDefault, type Fields } from "../../api-object.ts";

const defaults: Readonly<Record<string, Fields>> = {
  azureDisk: { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" },
  hostPath: { type: "" },
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" },
};

/** Adds the defaults of the source that a volume has, in place. */
export function setSourceDefaults(volume: Fields): void {
  for (const [name, fields] of Object.entries(defaults)) {
    const source = volume[name];
    if (!isFields(source)) continue;
    for (const [field, value] of Object.entries(fields)) setDefault(source, field, value);
  }
  const claim = fieldsOf(fieldsOf(volume["ephemeral"])["volumeClaimTemplate"])["spec"];
  if (isFields(claim)) setDefault(claim, "volumeMode", "Filesystem");
}
