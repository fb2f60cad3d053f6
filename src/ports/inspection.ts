// How those who run machines tell somebody who looks on what the machines do. Told by src/statechart, src/manager and
// src/controller; looked at through src/inspect. Telling must cost next to nothing while nobody looks.

/** The object that an actor works for. */
export interface InspectionSubject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** One running machine, as it is introduced to a viewer. */
export interface InspectedActor {
  /** Unique in the process for as long as the actor lives. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Id of the actor that it belongs to. */
  readonly parentId?: string;
  /** The machine's configuration, as XState has it. */
  readonly config: object;
  /** Absent for the machines of the runtime. */
  readonly subject?: InspectionSubject;
}

/** Where an actor is; XState's own snapshots have this shape. */
export interface InspectedSnapshot {
  readonly status: string;
  readonly value: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
}

/** An event that moved an actor. */
export interface InspectedEvent {
  readonly type: string;
}

/** What an actor that lives in memory tells of itself. */
export interface ActorTrace {
  moved(event: InspectedEvent, snapshot: InspectedSnapshot): void;
  /** It is gone. Idempotent. */
  ended(snapshot: InspectedSnapshot): void;
}

/** Actors that live in the cluster rather than in memory, with where they are now. */
export type ActorSource = () => Iterable<readonly [InspectedActor, InspectedSnapshot]>;

/** Takes what actors tell. None of its functions throws. */
export interface Inspector {
  /** An actor begins to live in memory. */
  begin(actor: InspectedActor, snapshot: InspectedSnapshot): ActorTrace;
  /** Whether somebody looks at what belongs to this object; asked before anything costly is made for {@link report}. */
  looksAt(subject: InspectionSubject): boolean;
  /** A step of an actor that does not live in memory. */
  report(actor: InspectedActor, event: InspectedEvent, snapshot: InspectedSnapshot): void;
  /** Whom to ask for the actors that do not live in memory when somebody begins to look. */
  addSource(source: ActorSource): void;
}

const untold: ActorTrace = { moved: () => undefined, ended: () => undefined };

/** Nobody looks. */
export const noInspector: Inspector = {
  begin: () => untold,
  looksAt: () => false,
  report: () => undefined,
  addSource: () => undefined,
};
