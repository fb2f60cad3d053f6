// Which transitions a macrostep of XState takes: reported by its inspection of microsteps, without starting an actor.
import {
  createActor,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
} from "xstate";

/**
 * The transitions of one macrostep in the order in which they are taken; without a snapshot, those of the initial step for
 * this input.
 */
export function transitionsTaken(
  machine: AnyStateMachine,
  before: AnyMachineSnapshot | undefined,
  eventOrInput: object,
): readonly AnyTransitionDefinition[] {
  const taken: AnyTransitionDefinition[] = [];
  let isCollecting = false;
  const self = createActor(machine, {
    input: before === undefined ? eventOrInput : undefined,
    inspect: (inspected) => {
      if (isCollecting && inspected.type === "@xstate.microstep") taken.push(...inspected._transitions);
    },
  });
  const scope = {
    self: self as AnyActorRef,
    system: self.system,
    id: "",
    sessionId: "",
    logger: () => undefined,
    defer: () => undefined,
    stopChild: () => undefined,
    emit: () => undefined,
    actionExecutor: () => undefined,
  };
  // An actor makes its initial step when it is created; that one was not asked for.
  isCollecting = true;
  if (before === undefined) machine.getInitialSnapshot(scope as never, eventOrInput);
  else if (before.status === "active") machine.transition(before as never, eventOrInput, scope as never);
  return taken;
}
