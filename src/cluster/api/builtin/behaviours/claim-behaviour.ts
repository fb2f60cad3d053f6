// Persistent volume claims and persistent volumes: defaults and phases at birth.
import {
  ensureFields,
  fieldsOf,
  isFields,
  setDefault,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { isEmpty } from "../validation/rule.ts";
import { claimSpecWarnings } from "./pod-warnings.ts";

/** Adds the defaults of a claim, also of one in a template, in place. */
export function setClaimDefaults(claim: Fields): void {
  setDefault(ensureFields(claim, "spec"), "volumeMode", "Filesystem");
  setDefault(ensureFields(claim, "status"), "phase", "Pending");
}

/** Whether the former field can hold a source: another claim, or a snapshot. */
function isFormerSource({ apiGroup = "", kind }: Fields): boolean {
  if (apiGroup === "") return kind === "PersistentVolumeClaim";
  return apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

/**
 * What fills a claim is said in two fields, each of which is filled from the other; the former one alone knows fewer kinds.
 * One of another namespace belongs to a feature of Kubernetes that is off by default.
 */
function settleSource(spec: Fields): void {
  if (!isEmpty(fieldsOf(spec["dataSourceRef"])["namespace"])) delete spec["dataSourceRef"];
  const { dataSource, dataSourceRef } = spec;
  if (isFields(dataSourceRef)) {
    const { namespace: _, ...source } = dataSourceRef;
    setDefault(spec, "dataSource", source);
  } else if (isFields(dataSource) && isFormerSource(dataSource)) spec["dataSourceRef"] = { ...dataSource };
  else delete spec["dataSource"];
}

/** `PersistentVolumeClaim` of v1. */
export const claimBehaviour: TypeBehaviour = {
  setDefaults: setClaimDefaults,
  prepare(object, previous) {
    if (previous === undefined) settleSource(ensureFields(object, "spec"));
  },
  isCompletedByReading: () => true,
  warnings: (object) => [
    ...formerClassWarnings(object),
    ...claimSpecWarnings(fieldsOf(object["spec"]), "spec"),
  ],
};

const formerClass = "volume.beta.kubernetes.io/storage-class";

function formerClassWarnings({ metadata: { annotations = {} } }: ApiObject): readonly string[] {
  return Object.hasOwn(annotations, formerClass)
    ? [
        `metadata.annotations[${formerClass}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      ]
    : [];
}

/** `PersistentVolume` of v1. */
export const volumeBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "volumeMode", "Filesystem");
    setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
    if (isFields(spec["hostPath"])) setDefault(spec["hostPath"], "type", "");
    setDefault(ensureFields(object, "status"), "phase", "Pending");
  },
  prepare(object, previous, { now }) {
    const status = fieldsOf(object["status"]);
    const before = fieldsOf(previous?.["status"]);
    const isOther = previous === undefined || status["phase"] !== before["phase"];
    const isTold = status["lastPhaseTransitionTime"] !== before["lastPhaseTransitionTime"];
    if (!isOther || isTold) return;
    object["status"] = { phase: "Pending", ...status, lastPhaseTransitionTime: now };
  },
};
