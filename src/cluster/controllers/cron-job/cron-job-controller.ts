// Starts the jobs of cron jobs when their time has come, as their policy allows, and removes those that are kept no longer.
import { isAlreadyExists, isNamespaceTerminating, refusalOf } from "../../../client/api-error.ts";
import { CronJob, Job } from "../../../kinds/builtin/batch.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import { controllerOf } from "../../../meta/controller-reference.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import type { ManifestOf } from "../../../meta/object.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { candidatesOf, controllerKeyOf, controllerReference, indexByController } from "../ownership.ts";
import { writeStatus } from "../workload-status.ts";
import { endOf, expiredJobs, timesOf } from "./cron-plan.ts";

type CronStatus = NonNullable<CronJob["status"]>;

/** Milliseconds after a time until it is looked at: clocks need not agree. */
const margin = 100;
/** The annotation of a job with the time that it is for. */
const scheduledKey = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/** Missed times from which on something must be wrong. */
const manyMissed = 100;

/** The controller of cron jobs. RBAC: `get`, `list`, `watch` and `update` of the status on cron jobs; all on jobs. */
export function cronJobController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock } = context;
  const events = context.events.from("cronjob-controller");
  const crons = cache.informer<CronJob>(CronJob);
  const jobs = indexByController(cache.informer<Job>(Job));

  async function remove(cron: CronJob, job: Job): Promise<void> {
    const { uid, name } = job.metadata;
    await client.delete(Job, keyOf(job), { propagationPolicy: "Background", preconditions: { uid } });
    events.record(cron, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${name}` });
  }

  /** What the status says of jobs that have ended since. */
  async function settle(cron: CronJob, owned: readonly Job[]): Promise<CronStatus> {
    const { active = [], lastScheduleTime, lastSuccessfulTime } = cron.status ?? {};
    let succeeded = lastSuccessfulTime;
    // As in Kubernetes nothing more is said of those that are not kept.
    const expired = new Set(expiredJobs(cron, owned));
    for (const job of expired) await remove(cron, job);
    for (const job of owned) {
      const end = endOf(job);
      if (end === undefined) continue;
      const { uid, name } = job.metadata;
      const { completionTime } = job.status ?? {};
      if (end === "Complete" && completionTime !== undefined && completionTime > (succeeded ?? ""))
        succeeded = completionTime;
      if (expired.has(job) || !active.some((each) => each.uid === uid)) continue;
      events.record(cron, {
        type: "Normal",
        reason: "SawCompletedJob",
        message: `Saw completed job: ${name}, condition: ${end}`,
      });
    }
    const running = owned.filter(
      (job) => endOf(job) === undefined && job.metadata.deletionTimestamp === undefined,
    );
    const known = new Set(active.map(({ uid }) => uid));
    const isOurs = (job: Job): boolean => known.has(job.metadata.uid) || isMadeFor(cron, job);
    // Such as one that somebody has made by hand from the cron job: it neither counts nor is waited for.
    for (const job of running.filter((each) => !isOurs(each))) {
      const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
      events.record(cron, { type: "Warning", reason: "UnexpectedJob", message });
    }
    return statusOf(running.filter(isOurs), lastScheduleTime, succeeded);
  }

  /** The job of a time; undefined when it was made before. */
  async function start(cron: CronJob, time: number): Promise<Job | undefined> {
    try {
      const job = await client.create(Job, jobAt(cron, time));
      const message = `Created job ${job.metadata.name}`;
      events.record(cron, { type: "Normal", reason: "SuccessfulCreate", message });
      return job;
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      if (!isNamespaceTerminating(error)) {
        const message = `Error creating job: ${refusalOf(error)}`;
        events.record(cron, { type: "Warning", reason: "FailedCreate", message });
      }
      throw error;
    }
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const cron = crons.lister.get(parseKey(key));
    if (cron === undefined || cron.metadata.deletionTimestamp !== undefined) return undefined;
    const owned = candidatesOf(jobs, cron).filter((job) => controllerOf(job)?.uid === cron.metadata.uid);
    const settled = await settle(cron, owned);
    const now = clock.now();
    const { due, missed, next } = timesOf(cron, now);
    const later = next === undefined ? undefined : { requeueAfter: next - now + margin };
    if (cron.spec.suspend === true || due === undefined) {
      if (cron.spec.suspend !== true && next === undefined) {
        // Such as 31 February, of which Kubernetes says this.
        const message = `invalid schedule: ${cron.spec.schedule} : time difference between two schedules is less than 1 second`;
        events.record(cron, { type: "Warning", reason: "InvalidSchedule", message });
      }
      await writeStatus(context, CronJob, cron, settled);
      return cron.spec.suspend === true ? undefined : later;
    }
    if (missed > manyMissed) {
      const message =
        "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      events.record(cron, { type: "Warning", reason: "TooManyMissedTimes", message });
    }
    const running = owned.filter((job) => settled.active?.some((each) => each.uid === job.metadata.uid));
    if (cron.spec.concurrencyPolicy === "Forbid" && running.length > 0) {
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      events.record(cron, { type: "Normal", reason: "JobAlreadyActive", message });
      await writeStatus(context, CronJob, cron, settled);
      return later;
    }
    const replaced = cron.spec.concurrencyPolicy === "Replace" ? running : [];
    for (const job of replaced) await remove(cron, job);
    const job = await start(cron, due);
    const active = [
      ...running.filter((each) => !replaced.includes(each)),
      ...(job === undefined ? [] : [job]),
    ];
    const status = statusOf(active, toTimestamp(due), settled.lastSuccessfulTime);
    await writeStatus(context, CronJob, cron, status);
    return later;
  }

  return {
    name: "cronjob",
    sources: [
      fromInformer(crons, (cron) => [`${cron.metadata.namespace}/${cron.metadata.name}`]),
      fromInformer(jobs, (job) => controllerKeyOf(job, CronJob)),
    ],
    reconcile,
  };
}

/** Whether a job is one of the times of its cron job: made, and not yet written down, when the controller ended. */
function isMadeFor(cron: CronJob, { metadata: { name, annotations } }: Job): boolean {
  const time = Date.parse(annotations?.[scheduledKey] ?? "");
  return !Number.isNaN(time) && name === nameAt(cron, time);
}

function nameAt({ metadata: { name } }: CronJob, time: number): string {
  return `${name}-${Math.floor(time / 60_000)}`;
}

function jobAt(cron: CronJob, time: number): ManifestOf<Job> {
  const { metadata = {}, spec } = cron.spec.jobTemplate;
  const { namespace } = cron.metadata;
  const scheduled = { [scheduledKey]: toTimestamp(time) };
  return {
    apiVersion: "batch/v1",
    kind: Job.kind,
    metadata: {
      name: nameAt(cron, time),
      namespace,
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata.annotations, ...scheduled },
      ownerReferences: [controllerReference(CronJob, cron)],
    },
    spec,
  };
}

function statusOf(
  active: readonly Job[],
  lastScheduleTime?: string,
  lastSuccessfulTime?: string,
): CronStatus {
  const references = active.map(({ metadata: { name, namespace, uid, resourceVersion } }) => ({
    kind: Job.kind,
    apiVersion: "batch/v1",
    name,
    namespace,
    uid,
    resourceVersion,
  }));
  return {
    ...(references.length === 0 ? {} : { active: references }),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
}
