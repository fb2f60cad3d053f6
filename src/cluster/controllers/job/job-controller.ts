// Runs the pods of a job until enough have succeeded or too many have failed, and removes it after its time to live.
import { controllerOf } from "../../../meta/controller-reference.ts";
import { Job } from "../../../kinds/builtin/batch.ts";
import { Pod } from "../../../kinds/builtin/core.ts";
import { isConditionTrue } from "../../../kinds/builtin/workload-condition.ts";
import { keyOf, parseKey } from "../../../meta/object-key.ts";
import { isNotFound } from "../../../client/api-error.ts";
import { isPodActive } from "../../pods/pod-state.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer, type ReconcileOutcome } from "../controller-loop.ts";
import { burst } from "../burst.ts";
import { claim, controllerKeyOf } from "../ownership.ts";
import { podControl } from "../pod-control.ts";
import { writeStatus } from "../workload-status.ts";
import type { FailureRow } from "./job-backoff.ts";
import { failuresOf, waitOfIndex } from "./job-policies.ts";
import {
  freeIndexes,
  indexOf,
  isTracked,
  jobPod,
  parseIndexes,
  surplusPods,
  trackingFinalizer,
} from "./job-pods.ts";
import { isJobFinished, type JobProgress, judgeJob } from "./job-status.ts";

/** The controller of jobs. RBAC: `get`, `list`, `watch`, `update`, `delete` on jobs and their status; all on pods. */
export function jobController(context: ControllerContext): ControllerDefinition {
  const { cache, client, clock, random } = context;
  const events = context.events.from("job-controller");
  const control = podControl(context, events);
  const jobs = cache.informer<Job>(Job);
  const pods = cache.informer<Pod>(Pod);
  /** How often jobs have failed in a row, by key. */
  const rows = new Map<string, { readonly uid: string; readonly row: FailureRow }>();

  /** Lets a pod go that is counted, or that nobody will count. */
  async function release(pod: Pod): Promise<void> {
    if (!isTracked(pod)) return;
    const { uid, resourceVersion, finalizers = [] } = pod.metadata;
    const left = finalizers.filter((each) => each !== trackingFinalizer);
    const body = { metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left } };
    try {
      await client.patch(Pod, keyOf(pod), { type: "merge", body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Takes pods away that the job no longer wants; they do not count as failed, unless the job is over. */
  async function drop(job: Job, victims: readonly Pod[], isOver: boolean): Promise<void> {
    for (const pod of victims) {
      if (!isOver) await release(pod);
      await control.delete(job, pod);
    }
  }

  /** What the conditions of a job have become true, or no longer are. */
  function tellConditions(before: Job, after: Job): void {
    const isTrue = (job: Job, type: string): boolean => isConditionTrue(job.status?.conditions, type);
    const tell = (type: "Normal" | "Warning", reason: string, message: string): void =>
      events.record(after, { type, reason, message });
    for (const { type, status, reason = "", message = "" } of after.status?.conditions ?? []) {
      const isNew = status === "True" && !isTrue(before, type);
      if (type === "Complete" && isNew) tell("Normal", "Completed", "Job completed");
      else if (type === "Failed" && isNew) tell("Warning", reason, message);
      else if (type === "Suspended" && isNew) tell("Normal", "Suspended", "Job suspended");
      else if (type === "Suspended" && status === "False" && isTrue(before, type))
        tell("Normal", "Resumed", "Job resumed");
    }
  }

  /** Makes so many pods, but for indexes that are to wait; milliseconds until the first of them may be tried again. */
  async function createPods(job: Job, count: number, owned: readonly Pod[]): Promise<number | undefined> {
    const { completions, completionMode, backoffLimitPerIndex } = job.spec;
    if (completionMode !== "Indexed" || completions === undefined) {
      for (let made = 0; made < count; made += 1) await control.create(job, jobPod(job, undefined, random));
      return undefined;
    }
    const progress: JobProgress = job.status ?? {};
    const taken = new Set([
      ...parseIndexes(progress.completedIndexes ?? ""),
      ...parseIndexes(progress.failedIndexes ?? ""),
      ...owned.filter(isPodActive).flatMap((pod) => indexOf(pod) ?? []),
    ]);
    const now = clock.now();
    const waits: number[] = [];
    for (const index of freeIndexes(completions, taken, count)) {
      const wait = waitOfIndex(job, owned, index, now);
      if (wait > 0) waits.push(wait);
      else {
        const failures = backoffLimitPerIndex === undefined ? undefined : failuresOf(job, owned, index);
        await control.create(job, jobPod(job, index, random, failures));
      }
    }
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  async function expire(job: Job): Promise<ReconcileOutcome | undefined> {
    const { ttlSecondsAfterFinished } = job.spec;
    const { deletionTimestamp } = job.metadata;
    if (ttlSecondsAfterFinished === undefined || deletionTimestamp !== undefined) return undefined;
    const over = job.status?.conditions?.find(
      (each) => each.status === "True" && (each.type === "Complete" || each.type === "Failed"),
    );
    const wait = Date.parse(over?.lastTransitionTime ?? "") + ttlSecondsAfterFinished * 1000 - clock.now();
    if (wait > 0) return { requeueAfter: wait };
    const { uid } = job.metadata;
    await client.delete(Job, keyOf(job), { propagationPolicy: "Foreground", preconditions: { uid } });
    return undefined;
  }

  async function reconcile(key: string): Promise<ReconcileOutcome | undefined> {
    const { namespace = "", name } = parseKey(key);
    let job = jobs.lister.get({ namespace, name });
    const inNamespace = pods.lister.list({ namespace });
    const orphaned = inNamespace.filter((pod) => {
      const owner = controllerOf(pod);
      return owner?.kind === Job.kind && owner.name === name && owner.uid !== job?.metadata.uid;
    });
    for (const pod of orphaned) await release(pod);
    if (job === undefined) {
      rows.delete(key);
      return undefined;
    }
    if (isManagedElsewhere(job)) return isJobFinished(job) ? expire(job) : undefined;
    const { uid } = job.metadata;
    const owned =
      job.spec.selector === undefined
        ? inNamespace.filter((pod) => controllerOf(pod)?.uid === uid)
        : await claim(
            context,
            { type: Job, object: job, selector: job.spec.selector, finalizer: trackingFinalizer },
            Pod,
            inNamespace,
          );
    if (job.metadata.deletionTimestamp !== undefined || isJobFinished(job)) {
      for (const pod of owned) await release(pod);
      return isJobFinished(job) ? expire(job) : undefined;
    }
    const known = rows.get(key);
    const verdict = judgeJob(job, owned, clock.now(), known?.uid === uid ? known.row : undefined);
    // Before the finalizers go: a pod must not vanish uncounted.
    const before = job;
    job = await writeStatus(context, Job, job, verdict.status);
    rows.set(key, { uid, row: verdict.row });
    tellConditions(before, job);
    for (const pod of verdict.counted) await release(pod);
    const active = owned.filter(isPodActive);
    const surplus = surplusPods(job, active, active.length - verdict.wanted);
    const missing = verdict.wanted - active.length - verdict.leaving;
    let wait = verdict.requeueAfter;
    if (surplus.length > 0) await drop(job, surplus.slice(0, burst), verdict.isOver);
    else if (missing > 0) {
      const index = await createPods(job, Math.min(burst, missing), owned);
      wait = wait === undefined || index === undefined ? (wait ?? index) : Math.min(wait, index);
    }
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  return {
    name: "job",
    sources: [
      fromInformer(jobs, (job) => [`${job.metadata.namespace}/${job.metadata.name}`]),
      fromInformer(pods, (pod) => controllerKeyOf(pod, Job)),
    ],
    reconcile,
  };
}

/** Whether the pods and the status of a job are left to a controller that its owner has named; its time to live is not. */
function isManagedElsewhere({ spec }: Job): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";
}
