// Actors that do nothing but wait for the events that a test sends them.
import { createActor, type ActorLogic, type AnyStateMachine, type Snapshot } from "xstate";
import { systemClock } from "../../src/ports/system-clock.ts";
import { beginActor, driven, type RunningActor } from "../../src/statechart/drive.ts";
import type { ActorIntroduction, Inspector } from "../../src/statechart/inspection.ts";

export function beginWaiting(
  inspector: Inspector,
  machine: AnyStateMachine,
  introduction: ActorIntroduction,
): RunningActor {
  const workers = Object.fromEntries(Object.keys(machine.states).map((state) => [state, undefined]));
  return beginActor(
    driven(machine),
    { workers },
    { id: machine.id, clock: systemClock, inspector, introduce: () => introduction },
  );
}

/** Begins an actor of a logic that says what it likes of its configuration and of where it is. */
export function beginForeign(
  inspector: Inspector,
  config: object,
  introduction: ActorIntroduction,
  place: { readonly value: unknown; readonly context?: unknown },
): void {
  const logic: ActorLogic<Snapshot<unknown>, { readonly type: string }> & { readonly config: object } = {
    config,
    getInitialSnapshot: () =>
      ({
        status: "active",
        output: undefined,
        error: undefined,
        children: {},
        ...place,
      }) as Snapshot<unknown>,
    transition: (snapshot) => snapshot,
    getPersistedSnapshot: (snapshot) => snapshot,
  };
  const actor = createActor(logic);
  inspector.begin(actor, () => introduction);
  actor.start();
}
