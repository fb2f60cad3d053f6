// A task that applies objects and waits until all of them are healthy: what a step of a plan is in other operators.
import { isAlreadyExists, isConflict } from "../../client/api-error.ts";
import { healthOfChild } from "../../kinds/builtin/child-health.ts";
import { isReady } from "../../kinds/builtin/readiness.ts";
import { isTaskOf } from "../../lifecycle/tasks/task-key.ts";
import {
  taskPolicyShape,
  type CompensationCall,
  type TaskCall,
  type TaskDefinition,
  type TaskObservation,
} from "../../lifecycle/tasks/task-definition.ts";
import type { AnyManifest, Json, KubeObject } from "../../meta/object.ts";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import { callable, flag, optionsOf, required } from "../../options/option-schemas.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import { registryOf } from "../../reconcile/engines/step-context.ts";
import type { BoundResource } from "../../reconcile/resources/kubernetes-resource.ts";
import { createdByAnnotation } from "./made-by-task.ts";

/** What the functions of an {@link applyTask} are given. */
type ApplyTaskCall<TCR extends KubeObject, TInput> = HookContext<TCR> & TaskCall<TInput>;

/** Whether an object is healthy, or why it never will be; undefined where what its kind says counts. */
export type AppliedHealth = boolean | { readonly failure: string } | undefined;

/** Options of {@link applyTask}. */
export interface ApplyTaskOptions<TCR extends KubeObject, TInput = Json | undefined> extends Pick<
  TaskDefinition<never>,
  "timeout" | "retry" | "poll"
> {
  /** The objects, in the order in which they are applied. Without a namespace they are in the custom resource's own. */
  readonly objects: (
    call: ApplyTaskCall<TCR, TInput>,
  ) => Promise<readonly AnyManifest[]> | readonly AnyManifest[];
  /**
   * Whether an object is healthy. Default by its kind: workloads are rolled out, Jobs complete, pods ready, claims bound,
   * services have an address; another kind by its condition `Ready`, and without one by its existence. A Job, a pod or a
   * Deployment that has failed for good fails the task.
   */
  readonly healthy?: (object: KubeObject, call: ApplyTaskCall<TCR, TInput>) => AppliedHealth;
  /** When the task is cancelled, deletes the objects that it has created itself; default false: they stay until the custom resource goes. */
  readonly deleteOnCancel?: boolean;
  /** Undoes what it has left behind; see `compensate` of a task. Default nothing. */
  readonly compensate?: (call: ApplyTaskCall<TCR, TInput> & CompensationCall<TInput>) => Promise<void> | void;
}

const applyTaskOptions = optionsOf<ApplyTaskOptions<KubeObject>>()({
  ...taskPolicyShape,
  objects: required(
    callable,
    "Write objects: ({ cr, input }) => [{ apiVersion: …, kind: …, metadata: …, spec: … }].",
  ),
  healthy: callable.optional(),
  deleteOnCancel: flag.optional(),
  compensate: callable.optional(),
});

/**
 * A task that applies objects and is done when all of them are healthy. The custom resource owns them; what drifts is repaired
 * while the task runs.
 *
 * **Guarantees**: an object that exists already and was made by somebody else is refused, as in the registry; applying again
 * after a crash changes nothing that is as declared; what the task did not create is never deleted by it.
 * **Caveats**: declare the types in `owns`, so that a change is noticed at once, and types that are not Kubernetes' own are known at
 * all. When the task is done, nobody repairs the objects any more: what is to stay as declared belongs into the registry. An object
 * that the registry declares too is written by both.
 * **RBAC**: `get`, `list`, `watch`, `create` and `patch` on the types of the objects; `delete` with `deleteOnCancel`.
 * **Errors**: `CONTROLLER_INVALID` for options that are unknown, missing or have a wrong form; in the task those of a resource
 * (`RESOURCE_NOT_OURS`, `OWNER_SCOPE`, `TYPE_UNKNOWN`), which fail the attempt.
 *
 * @example
 * tasks: { deploy: applyTask({ objects: ({ cr }) => [configMap(cr), statefulSet(cr)], timeout: "10m" }) }
 */
export function applyTask<TCR extends KubeObject, TInput = Json | undefined>(
  options: ApplyTaskOptions<TCR, TInput>,
): TaskDefinition<HookContext<TCR>, TInput> {
  refuseWrongOptions(applyTaskOptions, options, "applyTask", "CONTROLLER_INVALID");
  const { objects, healthy = () => undefined, deleteOnCancel = false, ...policy } = options;
  type Call = ApplyTaskCall<TCR, TInput>;
  const bound = async (call: Call): Promise<readonly BoundResource[]> => {
    const registry = registryOf(call);
    const manifests: unknown = await objects(call);
    if (!Array.isArray(manifests)) throw noList(manifests);
    const resources = manifests.map((manifest: AnyManifest) =>
      registry.bind(manifest, {
        signal: call.signal,
        annotate: (live) => createdBy(live === undefined ? call.key : live.metadata.annotations),
      }),
    );
    for (const resource of resources) await resource.lookUp();
    return resources;
  };
  const apply = async (call: Call): Promise<readonly BoundResource[]> => {
    const resources = await bound(call);
    for (const resource of resources) {
      const report = await resource.mutate();
      // It is being deleted, or left alone for a while.
      if (typeof report === "object" && report.pending === true) continue;
      if (!resource.exists) await resource.create();
      else if (resource.needsUpdate()) await resource.update();
    }
    return resources;
  };
  return {
    ...policy,
    start: async (call) => {
      try {
        await apply(call);
      } catch (error) {
        // What the cache does not show yet is there: the next observation goes on with it.
        if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      }
    },
    observe: async (call) => {
      // Applying again shows as much as observing would.
      if (!call.started) return { phase: "NotFound" };
      return observationOf(await apply(call), (object) => healthy(object, call));
    },
    cancel: async (call) => {
      if (!deleteOnCancel) return;
      for (const resource of (await bound(call)).toReversed()) {
        const by = resource.live?.metadata.annotations?.[createdByAnnotation];
        if (by !== undefined && isTaskOf(by, call.key)) await resource.delete();
      }
    },
  };
}

function createdBy(
  by: string | Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const key = typeof by === "string" ? by : by?.[createdByAnnotation];
  return key === undefined ? {} : { [createdByAnnotation]: key };
}

/** How all of them are. */
function observationOf(
  resources: readonly BoundResource[],
  healthy: (object: KubeObject) => AppliedHealth,
): TaskObservation {
  let ready = 0;
  const waiting: string[] = [];
  for (const { kindName, live } of resources) {
    const state = live === undefined ? "missing" : stateOf(live, healthy);
    if (state === true) ready += 1;
    else if (typeof state === "string") waiting.push(`${kindName} is ${state}`);
    else return { phase: "Failed", message: `${kindName}: ${state.failure}` };
  }
  const total = resources.length;
  if (ready === total) return { phase: "Succeeded" };
  const [first = "", ...others] = waiting;
  const message = others.length === 0 ? first : `${first}, and ${others.length} more`;
  return { phase: "Running", progress: { done: ready, total, what: "objects healthy" }, message };
}

/** Whether an object is healthy, why it failed, or what it waits for. */
function stateOf(
  object: KubeObject,
  healthy: (object: KubeObject) => AppliedHealth,
): true | string | { readonly failure: string } {
  const said = healthy(object);
  if (said === true && object.metadata.deletionTimestamp === undefined) return true;
  if (typeof said === "object") return said;
  const { ready, stalled } = healthOfChild(object);
  if (stalled !== undefined) return { failure: stalled.message };
  if (said === undefined && ready.status === "True" && isReady(object)) return true;
  return ready.status === "True" ? "not healthy" : ready.message;
}

function noList(given: unknown): OperatorError {
  return new OperatorError(
    "OBJECTS_INVALID",
    `objects of applyTask returned ${typeof given}, but must return a list`,
    {
      remedy: "Return a list of manifests: [{ apiVersion, kind, metadata, spec }].",
    },
  );
}
