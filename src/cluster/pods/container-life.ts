// The life of one container of a pod: start, probes, end, and start again as the restart policy says.
// The pod's life runs it; it changes nothing but its own status, and calls back on each change.
import type { Container, Probe } from "../../kinds/builtin/parts.ts";
import {
  type ContainerBackend,
  type ContainerCheck,
  type ContainerExit,
  ContainerStartError,
  ImageNameError,
  ImagePullError,
  type PodSandbox,
  type StartedContainer,
} from "./container-backend.ts";
import type { ContainerRecord } from "./container-record.ts";
import { runProbe } from "./probe-loop.ts";
import type { PodEvent } from "./pod-runtime.ts";
import { configError, sourcesLookedForAgain } from "./pod-sources.ts";
import { delayText, restartDelay, type RestartDelays } from "./restart-backoff.ts";
import { isRestarted, type RestartPolicy } from "./restart-policy.ts";
import { toTimestamp } from "../../meta/condition.ts";
import { monotonicNow, sleep, type Clock } from "../../ports/clock.ts";
import { messageOf } from "../../ports/operator-error.ts";

/** The reason of every end here, as in pod-life.ts. */
const over = new DOMException("it is over", "AbortError");

/** What a container's life needs. */
export interface ContainerLifeOptions {
  readonly container: Container;
  /** Why it waits, until more is known. */
  readonly waitsFor: string;
  readonly restartPolicy: RestartPolicy;
  readonly backend: Pick<ContainerBackend, "probes">;
  readonly clock: Clock;
  readonly delays: RestartDelays;
  /** Seconds between SIGTERM and SIGKILL of an instance that a probe has found dead. */
  readonly graceSeconds: number;
  /** The pod, as the kubelet's messages name it. */
  readonly podText: string;
  /** The status has changed. */
  readonly onChange: () => void;
  /** Something went wrong that the pod's Events tell. */
  readonly onEvent: (event: Pick<PodEvent, "type" | "reason" | "message">) => void;
}

/** Milliseconds for which a failed pull shows its error, before it shows that the next one is waited for. */
const pullErrorShown = 500;

/** One container of one pod, over all its instances. */
export class ContainerLife {
  readonly container: Container;
  #options: ContainerLifeOptions;
  #status: ContainerRecord;
  #instance: StartedContainer | undefined;
  #backendReady = false;
  #probeReady = false;
  #onStarted: (() => void)[] = [];
  #stop = new AbortController();

  constructor(options: ContainerLifeOptions) {
    this.container = options.container;
    this.#options = options;
    this.#status = {
      name: options.container.name,
      image: options.container.image ?? "",
      imageID: "",
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: options.waitsFor } },
      lastState: {},
    };
  }

  /** What the pod's status shows of this container. */
  get status(): ContainerRecord {
    return this.#status;
  }

  /** Resolves when an instance has started (its startup probe included), none will, or the signal is aborted. */
  whenStarted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#status.started) return resolve();
      this.#onStarted.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Shows why the container waits, before its first start. */
  waitFor(reason: string): void {
    this.#set({ state: { waiting: { reason } } });
  }

  /** Runs instance after instance; resolves when none will follow. */
  async run(sandbox: PodSandbox): Promise<void> {
    const { clock, delays, restartPolicy } = this.#options;
    const stop = this.#stop.signal;
    let row = 0;
    for (let attempt = 0; !stop.aborted;) {
      const begun = monotonicNow(clock);
      const exit = await this.#runOnce(sandbox, attempt);
      if (exit === undefined || exit instanceof ContainerStartError) {
        // The instance could not be started: it waits with the error's reason and is tried again.
        row += 1;
        // What it is configured from may come at any time, and nothing has been tried that could be worn out.
        const isConfigured = exit?.reason !== configError;
        const delay = isConfigured ? restartDelay(row, delays) : sourcesLookedForAgain;
        const shown = exit instanceof ImagePullError ? Math.min(pullErrorShown, delay) : 0;
        if (exit instanceof ImagePullError) await this.#backOffPulling(exit, shown);
        await sleep(clock, delay - shown, stop);
        continue;
      }
      if (stop.aborted || !isRestarted(restartPolicy, exit.exitCode)) return;
      row = monotonicNow(clock) - begun >= delays.healthyAfter ? 0 : row;
      const delay = restartDelay(row, delays);
      row += 1;
      attempt += 1;
      if (delay > 0) {
        const { name } = this.container;
        const { podText, onEvent } = this.#options;
        const message = `back-off ${delayText(delay)} restarting failed container=${name} pod=${podText}`;
        this.#set({
          lastState: this.#status.state,
          state: { waiting: { reason: "CrashLoopBackOff", message } },
        });
        const note = `Back-off restarting failed container ${name} in pod ${podText}`;
        onEvent({ type: "Warning", reason: "BackOff", message: note });
        await sleep(clock, delay, stop);
      }
    }
  }

  /** Ends the container: the preStop hook, SIGTERM, and SIGKILL once the signal is aborted. No instance follows. */
  async end(kill: AbortSignal): Promise<void> {
    this.#stop.abort(over);
    const instance = this.#instance;
    if (instance === undefined) return;
    const killNow = (): void => instance.kill();
    if (kill.aborted) killNow();
    kill.addEventListener("abort", killNow, { once: true });
    const preStop = this.container.lifecycle?.preStop;
    if (preStop !== undefined && !kill.aborted) await this.#hook(instance, preStop, kill);
    if (!kill.aborted) instance.terminate();
    await instance.exited;
    kill.removeEventListener("abort", killNow);
  }

  #tellFailure(error: unknown, message: string): void {
    const { onEvent } = this.#options;
    const isName = error instanceof ImageNameError;
    if (isName) onEvent({ type: "Warning", reason: "InspectFailed", message });
    onEvent({ type: "Warning", reason: "Failed", message: `Error: ${isName ? error.reason : message}` });
  }

  /** Shows a failed pull, and after a moment that the next one is waited for. */
  async #backOffPulling({ image, message }: ImagePullError, shown: number): Promise<void> {
    const { clock, onEvent } = this.#options;
    onEvent({ type: "Normal", reason: "Pulling", message: `Pulling image "${image}"` });
    onEvent({ type: "Warning", reason: "Failed", message: `Failed to pull image "${image}": ${message}` });
    onEvent({ type: "Warning", reason: "Failed", message: "Error: ErrImagePull" });
    await sleep(clock, shown, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const waits = `Back-off pulling image "${image}"`;
    this.#set({
      state: { waiting: { reason: "ImagePullBackOff", message: `${waits}: ErrImagePull: ${message}` } },
    });
    onEvent({ type: "Normal", reason: "BackOff", message: waits });
    onEvent({ type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff" });
  }

  async #runOnce(
    sandbox: PodSandbox,
    attempt: number,
  ): Promise<ContainerExit | ContainerStartError | undefined> {
    const { clock } = this.#options;
    let instance: StartedContainer;
    this.#backendReady = false;
    const events = {
      ready: (ready: boolean): void => {
        this.#backendReady = ready;
        this.#updateReady();
      },
    };
    try {
      instance = await sandbox.start(this.container, attempt, events, this.#stop.signal);
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      const reason = error instanceof ContainerStartError ? error.reason : "CreateContainerError";
      const message = messageOf(error);
      const isKnown = this.#status.state.waiting?.message === message;
      this.#set({ state: { waiting: { reason, message } } });
      if (!isKnown && !(error instanceof ImagePullError)) this.#tellFailure(error, message);
      return error instanceof ContainerStartError ? error : undefined;
    }
    this.#instance = instance;
    if (this.#stop.signal.aborted) instance.kill();
    const startedAt = toTimestamp(clock.now());
    const before = this.#status.state.terminated === undefined ? this.#status.lastState : this.#status.state;
    this.#probeReady = !this.#hasProbe("readinessProbe");
    this.#set({
      state: { running: { startedAt } },
      lastState: before,
      restartCount: attempt,
      containerID: instance.id,
      started: !this.#hasProbe("startupProbe"),
      ready: this.#backendReady && this.#probeReady && !this.#hasProbe("startupProbe"),
    });
    const probing = new AbortController();
    const probes = this.#probe(instance, probing.signal);
    const exit = await instance.exited;
    probing.abort(over);
    await probes;
    this.#instance = undefined;
    this.#set({
      state: {
        terminated: {
          exitCode: exit.exitCode,
          ...(exit.signal === undefined ? {} : { signal: exit.signal }),
          reason: exit.reason ?? (exit.exitCode === 0 ? "Completed" : "Error"),
          ...(exit.message === undefined ? {} : { message: exit.message }),
          startedAt,
          finishedAt: toTimestamp(clock.now()),
        },
      },
      ready: false,
      started: false,
    });
    return exit;
  }

  async #probe(instance: StartedContainer, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const { startupProbe, livenessProbe, readinessProbe, lifecycle } = this.container;
    if (lifecycle?.postStart !== undefined) await this.#hook(instance, lifecycle.postStart, signal);
    const start = (probe: Probe, healthy: boolean, onVerdict: (healthy: boolean) => void): Promise<void> =>
      runProbe({
        probe,
        healthy,
        clock,
        signal,
        ask: (deadline) => instance.check(probe, deadline),
        onVerdict,
      });
    if (this.#hasProbe("startupProbe") && startupProbe !== undefined) {
      const startup = new AbortController();
      const stop = (): void => startup.abort(over);
      signal.addEventListener("abort", stop, { once: true });
      await runProbe({
        probe: startupProbe,
        healthy: false,
        clock,
        signal: startup.signal,
        ask: (deadline) => instance.check(startupProbe, deadline),
        onVerdict: (healthy) => {
          if (healthy) this.#set({ started: true });
          else void this.#terminate(instance, startupProbe);
          startup.abort(over);
        },
      });
      signal.removeEventListener("abort", stop);
      this.#updateReady();
    }
    if (signal.aborted) return;
    await Promise.all([
      this.#hasProbe("readinessProbe") && readinessProbe !== undefined
        ? start(readinessProbe, false, (healthy) => {
            this.#probeReady = healthy;
            this.#updateReady();
          })
        : undefined,
      this.#hasProbe("livenessProbe") && livenessProbe !== undefined
        ? start(livenessProbe, true, (healthy) => {
            if (!healthy) void this.#terminate(instance, livenessProbe);
          })
        : undefined,
    ]);
  }

  /** Ends an instance that a probe has found dead, with the grace it is allowed. */
  async #terminate(instance: StartedContainer, probe: Probe): Promise<void> {
    const { clock, graceSeconds } = this.#options;
    const exited = new AbortController();
    void instance.exited.then(() => exited.abort(over));
    instance.terminate();
    await sleep(clock, (probe.terminationGracePeriodSeconds ?? graceSeconds) * 1000, exited.signal);
    if (!exited.signal.aborted) instance.kill();
  }

  async #hook(instance: StartedContainer, action: ContainerCheck, signal: AbortSignal): Promise<void> {
    if (action.sleep !== undefined) return sleep(this.#options.clock, action.sleep.seconds * 1000, signal);
    // A hook that fails does not stop the end of a container; Kubernetes only reports it.
    await instance.check(action, signal).catch(() => false);
  }

  #hasProbe(kind: "startupProbe" | "readinessProbe" | "livenessProbe"): boolean {
    return this.#options.backend.probes && this.container[kind] !== undefined;
  }

  #updateReady(): void {
    if (this.#status.state.running === undefined) return;
    const ready = this.#backendReady && this.#probeReady && this.#status.started;
    if (ready !== this.#status.ready) this.#set({ ready });
  }

  #set(change: Partial<ContainerRecord>): void {
    this.#status = { ...this.#status, ...change };
    if (this.#status.started) for (const resolve of this.#onStarted.splice(0)) resolve();
    this.#options.onChange();
  }
}
