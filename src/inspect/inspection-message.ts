// The three messages of Stately's inspection protocol, built from what XState's inspection tells. Pure.
// Source of the shapes: @statelyai/inspect 0.7.2, whose receivers take one plain JSON object per message.
import type { InspectionSubject } from "../statechart/inspection.ts";

/** The version of the protocol; receivers only look whether it is a text. */
export const protocolVersion = "0.7.2";

/** Where an actor is; XState's own snapshots have this shape. */
export interface InspectedSnapshot {
  readonly status: string;
  readonly value: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
}

/** An event that an actor was sent. */
export interface InspectedEvent {
  readonly type: string;
}

/** An actor, as it is introduced to a viewer. */
export interface InspectedActor {
  /** Unique in the process for as long as the actor lives. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Id of the actor that it belongs to. */
  readonly parentId?: string;
  /** Id of the topmost actor; default its own. */
  readonly rootId?: string;
  /** The machine's configuration, as XState has it. */
  readonly config: object;
  /** Absent for the machines of the runtime. */
  readonly subject?: InspectionSubject;
}

/** Fields of every message. */
interface MessageBase {
  readonly _version: string;
  /** Milliseconds since the epoch, as text. */
  readonly createdAt: string;
  readonly id: null;
  readonly rootId: string;
  readonly sessionId: string;
}

/** Introduces an actor. */
export interface ActorMessage extends MessageBase {
  readonly type: "@xstate.actor";
  readonly name: string;
  readonly parentId: string | undefined;
  /** The machine's configuration as JSON text. */
  readonly definition: string;
  readonly snapshot: unknown;
}

/** An event that an actor was sent. */
export interface EventMessage extends MessageBase {
  readonly type: "@xstate.event";
  readonly event: InspectedEvent;
  readonly sourceId: string | undefined;
}

/** Where an actor is after an event. */
export interface SnapshotMessage extends MessageBase {
  readonly type: "@xstate.snapshot";
  readonly event: InspectedEvent;
  readonly snapshot: unknown;
}

/** What a viewer is sent. */
export type InspectionMessage = ActorMessage | EventMessage | SnapshotMessage;

/** What messages are made with. */
export interface MessageTools {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes secrets out of events, contexts and outputs. */
  readonly sanitize: (value: unknown) => unknown;
}

/** Makes messages of one process. */
export class MessageWriter {
  readonly #tools: MessageTools;
  /** A machine is written once, however many actors run it. */
  readonly #definitions = new WeakMap<object, string>();

  constructor(tools: MessageTools) {
    this.#tools = tools;
  }

  /** Introduces an actor. */
  actor(actor: InspectedActor, snapshot: InspectedSnapshot): ActorMessage {
    return {
      type: "@xstate.actor",
      name: actor.name,
      parentId: actor.parentId,
      definition: this.#definitionOf(actor.config),
      snapshot: this.#snapshot(snapshot),
      ...this.#base(actor),
    };
  }

  /** Tells of an event. */
  event(actor: InspectedActor, event: InspectedEvent, sourceId?: string): EventMessage {
    return { type: "@xstate.event", event: this.#event(event), sourceId, ...this.#base(actor) };
  }

  /** Tells where an event has led. */
  snapshot(actor: InspectedActor, event: InspectedEvent, snapshot: InspectedSnapshot): SnapshotMessage {
    return {
      type: "@xstate.snapshot",
      event: this.#event(event),
      snapshot: this.#snapshot(snapshot),
      ...this.#base(actor),
    };
  }

  #base({ id, rootId = id }: InspectedActor): MessageBase {
    const createdAt = String(this.#tools.now());
    return { _version: protocolVersion, createdAt, id: null, rootId, sessionId: id };
  }

  #event(event: InspectedEvent): InspectedEvent {
    return { ...(this.#tools.sanitize(event) as object), type: event.type };
  }

  #snapshot({ status, value, context = {}, output }: InspectedSnapshot): unknown {
    const { sanitize } = this.#tools;
    return {
      status,
      value,
      context: sanitize(context),
      ...(output === undefined ? {} : { output: sanitize(output) }),
    };
  }

  #definitionOf(config: object): string {
    let text = this.#definitions.get(config);
    if (text === undefined) {
      text = JSON.stringify(config, (_, value: unknown) =>
        typeof value === "function" ? { type: value.name } : value,
      );
      this.#definitions.set(config, text);
    }
    return text;
  }
}
