// Machines that are their graph and nothing else: where an event leads depends on the state alone, so that XState is asked
// once for each pair of them.
import {
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
} from "xstate";

/** The moves of one machine, as XState makes them. */
export interface MoveTable {
  readonly initial: AnyMachineSnapshot;
  /** Where the event leads from a snapshot of this table; the same when its state does not declare the event. */
  next(snapshot: AnyMachineSnapshot, event: EventObject): AnyMachineSnapshot;
}

const tables = new WeakMap<AnyStateMachine, MoveTable | undefined>();

/** The machine's table, one for all its runs; undefined when its moves do or need more than the event's type. */
export function moveTableOf(machine: AnyStateMachine): MoveTable | undefined {
  if (!tables.has(machine)) tables.set(machine, isPlain(machine.config) ? createTable(machine) : undefined);
  return tables.get(machine);
}

function createTable(machine: AnyStateMachine): MoveTable {
  // The value is all that tells the snapshots of such a machine apart; one for each, however often it is come by.
  const snapshots = new Map<string, AnyMachineSnapshot>();
  const moves = new Map<AnyMachineSnapshot, Map<string, AnyMachineSnapshot>>();
  const known = (snapshot: AnyMachineSnapshot): AnyMachineSnapshot => {
    const value = JSON.stringify(snapshot.value);
    const first = snapshots.get(value) ?? snapshot;
    snapshots.set(value, first);
    return first;
  };
  return {
    initial: known(initialTransition(machine)[0]),
    next(snapshot, event) {
      const ways = moves.get(snapshot) ?? new Map<string, AnyMachineSnapshot>();
      moves.set(snapshot, ways);
      const next = ways.get(event.type) ?? known(transition(machine, snapshot, event)[0]);
      ways.set(event.type, next);
      return next;
    },
  };
}

/** What a plain state may say; anything else may read the context or the event, act, or wait. */
const plainState = new Set([
  "id",
  "description",
  "meta",
  "tags",
  "type",
  "initial",
  "states",
  "on",
  "types",
  "version",
]);
const plainMove = new Set(["target", "description", "meta"]);

function isPlain(state: unknown): boolean {
  const fields = Object.entries(state ?? {});
  return fields.every(([name, value]) => {
    if (value === undefined) return true;
    if (!plainState.has(name)) return false;
    if (name === "states") return Object.values(value as object).every(isPlain);
    if (name === "on") return Object.values(value as object).every(isPlainMove);
    if (name === "type") return value !== "history";
    return name !== "initial" || typeof value === "string";
  });
}

function isPlainMove(move: unknown): boolean {
  if (typeof move === "string") return true;
  // Several candidates are told apart by guards.
  if (typeof move !== "object" || move === null || Array.isArray(move)) return false;
  return Object.keys(move).every((name) => plainMove.has(name));
}
