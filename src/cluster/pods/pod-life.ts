// The life of one pod on its node: init containers in order, then the containers, then the end, and the status all along.
// The node agent makes one per pod uid and feeds it the newest object; nothing is decided on a change that was seen.
import { setMaxListeners } from "node:events";
import type { Pod } from "../../kinds/builtin/core.ts";
import type { Container } from "../../kinds/builtin/parts.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import { sleep } from "../../ports/clock.ts";
import { equal } from "../../schema/json-value.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { ContainerBackend, PodSandbox } from "./container-backend.ts";
import { ContainerLife } from "./container-life.ts";
import type { PodEvent, PodHost } from "./pod-runtime.ts";
import { type PodFacts, podStatusOf } from "./pod-status.ts";
import { hasSources, mountFaults, sourcesLookedForAgain } from "./pod-sources.ts";
import { PodStatusWriter } from "./pod-status-writer.ts";
import { restartDelay, type RestartDelays } from "./restart-backoff.ts";
import { type ContainerPlace, restartPolicyOf } from "./restart-policy.ts";

/** The reason of every end here: nobody reads it, and one of its own would be made with a stack each time. */
const over = new DOMException("it is over", "AbortError");

/** Where the containers of a pod are in it. */
const lists = {
  initial: "spec.initContainers",
  main: "spec.containers",
  ephemeral: "spec.ephemeralContainers",
};

/** What a pod's life needs. */
export interface PodLifeOptions {
  readonly pod: Pod;
  readonly backend: ContainerBackend;
  readonly host: PodHost;
  readonly delays: RestartDelays;
  readonly hostIP: string;
}

/** One pod that this node runs. */
export class PodLife {
  /** Resolves when nothing of the pod runs any more and nothing will; never rejects. */
  readonly finished: Promise<void>;
  #options: PodLifeOptions;
  #writer: PodStatusWriter;
  #init: readonly ContainerLife[];
  #main: readonly ContainerLife[];
  /** Added while the pod runs, to look at it. */
  #ephemeral: ContainerLife[] = [];
  #ephemeralRuns: Promise<void>[] = [];
  #startedAt: number;
  #sandbox: PodSandbox | undefined;
  #failure: PodFacts["failure"];
  /** Ends the wait for the deadline that held so far. */
  #deadline: AbortController | undefined;
  /** No container is started after this. */
  #stop = new AbortController();
  /** Containers get no more grace after this. */
  #kill = new AbortController();
  #removed: Promise<void> | undefined;
  #cleaned: Promise<void> | undefined;

  constructor(options: PodLifeOptions) {
    const { pod, host } = options;
    setMaxListeners(0, this.#stop.signal, this.#kill.signal);
    this.#options = options;
    // A pod that another run of this node has begun has been active since then.
    const begun = Date.parse(pod.status?.startTime ?? "");
    this.#startedAt = Number.isNaN(begun) ? host.clock.now() : begun;
    this.#writer = new PodStatusWriter({
      pod,
      host,
      statusOf: (newest) => podStatusOf(newest, this.#facts(), host.clock.now()),
    });
    this.#init = (pod.spec.initContainers ?? []).map((container) => this.#lifeOf(container, "initial"));
    this.#main = pod.spec.containers.map((container) => this.#lifeOf(container, "main"));
    this.finished = this.#run();
  }

  /** The newest object that is known. */
  get pod(): Pod {
    return this.#writer.pod;
  }

  /** Takes in the newest object; a pod being deleted is ended, and its object then removed. */
  sync(pod: Pod): void {
    const before = this.#writer.pod.spec;
    this.#writer.see(pod);
    if (pod.metadata.deletionTimestamp === undefined) {
      this.#runEphemeral();
      // What the node gives to containers may have been changed.
      if (!equal(before, pod.spec)) this.#writer.report();
      if (before.activeDeadlineSeconds !== pod.spec.activeDeadlineSeconds) void this.#enforceDeadline();
      return;
    }
    this.#end((pod.metadata.deletionGracePeriodSeconds ?? this.#graceSeconds) * 1000);
    if (this.#removed === undefined) this.#removed = this.#removeObject();
  }

  /** Writes the status, if it is not what the object has. */
  report(): void {
    this.#writer.report();
  }

  /**
   * The object is gone, or the node stops: ends everything within `grace` milliseconds, writes nothing any more and
   * removes the pod's surroundings.
   */
  async abandon(grace: number): Promise<void> {
    this.#writer.close();
    this.#end(grace);
    await this.#cleanUp();
  }

  get #graceSeconds(): number {
    return this.#options.pod.spec.terminationGracePeriodSeconds ?? 30;
  }

  #lifeOf(container: Container, kind: ContainerPlace): ContainerLife {
    const { pod, backend, host, delays } = this.#options;
    return new ContainerLife({
      container,
      waitsFor:
        kind === "ephemeral" || (pod.spec.initContainers ?? []).length === 0
          ? "ContainerCreating"
          : "PodInitializing",
      restartPolicy: restartPolicyOf(pod, container, kind),
      backend,
      clock: host.clock,
      delays,
      graceSeconds: this.#graceSeconds,
      podText: `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
      onChange: () => this.#writer.report(),
      onEvent: (event) => this.#tell({ ...event, fieldPath: `${lists[kind]}{${container.name}}` }),
    });
  }

  /** Tells of the pod in an Event. */
  #tell(event: PodEvent): void {
    this.#options.host.events?.from("kubelet").record(this.pod, event);
  }

  #facts(): PodFacts {
    return {
      initContainers: this.#init.map((each) => each.status),
      containers: this.#main.map((each) => each.status),
      ephemeralContainers: this.#ephemeral.map((each) => each.status),
      podIP: this.#sandbox?.ip,
      hostIP: this.#options.hostIP,
      startedAt: this.#startedAt,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
    };
  }

  async #run(): Promise<void> {
    const { host, pod } = this.#options;
    // After the constructor's last assignment.
    await Promise.resolve();
    // A pod that was already being deleted when it was first seen is not started.
    if (this.#stop.signal.aborted) return;
    const ended = new AbortController();
    try {
      void this.#enforceDeadline();
      this.#writer.report();
      if (hasSources(pod)) await this.#whenMounted();
      const sandbox = await this.#createSandbox();
      if (sandbox === undefined) return;
      void this.#followEviction(sandbox, ended.signal);
      this.#runEphemeral();
      const sidecars: Promise<void>[] = [];
      if (await this.#runInit(sandbox, sidecars)) {
        if (this.#init.length > 0) for (const life of this.#main) life.waitFor("ContainerCreating");
        await Promise.all(this.#main.map((life) => life.run(sandbox)));
      }
      ended.abort(over);
      this.#end(this.#graceSeconds * 1000);
      await Promise.all([...sidecars, ...this.#ephemeralRuns]);
    } catch (error) {
      host.log.error({ pod: formatKey(keyOf(pod)), error: messageOf(error) }, "pod ended unexpectedly");
    } finally {
      ended.abort(over);
      this.#deadline?.abort(over);
    }
  }

  /** Resolves once all that the volumes are filled from is there, or the pod is to end; what is missing is reported once. */
  async #whenMounted(): Promise<void> {
    const { host, pod } = this.#options;
    const reported = new Set<string>();
    while (!this.#stop.signal.aborted) {
      try {
        const faults = await mountFaults(this.pod, host);
        if (faults.length === 0) return;
        for (const message of faults) {
          if (!reported.has(message)) this.#tell({ type: "Warning", reason: "FailedMount", message });
          reported.add(message);
        }
      } catch (error) {
        host.log.warn({ pod: formatKey(keyOf(pod)), error: messageOf(error) }, "volumes were not looked at");
      }
      await sleep(host.clock, sourcesLookedForAgain, this.#stop.signal);
    }
  }

  async #createSandbox(): Promise<PodSandbox | undefined> {
    const { backend, host, pod, delays } = this.#options;
    for (let row = 1; !this.#stop.signal.aborted; row += 1) {
      try {
        this.#sandbox = await backend.createSandbox(pod, this.#stop.signal);
        // Its address is written with the first container that runs, as the kubelet does.
        return this.#sandbox;
      } catch (error) {
        host.log.warn({ pod: formatKey(keyOf(pod)), error: messageOf(error) }, "pod sandbox failed");
        await sleep(host.clock, restartDelay(row, delays), this.#stop.signal);
      }
    }
    return undefined;
  }

  /** Runs the init containers in order; true when the containers may start. */
  async #runInit(sandbox: PodSandbox, sidecars: Promise<void>[]): Promise<boolean> {
    for (const life of this.#init) {
      if (this.#stop.signal.aborted) return false;
      if (life.container.restartPolicy === "Always") {
        sidecars.push(life.run(sandbox));
        await life.whenStarted(this.#stop.signal);
      } else {
        await life.run(sandbox);
        if (life.status.state.terminated?.exitCode !== 0) return false;
      }
    }
    return !this.#stop.signal.aborted;
  }

  /** Starts the ephemeral containers that have been added, once there is where to. */
  #runEphemeral(): void {
    const sandbox = this.#sandbox;
    if (sandbox === undefined || this.#stop.signal.aborted) return;
    for (const container of this.pod.spec.ephemeralContainers ?? []) {
      if (this.#ephemeral.some((each) => each.container.name === container.name)) continue;
      const life = this.#lifeOf(container, "ephemeral");
      this.#ephemeral.push(life);
      this.#ephemeralRuns.push(life.run(sandbox));
    }
  }

  /** Ends the pod when it has run for as long as it may; called again when that has changed. */
  async #enforceDeadline(): Promise<void> {
    this.#deadline?.abort(over);
    const seconds = this.pod.spec.activeDeadlineSeconds;
    if (seconds === undefined || this.#stop.signal.aborted) return;
    const { clock } = this.#options.host;
    const deadline = new AbortController();
    this.#deadline = deadline;
    await sleep(clock, Math.max(0, this.#startedAt + seconds * 1000 - clock.now()), deadline.signal);
    if (deadline.signal.aborted || this.#stop.signal.aborted) return;
    const failure = {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    };
    this.#failure = failure;
    this.#writer.report();
    this.#tell({ type: "Normal", ...failure });
    this.#end(this.#graceSeconds * 1000);
  }

  /** A pod that its node evicts is killed and has failed; it is for others to replace it, and to remove its object. */
  async #followEviction({ evicted }: PodSandbox, ended: AbortSignal): Promise<void> {
    if (evicted === undefined) return;
    const message = await evicted;
    if (ended.aborted || this.#stop.signal.aborted) return;
    this.#failure = { reason: "Evicted", message, disruption: "TerminationByKubelet" };
    this.#writer.report();
    this.#tell({ type: "Warning", reason: "Evicted", message });
    this.#end(0);
  }

  /** Ends the containers within `grace` milliseconds; a shorter grace overrides an earlier one. */
  #end(grace: number): void {
    const first = !this.#stop.signal.aborted;
    this.#stop.abort(over);
    if (grace <= 0) this.#kill.abort(over);
    else void this.#killAfter(grace);
    if (!first) return;
    for (const life of [...this.#init, ...this.#main, ...this.#ephemeral]) void life.end(this.#kill.signal);
  }

  async #killAfter(grace: number): Promise<void> {
    const done = new AbortController();
    void this.finished.then(() => done.abort(over));
    await sleep(this.#options.host.clock, grace, done.signal);
    this.#kill.abort(over);
  }

  async #removeObject(): Promise<void> {
    await this.#cleanUp();
    await this.#writer.removeObject(this.#sandbox !== undefined);
  }

  /** Once only: what the pod has used may be another's by the time it is asked again. */
  #cleanUp(): Promise<void> {
    this.#cleaned ??= this.#removeSandbox();
    return this.#cleaned;
  }

  async #removeSandbox(): Promise<void> {
    const { host, pod } = this.#options;
    await this.finished;
    try {
      await this.#sandbox?.remove();
    } catch (error) {
      host.log.warn({ pod: formatKey(keyOf(pod)), error: messageOf(error) }, "pod folder was not removed");
    }
  }
}
