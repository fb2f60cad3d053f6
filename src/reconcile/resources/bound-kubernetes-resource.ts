// One Kubernetes object within one run: looked up, rendered and compared (object-intent.ts), written (object-writer.ts). Here it is decided
// whether it is written at all: whose it is, why it is to be written, and what follows from a fight or from a refusal.
import { controllerOf, controllerReferenceOf } from "../../meta/controller-reference.ts";
import { metadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject, OwnerReference } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf, typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow } from "../../ports/clock.ts";
import { awaited, follow, isPromise, type Eventual, type Steps } from "../../ports/eventual.ts";
import { isOperatorError, messageOf, OperatorError, TerminalError } from "../../ports/operator-error.ts";
import { healthOfChild } from "../../kinds/builtin/child-health.ts";
import { isNotFound, type ApiError } from "../../client/api-error.ts";
import type { Drift } from "../comparison/field-fights.ts";
import { otherWriterOf, reportFight } from "./fight-report.ts";
import { describeImmutable, immutableError, isImmutableRefusal } from "../comparison/immutable-fields.ts";
import { intentHashAnnotation, isApplied, markOf, storedHash } from "../comparison/intent-hash.ts";
import type { KubernetesResourceOptions } from "./resource-parts.ts";
import { deleteObject, createObject, previewOf, updateObject, type ObjectWrite } from "./object-writer.ts";
import { GivenLive, isSecret, ObjectIntent, type Intent, type Rendered } from "./object-intent.ts";
import { collectLeftBehind } from "./left-behind.ts";
import { isOrphaned } from "./ongoing-deletion.ts";
import { assertOwnable, isMarkedOurs, isPredecessors, notOurs } from "./owner-reference.ts";
import {
  type MutableResource,
  type ResourceHealth,
  type ResourceReport,
  type StepReport,
  kindNameOf,
  resourceIndexOf,
  soonest,
} from "./resource.ts";
import type { ResourceScope } from "./resource-scope.ts";

/** Milliseconds until an object that is being deleted is checked again, should its last change be missed. */
const terminatingRequeue = 5_000;

/** Milliseconds until an object that is not ready and that no watch shows is checked again. */
const unwatchedRequeue = 10_000;

/** Paths named in an Event; the rest are counted. */
const namedPaths = 3;

/** A Kubernetes object bound to one run; made by `kubernetesResource` and `fromManifest`. */
export class BoundKubernetesResource<
  TObject extends KubeObject,
  TCR extends KubeObject,
> implements MutableResource {
  readonly index: string;
  readonly kindName: string;
  readonly peers: string;
  /** What the author's parts have filled in; undefined before they have. */
  draft: object | undefined;
  readonly #options: KubernetesResourceOptions<TObject, TCR>;
  readonly #scope: ResourceScope<TCR>;
  readonly #key: ObjectKey;
  readonly #owner: OwnerReference | undefined;
  readonly #declared: ObjectIntent<TObject, TCR>;
  #live: TObject | undefined;
  /** Whether a change of it causes a run. */
  #isWatched = true;
  #intent: Intent | undefined;
  /** Whether what is declared may follow from the live object. */
  #usesLive = false;
  /** Whether this run leaves what has drifted as it is, because it is fought about. */
  #leavesDrift = false;

  constructor(options: KubernetesResourceOptions<TObject, TCR>, scope: ResourceScope<TCR>) {
    const { type } = options;
    this.#options = options;
    this.#scope = scope;
    this.#key = keyWithin(options.key, type.namespaced, scope.cr);
    this.#owner = options.ownerReference === false ? undefined : controllerReferenceOf(scope.cr);
    this.#declared = new ObjectIntent(options, scope, { key: this.#key, owner: this.#owner });
    this.index = resourceIndexOf(type, this.#key);
    this.kindName = kindNameOf(type, this.#key);
    if (this.#owner !== undefined && !scope.isWatched(type)) throw unwatched(this.kindName, type);
    this.peers = typeKeyOf(type);
  }

  get exists(): boolean {
    return this.#live !== undefined;
  }

  /** The live object as the run knows it: looked up, or as the last write returned it. */
  get live(): TObject | undefined {
    return this.#live;
  }

  /** Whether it is as it was looked up or written last, as far as a cache shows that. */
  isAsSeen(): boolean {
    const live = this.#live;
    if (live === undefined || !this.#isWatched) return false;
    try {
      const now = this.#scope.reader.lookUp(this.#options.type, this.#key);
      return isSameState(now, live);
    } catch {
      // It is looked up in its turn, which reports why it cannot be read.
      return false;
    }
  }

  health(): ResourceHealth | undefined {
    if (this.#live === undefined) return undefined;
    // However healthy it is: it is not what was declared.
    if (this.#leavesDrift) return { ready: { status: "False", ...overwritten } };
    const health = healthOfChild(this.#live);
    return this.#isWatched || health.ready.status === "True"
      ? health
      : { ...health, requeueAfter: unwatchedRequeue };
  }

  lookUp(): Eventual<void> {
    const { type } = this.#options;
    const { reader } = this.#scope;
    try {
      this.#live = reader.lookUp(type, this.#key);
      return undefined;
    } catch (error) {
      const partial = isOperatorError(error, "CACHE_METADATA_ONLY");
      if (!partial && !isOperatorError(error, "CACHE_UNDECLARED")) throw error;
      this.#isWatched = false;
      // Metadata says whether there is anything to read.
      if (partial && reader.lookUp(metadataOnly(type), this.#key) === undefined) {
        this.#live = undefined;
        return undefined;
      }
      return this.#read();
    }
  }

  async #read(): Promise<void> {
    const { client, signal } = this.#scope;
    try {
      this.#live = await client.get(this.#options.type, this.#key, { signal });
    } catch (refusal) {
      if (!isNotFound(refusal)) throw refusal;
      this.#live = undefined;
    }
  }

  /** Only what says itself that it is ours: the server is not asked about it in every run. */
  isLeftAlone(): boolean {
    const live = this.#live;
    const { cr } = this.#scope;
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return true;
    if (isMarkedOurs(live, cr, this.#owner, this.#operators) !== true) return true;
    if (this.#owner === undefined) return false;
    const controller = controllerOf(live);
    // What an earlier custom resource has left behind, and what was orphaned, is for the garbage collector or for nobody.
    return controller === undefined ? isOrphaned(live, cr) : controller.uid !== cr.metadata.uid;
  }

  isGoing(): boolean {
    return this.#live?.metadata.deletionTimestamp !== undefined;
  }

  mutate(): Eventual<StepReport> {
    return follow(this.#mutate());
  }

  *#mutate(): Steps<StepReport> {
    this.#intent = undefined;
    this.#usesLive = false;
    this.#leavesDrift = false;
    const owned = this.#assertOwnership();
    if (isPromise(owned)) yield owned;
    const { live } = this;
    if (live?.metadata.deletionTimestamp !== undefined) return this.#waitForDeletion();
    if (live !== undefined && this.#owner !== undefined && isOrphaned(live, this.#scope.cr)) return undefined;
    if (live !== undefined) {
      const found = this.#stranger(live);
      const stranger = isPromise(found) ? yield* awaited(found) : found;
      if (stranger !== undefined) throw notOurs(this.kindName, stranger);
    }
    const { mutateWithInitialData, mutateWithCR } = this.#options;
    const draft = this.#declared.draft();
    const given = new GivenLive(live, () => (this.#usesLive = true));
    const mutated = mutateWithInitialData?.(draft, given);
    if (isPromise(mutated)) yield mutated;
    const asked = mutateWithCR?.(draft, this.#scope.cr, given);
    const report = isPromise(asked) ? yield* awaited(asked) : asked;
    const rendered = this.#declared.render(draft);
    this.draft = draft;
    const learning = this.#live === undefined ? undefined : this.#declared.learnLists();
    if (learning !== undefined) yield learning;
    let differences = this.#declared.drift(rendered, this.#live);
    if (differences.length > 0 && (yield* awaited(this.#learnForm(rendered)))) {
      differences = this.#declared.drift(rendered, this.#live);
    }
    this.#intent = { ...rendered, differences };
    return soonest(this.#considerFight(this.#intent), report ?? undefined);
  }

  needsUpdate(): boolean {
    return (
      this.#live !== undefined && this.#intent !== undefined && this.#reasons(this.#intent) !== undefined
    );
  }

  async create(): Promise<void> {
    const intent = this.#rendered();
    this.#accept(await createObject(this.#write(intent)), intent);
    this.#scope.events.record("Normal", "Created", `Created ${this.kindName}`);
  }

  async update(): Promise<StepReport> {
    const intent = this.#rendered();
    const reasons = this.#reasons(intent) ?? "nothing";
    const drift = this.#driftOf(intent);
    const writer = await this.#disputant(drift);
    try {
      this.#accept(await updateObject(this.#write(intent)), intent);
    } catch (error) {
      if (!isImmutableRefusal(error)) throw error;
      return this.#replace(intent, error);
    }
    this.#scope.events.record("Normal", "Updated", `Updated ${this.kindName}: ${reasons}`);
    const fight = drift && this.#scope.memory.fights.repaired(drift);
    if (fight !== undefined) {
      fight.writer = writer;
      reportFight(this.#scope, fight);
    }
    return this.#fightQuiet();
  }

  /** Deletes the object whose change the server has refused, if it may be created again. Errors: `RESOURCE_IMMUTABLE`. */
  async #replace({ manifest }: Intent, refusal: ApiError): Promise<ResourceReport> {
    const { type, recreate = false } = this.#options;
    const { kindName } = this;
    const live = this.#live;
    const differences = live === undefined ? [] : this.#declared.compare(manifest, live);
    const change = { kindName, refusal, differences, isSecret: isSecret(type) };
    if (!recreate || live === undefined) throw immutableError(change);
    await deleteObject(this.#scope, type, live, "with dependents first");
    const message = `Deleted ${kindName} to create it again: ${describeImmutable(change)}`;
    this.#scope.events.record("Normal", "Deleted", message);
    return this.#waitForDeletion();
  }

  /** Who overwrites the fields about which a repair begins a fight. */
  async #disputant(drift: Drift | undefined): Promise<string | undefined> {
    const live = this.#live;
    if (drift === undefined || live === undefined) return undefined;
    const disputed = this.#scope.memory.fights.disputedBy(drift);
    return disputed.length === 0 ? undefined : otherWriterOf(this.#scope, this.#options.type, live, disputed);
  }

  async delete(): Promise<void> {
    const live = this.#live;
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
    if ((await this.#stranger(live)) !== undefined) {
      this.#scope.events.record("Normal", "Kept", `Kept ${this.kindName}: this operator has not made it`);
      return;
    }
    await deleteObject(this.#scope, this.#options.type, live);
    this.#scope.memory.fights.forgetObject(this.#scope.cr.metadata.uid, live.metadata.uid);
    this.#scope.events.record("Normal", "Deleted", `Deleted ${this.kindName}`);
    this.#live = undefined;
  }

  /** What is reported while a field is fought about; undefined when none is. */
  #considerFight(intent: Intent): ResourceReport | undefined {
    const drift = this.#driftOf(intent);
    if (drift === undefined) return this.#reasons(intent) === undefined ? this.#fightQuiet() : undefined;
    const left = this.#scope.memory.fights.leaveFor(drift);
    this.#leavesDrift = left !== undefined;
    if (left === undefined) return undefined;
    const message = `${this.kindName} is not written for a while, because another client overwrites it: see the condition FieldFight`;
    return { pending: true, requeueAfter: left, message };
  }

  /** Asks for another look when a fight that nobody goes on with is over. */
  #fightQuiet(): ResourceReport | undefined {
    const { memory, cr, clock } = this.#scope;
    if (this.#live === undefined) return undefined;
    const { uid } = this.#live.metadata;
    const now = monotonicNow(clock);
    const quiet = memory.fights.calm({ owner: cr.metadata.uid, object: uid, index: this.index, now });
    return quiet === undefined ? undefined : { pending: false, requeueAfter: quiet };
  }

  /** What others have changed of an object whose intent is the one we wrote last. */
  #driftOf({ manifest, hash, differences }: Intent): Drift | undefined {
    const live = this.#live;
    if (live === undefined) return undefined;
    const { memory, cr, clock } = this.#scope;
    const { uid } = live.metadata;
    let paths = differences.map(({ path }) => path);
    if (storedHash(live) !== hash) {
      if (!memory.fights.hasWritten(uid, hash)) return undefined;
      const others = this.#declared.compare(manifest, live).map(({ path }) => path);
      paths = others.length > 0 ? others : [`metadata.annotations.${intentHashAnnotation}`];
    }
    if (paths.length === 0) return undefined;
    const { index, kindName: name } = this;
    return { owner: cr.metadata.uid, object: uid, index, name, paths, now: monotonicNow(clock) };
  }

  #assertOwnership(): Eventual<void> {
    const { cr, crType } = this.#scope;
    if (this.#owner === undefined) return undefined;
    const { type } = this.#options;
    assertOwnable(cr, crType, this.#key, type);
    if (this.#live !== undefined && isPredecessors(this.#live, this.#owner)) {
      return collectLeftBehind(this.#scope, type, this.#live, this.#owner);
    }
    return undefined;
  }

  /** The live object when somebody else has made it and it is not to be adopted. */
  #stranger(live: TObject): Eventual<TObject | undefined> {
    const { adopt = false } = this.#options;
    const says = isMarkedOurs(live, this.#scope.cr, this.#owner, this.#operators);
    if (says === true || (says === undefined && adopt)) return undefined;
    return says === false ? live : this.#strangerByWriters(live);
  }

  /** Our marks may have been taken from it: the server knows who has written it, the cache does not. */
  async #strangerByWriters(live: TObject): Promise<TObject | undefined> {
    const scope = this.#scope;
    const { type } = this.#options;
    const known =
      live.metadata.managedFields === undefined
        ? await scope.client.get(type, this.#key, { signal: scope.signal })
        : live;
    const { managedFields = [] } = known.metadata;
    const isWriter = managedFields.some(
      ({ manager = "", subresource }) => this.#operators.includes(manager) && subresource === undefined,
    );
    return isWriter ? undefined : known;
  }

  #waitForDeletion(): ResourceReport {
    return {
      pending: true,
      requeueAfter: terminatingRequeue,
      message: `${this.kindName} is being deleted; it is created again when it is gone`,
    };
  }

  /**
   * Asks the server, without writing, what it makes of an intent that this process has neither written nor asked about: it may
   * have rewritten, dropped or filled in some of it, which is no drift. Returns whether it has said so.
   */
  async #learnForm(intent: Rendered): Promise<boolean> {
    const { memory, log } = this.#scope;
    const live = this.#live;
    if (live === undefined || memory.fights.hasWritten(live.metadata.uid, intent.hash)) return false;
    try {
      this.#declared.noteForm(await previewOf(this.#write(intent)), intent);
      return true;
    } catch (error) {
      // A webhook that has no dry run, for instance. Whatever it is, the write meets it again.
      log.debug(
        { resource: this.kindName, error: messageOf(error) },
        "the server was not asked what it makes of a resource",
      );
      return false;
    }
  }

  /** The operator's name, and its former ones. */
  get #operators(): readonly string[] {
    const { fieldManager, formerManagers = [] } = this.#scope;
    return [fieldManager, ...formerManagers];
  }

  /** Whether an object was written under a former name of the operator, or its mark names no operator. */
  #isFormers(live: TObject): boolean {
    const { formerManagers = [] } = this.#scope;
    const operator = markOf(live)?.operator;
    return formerManagers.length > 0 && (operator === undefined || formerManagers.includes(operator));
  }

  /** Whether the live object has our owner reference. */
  #isControlled(): boolean {
    return this.#live !== undefined && controllerOf(this.#live)?.uid === this.#owner?.uid;
  }

  /** Why the live object is to be written, for people; undefined when it is not. */
  #reasons({ hash, differences }: Intent): string | undefined {
    const live = this.#live;
    if (live === undefined || this.#leavesDrift) return undefined;
    const stored = storedHash(live);
    if (stored === undefined) return "the operator's annotation is missing";
    if (stored !== hash) return "what is declared has changed";
    if (this.#isFormers(live)) return "the operator has another name";
    if (differences.length === 0) return undefined;
    const paths = differences.slice(0, namedPaths).map(({ path }) => path);
    const more = differences.length - paths.length;
    return `drifted at ${paths.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  }

  #rendered(): Intent {
    if (this.#intent !== undefined) return this.#intent;
    throw new OperatorError("RESOURCE_NOT_RENDERED", `${this.kindName} is written before it is mutated`, {
      remedy: "Call registry.mutateAll() first, or leave the call to the registry.",
    });
  }

  #write({ manifest, creation, hash }: Rendered): ObjectWrite<TObject> {
    const scope = this.#scope;
    const { client, fieldManager, formerManagers = [], until, countWrite } = scope;
    const { type, write: mode = "cheapest", keep = [] } = this.#options;
    const live = this.#live;
    const mark = live === undefined ? undefined : markOf(live);
    // What is kept may have been declared before: the server knows whether it is still ours.
    const isReleased = keep.length === 0 || (live !== undefined && storedHash(live) === hash);
    return {
      client,
      type,
      manifest,
      creation,
      kept: keep,
      hash,
      fieldManager,
      formerManagers,
      limits: until === undefined ? { signal: scope.signal } : { until },
      mode,
      live,
      rules: this.#declared.rules,
      isApplied: live !== undefined && isApplied(live, fieldManager) && isReleased,
      isPosted: mark === undefined ? this.#isControlled() : !mark.byApply && mark.operator === fieldManager,
      countWrite,
    };
  }

  #accept(written: TObject, intent: Intent): void {
    this.#live = written;
    this.#scope.seen?.noteWrite(this.#options.type, written, this.#usesLive);
    this.#declared.noteForm(written, intent);
    this.#intent = { ...intent, differences: [] };
  }
}

/** How a child is of which a field is left to another client for a while. */
const overwritten = {
  reason: "FieldOverwritten",
  message: "another client overwrites what is declared: see the condition FieldFight",
};

/** The refusal of a child whose end nobody would see: the status would say that it is as declared, and nothing would make it again. */
function unwatched(kindName: string, type: ResourceType): TerminalError {
  return new TerminalError(
    "CACHE_UNDECLARED",
    `${kindName} is registered, but ${type.kind} (${apiVersionOf(type)}) is not among the types that the controller owns: that it is changed or deleted would not be noticed`,
    { remedy: `Add the type ${type.kind} to the controller's owns; metadataOnly(${type.kind}) is enough.` },
  );
}

function isSameState(one: KubeObject | undefined, { metadata }: KubeObject): boolean {
  return one?.metadata.uid === metadata.uid && one.metadata.resourceVersion === metadata.resourceVersion;
}

function keyWithin(key: ObjectKey, namespaced: boolean, cr: KubeObject): ObjectKey {
  if (!namespaced) return { name: key.name };
  const namespace = key.namespace ?? cr.metadata.namespace;
  return namespace === undefined ? { name: key.name } : { namespace, name: key.name };
}
