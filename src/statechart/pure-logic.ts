// Makes actors of a pure function that decides on more than a machine's next state: each event is a step of it, and the
// snapshot shows where its machine is, as a machine's own would. What an event carries is for the function alone; inspectors
// see what the event says of itself.
import { createActor, type Actor, type ActorLogic, type EventObject, type Snapshot } from "xstate";
import { activeStates, type Leaves } from "./configuration.ts";
import { undeclared, type RootOptions } from "./drive.ts";
import { noInspector, type Inspector } from "./inspection.ts";
import { toStateValue } from "./state-value.ts";
import type { Position, Statechart } from "./statechart.ts";

/** A symbol: neither JSON nor a listing of the fields of an event contains what is under it. */
const carried = Symbol("carried");

interface Carrying<TLoad> {
  readonly [carried]: TLoad;
}

/** An event whose load nobody but the logic reads. */
export interface CarryingEvent<TType extends string, TLoad> extends EventObject, Carrying<TLoad> {
  readonly type: TType;
}

/** An event that carries a load, and says so much of itself to those who look. */
export function carrying<TType extends string, TLoad>(
  type: TType,
  load: TLoad,
  said: object = {},
): CarryingEvent<TType, TLoad> {
  return { ...said, type, [carried]: load };
}

/** What an event carries. */
export function loadOf<TLoad>(event: CarryingEvent<string, TLoad>): TLoad {
  return event[carried];
}

/** What one event has led to. */
export interface PureStep<TState> {
  readonly state: TState;
  /** The event of the machine that was decided on, when it moves; those who look see the move under it. */
  readonly moved?: EventObject;
}

/** A pure function around a machine. None of its parts has an effect. */
export interface PureFunction<TInput, TState, TEvent extends EventObject> {
  readonly chart: Statechart;
  begin(input: TInput): TState;
  /** Undefined for an event that it does not know. */
  step(state: TState, event: TEvent): PureStep<TState> | undefined;
  /** Where the machine is; undefined before its first state. */
  positionOf(state: TState): Position | undefined;
  /** What is kept of a state, as JSON; an actor that is begun with it goes on. */
  persist(state: TState): unknown;
  /** What the machine has come to, once nothing can follow; undefined while something can. */
  endOf(state: TState): { readonly output?: unknown } | undefined;
}

type Status = Snapshot<unknown>["status"];

/** What a snapshot is made of. */
interface PureFields<TState> {
  readonly status: Status;
  readonly state: TState;
  /** The state that its machine is still in, while it is about to move. */
  readonly shown?: TState;
  /** The event under which it is about to move. */
  readonly moving?: EventObject | undefined;
  readonly error?: unknown;
}

const noChildren = {};

/** Where such an actor is; read like the snapshot of a machine. What is only for those who look is made when they do. */
class PureSnapshot<TState> {
  readonly children = noChildren;
  readonly status: Status;
  readonly state: TState;
  readonly moving: EventObject | undefined;
  readonly error: unknown;
  readonly #pure: Shown<TState>;
  readonly #shown: TState;

  constructor(pure: Shown<TState>, { status, state, shown = state, moving, error }: PureFields<TState>) {
    this.#pure = pure;
    this.#shown = shown;
    this.status = status;
    this.state = state;
    this.moving = moving;
    this.error = error;
  }

  get value(): unknown {
    return toStateValue(this.#pure.chart.index, this.#leaves);
  }

  get context(): unknown {
    return this.#pure.positionOf(this.#shown)?.context ?? {};
  }

  get tags(): ReadonlySet<string> {
    return new Set(activeStates(this.#pure.chart.index, this.#leaves).flatMap(({ tags }) => tags));
  }

  get output(): unknown {
    return this.status === "done" ? this.#pure.endOf(this.state)?.output : undefined;
  }

  get #leaves(): Leaves {
    return this.#pure.positionOf(this.#shown)?.leaves ?? [];
  }

  toJSON(): object {
    const { status, value, context, tags, output } = this;
    return { status, value, context, tags: [...tags], output };
  }

  /** The same place, otherwise. */
  with(fields: Partial<PureFields<TState>>): PureSnapshot<TState> {
    const { status, state, moving } = this;
    return new PureSnapshot(this.#pure, { status, state, shown: this.#shown, moving, ...fields });
  }
}

type Shown<TState> = Pick<PureFunction<never, TState, never>, "chart" | "positionOf" | "endOf">;

type ShownSnapshot<TState> = PureSnapshot<TState> & Snapshot<unknown>;

/** The logic of actors around a pure function; made once for each. */
export interface PureLogic<TInput, TState, TEvent extends EventObject> extends ActorLogic<
  ShownSnapshot<TState>,
  TEvent,
  Carrying<TInput>
> {
  readonly id: string;
  /** The configuration of the machine: what inspectors draw. */
  readonly config: object;
}

/**
 * The logic of actors around a pure function. A step that moves the machine is followed by the machine's own event, and by no
 * other. `config` is what inspectors draw, default the machine's. Whatever throws in a step, and an event that the function does not know (`EVENT_UNDECLARED`), ends the actor.
 */
export function pureLogic<TInput, TState, TEvent extends EventObject>(
  pure: PureFunction<TInput, TState, TEvent>,
  config: object = pure.chart.config,
): PureLogic<TInput, TState, TEvent> {
  const { chart } = pure;
  const { id } = chart.graph;
  const at = (state: TState): PureSnapshot<TState> =>
    new PureSnapshot(pure, { status: pure.endOf(state) === undefined ? "active" : "done", state });
  const next = (snapshot: PureSnapshot<TState>, event: TEvent): PureSnapshot<TState> => {
    const { state, moving } = snapshot;
    if (event.type === "xstate.stop") return snapshot.with({ status: "stopped" });
    if (moving !== undefined && event === moving) return at(state);
    try {
      const step = moving === undefined ? pure.step(state, event) : undefined;
      if (step === undefined) throw undeclared({ id }, snapshot, event);
      return step.moved === undefined
        ? at(step.state)
        : snapshot.with({ state: step.state, moving: step.moved });
    } catch (error) {
      return snapshot.with({ status: "error", error });
    }
  };
  return {
    id,
    config,
    getInitialSnapshot: (_scope, input) => at(pure.begin(input[carried])) as ShownSnapshot<TState>,
    transition: (snapshot, event) => next(snapshot, event) as ShownSnapshot<TState>,
    // XState acts on parts of a snapshot that it is given to restore: what is stored comes in as the input.
    getPersistedSnapshot: ({ state }) => pure.persist(state) as Snapshot<unknown>,
  };
}

/** An actor around a pure function. */
export interface PureActor<TState, TEvent extends EventObject> {
  /** XState's session id: unique in the process. */
  readonly id: string;
  /** Whether it takes events. */
  readonly isActive: boolean;
  /** Where it is. */
  readonly state: TState;
  /** Takes one step; where it leads is in {@link state} then. Errors: what the step throws; the actor has ended then. */
  send(event: TEvent): void;
  /** What is kept of it. */
  persist(): unknown;
  /** Ends it. Idempotent. */
  stop(): void;
}

/** Begins an actor as the root of its own system. Nothing that fails in it ends the process. */
export function beginPure<TInput, TState, TEvent extends EventObject>(
  logic: PureLogic<TInput, TState, TEvent>,
  input: TInput,
  options: RootOptions,
): PureActor<TState, TEvent> {
  return new PureRoot(logic, input, options);
}

// Without an error observer, the error of a root ends the process; here the sender of the event receives it.
const reportedElsewhere = { error: () => undefined };

/** A class, as one is made for each run: closures would cost as much as the actor itself. */
class PureRoot<TInput, TState, TEvent extends EventObject> implements PureActor<TState, TEvent> {
  readonly #actor: Actor<ActorLogic<ShownSnapshot<TState>, TEvent, unknown>>;
  readonly #inspector: Inspector;

  constructor(
    logic: PureLogic<TInput, TState, TEvent>,
    input: TInput,
    { id, clock, inspector = noInspector, introduce = () => ({ name: id }) }: RootOptions,
  ) {
    const untyped = logic as ActorLogic<ShownSnapshot<TState>, TEvent, unknown>;
    this.#inspector = inspector;
    this.#actor = createActor(untyped, { id, clock, input: { [carried]: input } });
    inspector.begin(this.#actor, introduce);
    this.#actor.subscribe(reportedElsewhere);
    this.#actor.start();
  }

  get id(): string {
    return this.#actor.sessionId;
  }

  get isActive(): boolean {
    return this.#actor.getSnapshot().status === "active";
  }

  get state(): TState {
    return this.#actor.getSnapshot().state;
  }

  send(event: TEvent): void {
    const actor = this.#actor;
    actor.send(event);
    // Sent here and not from within the step: XState would report it before it reports where the step has led.
    const { moving } = actor.getSnapshot();
    if (moving !== undefined) actor.send(moving as TEvent);
    const { status, error } = actor.getSnapshot();
    if (status === "error") throw error;
  }

  persist(): unknown {
    return this.#actor.getPersistedSnapshot();
  }

  stop(): void {
    this.#actor.stop();
    this.#inspector.end(this.#actor);
  }
}
