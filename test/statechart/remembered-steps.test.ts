import { describe, expect, it, vi } from "vitest";
import { assign, createActor, setup, type AnyMachineSnapshot, type AnyStateMachine } from "xstate";
import { electionMachine } from "../../machines/election-machine.ts";
import { managerMachine } from "../../machines/manager-machine.ts";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { shardMemberMachine } from "../../machines/shard-member-machine.ts";
import { watchMachine } from "../../machines/watch-machine.ts";
import { remembered } from "../../src/statechart/drive.ts";

/** What XState itself hands to a machine's functions. */
function scopeOf(machine: AnyStateMachine): never {
  const self = createActor(machine, { input: undefined });
  const nothing = (): void => undefined;
  const { system, id, sessionId } = self;
  return {
    self,
    system,
    id,
    sessionId,
    logger: nothing,
    defer: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor: nothing,
  } as never;
}

function walk(machine: AnyStateMachine, visit: (state: AnyMachineSnapshot, type: string) => void): number {
  const scope = scopeOf(machine);
  const types = [...machine.events, "unknown.event"];
  const seen = new Map<string, AnyMachineSnapshot>();
  const open = [machine.getInitialSnapshot(scope, undefined) as AnyMachineSnapshot];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const name = JSON.stringify(state.value);
    if (seen.has(name)) continue;
    seen.set(name, state);
    for (const type of types) {
      visit(state, type);
      open.push(machine.transition(state as never, { type }, scope) as AnyMachineSnapshot);
    }
  }
  return seen.size;
}

const shown = ({ value, status, output, error, children, tags, context }: AnyMachineSnapshot): object => ({
  value,
  status,
  output: output as unknown,
  error,
  children: Object.keys(children),
  tags: [...tags],
  context: context as unknown,
});

describe("remembered steps", () => {
  it.each([
    ["reconciliation", reconciliationMachine],
    ["election", electionMachine],
    ["shardMember", shardMemberMachine],
  ] as const)("are XState's own for every state and event: %s", (_, machine) => {
    const steps: AnyStateMachine = remembered(machine);
    expect(steps).not.toBe(machine);
    const scope = scopeOf(machine);
    const first = steps.getInitialSnapshot(scope, undefined) as AnyMachineSnapshot;
    const byState = new Map([[JSON.stringify(first.value), first]]);
    // Twice: what was remembered in the first round is answered in the second.
    for (const round of [1, 2]) {
      const walked = walk(machine, (state, type) => {
        const known = byState.get(JSON.stringify(state.value)) ?? state;
        const expected = machine.transition(state as never, { type } as never, scope) as AnyMachineSnapshot;
        const answered = steps.transition(known as never, { type }, scope) as AnyMachineSnapshot;
        expect(shown(answered), `${round}: ${JSON.stringify(state.value)} on ${type}`).toEqual(
          shown(expected),
        );
        byState.set(JSON.stringify(answered.value), answered);
      });
      expect(walked).toBe(Object.keys(machine.states).length);
    }
  });

  it("ask XState once for each", () => {
    const steps: AnyStateMachine = remembered(reconciliationMachine);
    const asked = vi.spyOn(reconciliationMachine, "transition");
    const scope = scopeOf(reconciliationMachine);
    for (let round = 0; round < 3; round += 1) {
      const first: unknown = steps.getInitialSnapshot(scope, undefined);
      const next: AnyMachineSnapshot = steps.transition(first as never, { type: "request.received" }, scope);
      expect(next.value).toBe("CRChecker");
    }
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
  });

  it("are of no machine that decides or does anything besides", () => {
    for (const machine of [managerMachine, watchMachine]) expect(remembered(machine)).toBe(machine);
    const bare = { id: "bare", initial: "A", states: { A: { on: { go: "B" } }, B: {} } } as const;
    const plain = setup({}).createMachine(bare);
    expect(remembered(plain)).not.toBe(plain);
    const counting = setup({ actions: { count: assign({}) }, guards: { may: () => true } });
    for (const A of [
      { on: { go: { target: "B", actions: "count" } } },
      { on: { go: { target: "B", guard: "may" } } },
      { entry: "count" },
      { exit: "count" },
      { always: "B" },
      { after: { 5: "B" } },
    ] as const) {
      const machine = counting.createMachine({ ...bare, states: { A: A as never, B: {} } });
      expect(remembered(machine)).toBe(machine);
    }
  });
});
