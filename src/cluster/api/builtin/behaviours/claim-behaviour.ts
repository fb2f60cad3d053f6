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
import { setSourceDefaults } from "./volume-defaults.ts";

/** Adds the defaults of a claim, also of one in a template, in place. */
export function setClaimDefaults(claim: Fields): void {
  setDefault(ensureFields(claim, "spec"), "volumeMode", "Filesystem");
  setDefault(ensureFields(claim, "status"), "phase", "Pending");
}

/** Whether the former field can hold a source: another claim, or a snapshot. */
function isFormerSource({ apiGroup, kind }: Fields): boolean {
  if (isEmpty(apiGroup)) return kind === "PersistentVolumeClaim";
  return apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

/**
 * What fills a claim is said in two fields, each of which is filled from the other; the former one alone knows fewer kinds.
 * One of another namespace belongs to a feature of Kubernetes that is off by default.
 */
function settleSource(spec: Fields, before: Fields): void {
  const isElsewhere = !isEmpty(fieldsOf(spec["dataSourceRef"])["namespace"]);
  if (isElsewhere && !isFields(before["dataSourceRef"])) delete spec["dataSourceRef"];
  const hadSource = isFields(before["dataSource"]) || isFields(before["dataSourceRef"]);
  const { dataSource, dataSourceRef } = spec;
  if (isFields(dataSourceRef)) {
    const { namespace = "", ...source } = dataSourceRef;
    if (namespace === "") setDefault(spec, "dataSource", source);
  } else if (isFields(dataSource) && (hadSource || isFormerSource(dataSource)))
    spec["dataSourceRef"] = { ...dataSource };
  else delete spec["dataSource"];
}

/** `PersistentVolumeClaim` of v1. */
export const claimBehaviour: TypeBehaviour = {
  setDefaults: setClaimDefaults,
  prepare(object, previous) {
    settleSource(ensureFields(object, "spec"), fieldsOf(previous?.["spec"]));
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
    setSourceDefaults(spec);
    setDefault(ensureFields(object, "status"), "phase", "Pending");
  },
  prepare(object, previous, { now }) {
    const status = fieldsOf(object["status"]);
    const before = fieldsOf(previous?.["status"]);
    const isOther = previous === undefined || status["phase"] !== before["phase"];
    const time = "lastPhaseTransitionTime";
    if (!isOther) {
      if (before[time] !== undefined && status[time] === undefined)
        object["status"] = { ...status, [time]: before[time] };
      return;
    }
    if (status[time] !== undefined && status[time] !== before[time]) return;
    object["status"] = { phase: "Pending", ...status, lastPhaseTransitionTime: now };
  },
};
