// The columns of deployments, replica sets, stateful sets, daemon sets, jobs and cron jobs.
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject } from "../../api-object.ts";
import { formatLabelSelector } from "../../selectors/label-selector.ts";
import type { Column } from "../../served-type.ts";
import { formatAge, formatAgeOf } from "../age.ts";
import { nameColumn } from "../name-column.ts";
import {
  age,
  containersOf,
  integer,
  named,
  numberOf,
  orNone,
  specOf,
  statusOf,
  text,
  wide,
} from "./column.ts";

const templateOf = (object: ApiObject): unknown => specOf(object)["template"];
const containers = [
  wide("Containers", (object) => containersOf(templateOf(object)).names),
  wide("Images", (object) => containersOf(templateOf(object)).images),
];
const selector = wide("Selector", (object) => orNone(formatLabelSelector(specOf(object)["selector"])));
const status =
  (field: string) =>
  (object: ApiObject): number =>
    numberOf(statusOf(object)[field]);
const ready = text(
  "Ready",
  (object) => `${numberOf(statusOf(object)["readyReplicas"])}/${numberOf(specOf(object)["replicas"])}`,
);

/** The columns of deployments. */
export const deploymentColumns: readonly Column[] = named(
  ready,
  text("Up-to-date", (object) => status("updatedReplicas")(object)),
  text("Available", (object) => status("availableReplicas")(object)),
  age,
  ...containers,
  selector,
);

/** The columns of replica sets. */
export const replicaSetColumns: readonly Column[] = named(
  integer("Desired", (object) => numberOf(specOf(object)["replicas"])),
  integer("Current", status("replicas")),
  integer("Ready", status("readyReplicas")),
  age,
  ...containers,
  selector,
);

/** The columns of stateful sets. */
export const statefulSetColumns: readonly Column[] = named(ready, age, ...containers);

/** The columns of daemon sets. */
export const daemonSetColumns: readonly Column[] = named(
  integer("Desired", status("desiredNumberScheduled")),
  integer("Current", status("currentNumberScheduled")),
  integer("Ready", status("numberReady")),
  integer("Up-to-date", status("updatedNumberScheduled")),
  integer("Available", status("numberAvailable")),
  text("Node Selector", (object) => {
    const labels = fieldsOf(fieldsOf(fieldsOf(templateOf(object))["spec"])["nodeSelector"]);
    return orNone(formatLabelSelector({ matchLabels: labels }));
  }),
  age,
  ...containers,
  selector,
);

/** The columns of jobs. */
export const jobColumns: readonly Column[] = named(
  text("Status", jobStatus),
  text("Completions", (job) => {
    const { completions, parallelism } = specOf(job);
    const succeeded = status("succeeded")(job);
    if (completions !== undefined) return `${succeeded}/${numberOf(completions)}`;
    return numberOf(parallelism) > 1 ? `${succeeded}/1 of ${numberOf(parallelism)}` : `${succeeded}/1`;
  }),
  text("Duration", (job, now) => {
    const { startTime, completionTime } = statusOf(job);
    if (typeof startTime !== "string") return "";
    const end = typeof completionTime === "string" ? Date.parse(completionTime) : now;
    return formatAge(end - Date.parse(startTime));
  }),
  age,
  ...containers,
  selector,
);

/** The columns of cron jobs. */
export const cronJobColumns: readonly Column[] = named(
  text("Schedule", (job) => textOf(specOf(job)["schedule"])),
  text("Timezone", (job) => orNone(textOf(specOf(job)["timeZone"]))),
  // Declared as what it is, and shown as a text.
  { name: "Suspend", type: "boolean", cell: (job) => (specOf(job)["suspend"] === true ? "True" : "False") },
  integer("Active", (job) => listOf(statusOf(job)["active"]).length),
  text("Last Schedule", (job, now) => {
    const { lastScheduleTime } = statusOf(job);
    return lastScheduleTime === undefined ? "<none>" : formatAgeOf(lastScheduleTime, now);
  }),
  age,
  wide("Containers", (job) => containersOf(jobTemplate(job)).names),
  wide("Images", (job) => containersOf(jobTemplate(job)).images),
  wide("Selector", () => "<none>"),
);

/** The columns of controller revisions. */
export const revisionColumns: readonly Column[] = named(
  text("Controller", (object) => {
    const owner = object.metadata.ownerReferences?.find((each) => each.controller === true);
    if (owner === undefined) return "<none>";
    const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/", 1)[0]}` : "";
    return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
  }),
  text("Revision", (object) => numberOf(object["revision"])),
  age,
);

function jobTemplate(job: ApiObject): unknown {
  return fieldsOf(fieldsOf(specOf(job)["jobTemplate"])["spec"])["template"];
}

function jobStatus(job: ApiObject): string {
  const conditions = fieldsList(statusOf(job)["conditions"]);
  const has = (type: string): boolean =>
    conditions.some((each) => each["type"] === type && each["status"] === "True");
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  if (has("Suspended")) return "Suspended";
  if (has("FailureTarget")) return "FailureTarget";
  return has("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

/** The columns of a Scale, as the real server has them for its own types and for custom ones. */
export function scaleColumns(custom: boolean): readonly Column[] {
  const desired = integer("Desired", (scale) => numberOf(specOf(scale)["replicas"]));
  const available = integer("Available", (scale) => numberOf(statusOf(scale)["replicas"]));
  if (custom) return [nameColumn, desired, available, { ...age, type: "date" }];
  return [{ ...nameColumn, format: "" }, desired, available, age];
}
