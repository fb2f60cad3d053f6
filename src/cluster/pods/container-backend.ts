// The seam between the life of a pod (order, restarts, probes, status), which is the same for all runtimes,
// and what a container is: a scripted simulation or a local process.
import type { Duplex } from "node:stream";
import type { Pod } from "../../kinds/builtin/core.ts";
import type { Container, LifecycleHandler, Probe } from "../../kinds/builtin/parts.ts";
import type {
  PodAttachRequest,
  PodExecRequest,
  PodExecResult,
  PodHost,
  PodLogRequest,
} from "./pod-runtime.ts";
import { OperatorError, type OperatorErrorOptions } from "../../ports/operator-error.ts";

/** How an instance of a container ended. */
export interface ContainerExit {
  readonly exitCode: number;
  /** The number of the signal that ended it. */
  readonly signal?: number;
  readonly message?: string;
  /** Default Completed or Error, by the code. */
  readonly reason?: string;
}

/** What a probe asks of a container, or what a hook does in it. */
export type ContainerCheck = LifecycleHandler & Pick<Probe, "grpc">;

/** One instance of a container that was started. */
export interface StartedContainer {
  /** What `containerID` shows. */
  readonly id: string;
  /** Resolves when the instance has ended and nothing of it is left; never rejects. */
  readonly exited: Promise<ContainerExit>;
  /** Asks it to end (SIGTERM). */
  terminate(): void;
  /** Ends it at once (SIGKILL). */
  kill(): void;
  /** One probe or hook; false or an error is a failure. The signal ends it. */
  check(action: ContainerCheck, signal: AbortSignal): Promise<boolean>;
}

/** What a backend tells the pod's life about one instance. */
export interface ContainerEvents {
  /** Readiness apart from the container's probes; an instance starts unready until this says true. */
  ready(ready: boolean): void;
}

/** The surroundings of one pod: its folder and address. */
export interface PodSandbox {
  readonly ip: string;
  /** Resolves with the node's words when it evicts the pod; never rejects. Default: it never does. */
  readonly evicted?: Promise<string>;
  /**
   * Starts an instance. `attempt` counts from 0.
   * Errors: {@link ContainerStartError}, whose reason the container waits with before the next attempt.
   */
  start(
    container: Container,
    attempt: number,
    events: ContainerEvents,
    signal: AbortSignal,
  ): Promise<StartedContainer>;
  /** Removes what the pod has used; after all its containers have ended. */
  remove(): Promise<void>;
}

/** Makes sandboxes and containers. */
export interface ContainerBackend {
  readonly mode: "simulated" | "process";
  /** False: probes are not run, readiness comes from {@link ContainerEvents.ready} alone. */
  readonly probes: boolean;
  start(host: PodHost): Promise<void>;
  createSandbox(pod: Pod, signal: AbortSignal): Promise<PodSandbox>;
  logs(pod: Pod, container: string, request: PodLogRequest): AsyncIterable<string>;
  exec(pod: Pod, container: Container, request: PodExecRequest): Promise<PodExecResult>;
  attach(pod: Pod, container: Container, request: PodAttachRequest): Promise<void>;
  connect(pod: Pod, port: number): Promise<Duplex>;
  claimFolder(namespace: string, name: string): Promise<string | undefined>;
  releaseClaim(namespace: string, name: string): Promise<void>;
  stop(): Promise<void>;
}

/** A container that could not be started; it waits with this reason and is tried again. */
export class ContainerStartError extends OperatorError {
  /** The reason shown in `containerStatuses[].state.waiting`, for instance `ErrImagePull`. */
  readonly reason: string;

  constructor(reason: string, message: string, options: OperatorErrorOptions = {}) {
    super("CONTAINER_START_FAILED", message, options);
    this.reason = reason;
  }
}

/** An image that cannot be pulled: the container waits with `ErrImagePull`, and then with `ImagePullBackOff`. */
export class ImagePullError extends ContainerStartError {
  readonly image: string;

  constructor(image: string, why: string) {
    super("ErrImagePull", `failed to pull and unpack image "${image}": ${why}`);
    this.image = image;
  }
}

/** An image whose name is none: the container waits with `InvalidImageName`, and the message says what is wrong with it. */
export class ImageNameError extends ContainerStartError {
  constructor(fault: string) {
    super("InvalidImageName", fault);
  }
}
