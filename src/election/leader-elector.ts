// One candidacy for leadership: drives the election machine against the Lease, and keeps the term that fences writes.
// Made and ended by src/manager; it is also asked who leads.
import { electionMachine, type ElectionEvent } from "../../machines/election-machine.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { jittered, upperHalf } from "../ports/backoff.ts";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { silentMetrics, type Metrics } from "../ports/metrics.ts";
import type { OperatorError } from "../ports/operator-error.ts";
import type { Random } from "../ports/random.ts";
import { beginActor, driven, type BeginActor } from "../statechart/drive.ts";
import type { ElectionOptions } from "./election-options.ts";
import { FailureLog } from "./failure-log.ts";
import { LeadershipTerm, momentOf } from "./leadership-term.ts";
import { LeaseLock, type LeaseRequest } from "./lease-lock.ts";
import { LeaseObservation } from "./lease-observation.ts";
import { holderOf } from "./lease-record.ts";

/** Options of {@link createLeaderElector}. */
export interface LeaderElectorOptions extends ElectionOptions {
  /** Not fenced: the elector writes the Lease through it. */
  readonly client: KubeClient;
  /** Who this process is: unique for every process that ever runs, also after a restart of the same pod. */
  readonly identity: string;
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Begins the candidacy's actor; default as the root of its own system. */
  readonly begin?: BeginActor;
}

/** The logic of a candidacy's actor. */
export const electionLogic = driven(electionMachine);

/** How a candidacy ended. */
export type ElectionEnd = "stopped" | "released" | "unreleased" | "lost";

/** A process's part in an election. */
export interface LeaderElector {
  readonly identity: string;
  /** What fences writes; give it to the fenced client. */
  readonly term: LeadershipTerm;
  /** State of the machine, for instance `waiting` or `leader`. */
  readonly state: string;
  /** Who leads, as last seen; undefined when nobody is known to. */
  readonly holder: string | undefined;
  /** Begins the candidacy; the first call counts. Resolves when it has ended; never rejects. */
  run(): Promise<ElectionEnd>;
  /** Resolves when this process leads, or when its candidacy ends before that. */
  whenLeading(): Promise<void>;
  /** Resolves, with `LEADERSHIP_LOST`, when this process led and may no longer act; never when it has resigned. */
  readonly lost: Promise<OperatorError>;
  /**
   * Ends the candidacy: a candidate stops looking, a leader lets go of the Lease so that another can take over at once.
   * Call it when nothing is left to be done: writes are refused from then on. The first call counts; resolves with the end.
   *
   * @param handOver False leaves the Lease to run out, because something may still be going on.
   */
  resign(handOver?: boolean): Promise<ElectionEnd>;
}

/**
 * A candidate that has not begun.
 *
 * **Guarantees**: at most one of all candidates for one Lease holds its term at any moment, as long as their clocks
 * differ in speed by less than the margin allows (with the defaults, 20 %) and nobody else edits the Lease's holder while
 * a candidate starts that has never seen it. The end is for good.
 * **Errors**: none are thrown: what goes wrong is logged once and tried again; `LEADERSHIP_LOST` is `term.signal.reason`.
 * **RBAC**: `get`, `create`, `update` on `leases.coordination.k8s.io` in the Lease's namespace.
 */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  return new Candidacy(options);
}

class Candidacy implements LeaderElector {
  readonly identity: string;
  readonly term: LeadershipTerm;
  readonly #options: LeaderElectorOptions;
  readonly #lock: LeaseLock;
  readonly #observation: LeaseObservation;
  readonly #log: Logger;
  readonly #failures: FailureLog;
  readonly #resigned = new AbortController();
  readonly #leading = Promise.withResolvers<void>();
  readonly #lost = Promise.withResolvers<OperatorError>();
  #running: Promise<ElectionEnd> | undefined;
  #state = "candidate";
  #handOver = true;
  #lastHolder: string | undefined;

  constructor(options: LeaderElectorOptions) {
    const { identity, namespace, name, renewDeadline, leaseDuration, clock } = options;
    this.#options = options;
    this.identity = identity;
    this.#log = options.log.child({ lease: `${namespace}/${name}`, identity });
    this.#failures = new FailureLog(this.#log, "leader election");
    this.term = new LeadershipTerm({ clock, length: renewDeadline, name: `${namespace}/${name}`, identity });
    this.term.signal.addEventListener("abort", () => {
      if (this.#state !== "releasing") this.#lost.resolve(this.term.signal.reason as OperatorError);
    });
    this.#lock = new LeaseLock(options);
    this.#observation = new LeaseObservation(identity, leaseDuration);
  }

  get state(): string {
    return this.#state;
  }

  get holder(): string | undefined {
    return holderOf(this.#observation.lease);
  }

  run(): Promise<ElectionEnd> {
    return (this.#running ??= this.#drive());
  }

  whenLeading(): Promise<void> {
    return this.#leading.promise;
  }

  get lost(): Promise<OperatorError> {
    return this.#lost.promise;
  }

  resign(handOver = true): Promise<ElectionEnd> {
    if (!this.#resigned.signal.aborted) this.#handOver = handOver;
    this.#resigned.abort();
    return this.run();
  }

  async #drive(): Promise<ElectionEnd> {
    const gauge = (this.#options.metrics ?? silentMetrics).gauge({
      name: "leader_election_master_status",
      help: "Whether this process leads: 1 for the leader, 0 for a candidate.",
      labels: ["name"],
    });
    const { name, clock } = this.#options;
    const alone: BeginActor = (work) => beginActor(electionLogic, work, { id: "election", clock }).ended;
    const { begin = alone } = this.#options;
    gauge.set({ name }, 0);
    const end = await begin({
      onState: (state) => {
        const before = this.#state;
        this.#state = state;
        this.#log.debug({ state }, "election");
        gauge.set({ name }, this.term.held ? 1 : 0);
        if (state === "leader" && before === "claiming") {
          this.#log.info({}, "leading");
          this.#leading.resolve();
        }
      },
      workers: {
        candidate: () => this.#look(),
        claiming: () => this.#claim(),
        waiting: () => this.#pause(this.#jittered()),
        leader: () => this.#pause(this.#jittered()),
        renewing: () => this.#renew(),
        uncertain: () => this.#pause(Math.min(this.#jittered(), this.term.remaining())),
        releasing: () => this.#release(),
      },
    });
    gauge.set({ name }, 0);
    this.#leading.resolve();
    return String(end.value) as ElectionEnd;
  }

  async #look(): Promise<ElectionEvent> {
    const { clock } = this.#options;
    try {
      this.#observation.see(await this.#lock.read(this.#request(this.#resigned.signal)), monotonicNow(clock));
    } catch (error) {
      if (!this.#resigned.signal.aborted) return this.#failed("the Lease cannot be read", error);
    }
    if (this.#resigned.signal.aborted) return { type: "election.resigned" };
    if (this.#observation.heldFor(monotonicNow(clock)) === 0) return { type: "lease.free" };
    this.#failures.worked();
    if (this.holder !== this.#lastHolder) this.#log.info({ holder: this.holder }, "on standby");
    this.#lastHolder = this.holder;
    return { type: "lease.held" };
  }

  // Not aborted by a resignation: whether the claim was taken would be unknown.
  async #claim(): Promise<ElectionEvent> {
    const sent = momentOf(this.#options.clock);
    try {
      const lease = await this.#lock.claim(this.#observation.lease, this.#request());
      this.#failures.worked();
      if (lease === undefined) return { type: "lease.contended" };
      this.#see(lease);
      return { type: this.term.extend(sent) ? "lease.acquired" : "lease.failed" };
    } catch (error) {
      return this.#failed("the Lease cannot be claimed", error);
    }
  }

  async #renew(): Promise<ElectionEvent> {
    if (!this.term.held) return { type: "term.expired" };
    const sent = momentOf(this.#options.clock);
    try {
      let lease = await this.#lock.claim(this.#observation.lease, this.#request());
      if (lease === undefined) {
        // The Lease was written: a renewal of ours whose answer was lost, an edit that leaves us the Lease, or the next leader.
        this.#see(await this.#lock.read(this.#request()));
        if (this.holder !== undefined && this.holder !== this.identity) return this.#taken();
        // Not beyond the term: it would keep others waiting for a leader that is none.
        if (!this.term.held) return { type: "term.expired" };
        lease = await this.#lock.claim(this.#observation.lease, this.#request());
        if (lease === undefined) return this.#failed("the Lease changes too often to be renewed");
      }
      this.#see(lease);
      if (!this.term.extend(sent)) return { type: "term.expired" };
      this.#failures.worked();
      return { type: "lease.renewed" };
    } catch (error) {
      if (!this.term.held) return { type: "term.expired" };
      return this.#failed("the Lease cannot be renewed", error);
    }
  }

  async #release(): Promise<ElectionEvent> {
    const { leaseDuration, renewDeadline } = this.#options;
    this.term.endByResignation();
    // What may still be going on must not meet the next leader: then the Lease runs out by itself.
    if (!this.#handOver) return this.#failed("the Lease is not released: some work has not finished");
    if (!this.term.isQuiet(leaseDuration - renewDeadline)) {
      return this.#failed("the Lease is not released: the outcome of a write is unknown");
    }
    try {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        if (this.holder !== this.identity) return { type: "lease.taken" };
        const lease = this.#observation.lease;
        if (lease === undefined) return { type: "lease.taken" };
        if ((await this.#lock.release(lease, this.#request())) !== undefined) {
          this.#log.info({}, "leadership released");
          return { type: "lease.released" };
        }
        this.#see(await this.#lock.read(this.#request()));
      }
      return this.#failed("the Lease changes too often to be released");
    } catch (error) {
      return this.#failed("the Lease cannot be released", error);
    }
  }

  /** Waits, as long as neither a resignation nor the end of the term comes first. */
  async #pause(milliseconds: number): Promise<ElectionEvent> {
    const leads = this.#state !== "waiting";
    await sleep(this.#options.clock, milliseconds, this.#resigned.signal);
    if (leads && !this.term.held) return { type: "term.expired" };
    return { type: this.#resigned.signal.aborted ? "election.resigned" : "wait.over" };
  }

  #taken(): ElectionEvent {
    this.term.endByTakeover(this.holder);
    return { type: "lease.taken" };
  }

  #see(lease: Parameters<LeaseObservation["see"]>[0]): void {
    this.#observation.see(lease, monotonicNow(this.#options.clock));
  }

  /** The upper half of the retry period, at random, so that candidates do not come together. */
  #jittered(): number {
    const { retryPeriod, random } = this.#options;
    return jittered(retryPeriod, upperHalf, random);
  }

  /** Half of the renew deadline, so that one lost answer does not cost the leadership; never beyond the term. */
  #request(signal?: AbortSignal): LeaseRequest {
    const half = this.#options.renewDeadline / 2;
    const timeout = this.term.held ? Math.min(half, this.term.remaining()) : half;
    return { timeout, ...(signal && { signal }) };
  }

  #failed(what: string, error?: unknown): ElectionEvent {
    this.#failures.failed(what, error);
    return { type: "lease.failed" };
  }
}
