// One replica among those that share an operator's keys: drives the member machine against the Leases, and keeps the table
// of slots that says what may be worked on. Made and ended by src/manager.
//
// Why no key has two owners: a slot is held only after this replica's claim was in its Lease and a later, consistent look
// at all Leases showed no other claim. Of two that claim the same slot, at least one looks after the other has written.
// A claim stays in the Lease for as long as the slot is held; a replica that cannot renew stops before others stop
// counting its claims, by the margin of the election.
import { shardMemberMachine, type ShardMemberEvent } from "../../machines/shard-member-machine.ts";
import { isConflict, isNotFound } from "../client/api-error.ts";
import type { ElectionOptions } from "../election/election-options.ts";
import { FailureLog } from "../election/failure-log.ts";
import { LeadershipTerm, momentOf, type TermWording } from "../election/leadership-term.ts";
import { holderOf } from "../election/lease-record.ts";
import type { Lease } from "../kinds/builtin/coordination.ts";
import { jittered, upperHalf } from "../ports/backoff.ts";
import { monotonicNow, sleep } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { silentMetrics, type Metrics } from "../ports/metrics.ts";
import { messageOf, type OperatorError } from "../ports/operator-error.ts";
import type { Random } from "../ports/random.ts";
import { beginActor, driven, type BeginActor } from "../statechart/drive.ts";
import { assignedSlots } from "./assignment.ts";
import { MemberLeases, type MemberLeasesOptions } from "./member-leases.ts";
import { MemberRoll } from "./member-roll.ts";
import { createShardMetrics, type ShardMetrics } from "./shard-metrics.ts";
import { SlotTable } from "./slot-table.ts";

/** Options of {@link createShardMember}. */
export interface ShardMemberOptions extends ElectionOptions, MemberLeasesOptions {
  /**
   * Called with each gain before its keys are handed out: resolves when the caches include what the former owner wrote.
   * A rejection gives the slots no keys; aborted when the membership ends.
   */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Begins the membership's actor; default as the root of its own system. */
  readonly begin?: BeginActor;
}

/** The logic of a membership's actor. */
export const shardMemberLogic = driven(shardMemberMachine);

/** How a membership ended. */
export type MembershipEnd = "stopped" | "released" | "unreleased" | "lost";

/** Called when slots can be worked on; `gained` says which. */
export type GainListener = (gained: ReadonlySet<number>) => void;

/** A replica's part in the sharing. */
export interface ShardMember {
  /** What fences every write of this process. */
  readonly term: LeadershipTerm;
  readonly slots: SlotTable;
  /** State of the machine, for instance `resting`. */
  readonly state: string;
  /** Replicas that are alive as last seen, this one included once it has joined. */
  readonly members: number;
  /** Begins the membership; the first call counts. Resolves when it has ended; never rejects. */
  run(): Promise<MembershipEnd>;
  /** Resolves when others count with this process, or when its membership ends before that. */
  whenJoined(): Promise<void>;
  onGained(listener: GainListener): void;
  /** Resolves, with `SHARD_LOST`, when this process had joined and may no longer act; never when it has resigned. */
  readonly lost: Promise<OperatorError>;
  /** Takes no slot any more and hands over each as soon as it has drained. */
  leave(): void;
  /**
   * Ends the membership. Call it when nothing is left to be done: writes are refused from then on. Resolves with the end.
   *
   * @param handOver False leaves the Lease to run out, because something may still be going on.
   */
  resign(handOver?: boolean): Promise<MembershipEnd>;
}

const membership: TermWording = {
  what: "the membership in the shards of",
  missing: "this process has not joined the shards of",
  missingCode: "SHARD_MISSING",
  lostCode: "SHARD_LOST",
};

/**
 * A member that has not joined.
 *
 * **Guarantees**: at most one of all members may write for a slot at any moment, as long as their clocks differ in speed by
 * less than the margin allows (with the defaults, 20 %) and nobody deletes the Lease of a living member while another one
 * joins. Once all members see the same members and nothing keeps a slot from draining, each slot is held by the member
 * it is assigned to. The end is for good.
 * **Errors**: none are thrown: what goes wrong is logged once and tried again; `SHARD_LOST` is `term.signal.reason`.
 * **RBAC**: `list`, `get`, `create`, `update`, `delete` on `leases.coordination.k8s.io` in the Leases' namespace.
 */
export function createShardMember(options: ShardMemberOptions): ShardMember {
  return new Membership(options);
}

class Membership implements ShardMember {
  readonly term: LeadershipTerm;
  readonly slots: SlotTable;
  readonly #options: ShardMemberOptions;
  readonly #leases: MemberLeases;
  readonly #roll: MemberRoll;
  readonly #log: Logger;
  readonly #failures: FailureLog;
  readonly #metrics: ShardMetrics;
  readonly #resigned = new AbortController();
  readonly #joined = Promise.withResolvers<void>();
  readonly #lost = Promise.withResolvers<OperatorError>();
  readonly #listeners: GainListener[] = [];
  /** Ends the present wait. */
  #wake = new AbortController();
  #running: Promise<MembershipEnd> | undefined;
  #state = "joining";
  #leaving = false;
  #handOver = true;
  /** Our Lease as last read or written. */
  #lease: Lease | undefined;
  /** The version of our Lease whose claims are those of the table: no renewal of unknown outcome came after it. */
  #confirmable: string | undefined;
  #target: ReadonlySet<number> = new Set();
  #targetOf = "";
  #others = 0;
  #lastPicture = "";

  constructor(options: ShardMemberOptions) {
    const { namespace, name, identity, clock, leaseDuration, renewDeadline } = options;
    this.#options = options;
    this.#leases = new MemberLeases(options);
    this.#roll = new MemberRoll(this.#leases.own, leaseDuration);
    this.#log = options.log.child({ lease: `${namespace}/${this.#leases.own}`, identity });
    this.#failures = new FailureLog(this.#log, "sharding");
    this.term = new LeadershipTerm({
      clock,
      length: renewDeadline,
      name: `${namespace}/${name}`,
      identity,
      wording: membership,
    });
    this.term.signal.addEventListener("abort", () => {
      if (this.#state !== "releasing") this.#lost.resolve(this.term.signal.reason as OperatorError);
    });
    this.slots = new SlotTable({
      now: () => monotonicNow(clock),
      margin: leaseDuration - renewDeadline,
      onDrained: () => this.#wake.abort(),
    });
    this.#metrics = createShardMetrics(options.metrics ?? silentMetrics, () => ({
      members: this.members,
      slots: this.term.held ? this.slots.serving : 0,
    }));
  }

  get state(): string {
    return this.#state;
  }

  get members(): number {
    return this.#lease === undefined ? 0 : this.#others + 1;
  }

  run(): Promise<MembershipEnd> {
    return (this.#running ??= this.#drive());
  }

  whenJoined(): Promise<void> {
    return this.#joined.promise;
  }

  onGained(listener: GainListener): void {
    this.#listeners.push(listener);
  }

  get lost(): Promise<OperatorError> {
    return this.#lost.promise;
  }

  leave(): void {
    this.#leaving = true;
    this.#target = new Set();
    this.slots.assign(this.#target);
    this.#wake.abort();
  }

  resign(handOver = true): Promise<MembershipEnd> {
    if (!this.#resigned.signal.aborted) this.#handOver = handOver;
    this.#resigned.abort();
    this.#wake.abort();
    return this.run();
  }

  async #drive(): Promise<MembershipEnd> {
    const { clock } = this.#options;
    const alone: BeginActor = (work) => beginActor(shardMemberLogic, work, { id: "shards", clock }).ended;
    const { begin = alone } = this.#options;
    const end = await begin({
      onState: (state) => {
        this.#state = state;
        this.#log.debug({ state }, "sharding");
      },
      workers: {
        joining: () => this.#join(),
        outside: () => this.#pause(),
        // What counts is the renewal: when it is late, the look waits.
        looking: () =>
          this.term.remaining() < this.#options.renewDeadline / 2 ? { type: "lease.failed" } : this.#look(),
        renewing: () => this.#renew(),
        confirming: () => this.#look(),
        resting: () => this.#pause(),
        releasing: () => this.#release(),
      },
    });
    this.#joined.resolve();
    return String(end.value) as MembershipEnd;
  }

  async #join(): Promise<ShardMemberEvent> {
    if (this.#resigned.signal.aborted) return { type: "member.resigned" };
    const sent = momentOf(this.#options.clock);
    try {
      this.#lease = await this.#leases.create(this.#request());
      if (!this.term.extend(sent)) return this.#failed("the response came too late");
    } catch (error) {
      return this.#failed("the Lease cannot be created", error);
    }
    this.#failures.worked();
    this.#log.info({}, "joined the shards");
    this.#joined.resolve();
    return { type: "member.joined" };
  }

  async #look(): Promise<ShardMemberEvent> {
    const { clock, identity } = this.#options;
    if (!this.term.held) return { type: "term.expired" };
    let leases: readonly Lease[];
    try {
      leases = await this.#leases.list(this.#request());
    } catch (error) {
      if (!this.term.held) return { type: "term.expired" };
      return this.#failed("the Leases of the shards cannot be listed", error);
    }
    if (!this.term.held) return { type: "term.expired" };
    const own = leases.find(({ metadata }) => metadata.name === this.#leases.own);
    if (own === undefined || own.metadata.uid !== this.#lease?.metadata.uid || holderOf(own) !== identity) {
      return this.#taken();
    }
    this.#lease = own;
    this.#failures.worked();
    this.#roll.see(leases, monotonicNow(clock));
    this.#assign();
    if (own.metadata.resourceVersion === this.#confirmable) {
      this.#gain(this.slots.confirm(this.#target, (slot) => this.#roll.isClaimed(slot)));
    }
    void this.#bury();
    this.#tell();
    return { type: "members.seen" };
  }

  async #renew(): Promise<ShardMemberEvent> {
    if (!this.term.held || this.#lease === undefined) return { type: "term.expired" };
    const { claims, released } = this.slots.claim(this.#target, (slot) => this.#roll.isClaimed(slot));
    this.#metrics.released(released.length);
    // Until it is answered, the Lease may hold these claims or the ones before.
    this.#confirmable = undefined;
    const sent = momentOf(this.#options.clock);
    try {
      const published = { slots: claims, leaving: this.#leaving };
      this.#lease = await this.#leases.renew(this.#lease, published, this.#request());
    } catch (error) {
      if (!this.term.held) return { type: "term.expired" };
      if (isNotFound(error)) return this.#taken();
      // An answer that was lost, or a label set by other hands: the next look reads what is there.
      if (isConflict(error)) return { type: "lease.failed" };
      return this.#failed("the Lease cannot be renewed", error);
    }
    this.#confirmable = this.#lease.metadata.resourceVersion;
    if (!this.term.extend(sent)) return { type: "term.expired" };
    this.#failures.worked();
    return { type: claims.size > this.slots.held ? "claims.extended" : "lease.renewed" };
  }

  async #release(): Promise<ShardMemberEvent> {
    const { leaseDuration, renewDeadline } = this.#options;
    this.term.endByResignation();
    if (!this.#handOver) return this.#failed("the Lease is not released: some work has not finished");
    if (!this.term.isQuiet(leaseDuration - renewDeadline)) {
      return this.#failed("the Lease is not released: the outcome of a write is unknown");
    }
    try {
      if (this.#lease !== undefined) await this.#leases.release(this.#lease, this.#request());
    } catch (error) {
      return this.#failed("the Lease cannot be released", error);
    }
    this.#log.info({}, "left the shards");
    return { type: "lease.released" };
  }

  /** Waits, as long as neither something to publish, nor a resignation, nor the end of the term comes first. */
  async #pause(): Promise<ShardMemberEvent> {
    const { retryPeriod, random, clock } = this.#options;
    const joined = this.#state === "resting";
    // The upper half of the period, at random, so that members do not come together.
    const period = jittered(retryPeriod, upperHalf, random);
    await sleep(clock, joined ? Math.min(period, this.term.remaining()) : period, this.#wake.signal);
    if (!this.#resigned.signal.aborted) this.#wake = new AbortController();
    if (joined && !this.term.held) return { type: "term.expired" };
    return { type: this.#resigned.signal.aborted ? "member.resigned" : "wait.over" };
  }

  /** Works out what should be ours among those that stay; the rest drains from here on. */
  #assign(): void {
    const members = this.#leaving ? [] : [...this.#roll.staying, this.#leases.own].sort();
    const key = members.join();
    // The same members give the same slots.
    if (key !== this.#targetOf) this.#target = assignedSlots(this.#leases.own, members);
    this.#targetOf = key;
    if (this.#leaving) this.#target = new Set();
    this.#others = this.#roll.alive.length;
    this.slots.assign(this.#target);
  }

  #gain(slots: readonly number[]): void {
    if (slots.length === 0) return;
    const serve = this.slots.preparing(slots);
    void this.#serve(serve);
  }

  async #serve(serve: () => ReadonlySet<number>): Promise<void> {
    try {
      await this.#options.prepare(this.term.signal);
      if (!this.term.held) return;
      const served = serve();
      this.#metrics.gained(served.size);
      for (const listener of this.#listeners) listener(served);
    } catch (error) {
      if (!this.term.signal.aborted) this.#log.error({ error: messageOf(error) }, "slots cannot be served");
    }
  }

  /** Removes what members that are long gone have left behind; the next look tries again what fails. */
  async #bury(): Promise<void> {
    for (const lease of this.#roll.remains(monotonicNow(this.#options.clock))) {
      try {
        await this.#leases.remove(lease, this.#request());
      } catch (error) {
        const { name } = lease.metadata;
        this.#log.debug({ error: messageOf(error), of: name }, "an expired Lease cannot be deleted");
      }
    }
  }

  #taken(): ShardMemberEvent {
    this.term.endBecause(
      "its Lease is missing or names another holder",
      "Nothing, if this process was disconnected for a while; otherwise find out what edits or deletes the Lease.",
    );
    return { type: "lease.taken" };
  }

  /** A third of the renew deadline, so that two lost answers do not cost the membership; never beyond the term. */
  #request(): { timeout: number } {
    const third = this.#options.renewDeadline / 3;
    return { timeout: this.term.held ? Math.min(third, this.term.remaining()) : third };
  }

  /** Logs who shares when that changes. */
  #tell(): void {
    const picture = `${this.members} ${this.#target.size}`;
    if (picture !== this.#lastPicture) {
      this.#log.info({ members: this.members, slots: this.#target.size }, "shards assigned");
    }
    this.#lastPicture = picture;
  }

  #failed(what: string, error?: unknown): ShardMemberEvent {
    this.#failures.failed(what, error);
    return { type: "lease.failed" };
  }
}
