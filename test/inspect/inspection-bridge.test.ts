import { describe, expect, it } from "vitest";
import { assign, createMachine, setup, spawnChild } from "xstate";
import { InspectionBridge, type InspectionChoice } from "../../src/inspect/inspection-bridge.ts";
import type { InspectionMessage } from "../../src/inspect/inspection-message.ts";
import { redact } from "../../src/manager/redaction.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { beginActor, driven, type Work } from "../../src/statechart/drive.ts";
import { noInspector, type ActorIntroduction, type RootActor } from "../../src/statechart/inspection.ts";
import { beginWaiting } from "./waiting-actor.ts";

const lamp = createMachine({
  id: "lamp",
  initial: "Off",
  states: {
    Off: { on: { "switch.on": "On" } },
    On: { on: { "switch.off": "Gone" } },
    Gone: { type: "final" },
  },
});
const orders: ActorIntroduction = {
  name: "Lamp default/orders",
  subject: { kind: "Lamp", namespace: "default", name: "orders" },
};

const room = setup({
  types: { events: {} as { type: "lamp.hung" } | { type: "left" } },
  actors: { lamp },
  actions: { hang: spawnChild("lamp", { id: "lamp" }) },
}).createMachine({
  id: "room",
  initial: "Lived",
  on: { "lamp.hung": { actions: "hang" } },
  states: { Lived: { on: { left: "Empty" } }, Empty: { type: "final" } },
});

/** Keeps whatever it is sent. */
const vault = createMachine({
  id: "vault",
  initial: "Open",
  context: {},
  states: {
    Open: { on: { login: { target: "Full", actions: assign(({ event }) => ({ credentials: event })) } } },
    Full: { on: { closed: "Closed" } },
    Closed: { type: "final" },
  },
  output: ({ context }) => ({ stringData: context }),
});

/** Runs a lamp to its end. */
function light(bridge: InspectionBridge, workers: Work["workers"], introduction?: ActorIntroduction) {
  const introduce = () => introduction ?? { name: "a lamp" };
  return beginActor(
    driven(lamp),
    { workers },
    { id: "lamp", clock: systemClock, inspector: bridge, introduce },
  ).ended;
}

function newBridge(): InspectionBridge {
  return new InspectionBridge({ now: () => 1_000, sanitize: redact });
}

/** Attaches a viewer that takes everything while `takes` says so. */
function look(bridge: InspectionBridge, choice: InspectionChoice = {}, takes: () => boolean = () => true) {
  const messages: InspectionMessage[] = [];
  const attachment = bridge.attach({
    choice,
    send: (message) => {
      if (takes()) messages.push(message);
      return takes();
    },
  });
  return { messages, lines: () => messages.map(lineOf), ...attachment };
}

/** The message in short; actors of XState have no number, as that differs from run to run. */
function lineOf(message: InspectionMessage): string {
  const { value } = ("snapshot" in message ? message.snapshot : {}) as { value?: string };
  const event = message.type === "@xstate.actor" ? "" : ` ${message.event.type}`;
  return `${message.type} ${message.sessionId.replace(/^x:\d+$/, "x")}${event}${value === undefined ? "" : ` ${value}`}`;
}

describe("an inspection bridge", () => {
  it("tells a viewer the whole life of an actor", async () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    await light(bridge, { Off: () => ({ type: "switch.on" }), On: () => ({ type: "switch.off" }) });
    expect(viewer.lines()).toEqual([
      "@xstate.actor x Off",
      "@xstate.event x switch.on",
      "@xstate.snapshot x switch.on On",
      "@xstate.event x switch.off",
      "@xstate.snapshot x switch.off Gone",
    ]);
    const [actor, event, snapshot] = viewer.messages;
    const sessionId = actor?.sessionId ?? "";
    const base = { _version: "0.7.2", createdAt: "1000", id: null, rootId: sessionId, sessionId };
    expect(actor).toMatchObject({ ...base, name: "a lamp", definition: JSON.stringify(lamp.config) });
    expect(event).toEqual({
      ...base,
      type: "@xstate.event",
      event: { type: "switch.on" },
      sourceId: undefined,
    });
    expect(snapshot).toMatchObject({ ...base, snapshot: { status: "active", value: "On" } });
  });

  it("says that an actor failed where it did not come to its end", async () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    await expect(light(bridge, { Off: () => Promise.reject(new Error("broken")) })).rejects.toThrow("broken");
    expect(viewer.messages.at(-1)).toMatchObject({
      type: "@xstate.snapshot",
      snapshot: { status: "error", value: "Off" },
    });
  });

  it("introduces children below their parents, and tells how they end with them", () => {
    const bridge = newBridge();
    const early = look(bridge);
    const actor = beginWaiting(bridge, room, { name: "the room" });
    actor.send({ type: "lamp.hung" });
    const late = look(bridge);
    const introduced = (messages: readonly InspectionMessage[]) =>
      messages.flatMap((message) => (message.type === "@xstate.actor" ? [message] : []));
    for (const { messages } of [early, late]) {
      const [parent, child] = introduced(messages);
      expect([parent?.name, child?.name]).toEqual(["the room", "lamp"]);
      expect(child).toMatchObject({ parentId: parent?.sessionId, rootId: parent?.sessionId });
    }
    actor.send({ type: "left" });
    const ends = late.messages.flatMap((message) =>
      message.type === "@xstate.snapshot" ? [message.snapshot] : [],
    );
    expect(ends).toMatchObject([
      { status: "stopped", value: "Off" },
      { status: "done", value: "Empty" },
    ]);
  });

  it("shows a short-lived root below the actor that it works for", async () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    const workers = { Off: () => ({ type: "switch.on" }), On: () => ({ type: "switch.off" }) };
    await light(bridge, workers, { ...orders, name: "run", parentId: "x:0" });
    expect(viewer.messages[0]).toMatchObject({ name: "run", parentId: "x:0", rootId: "x:0" });
  });

  it("introduces whoever comes late to every actor that lives, with where it is now", () => {
    const bridge = newBridge();
    const running = beginWaiting(bridge, lamp, { name: "running" });
    running.send({ type: "switch.on" });
    expect(look(bridge).lines()).toEqual(["@xstate.actor x On"]);
  });

  it("introduces what begins because somebody looks once, after all that lives", () => {
    const bridge = newBridge();
    bridge.onLook(() => {
      if (bridge.viewers > 0) beginWaiting(bridge, lamp, orders);
    });
    beginWaiting(bridge, lamp, { name: "running" });
    const viewer = look(bridge);
    const names = viewer.messages.map((message) => (message.type === "@xstate.actor" ? message.name : ""));
    expect(names).toEqual(["running", "Lamp default/orders"]);
  });

  it("says when somebody begins and ceases to look", () => {
    const bridge = newBridge();
    const told: boolean[] = [];
    bridge.onLook(() => told.push(bridge.looksAt({ kind: "Lamp", namespace: "default", name: "orders" })));
    const viewer = look(bridge, { kind: "Lamp" });
    viewer.detach();
    expect(told).toEqual([true, false]);
  });

  it("forgets an actor that has ended", async () => {
    const bridge = newBridge();
    await light(bridge, { Off: () => ({ type: "switch.on" }), On: () => ({ type: "switch.off" }) });
    expect(look(bridge).lines()).toEqual([]);
  });

  it("is attached to the systems of what somebody looks at, while somebody does", () => {
    const bridge = newBridge();
    const attached = new Map<string, number>();
    const watching: InspectionBridge["begin"] = (root, introduce) => {
      const { name } = introduce();
      const { inspect } = root.system;
      root.system.inspect = (observer: Parameters<RootActor["system"]["inspect"]>[0]) => {
        const subscription = inspect(observer);
        attached.set(name, (attached.get(name) ?? 0) + 1);
        return {
          unsubscribe: () => {
            attached.set(name, (attached.get(name) ?? 0) - 1);
            subscription.unsubscribe();
          },
        };
      };
      bridge.begin(root, introduce);
    };
    const spied = { ...noInspector, begin: watching };
    beginWaiting(spied, lamp, { name: "of the runtime" });
    for (const name of ["one", "other"]) {
      beginWaiting(spied, lamp, { name, subject: { kind: "Lamp", name } });
    }
    expect([...attached]).toEqual([]);
    const first = look(bridge, { name: "one" });
    const second = look(bridge);
    expect(Object.fromEntries(attached)).toEqual({ "of the runtime": 1, one: 1, other: 1 });
    second.detach();
    expect(Object.fromEntries(attached)).toEqual({ "of the runtime": 1, one: 1, other: 0 });
    first.detach();
    expect(Object.fromEntries(attached)).toEqual({ "of the runtime": 0, one: 0, other: 0 });
  });

  it("never throws into an actor, whatever goes wrong while it tells", async () => {
    const bridge = newBridge();
    bridge.attach({
      choice: {},
      send: () => {
        throw new Error("a broken viewer");
      },
    });
    const workers = { Off: () => ({ type: "switch.on" }), On: () => ({ type: "switch.off" }) };
    expect((await light(bridge, workers)).value).toBe("Gone");
  });

  it("shows what was chosen, and the runtime's own machines to all", () => {
    const bridge = newBridge();
    const lit = beginWaiting(bridge, lamp, orders);
    lit.send({ type: "switch.on" });
    beginWaiting(bridge, lamp, { name: "manager" });
    const other = look(bridge, { kind: "Lamp", namespace: "default", name: "other" });
    expect(bridge.looksAt({ kind: "Lamp", namespace: "default", name: "orders" })).toBe(false);
    const chosen = look(bridge, { kind: "Lamp", name: "orders" });
    expect(bridge.looksAt({ kind: "Lamp", namespace: "default", name: "orders" })).toBe(true);
    lit.send({ type: "switch.off" });
    expect(other.lines()).toEqual(["@xstate.actor x Off"]);
    expect(chosen.lines()).toEqual([
      "@xstate.actor x Off",
      "@xstate.actor x On",
      "@xstate.event x switch.off",
      "@xstate.snapshot x switch.off Gone",
    ]);
  });

  it("introduces everything anew to a viewer that has missed something", () => {
    const bridge = newBridge();
    let takes = false;
    const viewer = look(bridge, {}, () => takes);
    beginWaiting(bridge, lamp, orders).send({ type: "switch.on" });
    expect(viewer.lines()).toEqual([]);
    takes = true;
    viewer.refresh();
    expect(viewer.lines()).toEqual(["@xstate.actor x On"]);
  });

  it("tells nothing more once a viewer is gone", () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    viewer.detach();
    beginWaiting(bridge, lamp, orders).send({ type: "switch.on" });
    expect(viewer.messages).toEqual([]);
    expect(bridge.viewers).toBe(0);
    expect(bridge.looksAt({ kind: "Lamp", name: "orders" })).toBe(false);
  });

  it("keeps secrets out of events, contexts and outputs", () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    const secret = "hunter2";
    const event = {
      type: "login",
      password: secret,
      quoted: `{"data":{"key":"${secret}"}}`,
      note: `kind: Secret\ndata:\n  key: ${secret}\n`,
    };
    const opened = beginWaiting(bridge, vault, { name: "vault" });
    opened.send(event);
    opened.send({ type: "closed" });
    const text = JSON.stringify(viewer.messages);
    expect(viewer.messages).toHaveLength(5);
    expect(viewer.messages.at(-1)).toMatchObject({ snapshot: { status: "done", output: {} } });
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(secret);
  });
});
