// The seam between the built-in controllers and whatever makes pods run: simulated or as local processes.
// The node agent feeds it; the API server asks it for logs and for commands run inside a container.
import type { Duplex } from "node:stream";
import type { Pod } from "../../kinds/builtin/core.ts";
import type { SharedCache } from "../../cache/informer.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";

/** What the node tells of a pod, as a Kubernetes Event. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  /** One word. */
  readonly reason: string;
  readonly message: string;
  /** The part of the pod that it is about, such as `spec.containers{main}`. */
  readonly fieldPath?: string;
}

/** Where the node's Events go. */
export interface PodEvents {
  from(component: string): { record(object: Pod, event: PodEvent): void };
}

/** What a runtime gets from the controllers that start it. */
export interface PodHost {
  readonly client: KubeClient;
  readonly cache: SharedCache;
  /** Where pods find the API server, and the authority that has signed its certificate, PEM; default they do not know. */
  readonly apiServer?: { readonly url: string; readonly authority: string };
  /** Default: nobody. */
  readonly events?: PodEvents;
  /** What a write waits for while the node does not reach the API server; default nothing. */
  readonly reachable?: () => Promise<void> | undefined;
  /** Called when nothing is heard of the node any more, and when it is back; default nobody. */
  readonly nodeLost?: (isLost: boolean) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Which output of which container. */
export interface PodLogRequest {
  /** The pod's namespace. */
  readonly namespace: string;
  /** The pod's name. */
  readonly name: string;
  /** Default: the pod's only container, or its first one. */
  readonly container?: string;
  /** Stay and yield what is written later, until the container ends or the signal is aborted. */
  readonly follow?: boolean;
  /** Only the last so many lines; default all. */
  readonly tailLines?: number;
  /** Ends after so many bytes; default never. */
  readonly limitBytes?: number;
  /** Only lines written in the last so many seconds; default all. */
  readonly sinceSeconds?: number;
  /** Only lines written since a time, in RFC 3339; default all. */
  readonly sinceTime?: string;
  /** Puts the time before each line, in RFC 3339; default false. */
  readonly timestamps?: boolean;
  /** The output of the previous instance of the container. */
  readonly previous?: boolean;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** A command to be run beside a container, with its environment, folder and identity. */
export interface PodExecRequest {
  /** The pod's namespace. */
  readonly namespace: string;
  /** The pod's name. */
  readonly name: string;
  /** Default: the pod's only container, or its first one. */
  readonly container?: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Written to the command's standard input, which is then closed. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Called with the output as it comes; while what it returns is pending, no more is read from the command. */
  readonly onStdout?: (chunk: Uint8Array) => Promise<void> | void;
  /** The same for what it writes to standard error. */
  readonly onStderr?: (chunk: Uint8Array) => Promise<void> | void;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** Who joins a container that runs. */
export interface PodAttachRequest {
  /** The pod's namespace. */
  readonly namespace: string;
  /** The pod's name. */
  readonly name: string;
  /** Default: the pod's only container, or its first one. */
  readonly container?: string;
  /** Written to the container's standard input, if it keeps one open (`stdin: true`). */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Called with the output from now on; while what it returns is pending, no more is read from the container. */
  readonly onStdout?: (chunk: Uint8Array) => Promise<void> | void;
  /** The same for what it writes to standard error. */
  readonly onStderr?: (chunk: Uint8Array) => Promise<void> | void;
  /** Leaves the container, which goes on. */
  readonly signal?: AbortSignal;
}

/** Which port of which pod. */
export interface PodConnectRequest {
  /** The pod's namespace. */
  readonly namespace: string;
  /** The pod's name. */
  readonly name: string;
  /** The number of the port, whether or not a container declares it. */
  readonly port: number;
}

/** How a command ended. */
export interface PodExecResult {
  /** 0 for success. */
  readonly exitCode: number;
}

/**
 * Runs the pods that are bound to this node, and writes their status.
 *
 * **Guarantees**: level-driven: {@link sync} with the newest object is enough, however many changes were missed; a pod being
 * deleted is ended within its grace period and its object then removed; after {@link stop} nothing of it runs any more.
 */
export interface PodRuntime {
  /** Whether pods are made up or are processes of this machine. */
  readonly mode: "simulated" | "process";
  /**
   * Called once, before the first pod.
   *
   * @internal
   */
  start(host: PodHost): Promise<void>;
  /** The newest state of a pod bound to this node. */
  sync(pod: Pod): void;
  /** The pod's object is gone: whatever still runs of it is ended at once. */
  forget(pod: Pod): void;
  /**
   * The output of a container, in chunks that end at line breaks where they can.
   * Errors: `POD_NOT_FOUND`, `CONTAINER_NOT_FOUND`, `CONTAINER_NOT_STARTED`.
   */
  logs(request: PodLogRequest): AsyncIterable<string>;
  /** Runs a command beside a container. Errors: as {@link logs}, and `EXEC_UNSUPPORTED` where a simulated pod has no answer. */
  exec(request: PodExecRequest): Promise<PodExecResult>;
  /** Joins a container; resolves when that has ended, or the signal is aborted. Errors: as {@link logs}. */
  attach(request: PodAttachRequest): Promise<void>;
  /** A connection to a port of a pod. Errors: `POD_NOT_FOUND`, `POD_PORT_CLOSED`. */
  connect(request: PodConnectRequest): Promise<Duplex>;
  /** The folder that backs a claim, made if needed; undefined where pods have no files. */
  claimFolder(namespace: string, name: string): Promise<string | undefined>;
  /** Removes the folder of a claim that was deleted. */
  releaseClaim(namespace: string, name: string): Promise<void>;
  /** Ends every pod and everything the runtime has opened. Idempotent. */
  stop(): Promise<void>;
}
