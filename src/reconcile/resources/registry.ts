// The resources of one run, in the order they were registered. Hooks fill it; its calls create, change and delete: which resources have
// their turn, in which order, and which are written together is decided here, what is done with each in resource-steps.ts.
// Every call continues after a failure (unless asked to stop, or nobody knows whether something was written), reports every
// failure, and records each operation in Results.
import type { AnyManifest, KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { follow, isPromise, type Eventual, type Steps } from "../../ports/eventual.ts";
import { OperatorError, TerminalError } from "../../ports/operator-error.ts";
import { boundManifest, type BoundOptions, type BoundResource } from "./kubernetes-resource.ts";
import { type Registrable, type Resource, kindNameOf } from "./resource.ts";
import {
  emptyBatch,
  isInOrder,
  RegistryEntry,
  unregistered,
  sendTogether,
  type Batch,
  type BatchOptions,
  type BatchReport,
  type PendingRequest,
} from "./batch.ts";
import { isAddOptions, readAddOptions, type AddOptions } from "./add-options.ts";
import { overlap, type ApplicationStates } from "./application-states.ts";
import { deleteObject } from "./object-writer.ts";
import { knownChildren } from "./ongoing-deletion.ts";
import { bindRegistrable, manifestNameOf } from "./registrable.ts";
import { inOrder, settleOrder } from "./resource-order.ts";
import { ResourceSteps, type StepOptions } from "./resource-steps.ts";
import { takenOver } from "./taken-over.ts";
import { mostTogether, Turns, type Work } from "./turns.ts";

/** Options of {@link Registry}. */
export interface RegistryOptions<TCR extends KubeObject> extends StepOptions<TCR> {
  /** Creations in four seconds unless the call says otherwise; absent: unlimited. */
  readonly maxCreations?: number | undefined;
  /** What the run's earlier cycle has registered; default nothing. */
  readonly former?: readonly RegistryEntry[];
  /** Called when a hook asks for resources, and may go by whether they exist. Default nobody. */
  readonly onAsked?: () => void;
  /** Called now and then while many resources are written. Default nobody. */
  readonly onProgress?: (done: number, all: number) => Promise<void>;
}

/** The resources of one run. Nothing of it is shared with another run. */
export class Registry<TCR extends KubeObject = KubeObject, TState extends string = string> {
  readonly #entries: RegistryEntry[] = [];
  readonly #byIndex = new Map<string, readonly RegistryEntry[]>();
  /** Whether any says what it comes after; then whether that is settled. */
  #order: "by registration" | "unsettled" | "settled" = "by registration";
  readonly #options: RegistryOptions<TCR>;
  readonly #steps: ResourceSteps<TCR>;
  readonly #turns: Turns;
  /** The hook after which nothing more is registered. */
  #closedAfter: string | undefined;
  /** @internal */
  constructor(options: RegistryOptions<TCR>) {
    this.#options = options;
    this.#steps = new ResourceSteps(options, () => this.#ownEntry());
    this.#turns = new Turns(options, this.#entries, () => this.#inOrder());
  }

  /**
   * Registers resources; the order counts. With `{ in: ["Running", "Servicing"] }` as the last argument they belong to these states of
   * the application: they are created, changed and kept while it is in one of them, and deleted in every other state. With
   * `{ after: [config] }` they are written only once `config`, registered as that very value, is there as declared.
   *
   * **Guarantees**: the state that counts is the one after this run's move, which is persisted before anything is made or
   * deleted for it; tasks of that state are started after its resources are written. What somebody else has made is not
   * deleted. Two resources may have one name, as long as they belong to states that are never active together.
   * **Errors**: `RESOURCE_DUPLICATE` when one of this index is registered already; `RESOURCE_STATES_INVALID` for states that
   * the lifecycle does not have; `RESOURCE_ORDER_INVALID`, when they are worked on, for an `after` that is not registered or leads in a
   * circle. All give up, and nothing of this call is registered. `TYPE_UNKNOWN` for a manifest of an
   * unknown type. **RBAC**: `delete` on the types of resources that belong to states.
   */
  add(
    // What is registered has no such fields: so a compiler finds the very word in the option that is misspelt.
    ...resources: readonly (
      (Registrable<TCR> & { readonly in?: never; readonly after?: never }) | AddOptions<TCR, TState>
    )[]
  ): void {
    if (this.#closedAfter !== undefined) {
      this.#refuseLate(resources, this.#closedAfter);
      return;
    }
    const last = resources.at(-1);
    const options = last !== undefined && isAddOptions(last) ? last : undefined;
    const application = (): ApplicationStates | undefined => this.#options.application?.()?.states;
    const { states, after } =
      options === undefined ? { states: undefined, after: [] } : readAddOptions(options, application());
    const registrables = (options === undefined ? resources : resources.slice(0, -1)) as Registrable<TCR>[];
    const { scope, former = [] } = this.#options;
    const added = registrables.map((each, at) => {
      const facts = { as: each, states, named: after };
      const same = takenOver(former[this.#entries.length + at], facts);
      return same ?? new RegistryEntry(bindRegistrable(each, scope), facts);
    });
    // One alone is registered or refused; of several, all or none.
    const known = added.length === 1 ? this.#byIndex : new Map<string, readonly RegistryEntry[]>();
    for (const entry of added) {
      const { index, kindName } = entry.resource;
      const others = known.get(index) ?? this.#byIndex.get(index) ?? [];
      if (others.some((each) => overlap(application(), each.states, entry.states))) {
        throw new TerminalError("RESOURCE_DUPLICATE", `${kindName} is registered twice (${index.trim()})`, {
          remedy: "Register each resource once, or give the second another name.",
        });
      }
      known.set(index, [...others, entry]);
    }
    this.#entries.push(...added);
    if (known !== this.#byIndex) for (const [index, entries] of known) this.#byIndex.set(index, entries);
    if (after.length > 0 || this.#order === "settled") this.#order = "unsettled";
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
    const { scope } = this.#options;
    return boundManifest(manifest, options, { ...scope, signal, isWatched: () => true, seen: undefined });
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
    const names = resources.flatMap((each) => manifestNameOf(each) ?? []);
    const what = names.length === 0 ? "a resource" : names.join(", ");
    const error = new OperatorError("REGISTRY_CLOSED", `${what} was registered after ${after} had returned`, {
      remedy: `Make ${after} async, and await everything that it registers.`,
    });
    scope.log.error({ error }, "a resource was registered too late");
    results.error(error, { code: "HookFailed" });
  }

  /** Whether states are active after this run's move, which is decided now; undefined while nobody knows. @internal */
  async isIn(states: readonly string[]): Promise<boolean | undefined> {
    return (await this.#steps.isPlanned()) ? this.#options.application?.()?.states?.isIn(states) : undefined;
  }

  /** The registered resources, in order. */
  get resources(): readonly Resource[] {
    this.#options.onAsked?.();
    return this.#entries.map(({ resource }) => resource);
  }

  /**
   * The registered resources without those that belong to other states than the present one.
   *
   * @internal
   */
  get present(): readonly Resource[] {
    return this.#entries
      .filter((entry) => this.#steps.belongs(entry) !== false)
      .map(({ resource }) => resource);
  }

  /** What is registered, for the next cycle of the run. @internal */
  get entries(): readonly RegistryEntry[] {
    return this.#entries;
  }

  /** How many are registered. */
  get size(): number {
    return this.#entries.length;
  }

  /** The resource of an index (`<namespace> Kind/name group/version`), if it is registered; of several, the one of the present state. */
  get(index: string): Resource | undefined {
    this.#options.onAsked?.();
    const entries = this.#byIndex.get(index) ?? [];
    const [only] = entries;
    const found = entries.length < 2 ? only : entries.find((entry) => this.#steps.belongs(entry) === true);
    return (found ?? only)?.resource;
  }

  /**
   * Whether a resource of an index is registered.
   *
   * @internal
   */
  has(index: string): boolean {
    return this.#byIndex.has(index);
  }

  /** The objects of a type that the custom resource controls, for the library itself. @internal */
  childrenOf(type: ResourceType): readonly KubeObject[] {
    return knownChildren(this.#options.scope.reader, type);
  }

  /** Forgets all resources. */
  clear(): void {
    this.#entries.length = 0;
    this.#byIndex.clear();
    this.#order = "by registration";
  }

  /** Finds out which resources exist. Done by the pipeline after ObjectsGetter; a no-op for those already looked up. */
  async lookUpAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.lookUpEach(options);
  }

  /** The same; at once where nothing has to be waited for. @internal */
  lookUpEach(options: Pick<BatchOptions, "stopOnError"> = {}): Eventual<BatchReport> {
    const isOneByOne = options.stopOnError === true || isInOrder(this.#entries.length, "reads");
    const batch = emptyBatch(isOneByOne ? undefined : [], "reads");
    const lookUp = (entry: RegistryEntry): Eventual<unknown> => this.#steps.lookUpInTurn(entry, batch);
    return this.#turns.each(options, lookUp, undefined, batch);
  }

  /** Works out what each mutable resource shall be. */
  async mutateAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.mutateEach(options);
  }

  /** The same; at once where nothing has to be waited for. @internal */
  mutateEach(options: Pick<BatchOptions, "stopOnError"> = {}): Eventual<BatchReport> {
    return this.#turns.each(options, (entry, batch) => this.#steps.mutate(entry, batch));
  }

  /**
   * Creates the resources that do not exist, at most `maxCreations` of them; leaves the others alone. Deletes those that belong to
   * other states than the present one.
   */
  async createAll(options: BatchOptions = {}): Promise<BatchReport> {
    const limit = this.#limitOf(options);
    return this.#eachThenPrune(options, limit, async (entry, batch) => {
      if (!(await this.#steps.mutate(entry, batch)) || entry.done) return;
      if (!entry.resource.exists) await this.#steps.create(entry, batch, limit);
    });
  }

  /** Changes the mutable resources that exist and need it; creates none. */
  async updateAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    const update = async (entry: RegistryEntry, batch: Batch): Promise<void> => {
      if (!(await this.#steps.lookUp(entry, batch)) || !entry.resource.exists) return;
      if (!(await this.#steps.mutate(entry, batch)) || entry.done) return;
      await this.#steps.update(entry, batch);
    };
    return this.#turns.each(
      options,
      update,
      undefined,
      emptyBatch(options.stopOnError === true ? undefined : []),
    );
  }

  /**
   * Creates what does not exist, at most `maxCreations` of them, and changes what needs it. Deletes what belongs to other states than
   * the present one, after all others were written.
   */
  async createOrUpdateAll(options: BatchOptions = {}): Promise<BatchReport> {
    return this.createOrUpdateEach(options);
  }

  /** The same; at once where nothing has to be waited for. @internal */
  createOrUpdateEach(options: BatchOptions = {}): Eventual<BatchReport> {
    const limit = this.#limitOf(options);
    return this.#eachThenPrune(options, limit, (entry, batch) =>
      this.#steps.createOrUpdate(entry, batch, limit),
    );
  }

  /** The same for one registered resource, unless it had its turn in this run already. @internal */
  createOrUpdate(resource: Resource): Eventual<BatchReport> {
    return this.#turns.each(
      {},
      (each, batch) => this.#steps.createOrUpdate(each, batch, Infinity),
      (this.#byIndex.get(resource.index) ?? []).filter((entry) => entry.resource === resource),
    );
  }

  /** Deletes the resources that exist, in reverse order of registration. */
  async deleteAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.#turns.each(
      options,
      async (entry, batch) => {
        if (!(await this.#steps.lookUp(entry, batch)) || !entry.resource.exists) return;
        if (this.#steps.isHeld(entry)) return;
        entry.done = false;
        await this.#steps.step(entry, batch, "Deleted", () => entry.resource.delete());
      },
      this.#inOrder().toReversed(),
      emptyBatch(options.stopOnError === true ? undefined : [], "deletions"),
    );
  }

  /**
   * Takes out what was registered so far. What is returned brings it to its end, the last one first.
   *
   * @internal
   */
  setAside(): () => Promise<void> {
    const entries = this.#inOrder().toReversed();
    this.clear();
    return () => this.#steps.finalizeAll(entries);
  }

  /**
   * Deletes what the custom resource controls of the given types and that is not registered, for children whose number or names
   * follow the spec. Nothing calls it by itself: a hook does, most often `Updater`, after `createOrUpdateAll`. Objects that tasks
   * have made count as well, unless `except` says so. What belongs to states is registered in all of them.
   *
   * **Errors**: `CACHE_UNDECLARED` for a type that the controller does not own. **RBAC**: `delete` on the types.
   */
  async pruneOthers(
    types: readonly ResourceType[],
    options: Pick<BatchOptions, "stopOnError"> & {
      /** Which objects stay although they are not registered; default none. */
      readonly except?: (object: KubeObject) => boolean;
    } = {},
  ): Promise<BatchReport> {
    const batch = emptyBatch();
    const { except = () => false } = options;
    const { scope, results, isHeld } = this.#options;
    if (isHeld?.() === true) return batch;
    const known = types.filter((type) => this.#steps.isKnown(type, batch));
    const left = unregistered(scope.reader, known, (index) => this.#byIndex.has(index)).filter(
      ({ object }) => !except(object),
    );
    const pending = left.map(({ type, object }): PendingRequest => {
      const resource = kindNameOf(type, keyOf(object));
      return {
        send: () => deleteObject(scope, type, object),
        settle: (outcome) => {
          if (outcome.status === "rejected") {
            this.#steps.fail(resource, batch, "WriteFailed", outcome.reason);
            return;
          }
          scope.events.record("Normal", "Deleted", `Deleted ${resource}: it is no longer wanted`);
          results.success("Deleted", { resource });
          batch.written.push(resource);
        },
      };
    });
    const step = options.stopOnError === true ? 1 : mostTogether;
    for (let from = 0; from < pending.length; from += step) {
      await sendTogether(pending.slice(from, from + step), "deletions", () => scope.isCutOff);
      if (scope.isCutOff || batch.isUnsure || (options.stopOnError === true && batch.failures.length > 0))
        break;
    }
    return batch;
  }

  /** All entries, in the order in which they have their turn. Errors: `RESOURCE_ORDER_INVALID`. */
  #inOrder(): readonly RegistryEntry[] {
    if (this.#order === "by registration") return this.#entries;
    if (this.#order === "unsettled") {
      settleOrder(this.#entries);
      this.#order = "settled";
    }
    return inOrder(this.#entries);
  }

  /** All resources, then what is to be deleted, and last the application, whose tasks may need what was written. */
  #eachThenPrune(options: BatchOptions, limit: number, work: Work): Eventual<BatchReport> {
    return follow(this.#turnsThenPrune(options, limit, work));
  }

  *#turnsThenPrune(options: BatchOptions, limit: number, work: Work): Steps<BatchReport> {
    // A limit is kept by one creation after the other, and so is the order in which the first failure is the last.
    const isOneByOne = limit !== Infinity || options.stopOnError === true;
    const batch = emptyBatch(isOneByOne ? undefined : []);
    if (this.#options.results.gaveUp) return batch;
    const { scope } = this.#options;
    this.#turns.begin();
    const isApplication = ({ resource }: RegistryEntry): boolean => resource.view !== undefined;
    const declared = this.#inOrder().filter((entry) => !isApplication(entry));
    const written = this.#turns.each(options, work, this.#inTurn(declared, options, limit), batch);
    if (isPromise(written)) yield written;
    const isStopped = options.stopOnError === true && batch.failures.length > 0;
    const tied = isStopped || batch.isUnsure ? [] : declared.filter(({ states }) => states !== undefined);
    const prune = (entry: RegistryEntry): Promise<void> =>
      this.#steps.prune(entry, this.#byIndex.get(entry.resource.index) ?? [], batch);
    const pruned = tied.length === 0 ? batch : this.#turns.each(options, prune, tied.toReversed(), batch);
    if (isPromise(pruned)) yield pruned;
    if (options.stopOnError === true && batch.failures.length > 0) return batch;
    for (const entry of this.#entries.filter(isApplication)) {
      if (scope.isCutOff) break;
      const done = work(entry, batch);
      if (isPromise(done)) yield done;
    }
    return batch;
  }

  #ownEntry(): RegistryEntry | undefined {
    const application = this.#options.application?.();
    if (application === undefined) return undefined;
    const known = (): RegistryEntry | undefined => this.#byIndex.get(application.index)?.[0];
    if (known() === undefined) this.add(application);
    return known();
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
    const inTurn = [...entries.filter((entry) => !hasFailed(entry)), ...entries.filter(hasFailed)];
    return this.#order === "settled" ? inOrder(inTurn) : inTurn;
  }
}
