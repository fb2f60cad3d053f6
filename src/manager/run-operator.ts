// Runs one operator in this process: the composition root. The manager machine decides what comes next, the workers
// below do it, and nothing is reconciled before every cache is complete.
import { managerMachine, type ManagerEvent } from "../../machines/manager-machine.ts";
import { createSharedCache } from "../cache/shared-cache.ts";
import { createKubeClient } from "../client/http-client.ts";
import { loadConnection } from "../client/kube-config.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { createController, type Controller } from "../controller/controller.ts";
import type { OperatorDefinition } from "../controller/define-operator.ts";
import { createEventRecorder, type EventRecorder } from "../events/event-recorder.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import { systemRandom, type Random } from "../ports/random.ts";
import { systemClock } from "../ports/system-clock.ts";
import { drive } from "../statechart/drive.ts";
import { checkCrds, installCrds } from "./install-crds.ts";

/** Options of {@link runOperator}. */
export interface RunOptions {
  /** Where the cluster is; both default to what `kubectl` would use. */
  readonly connection: { readonly kubeconfig?: string; readonly context?: string };
  /** Namespaces served; default all. */
  readonly namespaces?: readonly string[];
  /** Reconciles at the same time per controller; default what the controller says. */
  readonly workers?: number;
  readonly log: Logger;
  /** Aborting it drains and stops the operator. */
  readonly signal: AbortSignal;
  /** Puts the CRDs on the cluster first; default false. */
  readonly installCrds?: boolean;
  /** Milliseconds that reconciles under way get to end; default 25 s, below Kubernetes' 30 s of grace. */
  readonly drainTimeout?: number;
  /** Called once when all caches are complete and the workers have started. */
  readonly onReady?: () => void;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Environment for finding the kubeconfig; default this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the operator until the signal is aborted; resolves when it has drained.
 *
 * **Errors**: rejects with what kept it from starting (`KUBECONFIG_*`, `CONNECTION_FAILED`, `CRD_MISSING`,
 * `CRD_OUTDATED`, `ApiError`), always as a sentence that says what to do. Once it runs, nothing on the cluster ends it.
 */
export async function runOperator(definition: OperatorDefinition, options: RunOptions): Promise<void> {
  const run = new OperatorRun(definition, options);
  const stop = new Promise<ManagerEvent>((resolve) => {
    const requested = (): void => resolve({ type: "stop.requested" });
    if (options.signal.aborted) requested();
    options.signal.addEventListener("abort", requested, { once: true });
  });
  let failure: Error | undefined;
  const stage =
    (work: () => Promise<void>, stoppable = true) =>
    async (): Promise<ManagerEvent> => {
      const outcome = work().then(
        (): ManagerEvent => ({ type: "stage.done" }),
        (error: unknown): ManagerEvent => {
          failure ??= error instanceof Error ? error : new Error(messageOf(error));
          return { type: "stage.failed", error };
        },
      );
      return stoppable ? Promise.race([outcome, stop]) : outcome;
    };
  try {
    await drive<ManagerEvent>({
      machine: managerMachine,
      onState: (state) => options.log.debug({ state }, "manager"),
      workers: {
        Connecting: stage(() => run.connect()),
        Preparing: stage(() => run.prepare()),
        Syncing: stage(() => run.sync()),
        Running: stage(() => run.work()),
        Draining: stage(() => run.drain(), false),
      },
    });
  } finally {
    await run.close();
  }
  if (failure !== undefined) throw failure;
}

/** Milliseconds that Kubernetes Events get to reach the server at the end. */
const flushTimeout = 2_000;

/** The live parts of one run, made stage by stage. */
class OperatorRun {
  readonly #definition: OperatorDefinition;
  readonly #options: RunOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Ends watches and everything else that must not outlive the run. */
  readonly #end = new AbortController();
  readonly #controllers: Controller[] = [];
  #client: KubeClient | undefined;
  #events: EventRecorder | undefined;
  #working: Promise<unknown> = Promise.resolve();

  constructor(definition: OperatorDefinition, options: RunOptions) {
    this.#definition = definition;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
  }

  async connect(): Promise<void> {
    const { connection, env, log } = this.#options;
    const target = await loadConnection({
      ...(connection.kubeconfig === undefined ? {} : { path: connection.kubeconfig }),
      ...(connection.context === undefined ? {} : { context: connection.context }),
      env: env ?? process.env,
    });
    this.#client = createKubeClient(target, { userAgent: this.#definition.name, clock: this.#clock, log });
    await this.#client.request({ method: "GET", path: "/version", signal: this.#end.signal });
    log.info({ server: this.#client.server }, "connected");
  }

  async prepare(): Promise<void> {
    const tools = {
      client: this.#connected(),
      kinds: this.#definition.controllers.map(({ kind }) => kind),
      fieldManager: this.#definition.name,
      clock: this.#clock,
      log: this.#options.log,
      signal: this.#end.signal,
    };
    if (this.#options.installCrds === true) await installCrds(tools);
    await checkCrds(tools);
  }

  async sync(): Promise<void> {
    const { log, namespaces, workers } = this.#options;
    const client = this.#connected();
    const cache = createSharedCache({ client, clock: this.#clock, random: this.#random, log });
    this.#events = createEventRecorder({
      client,
      clock: this.#clock,
      component: this.#definition.name,
      instance: `${this.#definition.name}-${process.pid}`,
      log,
    });
    for (const controller of this.#definition.controllers) {
      this.#controllers.push(
        createController({
          definition: controller,
          operator: this.#definition.name,
          client,
          cache,
          events: this.#events,
          namespaces: namespaces ?? [],
          ...(workers === undefined ? {} : { workers }),
          clock: this.#clock,
          random: this.#random,
          log,
        }),
      );
    }
    cache.start(this.#end.signal);
    await cache.whenSynced(this.#end.signal);
    log.info({ types: cache.informers.length }, "caches complete");
  }

  async work(): Promise<void> {
    this.#working = Promise.all(this.#controllers.map((controller) => controller.run()));
    this.#options.onReady?.();
    this.#options.log.info({ controllers: this.#controllers.length }, "running");
    await this.#working;
  }

  async drain(): Promise<void> {
    const { log, drainTimeout = 25_000 } = this.#options;
    const drained = Promise.all(this.#controllers.map((controller) => controller.drain()));
    let timer: object | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = this.#clock.setTimeout(() => resolve("late"), drainTimeout);
    });
    const outcome = await Promise.race([drained, late]);
    if (timer !== undefined) this.#clock.clearTimeout(timer);
    if (outcome === "late") log.warn({ drainTimeout }, "reconciles did not end in time and are aborted");
    const lastEvents = new AbortController();
    const giveUp = this.#clock.setTimeout(() => lastEvents.abort(), flushTimeout);
    await this.#events?.flush(lastEvents.signal);
    this.#clock.clearTimeout(giveUp);
  }

  /** Ends whatever is left; idempotent. */
  async close(): Promise<void> {
    for (const controller of this.#controllers) controller.abort();
    this.#end.abort(new Error("the operator has stopped"));
    await this.#client?.close();
  }

  #connected(): KubeClient {
    if (this.#client === undefined) throw new Error("not connected");
    return this.#client;
  }
}
