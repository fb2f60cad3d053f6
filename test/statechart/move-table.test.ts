import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createActor, createMachine, type AnyMachineSnapshot } from "xstate";
import { electionMachine } from "../../machines/election-machine.ts";
import { managerMachine } from "../../machines/manager-machine.ts";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { shardMemberMachine } from "../../machines/shard-member-machine.ts";
import { watchMachine } from "../../machines/watch-machine.ts";
import { drive } from "../../src/statechart/drive.ts";
import { moveTableOf, type MoveTable } from "../../src/statechart/move-table.ts";

const nested = createMachine({
  id: "nested",
  type: "parallel",
  states: {
    left: {
      initial: "a",
      states: { a: { on: { go: "b" } }, b: { initial: "c", states: { c: { on: { go: "d" } }, d: {} } } },
      on: { back: ".a" },
    },
    right: { initial: "off", states: { off: { on: { go: "on" } }, on: { type: "final" } } },
  },
});
const plain = [electionMachine, managerMachine, reconciliationMachine, shardMemberMachine, nested];

function tableOf(machine: Parameters<typeof moveTableOf>[0]): MoveTable {
  const table = moveTableOf(machine);
  if (table === undefined) throw new Error(`${machine.id} has no table`);
  return table;
}

const told = ({ value, status, output }: AnyMachineSnapshot): unknown => ({ value, status, output });

describe("the table of a plain machine's moves", () => {
  it.each(plain.map((machine) => [machine.id, machine] as const))(
    "leads where XState leads: %s",
    (_, machine) => {
      const events = fc.array(fc.constantFrom(...machine.events, "unknown"), { maxLength: 30 });
      fc.assert(
        fc.property(events, (types) => {
          const table = tableOf(machine);
          const actor = createActor(machine).start();
          let snapshot = table.initial;
          expect(told(snapshot)).toEqual(told(actor.getSnapshot()));
          for (const type of types) {
            snapshot = table.next(snapshot, { type });
            // An actor at its end complains of further events.
            if (actor.getSnapshot().status === "active") actor.send({ type });
            expect(told(snapshot)).toEqual(told(actor.getSnapshot()));
          }
          actor.stop();
        }),
      );
    },
  );

  it("does not grow with what it has been asked", () => {
    const table = tableOf(nested);
    const round = (from: AnyMachineSnapshot): AnyMachineSnapshot =>
      ["go", "go", "back", "unknown"].reduce((snapshot, type) => table.next(snapshot, { type }), from);
    const first = round(table.initial);
    expect(round(first)).toBe(round(round(round(first))));
  });

  it("is one for all runs", () => {
    expect(moveTableOf(reconciliationMachine)).toBe(moveTableOf(reconciliationMachine));
  });

  it.each([
    ["a context", { context: { count: 0 } }],
    ["an entry action", { states: { a: { entry: "act" } } }],
    ["an exit action", { states: { a: { exit: "act" } } }],
    ["an action of a move", { states: { a: { on: { go: { target: "b", actions: "act" } } } } }],
    ["a guard", { states: { a: { on: { go: { target: "b", guard: "may" } } } } }],
    ["candidates", { states: { a: { on: { go: [{ target: "b" }, { target: "a" }] } } } }],
    ["an eventless move", { states: { a: { always: "b" } } }],
    ["a timer", { states: { a: { after: { 1_000: "b" } } } }],
    ["an invoked actor", { states: { a: { invoke: { src: "work" } } } }],
    ["a move of the root with a guard", { on: { go: { target: ".b", guard: "may" } } }],
    [
      "a history state",
      { states: { a: { initial: "x", states: { x: {}, h: { type: "history" as const } } } } },
    ],
    ["an output", { output: { done: true } }],
  ])("does not exist for a machine with %s", (_, config) => {
    const { states, ...rest } = config as { states?: object };
    const machine = createMachine({ id: "m", initial: "a", ...rest, states: { b: {}, a: {}, ...states } });
    expect(moveTableOf(machine)).toBeUndefined();
  });

  it("does not exist for the watch, which counts", () => {
    expect(moveTableOf(watchMachine)).toBeUndefined();
  });
});

describe("a driven machine", () => {
  const workers = {
    CRChecker: () => ({ type: "stage.succeeded" }),
    ObjectsGetter: () => ({ type: "unknown" }),
  };
  const walk = async (asked: boolean): Promise<unknown> => {
    const path: string[] = [];
    let left = 3;
    const ending = {
      ...workers,
      ObjectsGetter: () => ({ type: (left -= 1) > 0 ? "unknown" : "stage.gaveUp" }),
    };
    const last = await drive({
      machine: reconciliationMachine,
      workers: { ...ending, GiveUp: () => ({ type: "stage.succeeded" }) },
      onState: (state) => path.push(state),
      ...(asked ? { onActor: () => undefined } : {}),
    });
    return { path, last: told(last) };
  };

  it("goes the same way with an actor and without", async () => {
    expect(await walk(false)).toEqual(await walk(true));
    expect(await walk(false)).toMatchObject({
      path: ["CRChecker", "ObjectsGetter", "ObjectsGetter", "ObjectsGetter", "GiveUp", "End"],
      last: { status: "done" },
    });
  });

  it("says that it is stuck when a state has no worker", async () => {
    await expect(drive({ machine: reconciliationMachine, workers: {} })).rejects.toMatchObject({
      code: "MACHINE_STUCK",
    });
  });
});
