// Decides which resources reconcile in a circle: the same object is written again and again, each write causes the next
// run, and nobody has asked for anything new. Pure: fed by hot-loop-guard.ts with what caused each run, and with the
// monotonic time.
//
// What counts is a suspect that caused a run: an object that this controller itself has written, or a field of an object
// that somebody else has written. What never counts: a change of the status of an owned or watched object (a rollout),
// a delay that was asked for (polling), a retry, the initial list. A new generation starts the counting afresh.

/** When a resource is taken to reconcile in a circle. Milliseconds. */
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
}

/** What led to the circle. */
export interface HotLoop {
  readonly object: string;
  readonly own: boolean;
  /** The fields that changed last, or the one field of a foreign writer. */
  readonly fields: readonly string[];
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

interface KeyRecord {
  /** For each suspect, when it caused a run. */
  readonly runs: Map<string, number[]>;
  damping: Damping | undefined;
  touched: number;
}

/** Suspects remembered for one key; a change of very many fields is not followed field by field. */
const maxSuspects = 64;

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

  constructor(limits: HotLoopLimits) {
    this.#limits = limits;
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

  /** Decides about a run that is about to start. A run that waits is asked about again, with its causes. */
  admit(key: string, request: RunRequest, now: number): Admission {
    this.#dropStale(now);
    const suspects = new Set(request.traces.flatMap(suspectsOf));
    if (suspects.size === 0 && !this.#keys.has(key)) return { kind: "run" };
    const record = this.#recordOf(key, now);
    const { damping } = record;
    if (damping === undefined) {
      if (request.urgent) record.runs.clear();
      this.#count(record, suspects, now);
      this.#convict(record, request.traces, now);
      return { kind: "run" };
    }
    if (!request.urgent && !request.due && now < damping.until && isCovered(request.traces, damping)) {
      return { kind: "wait", after: damping.until - now };
    }
    this.#count(record, suspects, now);
    this.#convict(record, request.traces, now);
    if ([...suspects].some((suspect) => damping.culprits.has(suspect))) {
      damping.lastSeen = now;
      if (now >= damping.until) {
        damping.delay = Math.min(damping.delay * 2, this.#limits.longestDelay);
        damping.until = now + damping.delay;
      }
      return { kind: "run" };
    }
    if (now - damping.lastSeen < this.#limits.within) return { kind: "run" };
    this.#keys.delete(key);
    return { kind: "run", ended: damping.loop };
  }

  #count({ runs }: KeyRecord, suspects: ReadonlySet<string>, now: number): void {
    for (const suspect of suspects) {
      const instants = runs.get(suspect) ?? [];
      if (instants.length === 0 && runs.size >= maxSuspects) continue;
      instants.push(now);
      const start = now - this.#limits.within;
      while ((instants[0] ?? now) <= start || instants.length > this.#limits.runs) instants.shift();
      runs.set(suspect, instants);
    }
  }

  /** Whoever has caused too many runs is a culprit from now on. */
  #convict(record: KeyRecord, traces: readonly Trace[], now: number): void {
    const { runs, within } = this.#limits;
    for (const trace of traces) {
      for (const suspect of suspectsOf(trace)) {
        if ((record.runs.get(suspect)?.length ?? 0) < runs) continue;
        const { object, own, fields } = trace;
        // The slowest rate that is a circle: from there the delay grows.
        const delay = Math.min(within / runs, this.#limits.longestDelay);
        record.damping ??= {
          loop: { object, own, fields: own ? fields : [fieldOf(suspect)] },
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
    for (const [key, { touched, damping }] of this.#keys) {
      if (now - touched <= this.#limits.within) return;
      if (damping !== undefined) continue;
      this.#keys.delete(key);
    }
  }
}

const separator = "\n";

/** What a trace may be blamed on: the object when it is our own write, else each field. */
function suspectsOf({ object, own, fields }: Trace): readonly string[] {
  if (own) return [object];
  return fields.map((field) => `${object}${separator}${field}`);
}

function fieldOf(suspect: string): string {
  return suspect.slice(suspect.indexOf(separator) + 1);
}

/**
 * Whether a run of these causes belongs to the circle. What an own write sets going (a rollout, an answer of another
 * controller) comes back by many ways, so that an own circle slows down every change but an urgent one.
 */
function isCovered(traces: readonly Trace[], { culprits }: Damping): boolean {
  if (traces.length === 0) return false;
  if ([...culprits].some((culprit) => !culprit.includes(separator))) return true;
  return traces.every((trace) => {
    const suspects = suspectsOf(trace);
    return suspects.length > 0 && suspects.every((suspect) => culprits.has(suspect));
  });
}
