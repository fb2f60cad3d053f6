// The resources of one run, in the order they were registered. Hooks fill it; its calls create, change and delete.
// Every call continues after a failure (unless asked to stop, or nobody knows whether something was written), reports every
// failure, and records each operation in Results.
import { isNotServed, isUnanswered } from "../../client/api-error.ts";
import type { AnyManifest, KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow } from "../../ports/clock.ts";
import { isOperatorError, OperatorError, RequeueError, TerminalError } from "../../ports/operator-error.ts";
import { toError } from "../outcome/failure-meaning.ts";
import { boundManifest, fromManifest, type BoundOptions, type BoundResource } from "./kubernetes-resource.ts";
import type { OperationCode } from "../outcome/reconcile-result.ts";
import { isMutable, type BindableResource, type Resource, type StepReport, kindNameOf } from "./resource.ts";
import {
  emptyBatch,
  RegistryEntry,
  unregistered,
  writeTogether,
  type Batch,
  type BatchOptions,
  type BatchReport,
} from "./batch.ts";
import { isInStates, overlap, readStates, type InStates } from "./application-states.ts";
import { deleteObject } from "./object-writer.ts";
import { isBeingOrphaned, isCollectedFirst } from "./ongoing-deletion.ts";
import type { ResourceScope } from "./resource-scope.ts";
import type { Results } from "../outcome/results.ts";

/** Writes of peers that are put off to be made together. */
const mostTogether = 64;

/** Milliseconds of a run after which it is reported how far it is, and again each time. */
const progressEvery = 5_000;

/** Milliseconds until a resource that could not be read is checked again, unless the error says otherwise. */
export const unreadableRequeue = 5_000;

/** What may be registered: a manifest, a declared resource, or anything that behaves like a resource. */
export type Registrable<TCR extends KubeObject = KubeObject> = AnyManifest | BindableResource<TCR> | Resource;

/** Options of {@link Registry}. */
export interface RegistryOptions<TCR extends KubeObject> {
  readonly scope: ResourceScope<TCR> & {
    /** Whether the run was cut off. */
    readonly isCutOff: boolean;
  };
  readonly results: Results;
  /** Creations in four seconds unless the call says otherwise; absent: unlimited. */
  readonly maxCreations?: number | undefined;
  /** Called now and then while many resources are written. Default nobody. */
  readonly onProgress?: (done: number, all: number) => Promise<void>;
  /** Whether only the application may be written: it is paused. Default: never. */
  readonly isHeld?: () => boolean;
  /** The application, for resources that are tied to its states. Default: there is none. */
  readonly application?: () => Resource | undefined;
}

/** The resources of one run. Nothing of it is shared with another run. */
export class Registry<TCR extends KubeObject = KubeObject, TState extends string = string> {
  readonly #entries: RegistryEntry[] = [];
  readonly #byIndex = new Map<string, RegistryEntry[]>();
  readonly #options: RegistryOptions<TCR>;
  /** The hook after which nothing more is registered. */
  #closedAfter: string | undefined;
  /** When it was reported last how far the run is; monotonic milliseconds. */
  #toldAt: number | undefined;

  /** @internal */
  constructor(options: RegistryOptions<TCR>) {
    this.#options = options;
  }

  /**
   * Registers resources; the order counts. With `{ in: ["Running", "Servicing"] }` as the last argument they belong to these states of
   * the application: they are created, changed and kept while it is in one of them, and deleted in every other state.
   *
   * **Guarantees**: the state that counts is the one after this run's move, which is persisted before anything is made or
   * deleted for it; tasks of that state are started after its resources are written. What somebody else has made is not
   * deleted. Two resources may have one name, as long as they belong to states that are never active together.
   * **Errors**: `RESOURCE_DUPLICATE` when one of this index is registered already; `RESOURCE_STATES_INVALID` for states that
   * the lifecycle does not have. Both give up, and nothing of this call is registered. `TYPE_UNKNOWN` for a manifest of an
   * unknown type. **RBAC**: `delete` on the types of resources that belong to states.
   */
  add(
    // What is registered has no field `in`: so a compiler finds the very word in the option that is misspelt.
    ...resources: readonly ((Registrable<TCR> & { readonly in?: never }) | InStates<TState>)[]
  ): void {
    if (this.#closedAfter !== undefined) {
      this.#refuseLate(resources, this.#closedAfter);
      return;
    }
    const last = resources.at(-1);
    const options = last !== undefined && isInStates(last) ? last : undefined;
    const application = this.#options.application?.()?.states;
    const states = options === undefined ? undefined : readStates(options, application);
    const registrables = options === undefined ? resources : resources.slice(0, -1);
    const added = registrables.map((each) => new RegistryEntry(this.#bind(each as Registrable<TCR>), states));
    for (const [position, { resource, states: ownStates }] of added.entries()) {
      const { index, kindName } = resource;
      const others = [
        ...(this.#byIndex.get(index) ?? []),
        ...added.slice(0, position).filter((each) => each.resource.index === index),
      ];
      if (others.some((each) => overlap(application, each.states, ownStates))) {
        throw new TerminalError("RESOURCE_DUPLICATE", `${kindName} is registered twice (${index.trim()})`, {
          remedy: "Register each resource once, or give the second another name.",
        });
      }
    }
    for (const entry of added) {
      this.#entries.push(entry);
      const { index } = entry.resource;
      this.#byIndex.set(index, [...(this.#byIndex.get(index) ?? []), entry]);
    }
  }

  /**
   * The object of a manifest in this run, without registering it: what a task applies itself.
   *
   * @internal
   */
  bind(
    manifest: AnyManifest,
    { signal, ...options }: BoundOptions & { readonly signal: AbortSignal },
  ): BoundResource {
    return boundManifest(manifest, options, { ...this.#options.scope, signal, isWatched: () => true });
  }

  /**
   * From now on nothing more is registered: what a hook adds without being awaited would be written in some runs, and in others not.
   *
   * @internal
   */
  close(after: string): void {
    this.#closedAfter = after;
  }

  /** Reported, not thrown: nobody waits for the code that adds late, and its error would end the process. */
  #refuseLate(resources: readonly object[], after: string): void {
    const { results, scope } = this.#options;
    const names = resources.flatMap((each) =>
      isManifest(each as Registrable) ? [nameOf(each as AnyManifest)] : [],
    );
    const what = names.length === 0 ? "a resource" : names.join(", ");
    const error = new OperatorError("REGISTRY_CLOSED", `${what} was registered after ${after} had returned`, {
      remedy: `Make ${after} async, and await everything that it registers.`,
    });
    scope.log.error({ error }, "a resource was registered too late");
    results.error(error, { code: "HookFailed" });
  }

  /** The registered resources, in order. */
  get resources(): readonly Resource[] {
    return this.#entries.map(({ resource }) => resource);
  }

  /**
   * The registered resources without those that belong to other states than the present one.
   *
   * @internal
   */
  get present(): readonly Resource[] {
    return this.#entries.filter((entry) => this.#belongs(entry) !== false).map(({ resource }) => resource);
  }

  /** How many are registered. */
  get size(): number {
    return this.#entries.length;
  }

  /** The resource of an index (`<namespace> Kind/name group/version`), if it is registered; of several, the one of the present state. */
  get(index: string): Resource | undefined {
    const entries = this.#byIndex.get(index) ?? [];
    const [only] = entries;
    const found = entries.length < 2 ? only : entries.find((entry) => this.#belongs(entry) === true);
    return (found ?? only)?.resource;
  }

  /** Forgets all resources. */
  clear(): void {
    this.#entries.length = 0;
    this.#byIndex.clear();
  }

  /** Finds out which resources exist. Done by the pipeline after ObjectsGetter; a no-op for those already looked up. */
  lookUpAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.#each(options, (entry, batch) => this.#lookUp(entry, batch));
  }

  /** Works out what each mutable resource shall be. */
  mutateAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.#each(options, (entry, batch) => this.#mutate(entry, batch));
  }

  /**
   * Creates the resources that do not exist, at most `maxCreations` of them; leaves the others alone. Deletes those that belong to
   * other states than the present one.
   */
  createAll(options: BatchOptions = {}): Promise<BatchReport> {
    const limit = this.#limitOf(options);
    return this.#eachThenPrune(options, limit, async (entry, batch) => {
      if (!(await this.#mutate(entry, batch)) || entry.done) return;
      if (!entry.resource.exists) await this.#create(entry, batch, limit);
    });
  }

  /** Changes the mutable resources that exist and need it; creates none. */
  updateAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    const update = async (entry: RegistryEntry, batch: Batch): Promise<void> => {
      if (!(await this.#lookUp(entry, batch)) || !entry.resource.exists) return;
      if (!(await this.#mutate(entry, batch)) || entry.done) return;
      await this.#update(entry, batch);
    };
    return this.#each(options, update, undefined, emptyBatch(options.stopOnError === true ? undefined : []));
  }

  /**
   * Creates what does not exist, at most `maxCreations` of them, and changes what needs it. Deletes what belongs to other states than
   * the present one, after all others were written.
   */
  createOrUpdateAll(options: BatchOptions = {}): Promise<BatchReport> {
    const limit = this.#limitOf(options);
    return this.#eachThenPrune(options, limit, (entry, batch) => this.#createOrUpdate(entry, batch, limit));
  }

  /** The same for one registered resource, unless it had its turn in this run already. */
  createOrUpdate(resource: Resource): Promise<BatchReport> {
    return this.#each(
      {},
      (each, batch) => this.#createOrUpdate(each, batch, Infinity),
      this.#entries.filter((entry) => entry.resource === resource),
    );
  }

  /** Deletes the resources that exist, in reverse order of registration. */
  deleteAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    const entries = this.#entries.toReversed();
    return this.#each(
      options,
      async (entry, batch) => {
        if (!(await this.#lookUp(entry, batch)) || !entry.resource.exists) return;
        if (this.#isHeld(entry)) return;
        await this.#step(entry, batch, "Deleted", () => entry.resource.delete());
      },
      entries,
    );
  }

  /**
   * Deletes what the custom resource controls of the given types and that is not registered, for children whose number or names
   * follow the spec. Nothing calls it by itself: a hook does, most often `Updater`, after `createOrUpdateAll`. Objects that tasks
   * have made count as well. What belongs to states is registered in all of them.
   *
   * **Errors**: `CACHE_UNDECLARED` for a type that the controller does not own. **RBAC**: `delete` on the types.
   */
  async pruneOthers(
    types: readonly ResourceType[],
    options: Pick<BatchOptions, "stopOnError"> = {},
  ): Promise<BatchReport> {
    const batch = emptyBatch();
    const { scope, results, isHeld } = this.#options;
    if (isHeld?.() === true) return batch;
    const known = types.filter((type) => this.#isKnown(type, batch));
    for (const { type, object } of unregistered(scope.reader, known, (index) => this.#byIndex.has(index))) {
      const resource = kindNameOf(type, keyOf(object));
      try {
        await deleteObject(scope, type, object);
        scope.events.record("Normal", "Deleted", `Deleted ${resource}: it is no longer wanted`);
        results.success("Deleted", { resource });
        batch.written.push(resource);
      } catch (error) {
        this.#fail(resource, batch, "WriteFailed", error);
        if (options.stopOnError === true) break;
      }
    }
    return batch;
  }

  async #each(
    { stopOnError = false }: BatchOptions,
    work: (entry: RegistryEntry, batch: Batch) => Promise<unknown>,
    entries: Iterable<RegistryEntry> = [...this.#entries],
    batch: Batch = emptyBatch(),
  ): Promise<BatchReport> {
    if (this.#options.results.gaveUp) return batch;
    let before: Resource | undefined;
    for (const entry of entries) {
      // What comes after peers may start from what they say.
      if (before?.peers === undefined || before.peers !== entry.resource.peers) await this.#flush(batch);
      before = entry.resource;
      // A run that was aborted is left behind: what remains is done by the next one.
      if (this.#options.scope.isCutOff) break;
      // It may start from what another one says, of which nobody knows whether it was written. The application looks for itself.
      if (batch.isUnsure && entry.resource.view === undefined) continue;
      await work(entry, batch);
      if (stopOnError && batch.failures.length > 0) break;
      if ((batch.together?.length ?? 0) >= mostTogether) await this.#flush(batch);
    }
    await this.#flush(batch);
    return batch;
  }

  /** Makes the writes that were put off to be made together. */
  async #flush({ together }: Batch): Promise<void> {
    if (together === undefined || together.length === 0) return;
    await writeTogether(together.splice(0), () => this.#options.scope.isCutOff);
    await this.#tellProgress();
  }

  /** Has it reported how far the run is, if it has lasted for a while. */
  async #tellProgress(): Promise<void> {
    const { onProgress, scope, results } = this.#options;
    const now = monotonicNow(scope.clock);
    this.#toldAt ??= now;
    // What has failed is reported at the end, and is not taken back before.
    if (onProgress === undefined || results.failed || now - this.#toldAt < progressEvery) return;
    this.#toldAt = now;
    const declared = this.#entries.filter(({ resource }) => resource.view === undefined);
    await onProgress(declared.filter(({ done }) => done).length, declared.length);
  }

  /** All resources, then what is to be deleted, and last the application, whose tasks may need what was written. */
  async #eachThenPrune(
    options: BatchOptions,
    limit: number,
    work: (entry: RegistryEntry, batch: Batch) => Promise<unknown>,
  ): Promise<BatchReport> {
    // A limit is kept by one creation after the other, and so is the order in which the first failure is the last.
    const isOneByOne = limit !== Infinity || options.stopOnError === true;
    const batch = emptyBatch(isOneByOne ? undefined : []);
    if (this.#options.results.gaveUp) return batch;
    const { scope } = this.#options;
    this.#toldAt ??= monotonicNow(scope.clock);
    const isApplication = ({ resource }: RegistryEntry): boolean => resource.view !== undefined;
    const declared = this.#entries.filter((entry) => !isApplication(entry));
    await this.#each(options, work, this.#inTurn(declared, options, limit), batch);
    for (const entry of this.#entries.filter(({ states }) => states !== undefined).reverse()) {
      const isOver = scope.isCutOff || (options.stopOnError === true && batch.failures.length > 0);
      if (isOver || batch.isUnsure) break;
      await this.#prune(entry, batch);
    }
    await this.#flush(batch);
    if (options.stopOnError === true && batch.failures.length > 0) return batch;
    for (const entry of this.#entries.filter(isApplication)) {
      if (!scope.isCutOff) await work(entry, batch);
    }
    return batch;
  }

  /** Deletes what belongs to other states than the present one, unless something else of its name belongs to this one. */
  async #prune(entry: RegistryEntry, batch: Batch): Promise<void> {
    const { resource } = entry;
    if (entry.done || !(await this.#isPlanned(batch)) || this.#belongs(entry) !== false) return;
    const namesakes = this.#byIndex.get(resource.index) ?? [];
    if (namesakes.some((each) => this.#belongs(each) !== false || each.done)) return;
    if (!(await this.#lookUp(entry, batch)) || !resource.exists || resource.isLeftAlone?.() === true) return;
    if (this.#isHeld(entry) || this.#isLeft(entry, isCollectedFirst(this.#options.scope.cr))) return;
    if (!(await this.#persistMove(batch))) return;
    await this.#step(entry, batch, "Deleted", () => resource.delete());
    entry.done = true;
  }

  /** Whether a resource belongs to the application's present state; undefined while nobody knows that. */
  #belongs({ states }: RegistryEntry): boolean | undefined {
    return states === undefined ? true : this.#options.application?.()?.states?.isIn(states);
  }

  /** Plans the application's cycle, if that was not done yet: its state decides. A failure is reported once. */
  async #isPlanned(batch: Batch): Promise<boolean> {
    const own = this.#ownEntry();
    return own !== undefined && own.failure === undefined && (await this.#mutate(own, batch));
  }

  /** Persists the application's move before something is done for the state that it leads to. */
  async #persistMove(batch: Batch): Promise<boolean> {
    const own = this.#ownEntry();
    if (own === undefined || own.failure !== undefined) return false;
    try {
      await own.resource.states?.persistMove();
      return true;
    } catch (error) {
      own.failure = this.#fail(own.resource.kindName, batch, "WriteFailed", error);
      return false;
    }
  }

  #ownEntry(): RegistryEntry | undefined {
    const application = this.#options.application?.();
    if (application === undefined) return undefined;
    const known = (): RegistryEntry | undefined => this.#byIndex.get(application.index)?.[0];
    if (known() === undefined) this.add(application);
    return known();
  }

  #bind(registrable: Registrable<TCR>): Resource {
    const { scope } = this.#options;
    if (isManifest(registrable)) return fromManifest<TCR>(registrable).bind(scope);
    return "bind" in registrable ? registrable.bind(scope) : registrable;
  }

  #limitOf({ maxCreations = 0 }: BatchOptions): number {
    const limit = maxCreations > 0 ? maxCreations : (this.#options.maxCreations ?? 0);
    return limit > 0 ? limit : Infinity;
  }

  /** Where creations are limited, what could not be created does not stand in front of the others. */
  #inTurn(
    entries: readonly RegistryEntry[],
    { stopOnError = false }: BatchOptions,
    limit: number,
  ): readonly RegistryEntry[] {
    if (limit === Infinity || stopOnError) return entries;
    const { memory, cr } = this.#options.scope;
    const hasFailed = ({ resource }: RegistryEntry): boolean =>
      memory.creations.hasFailed(cr.metadata.uid, resource.index);
    return [...entries.filter((entry) => !hasFailed(entry)), ...entries.filter(hasFailed)];
  }

  /** Whether the entry can be worked on: it was looked up, and nothing failed on it before. */
  async #lookUp(entry: RegistryEntry, batch: Batch): Promise<boolean> {
    if (entry.failure !== undefined) {
      batch.failures.push({ resource: entry.resource.kindName, error: entry.failure });
      return false;
    }
    if (entry.lookedUp) return true;
    try {
      await entry.resource.lookUp();
      entry.lookedUp = true;
      this.#options.results.success("Registered", { resource: entry.resource.kindName });
      return true;
    } catch (error) {
      entry.failure = isOperatorError(error, "CACHE_UNAVAILABLE")
        ? this.#awaitType(entry.resource.kindName, batch, error)
        : this.#fail(entry.resource.kindName, batch, "Unreadable", error, unreadableRequeue);
      return false;
    }
  }

  async #mutate(entry: RegistryEntry, batch: Batch): Promise<boolean> {
    if (entry.states !== undefined && !(await this.#isCalledFor(entry, batch))) return false;
    if (!(await this.#lookUp(entry, batch))) return false;
    const { resource } = entry;
    if (entry.mutated || !isMutable(resource)) return true;
    try {
      const report = await resource.mutate();
      entry.mutated = true;
      this.#options.results.success("Mutated", { resource: resource.kindName });
      this.#record(resource, "MutationAsksRequeue", report, true);
      return true;
    } catch (error) {
      entry.failure = this.#fail(resource.kindName, batch, "MutationFailed", error);
      return false;
    }
  }

  /** Whether the present state asks for the resource; while nobody knows, it is left as it is. */
  async #isCalledFor(entry: RegistryEntry, batch: Batch): Promise<boolean> {
    const belongs = (await this.#isPlanned(batch)) ? this.#belongs(entry) : undefined;
    if (belongs === undefined) this.#options.results.success("Held", { resource: entry.resource.kindName });
    return belongs === true;
  }

  async #createOrUpdate(entry: RegistryEntry, batch: Batch, limit: number): Promise<void> {
    if (!(await this.#mutate(entry, batch)) || entry.done) return;
    if (entry.resource.exists) await this.#update(entry, batch);
    else await this.#create(entry, batch, limit);
  }

  async #create(entry: RegistryEntry, batch: Batch, limit: number): Promise<void> {
    const { resource } = entry;
    if (this.#isHeld(entry) || this.#isLeft(entry, isCollectedFirst(this.#options.scope.cr))) return;
    const wait = limit === Infinity ? undefined : this.#waitOf(limit);
    if (wait === undefined) {
      if (entry.states !== undefined && !(await this.#persistMove(batch))) return;
      if (limit !== Infinity) this.#begin();
      await this.#step(entry, batch, "Created", () => resource.create());
      if (limit !== Infinity) this.#noteCreation(entry);
      return;
    }
    batch.delayed.push(resource.kindName);
    this.#options.results.success("CreationDelayed", {
      resource: resource.kindName,
      requeueAfter: wait,
      pending: true,
      message: `${resource.kindName} is created in a later cycle`,
    });
  }

  /** Milliseconds until one more may be created; undefined when it may be now. */
  #waitOf(limit: number): number | undefined {
    const { memory, cr, clock } = this.#options.scope;
    return memory.creations.waitOf(cr.metadata.uid, limit, monotonicNow(clock));
  }

  #begin(): void {
    const { memory, cr, clock } = this.#options.scope;
    memory.creations.begin(cr.metadata.uid, monotonicNow(clock));
  }

  #noteCreation({ resource, failure }: RegistryEntry): void {
    const { memory, cr, clock } = this.#options.scope;
    const { uid } = cr.metadata;
    if (failure === undefined) memory.creations.succeeded(uid, resource.index, monotonicNow(clock));
    else memory.creations.failed(uid, resource.index, failure);
  }

  async #update(entry: RegistryEntry, batch: Batch): Promise<void> {
    const { resource } = entry;
    if (isMutable(resource) && resource.needsUpdate()) {
      if (this.#isHeld(entry) || this.#isLeft(entry, false)) return;
      if (entry.states !== undefined && !(await this.#persistMove(batch))) return;
      await this.#step(entry, batch, "Updated", () => resource.update());
      return;
    }
    entry.done = true;
    this.#options.results.success("Unchanged", { resource: resource.kindName });
  }

  /** Whether the resource is left as it is in this run, because the application is paused. */
  #isHeld({ resource }: RegistryEntry): boolean {
    if (resource.holdsOthers !== undefined || this.#options.isHeld?.() !== true) return false;
    this.#options.results.success("Held", { resource: resource.kindName });
    return true;
  }

  /** Whether a child is left to the garbage collector, which works on the children of the deleted custom resource. */
  #isLeft({ resource }: RegistryEntry, isCollected: boolean): boolean {
    if (!isCollected && !isBeingOrphaned(this.#options.scope.cr)) return false;
    this.#options.results.success("Held", { resource: resource.kindName });
    return true;
  }

  async #step(
    entry: RegistryEntry,
    batch: Batch,
    code: OperationCode,
    step: () => Promise<StepReport> | StepReport,
  ): Promise<void> {
    const { resource } = entry;
    const settle = (outcome: PromiseSettledResult<StepReport>): void => {
      if (outcome.status === "rejected") {
        const error: unknown = outcome.reason;
        // The watch finds out as well, but later.
        entry.failure = isNotServed(error)
          ? this.#awaitType(resource.kindName, batch, error)
          : this.#fail(resource.kindName, batch, "WriteFailed", error);
        return;
      }
      entry.done = code !== "Deleted";
      batch.written.push(resource.kindName);
      this.#record(resource, code, outcome.value, false);
    };
    if (batch.together !== undefined && resource.peers !== undefined && code !== "Deleted") {
      batch.together.push({ write: step, settle });
      return;
    }
    const [outcome] = await Promise.allSettled([(async () => step())()]);
    settle(outcome);
  }

  /** Records what a step reported: as an operation of its own, or together with what was done. */
  #record(resource: Resource, code: OperationCode, report: StepReport, asking: boolean): void {
    const { kindName } = resource;
    if (report === undefined || report.requeueAfter === undefined) {
      if (!asking) this.#options.results.success(code, { resource: kindName });
      return;
    }
    const { requeueAfter, pending = asking, message = `${kindName} asked for a requeue` } = report;
    this.#options.results.success(code, { resource: kindName, requeueAfter, pending, message });
  }

  /** Whether it is known what there is of a type; if not, what is no longer wanted of it is deleted later. */
  #isKnown(type: ResourceType, batch: Batch): boolean {
    try {
      this.#options.scope.reader.owned(type);
      return true;
    } catch (error) {
      if (!isOperatorError(error, "CACHE_UNAVAILABLE")) throw error;
      this.#awaitType(type.kind, batch, error);
      return false;
    }
  }

  /** Notes that a type is unavailable: what is of it waits, and nothing else has to. */
  #awaitType(resource: string, batch: Batch, error: OperatorError): Error {
    const { message, remedy = "Install its CRD." } = error;
    batch.failures.push({ resource, error });
    this.#options.results.success("Unavailable", {
      resource,
      requeueAfter: error instanceof RequeueError ? error.after : unreadableRequeue,
      pending: true,
      message: `${resource} waits: ${message}. ${remedy}`,
    });
    return error;
  }

  #fail(resource: string, batch: Batch, code: OperationCode, caught: unknown, requeueAfter?: number): Error {
    const error = toError(caught);
    batch.failures.push({ resource, error });
    if (isUnanswered(error)) batch.isUnsure = true;
    const delay = requeueAfter === undefined ? {} : { requeueAfter };
    this.#options.results.error(error, { code, resource, ...delay });
    return error;
  }
}

function nameOf({ kind, metadata }: AnyManifest): string {
  return `${kind}/${metadata.name}`;
}

/** A manifest may have fields of any name, but no resource has an API version. */
function isManifest<TCR extends KubeObject>(registrable: Registrable<TCR>): registrable is AnyManifest {
  return "apiVersion" in registrable;
}
