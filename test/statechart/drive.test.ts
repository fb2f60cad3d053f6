import { describe, expect, it, vi } from "vitest";
import { setup, spawnChild } from "xstate";
import { noInspector, type Inspector, type RootActor } from "../../src/statechart/inspection.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import {
  beginActor,
  driven,
  driveThrough,
  type RunningActor,
  type Work,
} from "../../src/statechart/drive.ts";

type LampEvent = { type: "on" } | { type: "off" } | { type: "dim" };

const lampMachine = setup({
  types: { events: {} as LampEvent, context: {} as { watts: number }, input: {} as { watts: number } },
}).createMachine({
  id: "lamp",
  context: ({ input }) => ({ watts: input.watts }),
  initial: "Off",
  states: {
    Off: { on: { on: "On" } },
    On: { on: { off: "Broken", on: { target: "On", reenter: true }, dim: {} } },
    Broken: { type: "final" },
  },
});
const lamp = driven(lampMachine);

const roomMachine = setup({
  types: { events: {} as { type: "lamp.hung" } | { type: "left" } },
  actors: { lamp: lampMachine },
  actions: { hang: spawnChild("lamp", { id: "lamp", input: { watts: 40 } }) },
}).createMachine({
  id: "room",
  initial: "Lived",
  on: { "lamp.hung": { actions: "hang" } },
  states: { Lived: { on: { left: "Empty" } }, Empty: { type: "final" } },
});
const room = driven(roomMachine.provide({ actors: { lamp } }));

function begin(
  workers: Work["workers"],
  rest: Omit<Work, "workers"> = { input: { watts: 60 } },
): RunningActor {
  return beginActor(lamp, { workers, ...rest }, { id: "lamp", clock: systemClock });
}

function beginRoom(): RunningActor {
  return beginActor(room, { workers: { Lived: undefined } }, { id: "room", clock: systemClock });
}

describe("an actor that drives itself", () => {
  it("awaits the work of each state, with the context of its input", async () => {
    const seen: unknown[] = [];
    const last = await begin({
      Off: ({ context }) => (seen.push(context), { type: "on" }),
      On: () => Promise.resolve({ type: "off" }),
    }).ended;
    expect(seen).toEqual([{ watts: 60 }]);
    expect(last).toMatchObject({ status: "done", value: "Broken" });
  });

  it("waits for an event from outside in a state that has no work", async () => {
    const actor = begin({ Off: undefined, On: () => ({ type: "off" }) });
    actor.send({ type: "on" });
    expect((await actor.ended).value).toBe("Broken");
  });

  it("does a state's work again when the state is entered again, and only then", async () => {
    let times = 0;
    const on = Promise.withResolvers<{ type: string }>();
    const actor = begin({
      Off: () => ({ type: "on" }),
      On: () => ((times += 1) === 1 ? { type: "on" } : on.promise),
    });
    await vi.waitFor(() => expect(times).toBe(2));
    actor.send({ type: "dim" });
    on.resolve({ type: "off" });
    await actor.ended;
    expect(times).toBe(2);
  });

  it("drops what the work of a state comes to that was left meanwhile", async () => {
    const late = Promise.withResolvers<{ type: string }>();
    const actor = begin({ Off: () => late.promise, On: undefined });
    actor.send({ type: "on" });
    late.resolve({ type: "nothing that On declares" });
    await late.promise;
    actor.send({ type: "off" });
    expect((await actor.ended).value).toBe("Broken");
  });

  it("ends with what its work throws, whether at once or later", async () => {
    const thrown = (): never => {
      throw new Error("at once");
    };
    await expect(begin({ Off: thrown }).ended).rejects.toThrow("at once");
    await expect(begin({ Off: () => Promise.reject(new Error("later")) }).ended).rejects.toThrow("later");
  });

  it.each([
    ["from its work", () => begin({ Off: () => ({ type: "explode" }) }).ended],
    [
      "from outside",
      () => {
        const actor = begin({ Off: undefined });
        actor.send({ type: "explode" });
        return actor.ended;
      },
    ],
  ])("ends at once with an event that its state does not declare, %s", async (_, run) => {
    await expect(run()).rejects.toMatchObject({
      code: "EVENT_UNDECLARED",
      fields: { machine: "lamp", state: '"Off"', event: "explode" },
    });
  });

  it("says that it is stuck when nobody has thought of a state", async () => {
    await expect(begin({ Off: () => ({ type: "on" }) }).ended).rejects.toMatchObject({
      code: "MACHINE_STUCK",
      fields: { machine: "lamp", state: '"On"' },
    });
  });
});

const doorMachine = setup({ types: { events: {} as { type: "open" } | { type: "shut" } } }).createMachine({
  id: "door",
  initial: "Shut",
  states: { Shut: { on: { open: "Open" } }, Open: { on: { shut: "Locked" } }, Locked: { type: "final" } },
});

describe("an actor that is driven through", () => {
  const root = { id: "door", clock: systemClock };

  it("comes to its end without a pause when no work has to be awaited", () => {
    const states: string[] = [];
    const enter = (state: string) => (states.push(state), { type: "shut" });
    void driveThrough(doorMachine, { type: "open" }, { enter }, root);
    expect(states).toEqual(["Open", "Locked"]);
  });

  it("awaits the work of a state", async () => {
    const states: string[] = [];
    const enter = (state: string) => (states.push(state), Promise.resolve({ type: "shut" }));
    await driveThrough(doorMachine, { type: "open" }, { enter }, root);
    expect(states).toEqual(["Open", "Locked"]);
  });

  it.each([
    ["throws", () => expect.fail("broken"), "broken"],
    ["rejects", () => Promise.reject(new Error("broken")), "broken"],
    ["returns an event that the state does not declare", () => ({ type: "open" }), "does not declare"],
  ])("ends with an error when a work %s, as inspectors see", async (_, enter, message) => {
    const roots: RootActor[] = [];
    let ended = 0;
    const inspector: Inspector = {
      ...noInspector,
      begin: (actor) => void roots.push(actor),
      end: () => (ended += 1),
    };
    const run = driveThrough(doorMachine, { type: "open" }, { enter }, { ...root, inspector });
    await expect(run).rejects.toThrow(message);
    expect(roots.map((actor) => (actor.getSnapshot() as { status: string }).status)).toEqual(["error"]);
    expect(ended).toBe(1);
  });
});

describe("a child that drives itself", () => {
  const child = (actor: RunningActor, workers: Work["workers"]) =>
    actor.beginChild("lamp", { type: "lamp.hung" }, { workers });

  it("lives below its parent, with the input that is drawn", async () => {
    const parent = beginRoom();
    const seen: unknown[] = [];
    const last = await child(parent, {
      Off: ({ context }) => (seen.push(context), { type: "on" }),
      On: () => ({ type: "off" }),
    });
    expect(seen).toEqual([{ watts: 40 }]);
    expect(last.value).toBe("Broken");
    parent.send({ type: "left" });
    await parent.ended;
  });

  it("may come again under the same id", async () => {
    const parent = beginRoom();
    const workers: Work["workers"] = { Off: () => ({ type: "on" }), On: () => ({ type: "off" }) };
    await child(parent, workers);
    expect((await child(parent, workers)).value).toBe("Broken");
    parent.send({ type: "left" });
    await parent.ended;
  });

  it("ends with its parent", async () => {
    const parent = beginRoom();
    const ended = child(parent, { Off: () => new Promise<never>(() => undefined) });
    parent.send({ type: "left" });
    expect(await ended).toMatchObject({ status: "stopped", value: "Off" });
    expect((await child(parent, {})).value).toBe("Empty");
  });

  it("reaches its parent with its error, as XState does it", async () => {
    const parent = beginRoom();
    const ended = child(parent, { Off: () => Promise.reject(new Error("broken")) });
    await expect(parent.ended).rejects.toThrow("broken");
    await ended;
  });

  it("leaves nobody waiting when its parent may not begin it", async () => {
    const parent = beginRoom();
    const ended = parent.beginChild("lamp", { type: "lamp.stolen" }, { workers: {} });
    await expect(parent.ended).rejects.toMatchObject({ code: "EVENT_UNDECLARED" });
    await ended;
  });
});
