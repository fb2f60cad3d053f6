// Decides when another client and this operator overwrite one field of an object in turns, and how long it is then left as it is.
// Pure: fed by bound-kubernetes-resource.ts with each drift and each repair; read by what reports it.
import { BoundedMap } from "../../collections/bounded-map.ts";
import { backoffDelay } from "../../ports/backoff.ts";

/** When repairs become a fight, and how far they are then slowed down. Milliseconds. */
export interface FieldFightLimits {
  /** Repairs of one field within the time. */
  readonly repairs: number;
  readonly within: number;
  /** Longest delay between two repairs. */
  readonly longestDelay: number;
}

/** An object at an instant. */
export interface SeenObject {
  /** uid of the custom resource. */
  readonly owner: string;
  /** uid of the object. */
  readonly object: string;
  /** What the object is registered as: one that is made again has another uid. */
  readonly index: string;
  /** Monotonic milliseconds. */
  readonly now: number;
}

/** An object as it was found: fields that we declare, and that have other values. */
export interface Drift extends SeenObject {
  /** `Kind/name` of the object. */
  readonly name: string;
  readonly paths: readonly string[];
}

/** An ongoing fight. */
export interface FieldFight {
  readonly name: string;
  /** The fields that are fought about. */
  readonly paths: readonly string[];
  /** The other field manager, once it is known. */
  writer: string | undefined;
}

interface OngoingFight extends FieldFight {
  readonly paths: string[];
  delay: number;
  until: number;
  /** Longest time that a repair lasted until it was overwritten. */
  longestAnswer: number;
}

/** The objects of a custom resource that were repaired. */
interface Repaired {
  readonly byUid: Map<string, ObjectRecord>;
  /** The uid of each, by what it is registered as: there is one at a time. */
  readonly uids: Map<string, string>;
}

interface ObjectRecord {
  readonly index: string;
  readonly repairs: Map<string, number[]>;
  repairedAt: number;
  /** Whether the last repair is known to be overwritten. */
  overwritten: boolean;
  fight: OngoingFight | undefined;
}

/** Five repairs in ten minutes: an autoscaler or a second operator needs a minute or two, no person keeps that up. */
export const fieldFightDefaults: FieldFightLimits = { repairs: 5, within: 600_000, longestDelay: 300_000 };

const firstDelay = 5_000;
/** A fight is over when a repair has lasted so many times as long as any did before, but not before this time. */
const lastingTimes = 3;
const shortestQuiet = 10_000;

/** Custom resources whose repairs are remembered, and objects whose last intent is. */
const remembered = 10_000;

/**
 * The fights of one controller.
 *
 * **Guarantees**: only the fields fought about are left alone, and only for a while, at most `longestDelay`; anything
 * else that drifts is repaired at once, and so is everything when what we declare changes.
 */
export class FieldFights {
  readonly #limits: FieldFightLimits | undefined;
  readonly #owners = new BoundedMap<string, Repaired>(remembered);
  readonly #written = new BoundedMap<string, string>(remembered);

  /** Default limits are {@link fieldFightDefaults}; with limits `undefined` nothing is a fight. */
  constructor(options: { readonly limits: FieldFightLimits | undefined } = { limits: fieldFightDefaults }) {
    this.#limits = options.limits;
  }

  /** The fights about objects of a custom resource. */
  of(owner: string): readonly FieldFight[] {
    return [...(this.#owners.get(owner)?.byUid.values() ?? [])].flatMap(({ fight }) => fight ?? []);
  }

  /** Milliseconds for which a drift is to be left as it is; undefined when it is to be repaired. */
  leaveFor({ owner, object, paths, now }: Drift): number | undefined {
    const record = this.#owners.get(owner)?.byUid.get(object);
    if (record === undefined) return undefined;
    noteAnswer(record, now);
    const { fight } = record;
    if (fight === undefined || now >= fight.until) return undefined;
    return paths.every((path) => fight.paths.includes(path)) ? fight.until - now : undefined;
  }

  /** The fields about which the repair of a drift would begin a fight; none when there is one already. */
  disputedBy({ owner, object, paths, now }: Drift): readonly string[] {
    const limits = this.#limits;
    const record = this.#owners.get(owner)?.byUid.get(object);
    if (limits === undefined || record?.fight !== undefined) return [];
    const start = now - limits.within;
    const repairsOf = (path: string): readonly number[] => record?.repairs.get(path) ?? [];
    return paths.filter(
      (path) => repairsOf(path).filter((instant) => instant > start).length + 1 >= limits.repairs,
    );
  }

  /** Notes a repair that was made: one that the server has refused is none. Returns the fight that it begins, if it does. */
  repaired(drift: Drift): FieldFight | undefined {
    const { name, paths, now } = drift;
    const limits = this.#limits;
    if (limits === undefined) return undefined;
    const record = this.#recordOf(drift);
    noteAnswer(record, now);
    const known = record.fight;
    for (const path of paths) {
      const instants = (record.repairs.get(path) ?? []).filter((instant) => instant > now - limits.within);
      instants.push(now);
      record.repairs.set(path, instants.slice(-limits.repairs));
      if (instants.length < limits.repairs) continue;
      record.fight ??= {
        name,
        paths: [],
        writer: undefined,
        delay: Math.min(firstDelay, limits.longestDelay) / 2,
        until: now,
        longestAnswer: 0,
      };
      if (!record.fight.paths.includes(path)) record.fight.paths.push(path);
    }
    record.repairedAt = now;
    record.overwritten = false;
    const { fight } = record;
    if (fight !== undefined && now >= fight.until) {
      fight.delay = backoffDelay({ first: fight.delay, longest: limits.longestDelay }, 2);
      fight.until = now + fight.delay;
    }
    return fight === known ? undefined : fight;
  }

  /**
   * Notes that nothing has drifted. Milliseconds until a fight about the object is over, if nothing drifts until then;
   * undefined when there is none, or none any more. One about an object whose place another one has taken is over.
   */
  calm(seen: SeenObject): number | undefined {
    const { owner, object, now } = seen;
    const limits = this.#limits;
    if (limits === undefined) return undefined;
    this.#forgetPredecessor(seen);
    const record = this.#owners.get(owner)?.byUid.get(object);
    if (record === undefined) return undefined;
    const { fight, repairedAt } = record;
    const lasted = now - repairedAt;
    const enough =
      fight === undefined
        ? limits.within
        : Math.min(Math.max(fight.longestAnswer * lastingTimes, shortestQuiet), limits.within);
    if (lasted < enough) return fight === undefined ? undefined : enough - lasted;
    this.forgetObject(owner, object);
    return undefined;
  }

  /** Forgets an object: it is gone. */
  forgetObject(owner: string, object: string): void {
    const repaired = this.#owners.get(owner);
    const record = repaired?.byUid.get(object);
    if (repaired === undefined || record === undefined) return;
    repaired.byUid.delete(object);
    if (repaired.uids.get(record.index) === object) repaired.uids.delete(record.index);
    if (repaired.byUid.size === 0) this.#owners.delete(owner);
  }

  /** Forgets the object whose place another one has taken. */
  #forgetPredecessor({ owner, object, index }: SeenObject): void {
    const uid = this.#owners.get(owner)?.uids.get(index);
    if (uid !== undefined && uid !== object) this.forgetObject(owner, uid);
  }

  /** Remembers the hash of the intent that an object was last written with. */
  wrote(object: string, hash: string): void {
    this.#written.set(object, hash);
  }

  /** Whether this very intent was the last that we have written: then another client has changed the hash as well. */
  hasWritten(object: string, hash: string): boolean {
    return this.#written.get(object) === hash;
  }

  /** Forgets a custom resource: it is gone. */
  forget(owner: string): void {
    this.#owners.delete(owner);
  }

  #recordOf(seen: SeenObject): ObjectRecord {
    const { owner, object, index, now } = seen;
    this.#forgetPredecessor(seen);
    const repaired = this.#owners.get(owner) ?? { byUid: new Map(), uids: new Map() };
    const record: ObjectRecord = repaired.byUid.get(object) ?? {
      index,
      repairs: new Map<string, number[]>(),
      repairedAt: now,
      overwritten: true,
      fight: undefined,
    };
    repaired.byUid.set(object, record);
    repaired.uids.set(index, object);
    this.#owners.set(owner, repaired);
    return record;
  }
}

/** Notes that the last repair is overwritten, and how long it has lasted. */
function noteAnswer(record: ObjectRecord, now: number): void {
  if (record.overwritten) return;
  record.overwritten = true;
  const { fight, repairedAt } = record;
  if (fight !== undefined) fight.longestAnswer = Math.max(fight.longestAnswer, now - repairedAt);
}
