// Actors that live in the cluster rather than in memory, and so are not seen by XState's inspection: the lifecycles, which
// report their moves themselves. Reported by src/controller/application/lifecycle-inspection.ts, looked at through src/inspect.

/** The object that an actor works for. */
export interface InspectionSubject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** An actor, as it is introduced to a viewer. */
export interface ReportedActor {
  /** Unique in the process. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The machine's configuration, as XState has it. */
  readonly config: object;
  readonly subject: InspectionSubject;
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

/** Actors that live in the cluster, with where they are now. */
export type ActorSource = () => Iterable<readonly [ReportedActor, InspectedSnapshot]>;

/** Takes what such actors report. None of its functions throws. */
export interface ActorReports {
  /** Whether somebody looks at what belongs to this object; asked before anything costly is made for {@link report}. */
  looksAt(subject: InspectionSubject): boolean;
  /** A step of an actor. */
  report(actor: ReportedActor, event: InspectedEvent, snapshot: InspectedSnapshot): void;
  /** Whom to ask for all of them when somebody begins to look. */
  addSource(source: ActorSource): void;
}

/** Nobody looks. */
export const noReports: ActorReports = {
  looksAt: () => false,
  report: () => undefined,
  addSource: () => undefined,
};
