// The live parts of one run of an operator, made stage by stage: the composition root. The manager machine says which stage
// comes next; see run-operator.ts.
import type { SharedCache } from "../cache/informer.ts";
import { createSharedCache } from "../cache/shared-cache.ts";
import { createKubeClient } from "../client/http-client.ts";
import { loadConnection } from "../client/kube-config.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { createController, type Controller } from "../controller/controller.ts";
import { createOperatorStreams, type OperatorStreams } from "../controller/operator-streams.ts";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { createEventRecorder, type EventRecorder } from "../events/event-recorder.ts";
import { sleep, type Clock } from "../ports/clock.ts";
import { limitedSignal, withinLimits } from "../ports/deadline.ts";
import { toMilliseconds } from "../ports/duration.ts";
import { silentMetrics, type Metrics } from "../ports/metrics.ts";
import type { OperatorHealth, OperatorStage } from "../ports/operator-health.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { systemRandom, type Random } from "../ports/random.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { SecretKeeper } from "../ports/secret-keeper.ts";
import { noTracing, type Tracing } from "../ports/tracing.ts";
import type { BeginChild } from "../statechart/drive.ts";
import { noInspector } from "../statechart/inspection.ts";
import { parseBindAddress } from "../ports/bind-address.ts";
import { createMetricsAccess } from "./metrics-access.ts";
import { makeCertificate, readCertificate, type ServingCertificate } from "./serving-certificate.ts";
import { drainTimeoutError } from "./drain-timeout.ts";
import { healthOf } from "./health-of.ts";
import { startHealthServer, type HealthServer, type SecureMetrics } from "./health-server.ts";
import { checkCrds, installCrds, installMissingCrds, type CrdTools } from "./install-crds.ts";
import { createLeadership, type Leadership } from "./leadership.ts";
import { createShards } from "./shards.ts";
import { patiently } from "./patience.ts";
import { RecentRuns } from "./recent-runs.ts";
import { createTracing } from "./open-telemetry.ts";
import { checkReadiness, type ReadinessFacts } from "./readiness.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { notingSecrets } from "./noting-client.ts";
import type { RunOptions } from "./run-options.ts";
import { startWebhooks, type Webhooks } from "./webhooks.ts";

/** Milliseconds that Kubernetes Events get to reach the server at the end. */
const flushTimeout = 2_000;

/** Milliseconds that aborted reconciles get to end, once leadership is lost. */
const yieldTimeout = 2_000;

/** One run. Each stage rejects with what kept it from its end. */
export class OperatorRun {
  /** Begins a child of the manager's actor; set before the first stage. */
  beginChild: BeginChild = () => Promise.reject(new Error("the manager has not begun"));
  readonly #definition: OperatorDefinition;
  readonly #options: RunOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Ends watches and everything else that must not outlive the run. */
  readonly #end = new AbortController();
  /** Aborted when it is to stop: what has only been begun goes no further. */
  readonly #stopping = new AbortController();
  /** The end of {@link catchUp}, which may write. */
  #catchingUp: Promise<unknown> = Promise.resolve();
  readonly #controllers: Controller[] = [];
  readonly #runs: RecentRuns;
  readonly #secrets: SecretKeeper;
  #stage: OperatorStage = "starting";
  /** Of the manager's machine. */
  #state = "";
  readonly #startedAt: number;
  #metrics: Metrics = silentMetrics;
  #tracing: Tracing = noTracing;
  #cache: SharedCache | undefined;
  #health: Promise<HealthServer> | undefined;
  #client: KubeClient | undefined;
  /** Also while they are being opened. */
  #webhooks: Promise<Webhooks | undefined> | undefined;
  #served: Webhooks | undefined;
  #events: EventRecorder | undefined;
  #working: Promise<unknown> = Promise.resolve();
  #leadership: Leadership | undefined;
  readonly #lost = Promise.withResolvers<OperatorError>();
  readonly #streams = createOperatorStreams();
  /** The ends of the list-watches. */
  readonly #watches: Promise<unknown>[] = [];

  constructor(definition: OperatorDefinition, options: RunOptions) {
    if (options.sharding !== undefined && options.leaderElection !== undefined) {
      throw new OperatorError(
        "SHARDING_OPTIONS_INVALID",
        "leader election and sharding exclude each other: the first lets one replica work, the second all of them",
        { remedy: "Omit one of the two." },
      );
    }
    this.#definition = definition;
    this.#options = options;
    this.#runs = new RecentRuns(options.journal);
    this.#secrets = options.secrets ?? new KnownSecrets();
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#startedAt = this.#clock.now();
  }

  /** Notes a state of the manager's machine. */
  enter(state: string): void {
    this.#state = state;
  }

  /** What may be followed while it runs. */
  get streams(): OperatorStreams {
    return this.#streams.streams;
  }

  /** How it is now. */
  health(): OperatorHealth {
    return healthOf({
      ...this.#readinessFacts(),
      informers: this.#cache?.informers ?? [],
      state: this.#state,
      startedAt: this.#startedAt,
      controllers: this.#controllers,
    });
  }

  /** Resolves when leadership was there and is lost. */
  get lost(): Promise<OperatorError> {
    return this.#lost.promise;
  }

  async connect(): Promise<void> {
    const { connection, env, log } = this.#options;
    const definition = this.#definition;
    this.#health = this.#serveHealth();
    await this.#health;
    const target = await loadConnection({
      ...(connection.kubeconfig === undefined ? {} : { path: connection.kubeconfig }),
      ...(connection.context === undefined ? {} : { context: connection.context }),
      env: env ?? process.env,
    });
    this.#tracing = await createTracing(this.#options.tracerProvider);
    const direct = createKubeClient(target, {
      userAgent: this.#definition.name,
      clock: this.#clock,
      log,
      metrics: this.#metrics,
      tracing: this.#tracing,
    });
    this.#client = notingSecrets(direct, this.#secrets);
    const { leaderElection: election, sharding } = this.#options;
    const parts = {
      client: this.#client,
      namespace: target.namespace,
      operator: definition.name,
      clock: this.#clock,
      random: this.#random,
      log,
      metrics: this.#metrics,
      beginChild: this.beginChild,
    };
    this.#leadership =
      sharding === undefined
        ? createLeadership({ ...parts, election, formerNames: definition.formerNames })
        : createShards({
            ...parts,
            sharding,
            types: this.#definition.controllers.map(({ kind }) => kind),
            catchUp: async (signal) => this.#cache?.catchUp(AbortSignal.any([signal, this.#end.signal])),
          });
    void this.#leadership.lost.then((error) => this.#lost.resolve(error));
    const { client } = parts;
    await this.#patiently(() =>
      client.request({ method: "GET", path: "/version", signal: this.#end.signal }),
    );
    log.info({ server: this.#client.server }, "connected");
    // Before anything that takes its time: others write objects of the kinds meanwhile.
    this.#webhooks = this.#patiently(() =>
      startWebhooks({
        ...parts,
        definition,
        options: this.#options,
        secrets: this.#secrets,
        signal: this.#end.signal,
      }),
    );
    this.#served = await this.#webhooks;
  }

  async prepare(): Promise<void> {
    const tools = this.#crdTools(this.#connected());
    const install = this.#options.installCrds === true;
    await this.#patiently(async () => {
      if (install && this.#options.leaderElection !== undefined) {
        await installMissingCrds(tools);
        return;
      }
      if (install) await installCrds(tools);
      await checkCrds(tools);
    });
  }

  async sync(): Promise<void> {
    const { log, namespaces, workers, recorder } = this.#options;
    const leadership = this.#led();
    const { client } = leadership;
    const cache = createSharedCache({
      client,
      clock: this.#clock,
      random: this.#random,
      log,
      metrics: this.#metrics,
      beginWatch: (id, work) => {
        const ended = this.beginChild(id, { type: "watch.begun", id }, work);
        this.#watches.push(ended);
        return ended;
      },
    });
    this.#cache = cache;
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
          ...(this.#definition.formerNames === undefined
            ? {}
            : { formerNames: this.#definition.formerNames }),
          client,
          cache,
          events: this.#events,
          namespaces: namespaces ?? [],
          ...(workers === undefined ? {} : { workers }),
          share: leadership.share(controller.kind),
          clock: this.#clock,
          random: this.#random,
          log,
          metrics: this.#metrics,
          tracing: this.#tracing,
          inspector: this.#options.inspector ?? noInspector,
          onTransition: (transition) => this.#streams.moved(transition),
          journal: this.#runs,
          secrets: this.#secrets,
          ...(recorder === undefined ? {} : { recorder }),
        }),
      );
    }
    this.#streams.open(cache);
    cache.start(this.#end.signal);
    await cache.whenKnown(this.#end.signal);
    const unavailable = cache.informers.filter((informer) => informer.unavailable !== undefined);
    log.info({ types: cache.informers.length, unavailable: unavailable.length }, "caches synced");
    this.#options.onSynced?.({ client: this.#connected(), cache });
  }

  async standBy(): Promise<void> {
    this.#stage = "standby";
    await this.#led().acquire();
  }

  /** Nothing else wrote while this process read, unless another one led. */
  catchUp(): Promise<void> {
    const work = this.#catchUp();
    this.#catchingUp = work.catch(() => undefined);
    return work;
  }

  async #catchUp(): Promise<void> {
    if (this.#options.leaderElection === undefined) return;
    const { signal: leave } = this.#stopping;
    // Only now: a standby of another version must not change what the leader works with.
    if (this.#options.installCrds === true) {
      const tools = { ...this.#crdTools(this.#led().client), leave };
      await installCrds(tools);
      await checkCrds(tools);
    }
    await this.#cache?.catchUp(AbortSignal.any([this.#end.signal, leave]));
  }

  async work(): Promise<void> {
    this.#working = Promise.all(this.#controllers.map((controller) => controller.run()));
    this.#stage = "running";
    this.#options.onReady?.();
    this.#options.log.info({ controllers: this.#controllers.length }, "running");
    await this.#working;
  }

  async drain(): Promise<void> {
    const { log } = this.#options;
    const drainTimeout = toMilliseconds(this.#options.drainTimeout ?? "25s");
    this.#stage = "stopping";
    this.#stopping.abort(new Error("the operator is stopping"));
    this.#served?.leave();
    this.#leadership?.leave();
    const drained = Promise.all([
      // A write of it that is under way would keep the Lease from being released.
      this.#catchingUp,
      ...this.#controllers.map((controller) => controller.drain()),
    ]);
    const clock = this.#clock;
    const isLate = await withinLimits(
      { clock, timeout: drainTimeout, late: () => "late" },
      () => drained,
    ).then(
      () => false,
      (error: unknown) => {
        if (error === "late") return true;
        throw error;
      },
    );
    const cutOff = this.#controllers.flatMap((each) =>
      each.underWay().map((run) => ({ controller: each.name, ...run })),
    );
    if (isLate) {
      log.warn({ drainTimeout, reconciles: cutOff }, "reconciles did not finish in time and are aborted");
      for (const controller of this.#controllers) controller.abort();
    }
    const lastEvents = limitedSignal({ clock, timeout: flushTimeout, late: () => "late" });
    await this.#events?.flush(lastEvents.signal);
    lastEvents.release();
    // What a hook that was aborted still does outside of the cluster must not meet the next leader.
    await this.#leadership?.release(!isLate);
    await this.#endWatches();
    if (isLate) throw drainTimeoutError(drainTimeout, cutOff);
  }

  /** Ends without another write. */
  async yield(): Promise<void> {
    this.#stage = "stopping";
    for (const controller of this.#controllers) controller.abort();
    const ended = new AbortController();
    const end = (): void => ended.abort();
    void this.#working.then(end, end);
    await sleep(this.#clock, yieldTimeout, ended.signal);
    await this.#endWatches();
  }

  /** Ends whatever is left; idempotent. */
  async close(): Promise<void> {
    for (const controller of this.#controllers) controller.abort();
    await this.#leadership?.release(false);
    await this.#endWatches();
    this.#streams.close();
    // Their last callers come until the API server knows that this process ends.
    const webhooks = await this.#webhooks?.catch(() => undefined);
    await webhooks?.close();
    await this.#client?.close();
    // Last, so that a drain can be watched; what did not open has nothing to close.
    const health = await this.#health?.catch(() => undefined);
    await health?.close();
  }

  /** Ends what must not outlive the run, and waits until no watch is open. */
  async #endWatches(): Promise<void> {
    this.#end.abort(new Error("the operator has stopped"));
    await Promise.all(this.#watches);
  }

  async #serveHealth(): Promise<HealthServer> {
    const { healthProbeBindAddress = "0", metricsBindAddress = "0", log } = this.#options;
    let { metrics } = this.#options;
    if (metrics === undefined && parseBindAddress(metricsBindAddress) !== undefined) {
      const { createPrometheusMetrics } = await import("./prometheus-metrics.ts");
      metrics = createPrometheusMetrics();
    }
    this.#metrics = metrics ?? silentMetrics;
    this.#options.recorder?.measure(this.#metrics);
    const readiness = () => checkReadiness(this.#readinessFacts());
    const runs = (kind: string, key: string) => this.#runs.of(kind, key);
    const secure = this.#secureMetrics();
    return startHealthServer({
      healthProbeBindAddress,
      metricsBindAddress,
      metrics,
      secure,
      readiness,
      runs,
      log,
    });
  }

  #secureMetrics(): SecureMetrics | undefined {
    const { metricsSecure = false } = this.#options;
    if (metricsSecure === false) return undefined;
    const clock = this.#clock;
    // Made once, and on this machine's time, against which readers would check it.
    let made: Promise<ServingCertificate> | undefined;
    return {
      clock,
      access: createMetricsAccess({ client: () => this.#client, clock }),
      certificate: () =>
        metricsSecure === true
          ? (made ??= makeCertificate(systemClock.now()))
          : readCertificate(metricsSecure),
    };
  }

  #readinessFacts(): ReadinessFacts {
    return {
      stage: this.#stage,
      informers: this.#cache?.informers ?? [],
      kinds: this.#definition.controllers.map(({ kind }) => kind),
      leadership: this.#stage === "starting" ? undefined : this.#leadership?.describe(),
      webhooks: this.#served?.describe(),
      now: this.#clock.now(),
    };
  }

  #crdTools(client: KubeClient): CrdTools {
    return {
      client,
      kinds: this.#definition.controllers.map(({ kind }) => kind),
      fieldManager: this.#definition.name,
      crdOptions: this.#served?.crdOptions(),
      clock: this.#clock,
      log: this.#options.log,
      signal: this.#end.signal,
    };
  }

  #patiently<T>(work: () => Promise<T>): Promise<T> {
    return patiently(work, { clock: this.#clock, log: this.#options.log, signal: this.#end.signal });
  }

  #led(): Leadership {
    if (this.#leadership === undefined) throw new Error("not connected");
    return this.#leadership;
  }

  #connected(): KubeClient {
    if (this.#client === undefined) throw new Error("not connected");
    return this.#client;
  }
}
