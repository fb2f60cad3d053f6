// Passes what XState's inspection tells of a process's actors on to those who look, each with a choice of its own. Who comes
// late is introduced to every actor that lives. While nobody looks, a root actor costs an entry in a map, and nothing is
// attached to its system. Fed by the runtime, read by inspection-server.ts.
import {
  actorsBelow,
  observeSystem,
  type ActorIntroduction,
  type InspectionSubject,
  type Inspector,
  type RootActor,
  type SystemActor,
} from "../statechart/inspection.ts";
import {
  MessageWriter,
  type InspectedActor,
  type InspectedEvent,
  type InspectedSnapshot,
  type InspectionMessage,
  type MessageTools,
} from "./inspection-message.ts";

/** What a viewer wants to see: an absent field is any. The machines of the runtime are always shown. */
export interface InspectionChoice {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** One who looks. */
export interface InspectionViewer {
  readonly choice: InspectionChoice;
  /** Must not throw; false when it cannot take more now and misses this message. */
  send(message: InspectionMessage): boolean;
}

/** A viewer's place; see {@link InspectionBridge.attach}. */
export interface Attachment {
  /** Introduces all that lives once more: for a viewer that has missed something. */
  refresh(): void;
  /** Ends it. Idempotent. */
  detach(): void;
}

interface Attached {
  readonly viewer: InspectionViewer;
  /** Ids of the actors that it was introduced to. */
  readonly known: Set<string>;
}

/** A root whose system is being viewed. */
interface Observed {
  readonly introduction: ActorIntroduction;
  readonly stop: () => void;
}

/** The inspector of a process. */
export class InspectionBridge implements Inspector {
  readonly #write: MessageWriter;
  /** Every root that lives. */
  readonly #roots = new Map<RootActor, () => ActorIntroduction>();
  readonly #observed = new Map<RootActor, Observed>();
  readonly #followers = new Set<() => void>();
  readonly #viewers = new Set<Attached>();

  constructor(tools: MessageTools) {
    this.#write = new MessageWriter(tools);
  }

  /** How many look. */
  get viewers(): number {
    return this.#viewers.size;
  }

  begin(root: RootActor, introduce: () => ActorIntroduction): void {
    this.#roots.set(root, introduce);
    if (this.#viewers.size > 0) this.#observe(root, introduce);
  }

  end(root: RootActor): void {
    this.#roots.delete(root);
    const observed = this.#observed.get(root);
    if (observed === undefined) return;
    observed.stop();
    this.#observed.delete(root);
    // XState says nothing of the end of an actor whose guard or assignment has thrown.
    const [[actor, snapshot] = []] = actorsBelow(root);
    if (actor === undefined || snapshot === undefined) return;
    for (const { known } of this.#viewers) {
      if (known.has(actor.id))
        this.#moved(introduced(actor, observed.introduction), { type: "xstate.stop" }, snapshot);
    }
  }

  looksAt(subject: InspectionSubject | undefined): boolean {
    for (const { viewer } of this.#viewers) if (chosen(viewer.choice, subject)) return true;
    return false;
  }

  onLook(changed: () => void): () => void {
    this.#followers.add(changed);
    return () => this.#followers.delete(changed);
  }

  /** Lets a viewer look from now on; it is introduced at once to all that lives and that it has chosen. */
  attach(viewer: InspectionViewer): Attachment {
    const attached: Attached = { viewer, known: new Set() };
    const refresh = (): void => {
      attached.known.clear();
      this.#introduceLiving(attached);
    };
    this.#viewers.add(attached);
    for (const [root, introduce] of this.#roots) this.#observe(root, introduce);
    this.#introduceLiving(attached);
    // What begins now introduces itself.
    for (const changed of this.#followers) changed();
    return { refresh, detach: () => this.#detach(attached) };
  }

  #detach(attached: Attached): void {
    this.#viewers.delete(attached);
    for (const [root, { introduction, stop }] of this.#observed) {
      if (this.looksAt(introduction.subject)) continue;
      stop();
      this.#observed.delete(root);
    }
    for (const changed of this.#followers) changed();
  }

  #introduceLiving(attached: Attached): void {
    for (const [actor, snapshot] of this.#living()) {
      const isNew = !attached.known.has(actor.id);
      if (isNew && chosen(attached.viewer.choice, actor.subject)) this.#introduce(attached, actor, snapshot);
    }
  }

  /** Attaches to the system of a root, if the resource it works for is being viewed. */
  #observe(root: RootActor, introduce: () => ActorIntroduction): void {
    if (this.#observed.has(root)) return;
    const introduction = introduce();
    if (!this.looksAt(introduction.subject)) return;
    const inspected = (actor: SystemActor): InspectedActor => introduced(actor, introduction);
    const stop = observeSystem(root, {
      began: (actor, snapshot) => {
        const begun = inspected(actor);
        for (const attached of this.#viewersOf(begun)) this.#introduce(attached, begun, snapshot);
      },
      received: (actor, event, sourceId, snapshot) =>
        this.#received(inspected(actor), snapshot, event, sourceId),
      moved: (actor, event, snapshot) => this.#moved(inspected(actor), event, snapshot),
    });
    this.#observed.set(root, { introduction, stop });
  }

  /** Every actor that is being viewed, with its snapshot. */
  *#living(): Iterable<readonly [InspectedActor, InspectedSnapshot]> {
    for (const [root, { introduction }] of this.#observed) {
      for (const [actor, snapshot] of actorsBelow(root)) yield [introduced(actor, introduction), snapshot];
    }
  }

  #received(
    actor: InspectedActor,
    snapshot: InspectedSnapshot,
    event: InspectedEvent,
    sourceId?: string,
  ): void {
    let message: InspectionMessage | undefined;
    for (const attached of this.#viewersOf(actor)) {
      if (!attached.known.has(actor.id)) this.#introduce(attached, actor, snapshot);
      message ??= this.#write.event(actor, event, sourceId);
      attached.viewer.send(message);
    }
  }

  #moved(actor: InspectedActor, event: InspectedEvent, snapshot: InspectedSnapshot): void {
    let message: InspectionMessage | undefined;
    for (const attached of this.#viewersOf(actor)) {
      message ??= this.#write.snapshot(actor, event, snapshot);
      attached.viewer.send(message);
      if (snapshot.status !== "active") attached.known.delete(actor.id);
    }
  }

  *#viewersOf(actor: InspectedActor): Iterable<Attached> {
    for (const attached of this.#viewers) {
      if (chosen(attached.viewer.choice, actor.subject)) yield attached;
    }
  }

  #introduce({ viewer, known }: Attached, actor: InspectedActor, snapshot: InspectedSnapshot): void {
    if (viewer.send(this.#write.actor(actor, snapshot))) known.add(actor.id);
  }
}

/** An actor of a root's system under the root's introduction; its children go by what they are called in it. */
function introduced(actor: SystemActor, { name, parentId, subject }: ActorIntroduction): InspectedActor {
  const { id, rootId, localId, config } = actor;
  const isRoot = id === rootId;
  const above = isRoot ? parentId : actor.parentId;
  return {
    id,
    name: isRoot ? name : localId,
    rootId: parentId ?? rootId,
    ...(above === undefined ? {} : { parentId: above }),
    config,
    ...(subject === undefined ? {} : { subject }),
  };
}

function chosen(choice: InspectionChoice, subject: InspectionSubject | undefined): boolean {
  if (subject === undefined) return true;
  return (
    (choice.kind === undefined || choice.kind === subject.kind) &&
    (choice.namespace === undefined || choice.namespace === (subject.namespace ?? "")) &&
    (choice.name === undefined || choice.name === subject.name)
  );
}
