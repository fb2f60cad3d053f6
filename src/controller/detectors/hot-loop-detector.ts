// Decides which resources are in a reconcile loop: the same object is written again and again, each write causes the next
// run, and nobody has asked for anything new. Pure: fed by hot-loop-guard.ts with what caused each run, and with the
// monotonic time.
//
// What counts is a suspect that caused a run: an object that this controller itself has written, a field of an object
// that another client has written, or a kind of which this controller made a new child in a run that the creation of a
// child had caused already (each under another name, so that no object recurs). What never counts: a change of the status
// of an owned or watched object (a rollout), a delay that was asked for (polling), a retry, the initial list, however
// many children that runs make which no creation has caused. A new generation starts the counting afresh.
//
// Who deletes an object that this controller makes again and again is to blame, not the controller for making it.
import { BoundedMap } from "../../collections/bounded-map.ts";
import { addedField, deletedField } from "../changes/change-note.ts";
import { backoffDelay } from "../../ports/backoff.ts";

/** When a resource is taken to be in a reconcile loop. Milliseconds. */
export interface HotLoopLimits {
  /** Runs that one suspect has to cause within the time. */
  readonly runs: number;
  readonly within: number;
  /** Upper bound of the delay between two runs of a resource that is slowed down. */
  readonly longestDelay: number;
}

/** A change that caused a run. */
export interface Trace {
  /** `Kind namespace/name` of the object that changed. */
  readonly object: string;
  /** The fields that changed; without any, the change itself is no suspect. */
  readonly fields: readonly string[];
  /** Whether the controller has written it itself. */
  readonly own: boolean;
  /** Of a new child that the controller has made for this key: its kind, and {@link HotLoopDetector.turn} at that time. */
  readonly creation?: { readonly kind: string; readonly turn: number };
}

/** What led to the circle. */
export interface HotLoop {
  readonly object: string;
  readonly own: boolean;
  /** The fields that changed last, or the one field of a foreign writer. */
  readonly fields: readonly string[];
  /** The kind of which each run makes a new child; the object is one of them. */
  readonly newEachRun?: string;
}

/** What asks for a run. */
export interface RunRequest {
  readonly traces: readonly Trace[];
  /** A new generation, a deletion or a human event is among the causes. */
  readonly urgent: boolean;
  /** A cause that is no change is due: a delay that was asked for, a retry, the initial list. */
  readonly due: boolean;
}

/** What is decided about a run. */
export type Admission =
  | { readonly kind: "run"; readonly ended?: HotLoop }
  /** The key is slowed down: ask again after so many milliseconds. */
  | { readonly kind: "wait"; readonly after: number };

interface Damping {
  readonly loop: HotLoop;
  readonly culprits: Set<string>;
  delay: number;
  until: number;
  lastSeen: number;
}

/** A run of a key. */
interface Turn {
  readonly turn: number;
  /** The creation of a child is among its causes, and nothing new was asked for. */
  readonly causedByCreation: boolean;
  /** The kinds that have counted because this run made a child of them: once, however many it made. */
  readonly counted: string[];
  /** Whether creations were held back in it: what follows from it was asked for at once. */
  isPaced: boolean;
}

/** A trace with what it may be blamed on. */
interface Charge {
  readonly trace: Trace;
  readonly suspects: readonly string[];
  /** What our own new object answers: the deletion of the previous one by another client. */
  readonly answered?: string;
}

interface KeyRecord {
  /** For each suspect, when it caused a run. */
  readonly runs: Map<string, number[]>;
  /** The last runs. */
  readonly turns: Turn[];
  /** Whether an object is missing because another client has deleted it. */
  readonly missing: BoundedMap<string, boolean>;
  damping: Damping | undefined;
  touched: number;
}

/** Times within which stale keys are looked for. */
const sweeps = 10;
/** Suspects remembered for one key; a change of very many fields is not followed field by field. */
const maxSuspects = 64;
/** Runs remembered for one key: as many as there may be between a creation and its event. */
const maxTurns = 128;

/**
 * The circles of one controller's keys.
 *
 * **Guarantees**: only a key of its own is slowed down; an urgent run never waits; a wait ends within `longestDelay`; a
 * circle that has stopped is over after `within`.
 * **Memory**: the keys of which a suspect caused a run within the time.
 */
export class HotLoopDetector {
  readonly #limits: HotLoopLimits;
  readonly #keys = new Map<string, KeyRecord>();
  #turn = 0;
  /** When stale keys were dropped last: to look for them costs as much as there are keys. */
  #sweptAt = -Infinity;

  constructor(limits: HotLoopLimits) {
    this.#limits = limits;
  }

  /** The number of the run that was let through last, whatever its key. */
  get turn(): number {
    return this.#turn;
  }

  /** The circle that a key is in. */
  loopOf(key: string): HotLoop | undefined {
    return this.#keys.get(key)?.damping?.loop;
  }

  /** Milliseconds until the circle of a key is over if nothing keeps it going; undefined when it is in none. */
  quietAfter(key: string, now: number): number | undefined {
    const damping = this.#keys.get(key)?.damping;
    return damping && Math.max(0, damping.lastSeen + this.#limits.within - now);
  }

  /** Keys known; for what is measured. */
  get size(): number {
    return this.#keys.size;
  }

  /** Forgets a key: its resource is gone. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** Notes that the last run of a key held creations back, as it was asked to. */
  paced(key: string): void {
    const turn = this.#keys.get(key)?.turns.at(-1);
    if (turn !== undefined) turn.isPaced = true;
  }

  /** Decides about a run that is about to start. A run that waits is asked about again, with its causes. */
  admit(key: string, request: RunRequest, now: number): Admission {
    this.#dropStale(now);
    const charges = chargesOf(request.traces, this.#keys.get(key));
    const suspects = new Set(charges.flatMap((charge) => charge.suspects));
    if (suspects.size === 0 && !this.#keys.has(key)) {
      this.#turn += 1;
      return { kind: "run" };
    }
    const record = this.#recordOf(key, now);
    const { damping } = record;
    if (damping !== undefined && !request.urgent && !request.due && now < damping.until) {
      if (isCovered(charges, damping)) return { kind: "wait", after: damping.until - now };
    }
    this.#begin(record, charges, request.urgent);
    if (damping === undefined && request.urgent) record.runs.clear();
    this.#count(record, suspects, now);
    this.#convict(record, charges, now);
    if (damping === undefined) return { kind: "run" };
    if ([...suspects].some((suspect) => damping.culprits.has(suspect))) {
      damping.lastSeen = now;
      if (now >= damping.until) {
        damping.delay = backoffDelay({ first: damping.delay, longest: this.#limits.longestDelay }, 2);
        damping.until = now + damping.delay;
      }
      return { kind: "run" };
    }
    if (now - damping.lastSeen < this.#limits.within) return { kind: "run" };
    this.#keys.delete(key);
    return { kind: "run", ended: damping.loop };
  }

  /** Takes note of a run that is let through, and of what its causes tell about the ones before it. */
  #begin({ turns, missing }: KeyRecord, charges: readonly Charge[], urgent: boolean): void {
    let isCausedByCreation = false;
    for (const { trace, answered } of charges) {
      noteMissing(missing, trace);
      const { creation } = trace;
      if (creation === undefined || answered !== undefined) continue;
      madeIn(turns, creation)?.counted.push(creation.kind);
      isCausedByCreation = !urgent;
    }
    turns.push({
      turn: (this.#turn += 1),
      causedByCreation: isCausedByCreation,
      counted: [],
      isPaced: false,
    });
    if (turns.length > maxTurns) turns.shift();
  }

  #count({ runs }: KeyRecord, suspects: ReadonlySet<string>, now: number): void {
    for (const suspect of suspects) {
      const instants = runs.get(suspect) ?? [];
      if (instants.length === 0 && !hasRoom(runs, now - this.#limits.within) && !isKind(suspect)) continue;
      instants.push(now);
      const start = now - this.#limits.within;
      while ((instants[0] ?? now) <= start || instants.length > this.#limits.runs) instants.shift();
      runs.set(suspect, instants);
    }
  }

  /** Whoever has caused too many runs is a culprit from now on. */
  #convict(record: KeyRecord, charges: readonly Charge[], now: number): void {
    const { runs, within } = this.#limits;
    for (const { trace, suspects } of charges) {
      for (const suspect of suspects) {
        if ((record.runs.get(suspect)?.length ?? 0) < runs) continue;
        const { object, own, fields, creation } = trace;
        // The slowest rate that is a circle: from there the delay grows.
        const delay = Math.min(within / runs, this.#limits.longestDelay);
        record.damping ??= {
          loop: {
            object,
            own,
            fields: own ? fields : [fieldOf(suspect)],
            ...(isKind(suspect) && creation !== undefined ? { newEachRun: creation.kind } : {}),
          },
          culprits: new Set(),
          delay,
          until: now + delay,
          lastSeen: now,
        };
        record.damping.culprits.add(suspect);
      }
    }
  }

  #recordOf(key: string, now: number): KeyRecord {
    const record = this.#keys.get(key) ?? {
      runs: new Map<string, number[]>(),
      turns: [],
      missing: new BoundedMap<string, boolean>(maxSuspects),
      damping: undefined,
      touched: now,
    };
    record.touched = now;
    // At the end, so that the first one is the one that was left alone longest.
    this.#keys.delete(key);
    this.#keys.set(key, record);
    return record;
  }

  #dropStale(now: number): void {
    if (now - this.#sweptAt < this.#limits.within / sweeps) return;
    this.#sweptAt = now;
    for (const [key, { touched, damping }] of this.#keys) {
      if (now - touched <= this.#limits.within) return;
      if (damping !== undefined) continue;
      this.#keys.delete(key);
    }
  }
}

const separator = "\n";

const kindPrefix = "each new ";

/** What the traces may be blamed on. */
function chargesOf(traces: readonly Trace[], record: KeyRecord | undefined): readonly Charge[] {
  const missing = new Map<string, boolean>();
  return traces.map((trace) => {
    const { object, own } = trace;
    const isMissing = missing.get(object) ?? record?.missing.get(object) ?? false;
    noteMissing(missing, trace);
    return own && isMissing && isChange(trace, addedField)
      ? { trace, suspects: [], answered: `${object}${separator}${deletedField}` }
      : { trace, suspects: suspectsOf(trace, record) };
  });
}

/** Notes that an object was deleted by another client, or exists again. */
function noteMissing(missing: Map<string, boolean> | BoundedMap<string, boolean>, trace: Trace): void {
  if (isChange(trace, addedField)) missing.set(trace.object, false);
  if (isChange(trace, deletedField)) missing.set(trace.object, !trace.own);
}

function isChange({ fields }: Trace, field: string): boolean {
  return fields.length === 1 && fields[0] === field;
}

/**
 * What a trace may be blamed on: the object when it is our own write, else each field. The kind of a new child counts as
 * well once the run that made it was caused by a creation itself; a run counts once, whenever its children are seen.
 */
function suspectsOf(
  { object, own, fields, creation }: Trace,
  record: KeyRecord | undefined,
): readonly string[] {
  if (!own) return fields.map((field) => `${object}${separator}${field}`);
  const maker = creation && madeIn(record?.turns ?? [], creation);
  if (maker?.causedByCreation !== true || maker.isPaced || maker.counted.includes(creation?.kind ?? ""))
    return [object];
  return [object, `${kindPrefix}${creation?.kind}`];
}

/** The run that made a child: the last one of its key that had begun by then. */
function madeIn(turns: readonly Turn[], { turn }: { readonly turn: number }): Turn | undefined {
  return turns.findLast((each) => each.turn <= turn);
}

function isKind(suspect: string): boolean {
  return suspect.startsWith(kindPrefix);
}

/** Whether one more suspect can be remembered, without those that have caused nothing since `start`. */
function hasRoom(runs: Map<string, number[]>, start: number): boolean {
  if (runs.size < maxSuspects) return true;
  for (const [suspect, instants] of runs) {
    if ((instants.at(-1) ?? start) <= start) runs.delete(suspect);
  }
  return runs.size < maxSuspects;
}

function fieldOf(suspect: string): string {
  return suspect.slice(suspect.indexOf(separator) + 1);
}

/**
 * Whether a run of these causes belongs to the circle. What an own write sets going (a rollout, an answer of another
 * controller) comes back by many ways, so that an own circle slows down every change but an urgent one.
 */
function isCovered(charges: readonly Charge[], { culprits }: Damping): boolean {
  if (charges.length === 0) return false;
  if ([...culprits].some((culprit) => !culprit.includes(separator))) return true;
  return charges.every(({ suspects, answered }) => {
    const blamed = answered === undefined ? suspects : [answered];
    return blamed.length > 0 && blamed.every((suspect) => culprits.has(suspect));
  });
}
