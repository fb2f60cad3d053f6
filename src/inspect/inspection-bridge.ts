// Passes what actors tell on to those who look, each with a choice of its own. Who comes late is introduced to every actor
// that lives. While nobody looks, an actor costs an entry in a map. Fed by the runtime, read by inspection-server.ts.
import type {
  ActorSource,
  ActorTrace,
  InspectedActor,
  InspectedEvent,
  InspectedSnapshot,
  InspectionSubject,
  Inspector,
} from "../ports/inspection.ts";
import { MessageWriter, type InspectionMessage, type MessageTools } from "./inspection-message.ts";

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

interface LiveActor {
  readonly actor: InspectedActor;
  snapshot: InspectedSnapshot;
}

interface Attached {
  readonly viewer: InspectionViewer;
  /** Ids of the actors that it was introduced to. */
  readonly known: Set<string>;
}

/** The inspector of a process. */
export class InspectionBridge implements Inspector {
  readonly #write: MessageWriter;
  readonly #live = new Map<string, LiveActor>();
  readonly #sources: ActorSource[] = [];
  readonly #viewers = new Set<Attached>();

  constructor(tools: MessageTools) {
    this.#write = new MessageWriter(tools);
  }

  /** How many look. */
  get viewers(): number {
    return this.#viewers.size;
  }

  begin(actor: InspectedActor, snapshot: InspectedSnapshot): ActorTrace {
    const live: LiveActor = { actor, snapshot };
    this.#live.set(actor.id, live);
    for (const attached of this.#viewersOf(actor)) this.#introduce(attached, actor, snapshot);
    return {
      moved: (event, moved) => {
        live.snapshot = moved;
        this.report(actor, event, moved);
      },
      ended: (last) => {
        if (this.#live.get(actor.id) !== live) return;
        this.#live.delete(actor.id);
        // A machine that came to its end said so with its last move.
        if (last.status === "active") {
          this.report(actor, { type: "xstate.stop" }, { ...last, status: "stopped" });
        }
        for (const { known } of this.#viewers) known.delete(actor.id);
      },
    };
  }

  looksAt(subject: InspectionSubject): boolean {
    for (const { viewer } of this.#viewers) if (chosen(viewer.choice, subject)) return true;
    return false;
  }

  report(actor: InspectedActor, event: InspectedEvent, snapshot: InspectedSnapshot): void {
    if (this.#viewers.size === 0) return;
    let messages: readonly InspectionMessage[] | undefined;
    for (const attached of this.#viewersOf(actor)) {
      if (!attached.known.has(actor.id)) this.#introduce(attached, actor, snapshot);
      messages ??= [this.#write.event(actor, event), this.#write.snapshot(actor, event, snapshot)];
      for (const message of messages) attached.viewer.send(message);
      // One that comes back from its end is introduced anew.
      if (snapshot.status !== "active") attached.known.delete(actor.id);
    }
  }

  addSource(source: ActorSource): void {
    this.#sources.push(source);
  }

  /** Lets a viewer look from now on; it is introduced at once to all that lives and that it has chosen. */
  attach(viewer: InspectionViewer): Attachment {
    const attached: Attached = { viewer, known: new Set() };
    const refresh = (): void => {
      attached.known.clear();
      for (const { actor, snapshot } of this.#live.values()) {
        if (chosen(viewer.choice, actor.subject)) this.#introduce(attached, actor, snapshot);
      }
      for (const source of this.#sources) {
        for (const [actor, snapshot] of source()) {
          if (chosen(viewer.choice, actor.subject)) this.#introduce(attached, actor, snapshot);
        }
      }
    };
    this.#viewers.add(attached);
    refresh();
    return { refresh, detach: () => void this.#viewers.delete(attached) };
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

function chosen(choice: InspectionChoice, subject: InspectionSubject | undefined): boolean {
  if (subject === undefined) return true;
  return (
    (choice.kind === undefined || choice.kind === subject.kind) &&
    (choice.namespace === undefined || choice.namespace === (subject.namespace ?? "")) &&
    (choice.name === undefined || choice.name === subject.name)
  );
}
