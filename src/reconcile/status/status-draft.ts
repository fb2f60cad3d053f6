// The status as this run wants it: hooks and resources write into it, and it is written once, only if it differs.
// Written by status-writer.ts; conditions keep their order and move their transition time only when they flip.
import { findCondition, setCondition, type Condition } from "../../meta/condition.ts";
import type { KubeObject, Manifest } from "../../meta/object.ts";
import { maskMessages } from "../secrets/mask-values.ts";
import { isRetired } from "./retired-conditions.ts";
import type { Patch } from "../../client/kube-client.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import { mergePatchOf } from "../comparison/manifest-merge.ts";

/** Longest message of a condition that the API conventions allow. */
const longestMessage = 32_768;

/** A condition as it is set here: the rest follows from the run. */
export type ConditionInput = Pick<Condition, "type" | "status" | "reason" | "message">;

/** The fields of a status. */
export type StatusFields = Readonly<Record<string, unknown>>;

/** Options of {@link StatusDraft}. */
export interface StatusDraftOptions {
  readonly cr: KubeObject;
  readonly now: () => number;
  /** Writes what has been drafted so far. */
  readonly write: (draft: StatusDraft) => Promise<void>;
  /** Leaves out of a message what nobody may read; default nothing is left out. */
  readonly mask?: (text: string) => string;
}

/**
 * The status that a run is about to write.
 *
 * **Guarantees**: fields that nobody set stay as they are; equal values cause no write; `observedGeneration` of every
 * condition set here is the generation this run has read.
 */
export class StatusDraft {
  #stored: StatusFields;
  #cr: KubeObject;
  #fields: Record<string, unknown>;
  #failure: unknown;
  #onceStored: (() => void)[] = [];
  /** What is yet to be drafted, and the generation that it speaks about. */
  #later: { readonly draft: () => void; readonly generation: number | undefined } | undefined;
  #isDue = false;
  readonly #byHooks = new Map<string, ConditionInput>();
  #generation: number | undefined;
  readonly #options: StatusDraftOptions;
  readonly #mask: (text: string) => string;

  /** @internal */
  constructor(options: StatusDraftOptions) {
    this.#options = options;
    this.#mask = options.mask ?? ((text) => text);
    this.#stored = storedStatus(options.cr);
    this.#cr = options.cr;
    this.#fields = { ...this.#stored };
    this.#generation = options.cr.metadata.generation;
  }

  /** Sets top-level fields; null or undefined removes one. Conditions are set by {@link setCondition}. */
  merge(fields: StatusFields): void {
    for (const [name, value] of Object.entries(fields)) {
      if (name !== "conditions") this.#fields[name] = maskMessages(value ?? undefined, this.#mask);
    }
  }

  /**
   * Has something drafted once somebody asks for what is drafted, or it is written: most of what is passed through within one run never
   * is. It takes the place of what was put off before; what a hook says of a condition meanwhile stands.
   *
   * @internal
   */
  draftLater(draft: () => void): void {
    this.#later = { draft, generation: this.#generation };
  }

  /**
   * Drops what was put off: all of it is about to be said once more.
   *
   * @internal
   */
  dropLater(): void {
    this.#later = undefined;
  }

  #catchUp(): void {
    const later = this.#later;
    if (later === undefined) return;
    const present = this.#generation;
    this.#later = undefined;
    this.#generation = later.generation;
    later.draft();
    this.#generation = present;
    for (const said of this.#byHooks.values()) this.#set(said);
  }

  /** Sets a field as it is, with what its maker has left out of its texts by {@link mask}. */
  put(name: string, value: unknown): void {
    this.#fields[name] = value;
  }

  /** A text without what nobody may read. */
  mask(text: string): string {
    return this.#mask(text);
  }

  /** Sets a condition, with this run's generation; the transition time moves only when its status differs from what is stored. */
  setCondition(condition: ConditionInput): void {
    this.#byHooks.set(condition.type, condition);
    this.#set(condition);
  }

  /**
   * What a hook has said of a condition in this run.
   *
   * @internal
   */
  saidByHook(type: string): ConditionInput | undefined {
    return this.#byHooks.get(type);
  }

  /**
   * Sets a condition of the operator's own.
   *
   * @internal
   */
  putCondition(condition: ConditionInput): void {
    this.#catchUp();
    this.#set(condition);
  }

  #set(condition: ConditionInput): void {
    const { type, status, reason } = condition;
    const message = this.#mask(condition.message).slice(0, longestMessage);
    const next = { type, status, reason, message };
    const withGeneration =
      this.#generation === undefined ? next : { ...next, observedGeneration: this.#generation };
    const stored = findCondition(conditionsIn(this.#stored), type);
    const others = conditionsIn(this.#fields).map((each) => (each.type === type ? (stored ?? each) : each));
    // One that this run has removed already has stood all the same.
    const conditions = stored === undefined || others.includes(stored) ? others : [...others, stored];
    this.#fields["conditions"] = setCondition(conditions, withGeneration, this.#options.now());
  }

  /**
   * Chooses the generation that the status and the conditions set from now on speak about: the present one, or the one observed last, while the
   * run is not over or does not act on the spec.
   *
   * @internal
   */
  speakOf(which: "present" | "observed"): void {
    const { observedGeneration } = this.#stored;
    const isKnown = typeof observedGeneration === "number" && observedGeneration >= 0;
    const observed = isKnown ? observedGeneration : undefined;
    this.#generation = which === "present" ? this.#options.cr.metadata.generation : observed;
  }

  /** Removes a condition. */
  removeCondition(type: string): void {
    if (this.condition(type) === undefined) return;
    this.#fields["conditions"] = this.conditions.filter((each) => each.type !== type);
  }

  /** The condition of a type as it stands now. */
  condition(type: string): Condition | undefined {
    return findCondition(this.conditions, type);
  }

  /** All conditions as they stand now. */
  get conditions(): readonly Condition[] {
    this.#catchUp();
    return conditionsIn(this.#fields);
  }

  /** All fields as they stand now. */
  get fields(): StatusFields {
    this.#catchUp();
    return this.#fields;
  }

  /**
   * The custom resource as the server last returned it: as it was read, or as it was written since.
   *
   * @internal
   */
  get persisted(): KubeObject {
    return this.#cr;
  }

  /** The status as the server last returned it. */
  get stored(): StatusFields {
    return this.#stored;
  }

  /**
   * The resource version of the custom resource whose status is stored: it guards the write.
   *
   * @internal
   */
  get version(): string {
    return this.#cr.metadata.resourceVersion;
  }

  /**
   * What is to be written; undefined when nothing differs but retired conditions.
   *
   * @internal
   */
  change(): StatusChange | undefined {
    const { drafted } = this;
    const change = statusChangeOf(this.#stored, drafted);
    const [before, after] = [withoutRetired(this.#stored), withoutRetired(drafted)];
    const isOfOthers = before !== this.#stored || after !== drafted;
    return isOfOthers && statusChangeOf(before, after) === undefined ? undefined : change;
  }

  /**
   * Writes what has been drafted so far, if it differs: for what must be persisted before an effect happens.
   *
   * **Errors**: the client's; a conflict means that someone else wrote first, and the run should end.
   */
  async flush(): Promise<void> {
    this.#catchUp();
    this.#failure = undefined;
    const due = this.#onceStored;
    this.#onceStored = [];
    try {
      await this.#options.write(this);
    } catch (caught) {
      this.#onceStored = [...due, ...this.#onceStored];
      this.#failure = caught;
      throw caught;
    }
    this.#isDue = false;
    for (const act of due) act();
  }

  /**
   * Has what has been drafted so far stored by the end of the run at the latest, whatever else the run comes to.
   *
   * @internal
   */
  haveStored(): void {
    this.#isDue = true;
  }

  /**
   * Whether something drafted is still to be stored: see {@link haveStored}.
   *
   * @internal
   */
  get isDue(): boolean {
    return this.#isDue;
  }

  /**
   * Does something once what has been drafted so far is stored; nothing, when that never happens. In the order of the calls.
   *
   * @internal
   */
  onceStored(act: () => void): void {
    this.#onceStored.push(act);
  }

  /** Why the last write failed; undefined when it did not. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Takes back all that was set, conditions too: for when the server refuses something of it. Conditions may speak of fields
   * that are not stored then; a state without what it was entered with would be worse than the one before.
   */
  withdraw(): void {
    this.#later = undefined;
    this.#byHooks.clear();
    this.#fields = { ...this.#stored };
  }

  /**
   * Takes what the server answered as what is stored now; used by the writer. Returns what the server did not keep, as
   * {@link change} would find it again.
   *
   * @internal
   */
  accept(cr: KubeObject): StatusChange | undefined {
    this.#cr = cr;
    this.#stored = storedStatus(cr);
    const dropped = this.change();
    this.#fields = { ...this.#stored };
    return dropped;
  }

  /**
   * The whole status as it is to be stored.
   *
   * @internal
   */
  get drafted(): StatusFields {
    this.#catchUp();
    return this.#generation === undefined
      ? this.#fields
      : { ...this.#fields, observedGeneration: this.#generation };
  }
}

function withoutRetired(fields: StatusFields): StatusFields {
  const conditions = conditionsIn(fields);
  return conditions.some(isRetired)
    ? { ...fields, conditions: conditions.filter((each) => !isRetired(each)) }
    : fields;
}

/** The conditions of an object as they are stored. */
export function storedConditions(cr: KubeObject): readonly Condition[] {
  return conditionsIn(storedStatus(cr));
}

function conditionsIn(fields: StatusFields): readonly Condition[] {
  const { conditions } = fields;
  return Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
}

/** The status of an object as it is stored; empty when there is none. */
export function storedStatus(cr: KubeObject): StatusFields {
  const status: unknown = (cr as { readonly status?: unknown }).status;
  return typeof status === "object" && status !== null ? (status as StatusFields) : {};
}

type Fields = Readonly<Record<string, unknown>>;

/** The difference between two statuses. */
export type StatusChange =
  | { readonly type: "merge"; readonly status: Fields }
  | { readonly type: "json"; readonly operations: Extract<Patch, { readonly type: "json" }>["body"] };

/** What leads from one status to another; undefined when nothing differs. A top-level field that is null is none. */
export function statusChangeOf(before: Fields, after: Fields): StatusChange | undefined {
  const valueOf = (name: string): unknown => after[name] ?? undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isEqualJson(before[name], valueOf(name)));
  if (changed.length === 0) return undefined;
  // A merge patch cannot write a null, and a stored null looks to it like an absent field.
  if (!changed.some((name) => hasNull(after[name]) || hasNull(before[name]))) {
    return { type: "merge", status: mergePatchOf(before, after) ?? {} };
  }
  if (Object.keys(before).length === 0) {
    return { type: "json", operations: [{ op: "add", path: "/status", value: after }] };
  }
  const operations = changed.map((name) => {
    const path = `/status/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const value = valueOf(name);
    return value === undefined ? ({ op: "remove", path } as const) : ({ op: "add", path, value } as const);
  });
  return { type: "json", operations };
}

/**
 * A custom resource with another status, as it is sent whole: who owns which field is the server's to say. Undefined where that would
 * change what another client has stored: an integer beyond 2^53 is not what it was once JavaScript has read it.
 */
export function withStatus(cr: KubeObject, status: StatusFields): Manifest | undefined {
  if (!isReadExactly(status)) return undefined;
  const { managedFields: _server, ...metadata } = cr.metadata;
  const present = Object.entries(status).filter(([, value]) => value !== null);
  return { ...cr, metadata, status: Object.fromEntries(present) } as Manifest;
}

/** Whether every number of a value is the one that was sent. */
function isReadExactly(value: unknown): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value) || !Number.isInteger(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isReadExactly);
}

/** The patch of the custom resource; refused with a conflict where its resource version is another one. */
export function statusPatchOf(change: StatusChange, resourceVersion: string): Patch {
  if (change.type === "merge") {
    return { type: "merge", body: { metadata: { resourceVersion }, status: change.status } };
  }
  const guard = { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion } as const;
  return { type: "json", body: [guard, ...change.operations] };
}

/** Whether a field of an object is null, at any depth: the API server prunes those of objects in lists, too. */
function hasNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNull);
  return Object.values(value).some((inner) => inner === null || hasNull(inner));
}
