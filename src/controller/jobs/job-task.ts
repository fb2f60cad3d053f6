// A task that is a Kubernetes Job: the work continues when the operator crashes, and is found again by its name.
import { isAlreadyExists, isNotFound } from "../../client/api-error.ts";
import { Job } from "../../kinds/builtin/batch.ts";
import { isJobComplete, jobFailureOf } from "../../kinds/builtin/readiness.ts";
import {
  taskPolicyShape,
  type CompensationCall,
  type TaskCall,
  type TaskDefinition,
  type TaskObservation,
} from "../../lifecycle/tasks/task-definition.ts";
import { controllerReferenceOf } from "../../meta/controller-reference.ts";
import type { Json, KubeObject, ManifestOf } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf } from "../../meta/resource-type.ts";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import { callable, optionsOf, required, text } from "../../options/option-schemas.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";

/** What the functions of a {@link jobTask} are given. */
type JobTaskCall<TCR extends KubeObject, TInput> = HookContext<TCR> & TaskCall<TInput>;

/** What an author says of a Job; its name, namespace and owner are given by {@link jobTask}. */
export interface JobManifest {
  /** Labels and annotations; the name is the idempotency key. */
  readonly metadata?: Pick<ManifestOf<Job>["metadata"], "labels" | "annotations">;
  /** As in a manifest. */
  readonly spec: ManifestOf<Job>["spec"];
}

/** Options of {@link jobTask}. */
export interface JobTaskOptions<TCR extends KubeObject, TInput = Json | undefined> extends Pick<
  TaskDefinition<never>,
  "timeout" | "retry" | "poll"
> {
  /** The Job of one attempt. What it throws fails the attempt. */
  readonly job: (call: JobTaskCall<TCR, TInput>) => Promise<JobManifest> | JobManifest;
  /**
   * Says more of a Job that runs or is complete, for instance its progress or its output; a Job that has failed is not asked
   * about. Default: running, and succeeded once it is complete.
   */
  readonly observe?: (call: JobTaskCall<TCR, TInput>, job: Job) => Promise<TaskObservation> | TaskObservation;
  /** Undoes what the Jobs have left behind, when none was complete; the Jobs that failed are still there, by `keys`. */
  readonly compensate?: (call: JobTaskCall<TCR, TInput> & CompensationCall<TInput>) => Promise<void> | void;
  /** Where the Jobs of a cluster-scoped custom resource run; those of another run in its own namespace by default. */
  readonly namespace?: string;
}

const jobTaskOptions = optionsOf<JobTaskOptions<KubeObject>>()({
  ...taskPolicyShape,
  job: required(callable, "Write job: (call) => ({ spec: … }): the Job of one attempt."),
  observe: callable.optional(),
  compensate: callable.optional(),
  namespace: text.optional(),
});

/**
 * A task that runs one Kubernetes Job for each attempt. The Job is named by the task's idempotency key, so that it exists
 * once however often it is asked for; the custom resource owns it; a task that is cancelled deletes it with its pods.
 *
 * **Caveats**: declare `Job` in `owns`, so that its end is noticed at once. A Job that is deleted before its end was seen
 * (`ttlSecondsAfterFinished`) counts as a failed attempt.
 * **RBAC**: `create`, `get`, `list`, `watch` and `delete` on jobs.
 * **Errors**: `CONTROLLER_INVALID` for options that are unknown, missing or have a wrong form.
 *
 * @example
 * tasks: { backUp: jobTask({ job: ({ cr }) => ({ spec: backupSpec(cr) }), timeout: "2h", retry: { attempts: 3 } }) }
 */
export function jobTask<TCR extends KubeObject, TInput = Json | undefined>(
  options: JobTaskOptions<TCR, TInput>,
): TaskDefinition<HookContext<TCR>, TInput> {
  refuseWrongOptions(jobTaskOptions, options, "jobTask", "CONTROLLER_INVALID");
  const { job, observe = defaultObserve, namespace, ...policy } = options;
  const keyOf = ({ cr, key }: JobTaskCall<TCR, TInput>): ObjectKey => {
    const where = namespace ?? cr.metadata.namespace;
    return where === undefined ? { name: key } : { namespace: where, name: key };
  };
  return {
    ...policy,
    permissions: [{ type: Job, verbs: ["get", "create", "delete"] }],
    start: async (call) => {
      const { metadata, spec } = await job(call);
      const ownerReferences = [controllerReferenceOf(call.cr)];
      const manifest: ManifestOf<Job> = {
        apiVersion: apiVersionOf(Job),
        kind: Job.kind,
        metadata: { ...metadata, ...keyOf(call), ownerReferences },
        spec,
      };
      try {
        await call.client.create(Job, manifest, { signal: call.signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error; // It was started before a crash.
      }
    },
    observe: async (call) => {
      const found = await findJob(call, keyOf(call));
      if (found === undefined) return { phase: "NotFound" };
      const failure = jobFailureOf(found);
      return failure === undefined ? observe(call, found) : { phase: "Failed", message: failure };
    },
    cancel: async (call) => {
      try {
        const { client, signal } = call;
        await client.delete(Job, keyOf(call), { propagationPolicy: "Background", signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  };
}

function defaultObserve(_call: unknown, job: Job): TaskObservation {
  return { phase: isJobComplete(job) ? "Succeeded" : "Running" };
}

/** The server is asked when the cache has not seen the Job yet. */
async function findJob(
  { lookUp, client, signal }: Pick<HookContext<KubeObject>, "lookUp" | "client" | "signal">,
  key: ObjectKey,
): Promise<Job | undefined> {
  const cached = lookUp(Job, key);
  if (cached !== undefined) return cached;
  try {
    return await client.get(Job, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
