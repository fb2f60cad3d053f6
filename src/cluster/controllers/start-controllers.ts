// Starts the built-in controllers of an embedded cluster, and the pods they make. They speak to the API server as any
// client does, so they run on a real one just as well.
import { setMaxListeners } from "node:events";
import { BehaviorSubject } from "rxjs";
import { createSharedCache } from "../../cache/shared-cache.ts";
import type { SharedCache } from "../../cache/informer.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import type { PodRuntime } from "../pods/pod-runtime.ts";
import { roleAggregationController } from "./access/role-aggregation-controller.ts";
import { autoscalerController } from "./autoscaler/autoscaler-controller.ts";
import type { ControllerContext } from "./controller-context.ts";
import { type ControllerDefinition, runController, type RunningController } from "./controller-loop.ts";
import { ApiEvents } from "./controller-events.ts";
import { cronJobController } from "./cron-job/cron-job-controller.ts";
import { daemonSetController } from "./daemon-set/daemon-set-controller.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { disruptionController } from "./disruption/disruption-controller.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { jobController } from "./job/job-controller.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { rootAuthorityController } from "./namespace/root-authority-controller.ts";
import { serviceAccountController } from "./namespace/service-account-controller.ts";
import { tokenSecretController, type TokenSecretOptions } from "./namespace/token-secret-controller.ts";
import { nodeLossController, type NodeSilence } from "./node/node-loss.ts";
import { registerNode } from "./node/node-object.ts";
import { nodeTaintController } from "./node/node-taints.ts";
import { nodeTtlController } from "./node/node-ttl.ts";
import { policyStatusController } from "./policy/policy-status-controller.ts";
import { podController } from "./scheduler/pod-controller.ts";
import { taintEvictionController } from "./node/taint-eviction.ts";
import { quotaController } from "./quota/quota-controller.ts";
import { recordingClient } from "./recording-client.ts";
import { replicaSetController, replicationController } from "./replica-set/replica-set-controller.ts";
import { endpointsController } from "./service/endpoints-controller.ts";
import { mirroringController } from "./service/mirroring-controller.ts";
import { statefulSetController } from "./stateful-set/stateful-set-controller.ts";
import { claimController } from "./storage/claim-controller.ts";
import { ephemeralClaimController } from "./storage/ephemeral-claims.ts";
import { volumeController } from "./storage/volume-controller.ts";

/** Options of {@link startControllers}. */
export interface ControllersOptions {
  /** A client of a user who may do everything. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How pods run; started and stopped with the controllers. */
  readonly pods: PodRuntime;
  /** The authority that has signed the API server's certificate, PEM; default none is published. */
  readonly authority?: string;
  /** Makes the tokens that Secrets hold; default none is made. */
  readonly issueHeldToken?: TokenSecretOptions["issue"];
  /** Where pods reach the API server; default they do not know. */
  readonly url?: string;
  /** Ends the controllers, as {@link RunningControllers.stop} does. */
  readonly signal?: AbortSignal;
  /** Makes a cache on the client; default the one that operators use. */
  readonly newCache?: (client: KubeClient) => SharedCache;
}

/** Controllers that run. */
export interface RunningControllers {
  /** Ends the controllers and every pod. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts all built-in controllers: deployments, replica sets, replication controllers, stateful sets, daemon sets, jobs, cron jobs, endpoints, disruption budgets, autoscalers, quotas, claims, volumes, namespaces, default
 * service accounts, tokens in Secrets, the status of admission policies, aggregated roles, garbage collection, and the node with its pods.
 *
 * **Guarantees**: on return every controller has read what there is; an idle cluster sees no write of theirs.
 * **Errors**: those of the API server while the node is registered; `signal` aborts the start with its reason.
 */
export async function startControllers(options: ControllersOptions): Promise<RunningControllers> {
  const { clock, random, log, pods } = options;
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const { signal } = abort;
  const newCache = (): SharedCache =>
    options.newCache?.(options.client) ?? createSharedCache({ client: options.client, clock, random, log });
  const cache = newCache();
  const client = recordingClient(options.client, cache);
  const events = new ApiEvents({ client: options.client, clock, log, signal });
  const context: ControllerContext = { client, cache, events, clock, random, log, signal };
  const running: RunningController[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      abort.abort(new Error("the controllers are stopped"));
      await Promise.all(running.map((controller) => controller.stop()));
      await pods.stop();
    })();
    return stopped;
  };
  try {
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", () => void stop(), { once: true });
    // Before the first pod can be bound to it.
    await registerNode(context, pods.mode);
    const silence: NodeSilence = new BehaviorSubject<number | undefined>(undefined);
    const nodeLost = (isLost: boolean): void => silence.next(isLost ? clock.now() : undefined);
    const { url, authority } = options;
    const apiServer = url === undefined || authority === undefined ? undefined : { url, authority };
    await pods.start({ ...context, nodeLost, ...(apiServer === undefined ? {} : { apiServer }) });
    for (const definition of controllersOf(context, options, silence, newCache)) {
      running.push(runController(definition, context));
    }
    cache.start(signal);
    await cache.whenSynced(signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** Every controller; another one is another line. */
function controllersOf(
  context: ControllerContext,
  { pods, authority, issueHeldToken: issue }: ControllersOptions,
  silence: NodeSilence,
  newCache: () => SharedCache,
): readonly ControllerDefinition[] {
  return [
    deploymentController(context),
    replicaSetController(context),
    replicationController(context),
    statefulSetController(context),
    daemonSetController(context),
    jobController(context),
    cronJobController(context),
    endpointsController(context),
    mirroringController(context),
    disruptionController(context),
    quotaController(context),
    autoscalerController(context),
    claimController(context, pods),
    volumeController(context),
    ephemeralClaimController(context),
    namespaceController(context),
    serviceAccountController(context),
    ...(authority === undefined ? [] : [rootAuthorityController(context, authority)]),
    ...(authority === undefined || issue === undefined
      ? []
      : [tokenSecretController(context, { authority, issue })]),
    policyStatusController(context),
    roleAggregationController(context),
    podController(context, pods, silence),
    nodeLossController(context, silence),
    taintEvictionController(context, silence),
    nodeTaintController(context),
    nodeTtlController(context),
    garbageCollector(context, newCache),
  ];
}
