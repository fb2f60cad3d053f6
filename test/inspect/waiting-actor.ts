// Actors that do nothing but wait for the events that a test sends them.
import type { AnyStateMachine } from "xstate";
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
