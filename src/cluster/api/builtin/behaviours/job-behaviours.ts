// Jobs and CronJobs: defaults, the selector that the server makes, what may not change.
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  isFields,
  setDefault,
  textOf,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { specDiffers } from "./generation.ts";
import { setPodSpecDefaults } from "./pod-defaults.ts";
import { templateWarnings } from "./pod-warnings.ts";

/** `Job` of batch/v1. */
export const jobBehaviour: TypeBehaviour = {
  warnings: templateWarnings("spec.template"),
  prepare(object, previous) {
    const spec = ensureFields(object, "spec");
    if (previous === undefined && spec["manualSelector"] !== true) generateSelector(object, spec);
  },
  isCompletedByReading: ({ metadata }) => metadata.labels === undefined,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setJobDefaults(spec);
    const { labels } = fieldsOf(fieldsOf(spec["template"])["metadata"]);
    if (object.metadata.labels === undefined && isFields(labels)) {
      // The same ones, which generateSelector adds to.
      object.metadata = { ...object.metadata, labels: labels as Record<string, string> };
    }
  },
  raisesGeneration: specDiffers,
  orphaningWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
};

/** `CronJob` of batch/v1. */
export const cronJobBehaviour: TypeBehaviour = {
  warnings: (object, previous) => [
    ...templateWarnings("spec.jobTemplate.spec.template")(object, previous),
    ...(previous !== undefined && textOf(fieldsOf(object["spec"])["schedule"]).includes("TZ")
      ? [
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
        ]
      : []),
  ],
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "concurrencyPolicy", "Allow");
    setDefault(spec, "suspend", false);
    setDefault(spec, "successfulJobsHistoryLimit", 3);
    setDefault(spec, "failedJobsHistoryLimit", 1);
    const template = ensureFields(spec, "jobTemplate");
    setDefault(template, "metadata", {});
    setFailurePolicyDefaults(ensureFields(template, "spec"));
    const pods = ensureFields(ensureFields(template, "spec"), "template");
    setDefault(pods, "metadata", {});
    setPodSpecDefaults(ensureFields(pods, "spec"));
  },
  raisesGeneration: specDiffers,
};

/** Adds the defaults of a job's spec, in place. */
function setJobDefaults(spec: Fields): void {
  const template = ensureFields(spec, "template");
  setDefault(template, "metadata", {});
  setPodSpecDefaults(ensureFields(template, "spec"));
  if (spec["completions"] === undefined && spec["parallelism"] === undefined) {
    spec["completions"] = 1;
    spec["parallelism"] = 1;
  }
  setFailurePolicyDefaults(spec);
  setDefault(spec, "parallelism", 1);
  if (spec["backoffLimitPerIndex"] === undefined) setDefault(spec, "backoffLimit", 6);
  else setDefault(spec, "backoffLimit", 2_147_483_647);
  setDefault(spec, "completionMode", "NonIndexed");
  setDefault(spec, "suspend", false);
  setDefault(spec, "manualSelector", false);
  setDefault(
    spec,
    "podReplacementPolicy",
    spec["podFailurePolicy"] === undefined ? "TerminatingOrFailed" : "Failed",
  );
}

/** A condition that is named is one that holds. */
function setFailurePolicyDefaults(spec: Fields): void {
  for (const name of ["podFailurePolicy", "successPolicy"]) {
    // A list that is always written is null where it is empty.
    const policy = spec[name];
    if (isFields(policy) && fieldsList(policy["rules"]).length === 0) policy["rules"] = null;
  }
  for (const rule of fieldsList(fieldsOf(spec["podFailurePolicy"])["rules"])) {
    for (const pattern of fieldsList(rule["onPodConditions"])) {
      if ((pattern["status"] ?? "") === "") pattern["status"] = "True";
    }
  }
}

/** Every job selects its pods by its own uid, so that no two jobs share any. */
function generateSelector(object: ApiObject, spec: Fields): void {
  const { uid = "", name } = object.metadata;
  const metadata = ensureFields(ensureFields(spec, "template"), "metadata");
  const labels = ensureFields(metadata, "labels");
  // The labels of a job that has none of its own are those of its pods, generated ones included; not if they are only alike.
  const isShared = object.metadata.labels === labels;
  setDefault(labels, "job-name", name);
  setDefault(labels, "controller-uid", uid);
  labels["batch.kubernetes.io/job-name"] = name;
  labels["batch.kubernetes.io/controller-uid"] = uid;
  if (isShared) object.metadata = { ...object.metadata, labels: { ...labels } as Record<string, string> };
  const selector = ensureFields(spec, "selector");
  ensureFields(selector, "matchLabels")["batch.kubernetes.io/controller-uid"] = uid;
}
