// What XState makes of the events of a machine that is its graph and nothing else: the same step every time, so that its own
// answer is remembered. Why: a step costs XState 4 us, and a run of the pipeline has seven of them.
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine, AnyStateNode, EventObject } from "xstate";

/** Whether a step depends on the state and the event's type alone, and does nothing besides. */
function isPlain({ config, root }: AnyStateMachine): boolean {
  return config.context === undefined && config.output === undefined && isPlainNode(root);
}

function isPlainNode(node: AnyStateNode): boolean {
  const { entry, exit, invoke, always, after, type, initial } = node;
  const edges = [...node.transitions.values()].flat();
  return (
    type !== "history" &&
    entry.length + exit.length + invoke.length + after.length === 0 &&
    always === undefined &&
    (type !== "compound" || initial.actions.length === 0) &&
    edges.every(({ actions, guard }) => actions.length === 0 && guard === undefined) &&
    Object.values(node.states).every(isPlainNode)
  );
}

/**
 * The machine as the logic of actors, whose steps are remembered, each as XState made it first, if it is plain. Made once for
 * each machine; bounded by its states and declared events.
 */
export function remembered<TMachine extends AnyStateMachine>(machine: TMachine): TMachine {
  if (!isPlain(machine)) return machine;
  const steps = new Map<AnyMachineSnapshot, Map<string, AnyMachineSnapshot>>();
  /** One snapshot for each state: nothing else tells those of a plain machine apart. */
  const snapshots = new Map<string, AnyMachineSnapshot>();

  function theOne(state: string, snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    const known = snapshots.get(state) ?? snapshot;
    snapshots.set(state, known);
    return known;
  }

  const logic: Pick<AnyStateMachine, "getInitialSnapshot" | "transition"> = {
    getInitialSnapshot: (scope: AnyActorScope, input: unknown) =>
      snapshots.get("") ?? theOne("", machine.getInitialSnapshot(scope, input) as AnyMachineSnapshot),
    transition: (snapshot: AnyMachineSnapshot, event: EventObject, scope: AnyActorScope) => {
      const known = steps.get(snapshot)?.get(event.type);
      if (known !== undefined) return known;
      const next = machine.transition(snapshot as never, event, scope) as AnyMachineSnapshot;
      // Not what XState itself sends: stops and errors carry more than their type.
      if (next.value === snapshot.value || event.type.startsWith("xstate.")) return next;
      const one = theOne(JSON.stringify(next.value), next);
      const ofState = steps.get(snapshot) ?? new Map<string, AnyMachineSnapshot>();
      steps.set(snapshot, ofState.set(event.type, one));
      return one;
    },
  };
  return Object.assign(Object.create(machine) as TMachine, logic);
}
