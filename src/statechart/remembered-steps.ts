// What XState makes of the events of a machine that is its graph and nothing else: the same step every time, so that its own
// answer is remembered. Why: a step costs XState 4 us, and a run of the pipeline has seven of them.
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine, AnyStateNode, EventObject } from "xstate";

/** Whether a step depends on the state and the event's type alone, and does nothing besides. */
export function isPlain({ config, root }: AnyStateMachine): boolean {
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

/** The machine as the logic of actors, whose steps are remembered if it is plain. Made once for each machine. */
export function remembered<TMachine extends AnyStateMachine>(machine: TMachine): TMachine {
  if (!isPlain(machine)) return machine;
  const steps = new RememberedSteps(machine);
  const logic: Pick<AnyStateMachine, "getInitialSnapshot" | "transition"> = {
    getInitialSnapshot: (scope, input) => steps.getInitialSnapshot(scope, input),
    transition: (snapshot, event, scope) => steps.transition(snapshot, event, scope),
  };
  return Object.assign(Object.create(machine) as TMachine, logic);
}

/** The steps of one plain machine, each as XState made it first. Bounded by its states and declared events. */
export class RememberedSteps {
  readonly #machine: AnyStateMachine;
  readonly #steps = new Map<AnyMachineSnapshot, Map<string, AnyMachineSnapshot>>();
  /** One snapshot for each state: nothing else tells those of a plain machine apart. */
  readonly #snapshots = new Map<string, AnyMachineSnapshot>();

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  getInitialSnapshot(scope: AnyActorScope, input: unknown): AnyMachineSnapshot {
    return (
      this.#snapshots.get("") ??
      this.#know("", this.#machine.getInitialSnapshot(scope, input) as AnyMachineSnapshot)
    );
  }

  transition(snapshot: AnyMachineSnapshot, event: EventObject, scope: AnyActorScope): AnyMachineSnapshot {
    const known = this.#steps.get(snapshot)?.get(event.type);
    if (known !== undefined) return known;
    const next = this.#machine.transition(snapshot, event, scope) as AnyMachineSnapshot;
    // Not what XState itself sends: stops and errors carry more than their type.
    if (next.value === snapshot.value || event.type.startsWith("xstate.")) return next;
    const one = this.#know(JSON.stringify(next.value), next);
    const steps = this.#steps.get(snapshot) ?? new Map<string, AnyMachineSnapshot>();
    this.#steps.set(snapshot, steps.set(event.type, one));
    return one;
  }

  #know(state: string, snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    const known = this.#snapshots.get(state) ?? snapshot;
    this.#snapshots.set(state, known);
    return known;
  }
}
