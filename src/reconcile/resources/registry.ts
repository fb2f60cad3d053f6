// The resources of one run, in the order they were registered. Hooks fill it; its calls create, change and delete.
// Every call continues after a failure (unless asked to stop, or nobody knows whether something was written), reports every
// failure, and records each operation in Results.
import { isNotServed, isUnanswered } from "../../client/api-error.ts";
import type { AnyManifest, KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import {
  isOperatorError,
  type OperatorError,
  RequeueError,
  TerminalError,
} from "../../ports/operator-error.ts";
import { toError } from "../outcome/failure-meaning.ts";
import { fromManifest } from "./kubernetes-resource.ts";
import type { OperationCode } from "../outcome/reconcile-result.ts";
import {
  isMutable,
  type BindableResource,
  type Resource,
  type StepReport,
  kindNameOf,
  resourceIndexOf,
} from "./resource.ts";
import { deleteObject } from "./object-writer.ts";
import { isBeingOrphaned, isCollectedFirst } from "./ongoing-deletion.ts";
import type { ResourceScope, ClusterReader } from "./resource-scope.ts";
import type { Results } from "../outcome/results.ts";

/** Milliseconds until creations that were held back go on. */
const delayedCreationRequeue = 4_000;

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
  /** Creations in one call unless the call says otherwise; absent: unlimited. */
  readonly maxCreations?: number | undefined;
  /** Whether only the application may be written: it is paused. Default: never. */
  readonly isHeld?: () => boolean;
}

/** The resources of one run. Nothing of it is shared with another run. */
export class Registry<TCR extends KubeObject = KubeObject> {
  readonly #entries = new Map<string, RegistryEntry>();
  readonly #options: RegistryOptions<TCR>;

  /** @internal */
  constructor(options: RegistryOptions<TCR>) {
    this.#options = options;
  }

  /**
   * Registers resources; the order counts.
   *
   * **Errors**: `RESOURCE_DUPLICATE` when one of this index is registered already; it gives up, and nothing of this call is
   * registered. `TYPE_UNKNOWN` for a manifest of an unknown type.
   */
  add(...resources: readonly Registrable<TCR>[]): void {
    const bound = resources.map((each) => this.#bind(each));
    const added = new Set<string>();
    for (const { index, kindName } of bound) {
      if (this.#entries.has(index) || added.has(index)) {
        throw new TerminalError("RESOURCE_DUPLICATE", `${kindName} is registered twice (${index.trim()})`, {
          remedy: "Register each resource once, or give the second another name.",
        });
      }
      added.add(index);
    }
    for (const resource of bound) this.#entries.set(resource.index, new RegistryEntry(resource));
  }

  /** The registered resources, in order. */
  get resources(): readonly Resource[] {
    return [...this.#entries.values()].map(({ resource }) => resource);
  }

  /** How many are registered. */
  get size(): number {
    return this.#entries.size;
  }

  /** The resource of an index (`<namespace> Kind/name group/version`), if it is registered. */
  get(index: string): Resource | undefined {
    return this.#entries.get(index)?.resource;
  }

  /** Forgets all resources. */
  clear(): void {
    this.#entries.clear();
  }

  /** Finds out which resources exist. Done by the pipeline after ObjectsGetter; a no-op for those already looked up. */
  lookUpAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.#each(options, (entry, batch) => this.#lookUp(entry, batch));
  }

  /** Works out what each mutable resource shall be. */
  mutateAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.#each(options, (entry, batch) => this.#mutate(entry, batch));
  }

  /** Creates the resources that do not exist, at most `maxCreations` of them; leaves the others alone. */
  createAll(options: BatchOptions = {}): Promise<BatchReport> {
    const limit = this.#limitOf(options);
    return this.#each(options, async (entry, batch) => {
      if (!(await this.#mutate(entry, batch)) || entry.done) return;
      if (!entry.resource.exists) await this.#create(entry, batch, limit);
    });
  }

  /** Changes the mutable resources that exist and need it; creates none. */
  updateAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    return this.#each(options, async (entry, batch) => {
      if (!(await this.#lookUp(entry, batch)) || !entry.resource.exists) return;
      if (!(await this.#mutate(entry, batch)) || entry.done) return;
      await this.#update(entry, batch);
    });
  }

  /** Creates what does not exist, at most `maxCreations` of them, and changes what needs it. */
  createOrUpdateAll(options: BatchOptions = {}): Promise<BatchReport> {
    const limit = this.#limitOf(options);
    return this.#each(options, (entry, batch) => this.#createOrUpdate(entry, batch, limit));
  }

  /** The same for one registered resource, unless it had its turn in this run already. */
  createOrUpdate(resource: Resource): Promise<BatchReport> {
    const entry = this.#entries.get(resource.index);
    return this.#each(
      {},
      (each, batch) => this.#createOrUpdate(each, batch, Infinity),
      entry === undefined ? [] : [entry],
    );
  }

  /** Deletes the resources that exist, in reverse order of registration. */
  deleteAll(options: Pick<BatchOptions, "stopOnError"> = {}): Promise<BatchReport> {
    const entries = [...this.#entries.values()].reverse();
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
   * Deletes what the custom resource controls of the given types and that is not registered.
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
    for (const { type, object } of unregistered(scope.reader, known, (index) => this.#entries.has(index))) {
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
    entries: Iterable<RegistryEntry> = [...this.#entries.values()],
  ): Promise<BatchReport> {
    const batch = emptyBatch();
    if (this.#options.results.gaveUp) return batch;
    for (const entry of entries) {
      // A run that was aborted is left behind: what remains is done by the next one.
      if (this.#options.scope.isCutOff) break;
      // It may start from what another one says, of which nobody knows whether it was written. The application looks for itself.
      const isUnsure = batch.failures.some(({ error }) => isUnanswered(error));
      if (isUnsure && entry.resource.view === undefined) continue;
      await work(entry, batch);
      if (stopOnError && batch.failures.length > 0) break;
    }
    return batch;
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

  async #createOrUpdate(entry: RegistryEntry, batch: Batch, limit: number): Promise<void> {
    if (!(await this.#mutate(entry, batch)) || entry.done) return;
    if (entry.resource.exists) await this.#update(entry, batch);
    else await this.#create(entry, batch, limit);
  }

  async #create(entry: RegistryEntry, batch: Batch, limit: number): Promise<void> {
    const { resource } = entry;
    if (this.#isHeld(entry) || this.#isLeft(entry, isCollectedFirst(this.#options.scope.cr))) return;
    if (batch.created < limit) {
      batch.created += 1;
      await this.#step(entry, batch, "Created", () => resource.create());
      return;
    }
    batch.delayed.push(resource.kindName);
    this.#options.results.success("CreationDelayed", {
      resource: resource.kindName,
      requeueAfter: delayedCreationRequeue,
      pending: true,
      message: `${resource.kindName} is created in a later cycle`,
    });
  }

  async #update(entry: RegistryEntry, batch: Batch): Promise<void> {
    const { resource } = entry;
    if (isMutable(resource) && resource.needsUpdate()) {
      if (this.#isHeld(entry) || this.#isLeft(entry, false)) return;
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
    try {
      const report = await step();
      entry.done = code !== "Deleted";
      batch.written.push(resource.kindName);
      this.#record(resource, code, report, false);
    } catch (error) {
      // The watch finds out as well, but later.
      entry.failure = isNotServed(error)
        ? this.#awaitType(resource.kindName, batch, error)
        : this.#fail(resource.kindName, batch, "WriteFailed", error);
    }
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
    const delay = requeueAfter === undefined ? {} : { requeueAfter };
    this.#options.results.error(error, { code, resource, ...delay });
    return error;
  }
}

/** A manifest may have fields of any name, but no resource has an API version. */
function isManifest<TCR extends KubeObject>(registrable: Registrable<TCR>): registrable is AnyManifest {
  return "apiVersion" in registrable;
}

/** A registered resource and what was done with it so far. */
export class RegistryEntry {
  readonly resource: Resource;
  /** Whether it is known to exist or not. */
  lookedUp = false;
  /** Whether it is known what it shall be. */
  mutated = false;
  /** Whether it was created, changed or found right: nothing is done twice in a run. */
  done = false;
  /** What failed: nothing more is done with it in this run. */
  failure: Error | undefined;

  constructor(resource: Resource) {
    this.resource = resource;
  }
}

/** Options of the registry's calls. */
export interface BatchOptions {
  /** Ends the call at the first failure; default false: every resource is tried. */
  readonly stopOnError?: boolean;
  /** Of calls that create: creations in this call; the rest follow 4 s later. 0 or absent: the controller's limit. */
  readonly maxCreations?: number;
}

/** What a call did. */
export interface BatchReport {
  /** `Kind/name` of the resources that were written. */
  readonly written: readonly string[];
  /** `Kind/name` of the resources whose creation waits for the next run. */
  readonly delayed: readonly string[];
  /** Every failure, in the order of registration. */
  readonly failures: readonly {
    /** `Kind/name`. */
    readonly resource: string;
    readonly error: Error;
  }[];
}

/** A report while it is being made. */
export interface Batch {
  readonly written: string[];
  readonly delayed: string[];
  readonly failures: BatchReport["failures"][number][];
  /** Creations tried: a failed one counts, or a broken type would be hammered. */
  created: number;
}

/** A report of nothing yet. */
export function emptyBatch(): Batch {
  return { written: [], delayed: [], failures: [], created: 0 };
}

/** An object with its type. */
export interface TypedObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** The controlled objects of these types whose index is not registered and that are not being deleted already. */
export function unregistered(
  reader: Pick<ClusterReader, "owned">,
  types: readonly ResourceType[],
  isRegistered: (index: string) => boolean,
): readonly TypedObject[] {
  return types.flatMap((type) =>
    reader
      .owned(type)
      .filter(
        (object) =>
          object.metadata.deletionTimestamp === undefined &&
          !isRegistered(resourceIndexOf(type, keyOf(object))),
      )
      .map((object) => ({ type, object })),
  );
}
