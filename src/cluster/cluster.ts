// What an embedded cluster is to those who start one; start-cluster.ts makes it.
import {
  anyObject,
  clock,
  duration,
  either,
  flag,
  having,
  listOf,
  logger,
  oneOf,
  optionsOf,
  recordOf,
  text,
  whole,
} from "../options/option-schemas.ts";
import type { Clock } from "../ports/clock.ts";
import type { Duration } from "../ports/duration.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClusterFaults } from "./cluster-faults.ts";
import type { PodRuntime } from "./pods/pod-runtime.ts";

/** One write request that reached the embedded API server. */
export interface WriteRequest {
  /** What is asked for; `apply` is a patch by server-side apply. */
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";
  /** URL path without the query. */
  readonly path: string;
  /** `User-Agent` header. */
  readonly userAgent: string;
  /** The user of the bearer token. */
  readonly user: string;
  /** `fieldManager` of the query, if any. */
  readonly fieldManager: string | undefined;
}

/** Hooks around every write, for crash tests: off by default. */
export interface WriteInterceptor {
  /** Before the write is looked at; `drop` closes the connection without having done anything. */
  before?(write: WriteRequest): Promise<"proceed" | "drop"> | "proceed" | "drop";
  /** After the write is stored and before its answer is sent; `drop` closes the connection instead of answering. */
  after?(write: WriteRequest, status: number): Promise<"proceed" | "drop"> | "proceed" | "drop";
}

/** Options of `startCluster`. */
export interface ClusterOptions {
  /** Where kubeconfig, pod folders and logs go; default a new temporary folder that `stop()` removes. */
  readonly directory?: string;
  /**
   * The file for the kubeconfig, in a folder that is there; default `kubeconfig` in the directory. It stays when the cluster has ended. A file
   * that holds anything but the kubeconfig of an embedded cluster is never overwritten.
   */
  readonly kubeconfig?: string;
  /**
   * Where everything is kept that is stored, so that a cluster that is started on this folder again goes on: objects, their versions,
   * certificate, tokens and port. A write that was answered outlasts the process however that ends, and a second later the machine.
   * Default: in memory only.
   */
  readonly data?: string;
  /** Port on 127.0.0.1; default a free one, or with `data` the one that it had before, if that is free. */
  readonly port?: number;
  /**
   * How pods run: ready after a delay, or as local child processes; or a runtime of your own, for instance
   * `createSimulatedPods()` to script failures. Default `simulated`.
   */
  readonly pods?: "simulated" | "process" | PodRuntime;
  /** Milliseconds until a simulated pod is ready; default 50. */
  readonly podStartDelay?: number;
  /** Folders in which the commands of process pods are looked up before `PATH`; default none. */
  readonly podPath?: readonly string[];
  /** False: only the API server, no built-in controllers and no pods. Default true. */
  readonly controllers?: boolean;
  /** Whether Roles and their bindings decide what users may do, as in a cluster; default every user may do everything. */
  readonly rbac?: boolean;
  /**
   * Whether the APIs of metrics are served, as where a metrics server is installed: autoscalers and `kubectl top` read there what
   * annotations `metrics.xstate-operator.dev/cpu` (or any other name) of pods and of what they belong to say. Default false.
   */
  readonly metrics?: boolean;
  /** How long Events are kept after their last write, as by `--event-ttl` of kube-apiserver; default `1h`. */
  readonly eventTtl?: Duration;
  /** More users: token to user name and groups. Every user may do everything. Default none. */
  readonly users?: Readonly<Record<string, { readonly name: string; readonly groups?: readonly string[] }>>;
  /** Hooks around every write, for crash tests; default none. */
  readonly interceptWrites?: WriteInterceptor;
  /** Default the system's; a virtual one lets hours pass at once. */
  readonly clock?: Clock;
  /** Receives what the cluster does; default nobody. */
  readonly log?: Logger;
}

const podRuntime = having(["start", "sync", "forget", "logs", "exec"], "a runtime of pods", "Leave it out.");

/** The form of each option. */
export const clusterOptions = optionsOf<ClusterOptions>()({
  directory: text.optional(),
  kubeconfig: text.optional(),
  data: text.optional(),
  port: whole(0, 65_535).optional(),
  pods: either(oneOf("simulated", "process"), podRuntime, {
    expected: "simulated, process, or a runtime of pods",
    remedy: 'Write "simulated" or "process", or give it createSimulatedPods().',
  }).optional(),
  podStartDelay: whole(0).optional(),
  podPath: listOf(text).optional(),
  controllers: flag.optional(),
  rbac: flag.optional(),
  metrics: flag.optional(),
  eventTtl: duration.optional(),
  users: recordOf(
    optionsOf<{ readonly name: string; readonly groups?: readonly string[] }>()({
      name: text,
      groups: listOf(text).optional(),
    }),
  ).optional(),
  interceptWrites: anyObject("Give it an object with before or after.").optional(),
  clock: clock.optional(),
  log: logger.optional(),
});

/** A running embedded cluster. */
export interface Cluster {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** Where kubeconfig, pod folders and logs are. */
  readonly directory: string;
  /** A kubeconfig file (mode 600) with the CA and the admin's token; in `directory` unless the options name another. */
  readonly kubeconfig: string;
  /** What shall go wrong; nothing does unless asked for here. */
  readonly faults: ClusterFaults;
  /** Ends pods, controllers and server, and removes the folder if it was made by us. Idempotent. */
  stop(): Promise<void>;
}
