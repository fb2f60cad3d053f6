// Stands between the queue and the workers: remembers what changed for each key, lets the detector decide whether a key
// may run, and tells people about a circle, by condition, Kubernetes Event, metric and log line.
// Fed by request-sources.ts and the workers; read by reconciler.ts, which writes the condition with the rest of the status.
import type { KubeClient } from "../../client/kube-client.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import { managersOf } from "../../meta/field-managers.ts";
import type { KubeObject } from "../../meta/object.ts";
import { parseKey } from "../../meta/object-key.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { CounterSeries, Metrics } from "../../ports/metrics.ts";
import type { HeldKey } from "../../ports/operator-health.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { WorkItem } from "../../queue/work-queue.ts";
import type { StatusDraft } from "../../reconcile/status/status-draft.ts";
import { addedField, deletedField, deletionField, type ChangeNote } from "../changes/change-note.ts";
import { HotLoopDetector, type HotLoop, type HotLoopLimits, type Trace } from "./hot-loop-detector.ts";
import type { OwnWrites } from "../changes/own-writes.ts";

/** Type of the condition; True while the resource is in a reconcile loop and is slowed down. */
export const hotLoopCondition = "HotLoop";

/** What a worker does with a key it has taken. */
export type Gate =
  | { readonly kind: "run" }
  /** Nothing has happened that the controller did not do itself. */
  | { readonly kind: "skip"; readonly again?: number }
  | { readonly kind: "wait"; readonly after: number };

/** Options of {@link HotLoopGuard}. */
export interface HotLoopGuardParts {
  /** Undefined: nothing is detected. */
  readonly limits: HotLoopLimits | undefined;
  /** Name of the operator: its field manager. */
  readonly operator: string;
  readonly controller: string;
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly ownWrites: OwnWrites;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

interface ReportedLoop {
  readonly loop: HotLoop;
  readonly message: string;
}

/** What is due at once, whatever has changed. */
const dueReasons: ReadonlySet<string> = new Set(["initialList", "handOver", "external"]);

/** Changes noted for one key; more of them say nothing new. */
const maxNotes = 32;

/** The guard of one controller. */
export class HotLoopGuard {
  readonly #parts: HotLoopGuardParts;
  readonly #detector: HotLoopDetector | undefined;
  readonly #notes = new Map<string, ChangeNote[]>();
  /** Keys of which more changes came than are noted. */
  readonly #crowded = new Set<string>();
  /** When each key is due by a delay that was asked for, in monotonic milliseconds. */
  readonly #due = new Map<string, number>();
  readonly #reported = new Map<string, ReportedLoop>();
  /** The object to ask who writes it, by key of the resource in the circle. */
  readonly #suspects = new Map<string, ChangeNote>();
  readonly #loops: CounterSeries;
  readonly #damped: CounterSeries;

  constructor(parts: HotLoopGuardParts) {
    this.#parts = parts;
    const { metrics, controller, limits } = parts;
    this.#detector = limits === undefined ? undefined : new HotLoopDetector(limits);
    const labels = ["controller"] as const;
    this.#loops = metrics
      .counter({
        name: "xstate_operator_hot_loops_total",
        help: "Resources found in a reconcile loop.",
        labels,
      })
      .with({ controller });
    this.#damped = metrics
      .counter({
        name: "xstate_operator_hot_loop_waits_total",
        help: "Reconciles delayed because their resource is in a reconcile loop.",
        labels,
      })
      .with({ controller });
  }

  /** The run that was let through last; see hot-loop-detector.ts. */
  get turn(): number {
    return this.#detector?.turn ?? 0;
  }

  /** Notes a change that will reconcile a key. */
  note(key: string, note: ChangeNote): void {
    const notes = this.#notes.get(key);
    if (notes === undefined) this.#notes.set(key, [note]);
    else if (notes.length < maxNotes || note.urgent) notes.push(note);
    else this.#crowded.add(key);
  }

  /** Notes that the run of a key that has just ended created no more than its limit. */
  paced(key: string): void {
    this.#detector?.paced(key);
  }

  /** Notes that a key comes again after a delay that was asked for. */
  scheduled(key: string, after: number): void {
    this.#due.set(key, monotonicNow(this.#parts.clock) + after);
  }

  /** Decides about a key that a worker has taken. What waits or is skipped comes again for what else was asked of it. */
  admit({ key, causes, moreCauses }: WorkItem): Gate {
    const now = monotonicNow(this.#parts.clock);
    const dueAt = this.#due.get(key);
    const due = (dueAt !== undefined && dueAt <= now) || causes.some(({ reason }) => dueReasons.has(reason));
    const noted = this.#notes.get(key) ?? [];
    // Asked again now: when the change came, the answer to the write, or the run, was still under way.
    const notes = noted.filter((note) => !this.#isExplained(key, note));
    const isCrowded = this.#crowded.delete(key);
    if (notes.length === 0 && noted.length > 0 && !due && !isCrowded && moreCauses === 0) {
      this.#notes.delete(key);
      return dueAt === undefined ? { kind: "skip" } : { kind: "skip", again: dueAt - now };
    }
    const traces = notes.map((note) => this.#traceOf(key, note));
    const urgent = notes.some((note) => note.urgent && !this.#isOwn(note));
    const admission = this.#detector?.admit(key, { traces, urgent, due }, now);
    if (admission?.kind === "wait") {
      this.#notes.set(key, notes);
      this.#damped.inc();
      const after = dueAt === undefined ? admission.after : Math.min(admission.after, dueAt - now);
      return { kind: "wait", after };
    }
    this.#notes.delete(key);
    this.#due.delete(key);
    const loop = this.#detector?.loopOf(key);
    if (loop !== undefined && !this.#suspects.has(key)) {
      const suspect = notes.find(({ object }) => object === loop.object);
      if (suspect !== undefined) this.#suspects.set(key, suspect);
    }
    if (admission?.ended !== undefined) this.#end(key, admission.ended);
    return { kind: "run" };
  }

  /** Milliseconds after which a key in a loop is reconciled again, to see whether the loop has ended. */
  lookAgainAfter(key: string): number | undefined {
    return this.#detector?.quietAfter(key, monotonicNow(this.#parts.clock));
  }

  /** The keys that are slowed down, each with what was reported about it. */
  held(): readonly HeldKey[] {
    return [...this.#reported].map(([key, { message }]) => ({ key, why: "hotLoop", message }));
  }

  /** Forgets a key: its resource is gone. */
  forget(key: string): void {
    this.#detector?.forget(key);
    for (const map of [this.#notes, this.#crowded, this.#due, this.#reported, this.#suspects])
      map.delete(key);
  }

  /** Whether a loop was found that is not reported yet: see {@link tell}. */
  hasNews(key: string): boolean {
    const loop = this.#detector?.loopOf(key);
    return loop !== undefined && this.#reported.get(key)?.loop !== loop;
  }

  /**
   * Tells of a circle that was just found: who writes is asked of the server, once, as the cache keeps no managedFields.
   *
   * **RBAC**: `get` on the object that changes.
   */
  async tell(key: string, cr: KubeObject, signal: AbortSignal): Promise<void> {
    const loop = this.#detector?.loopOf(key);
    if (loop === undefined || this.#reported.get(key)?.loop === loop) return;
    const { events, log, limits } = this.#parts;
    const writer = await this.#writerOf(loop, this.#suspects.get(key), signal);
    const message = messageFor(loop, writer, limits);
    this.#reported.set(key, { loop, message });
    this.#loops.inc();
    events.record(cr, { type: "Warning", reason: hotLoopCondition, action: "Reconcile", note: message });
    const { object: source, own, fields } = loop;
    log.warn(
      { object: key, source, own, fields, writer },
      "resource is in a reconcile loop; its reconciles are throttled",
    );
  }

  /** Adds the condition: True in a loop, False after one, absent otherwise. */
  contributeStatus(key: string, status: StatusDraft): void {
    const reported = this.#reported.get(key);
    if (reported !== undefined) {
      const { loop, message } = reported;
      const reason = loop.own ? "OwnWrites" : "ForeignWrites";
      status.setCondition({ type: hotLoopCondition, status: "True", reason, message });
    } else if (status.condition(hotLoopCondition)?.status === "True") {
      status.setCondition({
        type: hotLoopCondition,
        status: "False",
        reason: "Recovered",
        message: "the resource is no longer in a reconcile loop",
      });
    }
  }

  #end(key: string, { object }: HotLoop): void {
    this.#reported.delete(key);
    this.#suspects.delete(key);
    this.#parts.log.info({ object: key, source: object }, "resource is no longer in a reconcile loop");
  }

  #traceOf(key: string, note: ChangeNote): Trace {
    const { object, fields, created } = note;
    const isDeletion = fields.includes(deletionField);
    // What else changes as an object begins to be deleted says nothing of its own.
    if (!this.#isOwn(note)) return { object, fields: isDeletion ? [deletionField] : fields, own: false };
    const turn = this.#parts.ownWrites.turnOf(note.uid, note.version) ?? 0;
    const isForKey = created !== undefined && isChildOf(key, note, created.owner);
    return {
      object,
      fields,
      own: true,
      ...(isForKey ? { creation: { kind: created.kind, turn } } : {}),
    };
  }

  /** Whether a change shows nothing that the run which made it did not know. */
  #isExplained(key: string, { change, isOfChild, uid, version }: ChangeNote): boolean {
    const { ownWrites } = this.#parts;
    if (change !== undefined) return ownWrites.explains(change);
    return isOfChild === true && ownWrites.hasSeen(key, uid, version);
  }

  #isOwn({ uid, version, fields }: ChangeNote): boolean {
    const { ownWrites } = this.#parts;
    if (fields.includes(deletedField)) return ownWrites.hasDeleted(uid);
    return ownWrites.turnOf(uid, version) !== undefined;
  }

  /** The field manager that wrote last, which is never ours for a foreign write; undefined when nobody can tell. */
  async #writerOf(
    loop: HotLoop,
    suspect: ChangeNote | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client, operator, log } = this.#parts;
    if (loop.own) return operator;
    if (suspect === undefined || isDeletion(loop)) return undefined;
    try {
      const live = await client.get(suspect.type, suspect.key, { signal });
      const { managedFields } = live.metadata;
      const [field = ""] = loop.fields;
      const others = [...managersOf(managedFields, field), ...managersOf(managedFields)];
      return others.find(({ manager }) => manager !== operator)?.manager;
    } catch (error) {
      log.debug({ object: suspect.object, error: messageOf(error) }, "its writer could not be determined");
      return undefined;
    }
  }
}

/** Whether a child is of this key's resource: another one's comes by a watch, and its creations are not this key's. */
function isChildOf(key: string, child: ChangeNote, owner: string): boolean {
  const { namespace, name } = parseKey(key);
  return name === owner && (namespace === undefined || namespace === child.key.namespace);
}

/** Whether another client repeatedly deletes an object. */
function isDeletion({ own, fields }: HotLoop): boolean {
  return !own && fields.some((field) => field === deletedField || field === deletionField);
}

/** The same text for as long as the loop lasts, so that it is written and reported once. */
function messageFor(loop: HotLoop, writer: string | undefined, limits: HotLoopLimits | undefined): string {
  const { runs = 0, within = 0, longestDelay = 0 } = limits ?? {};
  return (
    `${deedOf(loop)} by ${whoOf(loop, writer)}: ${runs} reconciles within ${within / 1_000} s without ` +
    `a new generation. Only this resource is throttled, down to one reconcile every ${longestDelay / 1_000} s; ` +
    `a new generation or a human event is reconciled immediately.`
  );
}

function deedOf(loop: HotLoop): string {
  const { object, own, fields, newEachRun } = loop;
  if (newEachRun !== undefined) return `A new ${newEachRun}, such as ${object}, is created in each run`;
  if (isDeletion(loop)) return `${object} is deleted repeatedly`;
  const isMadeAnew = [addedField, deletedField, deletionField].some((field) => fields.includes(field));
  if (own && isMadeAnew) return `${object} is deleted and created repeatedly`;
  const names = fields.length === 0 ? "" : ` (${fields.slice(0, 3).join(", ")})`;
  return `${object}${names} is written repeatedly`;
}

function whoOf(loop: HotLoop, writer: string | undefined): string {
  if (loop.own) return `this operator's own reconcile, as field manager "${writer}"`;
  if (isDeletion(loop)) return "another client (the API server does not record who deletes)";
  return writer === undefined ? "an unknown writer" : `field manager "${writer}"`;
}
