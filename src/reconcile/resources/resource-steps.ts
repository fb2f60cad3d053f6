// What is done with one registered resource in a run: it is looked up, mutated, created, changed or deleted, unless the present state
// of the application or a pause says that it is left alone. registry.ts calls this for one entry after the other; every step is
// recorded in Results, and a resource on which one has failed is not touched again in the run.
import { isNotServed, isUnanswered } from "../../client/api-error.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow } from "../../ports/clock.ts";
import { awaited, follow, isPromise, type Eventual, type Steps } from "../../ports/eventual.ts";
import {
  isOperatorError,
  RequeueError,
  TerminalError,
  type OperatorError,
} from "../../ports/operator-error.ts";
import { toError } from "../outcome/failure-meaning.ts";
import type { OperationCode } from "../outcome/reconcile-result.ts";
import type { Results } from "../outcome/results.ts";
import { emptyBatch, type Batch, type RegistryEntry } from "./batch.ts";
import { isBeingOrphaned, isCollectedFirst } from "./ongoing-deletion.ts";
import {
  isMutable,
  type FinalizeReport,
  type MutableResource,
  type Resource,
  type ResourceReport,
  type StepReport,
} from "./resource.ts";
import type { ResourceScope } from "./resource-scope.ts";

/** Milliseconds until a resource that could not be read is checked again, unless the error says otherwise. */
export const unreadableRequeue = 5_000;

/** What the steps of a run's resources are made with. */
export interface StepOptions<TCR extends KubeObject> {
  readonly scope: ResourceScope<TCR> & {
    /** Whether the run was cut off. */
    readonly isCutOff: boolean;
  };
  readonly results: Results;
  /** Whether only the application may be written: it is paused. Default: never. */
  readonly isHeld?: () => boolean;
  /** The application, for resources that are tied to its states. Default: there is none. */
  readonly application?: () => Resource | undefined;
  /** Whether a hook registers what is finalized when the custom resource is deleted. Default: yes. */
  readonly finalizes?: boolean;
}

/** Milliseconds until a clean-up that goes on is checked again, unless it says otherwise. */
export const finalizeRequeue = 5_000;

/** The steps of the resources of one run. */
export class ResourceSteps<TCR extends KubeObject> {
  readonly #options: StepOptions<TCR>;
  readonly #application: () => RegistryEntry | undefined;

  /** `application`: the entry of the application; undefined when there is none. */
  constructor(options: StepOptions<TCR>, application: () => RegistryEntry | undefined) {
    this.#options = options;
    this.#application = application;
  }

  /** Whether the entry can be worked on: it was looked up, and nothing failed on it before. */
  lookUp(entry: RegistryEntry, batch: Batch): Eventual<boolean> {
    if (entry.failure !== undefined) {
      batch.failures.push({ resource: entry.resource.kindName, error: entry.failure });
      return false;
    }
    return entry.lookedUp || follow(this.#lookUpNow(entry, batch));
  }

  *#lookUpNow(entry: RegistryEntry, batch: Batch): Steps<boolean> {
    try {
      const pending = entry.resource.lookUp();
      if (isPromise(pending)) yield pending;
      this.#noteLookUp(entry);
      return true;
    } catch (error) {
      this.#noteUnreadable(entry, batch, error);
      return false;
    }
  }

  /** The same among others: reads of peers are put off, to be made together. */
  lookUpInTurn(entry: RegistryEntry, batch: Batch): Eventual<unknown> {
    const { resource } = entry;
    const isAlone = batch.together === undefined || resource.peers === undefined;
    if (isAlone || entry.lookedUp || entry.failure !== undefined) return this.lookUp(entry, batch);
    batch.together.push({
      send: () => resource.lookUp(),
      settle: (outcome) => {
        if (outcome.status === "fulfilled") this.#noteLookUp(entry);
        else this.#noteUnreadable(entry, batch, outcome.reason);
      },
    });
    return undefined;
  }

  #noteLookUp(entry: RegistryEntry): void {
    entry.lookedUp = true;
    this.#options.results.success("Registered", { resource: entry.resource.kindName });
  }

  #noteUnreadable(entry: RegistryEntry, batch: Batch, error: unknown): void {
    entry.failure = isOperatorError(error, "CACHE_UNAVAILABLE")
      ? this.#awaitType(entry.resource.kindName, batch, error)
      : this.fail(entry.resource.kindName, batch, "Unreadable", error, unreadableRequeue);
  }

  /** Works out what the resource shall be, once; returns whether that is known. */
  mutate(entry: RegistryEntry, batch: Batch): Eventual<boolean> {
    const isKnown = entry.mutated && entry.states === undefined && entry.failure === undefined;
    return isKnown || follow(this.#mutateNow(entry, batch));
  }

  *#mutateNow(entry: RegistryEntry, batch: Batch): Steps<boolean> {
    if (entry.states !== undefined && !(yield* awaited(this.#isCalledFor(entry, batch)))) return false;
    const found = this.lookUp(entry, batch);
    if (!(isPromise(found) ? yield* awaited(found) : found)) return false;
    const { resource } = entry;
    if (entry.mutated || !isMutable(resource)) return true;
    try {
      const mutated = resource.mutate();
      const report = isPromise(mutated) ? yield* awaited(mutated) : mutated;
      entry.mutated = true;
      this.#options.results.success("Mutated", { resource: resource.kindName });
      this.#record(resource, "MutationAsksRequeue", report, true);
      return true;
    } catch (error) {
      entry.failure = this.fail(resource.kindName, batch, "MutationFailed", error);
      return false;
    }
  }

  /** Creates the resource if it does not exist, and changes it if it needs that. */
  createOrUpdate(entry: RegistryEntry, batch: Batch, limit: number): Eventual<void> {
    const mutated = this.mutate(entry, batch);
    const write = (isKnown: boolean): Eventual<void> =>
      isKnown ? this.#write(entry, batch, limit) : undefined;
    return isPromise(mutated) ? mutated.then(write) : write(mutated);
  }

  #write(entry: RegistryEntry, batch: Batch, limit: number): Eventual<void> {
    if (entry.done) return undefined;
    return entry.resource.exists ? this.update(entry, batch) : this.create(entry, batch, limit);
  }

  /** Creates the resource, unless the limit of creations makes it wait for a later cycle. */
  async create(entry: RegistryEntry, batch: Batch, limit: number): Promise<void> {
    const { resource } = entry;
    if (this.isHeld(entry) || this.#isLeft(entry, isCollectedFirst(this.#options.scope.cr))) return;
    if (this.#waits(entry)) return;
    const wait = limit === Infinity ? undefined : this.#waitOf(limit);
    if (wait === undefined) {
      if (this.#isLeftBehind(resource)) {
        entry.failure = this.fail(resource.kindName, batch, "WriteFailed", notFinalized(resource));
        return;
      }
      if (entry.states !== undefined && !(await this.#persistMove(batch))) return;
      if (limit !== Infinity) this.#begin();
      await this.step(entry, batch, "Created", () => resource.create());
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

  /** Changes the resource if it needs that. */
  update(entry: RegistryEntry, batch: Batch): Eventual<void> {
    const { resource } = entry;
    if (isMutable(resource) && resource.needsUpdate()) return this.#change(entry, resource, batch);
    entry.done = true;
    this.#options.results.success("Unchanged", { resource: resource.kindName });
  }

  #change(entry: RegistryEntry, resource: MutableResource, batch: Batch): Eventual<void> {
    if (this.isHeld(entry) || this.#isLeft(entry, false) || this.#waits(entry)) return undefined;
    const change = (): Eventual<void> => this.step(entry, batch, "Updated", () => resource.update());
    if (entry.states === undefined) return change();
    return this.#persistMove(batch).then((persisted) => (persisted ? change() : undefined));
  }

  /** Deletes what belongs to other states than the present one, unless something else of its name belongs to this one. */
  async prune(entry: RegistryEntry, namesakes: readonly RegistryEntry[], batch: Batch): Promise<void> {
    const { resource } = entry;
    if (entry.done || !(await this.isPlanned(batch)) || this.belongs(entry) !== false) return;
    if (namesakes.some((each) => this.belongs(each) !== false || each.done)) return;
    if (!(await this.lookUp(entry, batch)) || !resource.exists || resource.isLeftAlone?.() === true) return;
    if (this.isHeld(entry) || this.#isLeft(entry, isCollectedFirst(this.#options.scope.cr))) return;
    if (!(await this.#persistMove(batch))) return;
    entry.done = true;
    await this.step(entry, batch, "Deleted", () => resource.delete());
  }

  /** Does one step and records what it came to; a write of peers is put off, to be made together with theirs. */
  step(
    entry: RegistryEntry,
    batch: Batch,
    code: OperationCode,
    step: () => Eventual<StepReport>,
  ): Eventual<void> {
    const { resource } = entry;
    const settle = (outcome: PromiseSettledResult<StepReport>): void => {
      entry.isPutOff = false;
      if (outcome.status === "rejected") {
        const error: unknown = outcome.reason;
        // The watch finds out as well, but later.
        entry.failure = isNotServed(error)
          ? this.#awaitType(resource.kindName, batch, error)
          : this.fail(resource.kindName, batch, "WriteFailed", error);
        return;
      }
      if (code !== "Deleted") entry.done = true;
      batch.written.push(resource.kindName);
      // Kubernetes objects say themselves what was done, and why.
      if (!isOfKubernetes(resource) && resource.view === undefined)
        this.#options.scope.events.record("Normal", code, `${code} ${resource.kindName}`);
      this.#record(resource, code, outcome.value, false);
    };
    if (batch.together !== undefined && resource.peers !== undefined) {
      entry.isPutOff = true;
      batch.together.push({ send: step, settle });
      return undefined;
    }
    return follow(settled(step, settle));
  }

  /** Brings resources to their end, in this order; what another one comes after only when that one has ended. */
  async finalizeAll(entries: readonly RegistryEntry[]): Promise<void> {
    const batch = emptyBatch(undefined, "deletions");
    const left = new Set<RegistryEntry>();
    for (const entry of entries) {
      // A run that was cut off knows of no end.
      this.#options.scope.signal.throwIfAborted();
      const isNeeded = entry.followers.some((each) => left.has(each));
      if (isNeeded || !(await this.lookUp(entry, batch)) || !(await this.#finalize(entry, batch)))
        left.add(entry);
    }
  }

  /** Returns whether it has ended. */
  async #finalize(entry: RegistryEntry, batch: Batch): Promise<boolean> {
    const { resource } = entry;
    try {
      const report = (await resource.finalize?.()) ?? (await this.#deleteOwn(entry, batch));
      if (!report.done) noteFinalizing(this.#options.results, resource, report);
      return report.done;
    } catch (error) {
      this.fail(resource.kindName, batch, "WriteFailed", error);
      return false;
    }
  }

  /** The end of a resource that says none of its own: it is deleted. Kubernetes objects are left to the garbage collector. */
  async #deleteOwn(entry: RegistryEntry, batch: Batch): Promise<FinalizeReport> {
    const { resource } = entry;
    if (isOfKubernetes(resource) || !resource.exists) return { done: true };
    await this.step(entry, batch, "Deleted", () => resource.delete());
    return { done: entry.failure === undefined };
  }

  /** Whether nothing would ever end the resource, though it has something to finalize. */
  #isLeftBehind(resource: Resource): boolean {
    return resource.finalize !== undefined && this.#options.finalizes === false;
  }

  /** Whether a resource belongs to the application's present state; undefined while nobody knows that. */
  belongs({ states }: RegistryEntry): boolean | undefined {
    return states === undefined ? true : this.#options.application?.()?.states?.isIn(states);
  }

  /** Whether the resource is left as it is in this run, because the application is paused. */
  isHeld({ resource }: RegistryEntry): boolean {
    if (resource.holdsOthers !== undefined || this.#options.isHeld?.() !== true) return false;
    this.#options.results.success("Held", { resource: resource.kindName });
    return true;
  }

  /** Whether it is known what there is of a type; if not, what is no longer wanted of it is deleted later. */
  isKnown(type: ResourceType, batch: Batch): boolean {
    try {
      this.#options.scope.reader.owned(type);
      return true;
    } catch (error) {
      if (!isOperatorError(error, "CACHE_UNAVAILABLE")) throw error;
      this.#awaitType(type.kind, batch, error);
      return false;
    }
  }

  /** Records a failure of a resource. */
  fail(resource: string, batch: Batch, code: OperationCode, caught: unknown, requeueAfter?: number): Error {
    const error = toError(caught);
    batch.failures.push({ resource, error });
    if (isUnanswered(error)) batch.isUnsure = true;
    const delay = requeueAfter === undefined ? {} : { requeueAfter };
    this.#options.results.error(error, { code, resource, ...delay });
    return error;
  }

  /** Whether something that the resource is written after is not there as declared; that of another state is not asked for. */
  #waits({ resource, after }: RegistryEntry): boolean {
    const missing = after.find((each) => {
      if (this.belongs(each) === false) return false;
      return (
        !each.done ||
        each.failure !== undefined ||
        !each.resource.exists ||
        each.resource.isGoing?.() === true
      );
    });
    if (missing === undefined) return false;
    const message = `${resource.kindName} waits for ${missing.resource.kindName}`;
    this.#options.results.success("Held", { resource: resource.kindName, pending: true, message });
    return true;
  }

  /** Whether a child is left to the garbage collector, which works on the children of the deleted custom resource. */
  #isLeft({ resource }: RegistryEntry, isCollected: boolean): boolean {
    if (!isCollected && !isBeingOrphaned(this.#options.scope.cr)) return false;
    this.#options.results.success("Held", { resource: resource.kindName });
    return true;
  }

  /** Whether the present state asks for the resource; while nobody knows, it is left as it is. */
  async #isCalledFor(entry: RegistryEntry, batch: Batch): Promise<boolean> {
    const belongs = (await this.isPlanned(batch)) ? this.belongs(entry) : undefined;
    if (belongs === undefined) this.#options.results.success("Held", { resource: entry.resource.kindName });
    return belongs === true;
  }

  /** Plans the application's cycle, if that was not done yet: its state decides. A failure is reported once. */
  async isPlanned(batch: Batch = emptyBatch()): Promise<boolean> {
    const own = this.#application();
    return own !== undefined && own.failure === undefined && (await this.mutate(own, batch));
  }

  /** Persists the application's move before something is done for the state that it leads to. */
  async #persistMove(batch: Batch): Promise<boolean> {
    const own = this.#application();
    if (own === undefined || own.failure !== undefined) return false;
    try {
      await own.resource.states?.persistMove();
      return true;
    } catch (error) {
      own.failure = this.fail(own.resource.kindName, batch, "WriteFailed", error);
      return false;
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
}

/** Does a step, and has its outcome noted. */
function* settled(
  step: () => Eventual<StepReport>,
  settle: (outcome: PromiseSettledResult<StepReport>) => void,
): Steps<void> {
  let outcome: PromiseSettledResult<StepReport>;
  try {
    const done = step();
    outcome = { status: "fulfilled", value: isPromise(done) ? yield* awaited(done) : done };
  } catch (reason) {
    outcome = { status: "rejected", reason };
  }
  settle(outcome);
}

/** Records that a resource has not come to its end yet. */
export function noteFinalizing(results: Results, { kindName }: Resource, report: ResourceReport): void {
  const { requeueAfter = finalizeRequeue, message = `${kindName} is being finalized` } = report;
  results.success("Finalizing", { resource: kindName, requeueAfter, pending: true, message });
}

/** Whether it is a Kubernetes object, which the garbage collector deletes with its owner. */
function isOfKubernetes({ peers }: Resource): boolean {
  return peers !== undefined;
}

function notFinalized({ kindName }: Resource): TerminalError {
  return new TerminalError(
    "RESOURCE_NOT_FINALIZED",
    `${kindName} has something to finalize, and nothing would do it when its custom resource is deleted`,
    {
      remedy:
        "Register it in CRFinalizer as in ObjectsGetter: const records = ({ cr, registry }) => registry.add(…); steps: { ObjectsGetter: records, CRFinalizer: records }.",
    },
  );
}
