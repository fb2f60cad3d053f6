// What a viewer knows: the actors it was introduced to, each with its state and its last events. Pure: messages of Stately's
// inspection protocol in, the picture out. Whatever is not such a message is ignored.

/** How many steps of an actor are kept. */
export const keptSteps = 200;
/** How many actors that have ended are kept. */
export const keptEnded = 100;

/** A snapshot as it was sent. */
export interface SeenSnapshot {
  readonly status?: string;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
}

/** One event and where it led. */
export interface SeenStep {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: { readonly type: string };
  /** Absent while only the event was reported. */
  readonly snapshot?: SeenSnapshot;
  /** State value before it. */
  readonly before?: unknown;
}

/** One actor. */
export interface SeenActor {
  readonly id: string;
  readonly name: string;
  readonly parentId?: string;
  /** The machine's configuration; undefined when none was sent or it is not JSON. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly snapshot: SeenSnapshot;
  readonly ended: boolean;
  /** Oldest first. */
  readonly steps: readonly SeenStep[];
}

/** All actors by id, in the order of their introduction. */
export type ActorLog = ReadonlyMap<string, SeenActor>;

/** The log after a message. The log that was given stays as it is. */
export function hear(log: ActorLog, message: unknown): ActorLog {
  const { type, sessionId, createdAt } = fieldsOf(message);
  if (typeof type !== "string" || typeof sessionId !== "string") return log;
  const known = log.get(sessionId);
  if (type === "@xstate.actor") return put(log, introduce(sessionId, fieldsOf(message), known));
  const at = Number(createdAt);
  const actor = known ?? introduce(sessionId, {}, undefined);
  if (type === "@xstate.event") {
    return put(log, withSteps(actor, [...actor.steps, { at, event: eventOf(message) }]));
  }
  if (type !== "@xstate.snapshot") return log;
  const snapshot = snapshotOf(message);
  const last = actor.steps.at(-1);
  const event = eventOf(message);
  // The event of this snapshot was reported just before it.
  const isReported = last !== undefined && last.snapshot === undefined && last.event.type === event.type;
  const steps = [
    ...(isReported ? actor.steps.slice(0, -1) : actor.steps),
    { at, event, snapshot, before: actor.snapshot.value },
  ];
  return put(log, { ...withSteps(actor, steps), snapshot, ended: isEnd(snapshot) });
}

function introduce(id: string, message: Fields, known: SeenActor | undefined): SeenActor {
  const { name, parentId, definition } = message;
  const snapshot = snapshotOf(message);
  const config = configOf(definition);
  return {
    id,
    name: typeof name === "string" ? name : id,
    ...(typeof parentId === "string" ? { parentId } : {}),
    ...(config === undefined ? {} : { config }),
    snapshot,
    ended: isEnd(snapshot),
    steps: known?.steps ?? [],
  };
}

function withSteps(actor: SeenActor, steps: readonly SeenStep[]): SeenActor {
  return { ...actor, steps: steps.slice(-keptSteps) };
}

function put(log: ActorLog, actor: SeenActor): ActorLog {
  const next = new Map(log).set(actor.id, actor);
  if (!actor.ended) return next;
  const ended = [...next.values()].filter((each) => each.ended);
  for (const { id } of ended.slice(0, Math.max(0, ended.length - keptEnded))) next.delete(id);
  return next;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function eventOf(message: unknown): { readonly type: string } {
  const event = fieldsOf(fieldsOf(message)["event"]);
  return { ...event, type: typeof event["type"] === "string" ? event["type"] : "" };
}

function snapshotOf(message: unknown): SeenSnapshot {
  return fieldsOf(fieldsOf(message)["snapshot"]);
}

function isEnd({ status }: SeenSnapshot): boolean {
  return status !== undefined && status !== "active";
}

function configOf(definition: unknown): Fields | undefined {
  if (typeof definition !== "string") return undefined;
  try {
    return fieldsOf(JSON.parse(definition));
  } catch {
    return undefined;
  }
}
