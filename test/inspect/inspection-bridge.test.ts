import { describe, expect, it } from "vitest";
import { createMachine } from "xstate";
import { InspectionBridge, type InspectionChoice } from "../../src/inspect/inspection-bridge.ts";
import type { InspectionMessage } from "../../src/inspect/inspection-message.ts";
import { redact } from "../../src/manager/redaction.ts";
import type { InspectedActor } from "../../src/ports/inspection.ts";
import { drive } from "../../src/statechart/drive.ts";

const lamp = createMachine({
  id: "lamp",
  initial: "Off",
  states: {
    Off: { on: { "switch.on": "On" } },
    On: { on: { "switch.off": "Gone" } },
    Gone: { type: "final" },
  },
});
const orders: InspectedActor = {
  id: "lifecycle:1",
  name: "Lamp default/orders",
  config: lamp.config,
  subject: { kind: "Lamp", namespace: "default", name: "orders" },
};

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

function lineOf(message: InspectionMessage): string {
  const { value } = ("snapshot" in message ? message.snapshot : {}) as { value?: string };
  const event = message.type === "@xstate.actor" ? "" : ` ${message.event.type}`;
  return `${message.type} ${message.sessionId}${event}${value === undefined ? "" : ` ${value}`}`;
}

describe("an inspection bridge", () => {
  it("tells a viewer the whole life of a machine that is driven", async () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    await drive({
      machine: lamp,
      inspect: { inspector: bridge, actor: { id: "run:1", name: "a run" } },
      workers: { Off: () => ({ type: "switch.on" }), On: () => ({ type: "switch.off" }) },
    });
    expect(viewer.lines()).toEqual([
      "@xstate.actor run:1 Off",
      "@xstate.event run:1 switch.on",
      "@xstate.snapshot run:1 switch.on On",
      "@xstate.event run:1 switch.off",
      "@xstate.snapshot run:1 switch.off Gone",
    ]);
    const [actor, event, snapshot] = viewer.messages;
    const base = { _version: "0.7.2", createdAt: "1000", id: null, rootId: "run:1", sessionId: "run:1" };
    expect(actor).toMatchObject({ ...base, name: "a run", definition: JSON.stringify(lamp.config) });
    expect(event).toEqual({
      ...base,
      type: "@xstate.event",
      event: { type: "switch.on" },
      sourceId: undefined,
    });
    expect(snapshot).toMatchObject({ ...base, snapshot: { status: "active", value: "On" } });
  });

  it("says that a machine was stopped where it did not come to its end", async () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    const failed = drive({
      machine: lamp,
      inspect: { inspector: bridge, actor: { id: "run:1", name: "a run" } },
      workers: { Off: () => Promise.reject(new Error("broken")) },
    });
    await expect(failed).rejects.toThrow("broken");
    expect(viewer.messages.at(-1)).toMatchObject({
      type: "@xstate.snapshot",
      event: { type: "xstate.stop" },
      snapshot: { status: "stopped", value: "Off" },
    });
  });

  it("introduces whoever comes late to every machine that lives, with where it is now", () => {
    const bridge = newBridge();
    bridge.addSource(() => [[orders, { status: "active", value: "On", context: {} }]]);
    const running = bridge.begin(
      { id: "manager", name: "manager", config: lamp.config },
      { status: "active", value: "Off" },
    );
    const gone = bridge.begin(
      { id: "run:1", name: "run", config: lamp.config },
      { status: "active", value: "Off" },
    );
    running.moved({ type: "switch.on" }, { status: "active", value: "On" });
    gone.moved({ type: "switch.off" }, { status: "done", value: "Gone" });
    gone.ended({ status: "done", value: "Gone" });
    expect(look(bridge).lines()).toEqual(["@xstate.actor manager On", "@xstate.actor lifecycle:1 On"]);
  });

  it("shows what was chosen, and the runtime's own machines to all", () => {
    const bridge = newBridge();
    bridge.addSource(() => [[orders, { status: "active", value: "On" }]]);
    bridge.begin({ id: "manager", name: "manager", config: lamp.config }, { status: "active", value: "Off" });
    const other = look(bridge, { kind: "Lamp", namespace: "default", name: "other" });
    expect(bridge.looksAt({ kind: "Lamp", namespace: "default", name: "orders" })).toBe(false);
    const chosen = look(bridge, { kind: "Lamp", name: "orders" });
    expect(bridge.looksAt({ kind: "Lamp", namespace: "default", name: "orders" })).toBe(true);
    bridge.report(orders, { type: "switch.off" }, { status: "done", value: "Gone" });
    expect(other.lines()).toEqual(["@xstate.actor manager Off"]);
    expect(chosen.lines()).toEqual([
      "@xstate.actor manager Off",
      "@xstate.actor lifecycle:1 On",
      "@xstate.event lifecycle:1 switch.off",
      "@xstate.snapshot lifecycle:1 switch.off Gone",
    ]);
  });

  it("introduces a machine again that comes back from its end, and one that was not told of before", () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    bridge.report(orders, { type: "switch.off" }, { status: "done", value: "Gone" });
    bridge.report(orders, { type: "desired.Off" }, { status: "active", value: "Off" });
    bridge.report(orders, { type: "switch.on" }, { status: "active", value: "On" });
    expect(viewer.lines().filter((line) => line.startsWith("@xstate.actor"))).toEqual([
      "@xstate.actor lifecycle:1 Gone",
      "@xstate.actor lifecycle:1 Off",
    ]);
  });

  it("introduces everything anew to a viewer that has missed something", () => {
    const bridge = newBridge();
    let takes = false;
    const viewer = look(bridge, {}, () => takes);
    bridge.report(orders, { type: "switch.on" }, { status: "active", value: "On" });
    expect(viewer.lines()).toEqual([]);
    takes = true;
    bridge.addSource(() => [[orders, { status: "active", value: "On" }]]);
    viewer.refresh();
    expect(viewer.lines()).toEqual(["@xstate.actor lifecycle:1 On"]);
  });

  it("tells nothing more once a viewer is gone", () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    viewer.detach();
    bridge.report(orders, { type: "switch.on" }, { status: "active", value: "On" });
    expect(viewer.messages).toEqual([]);
    expect(bridge.viewers).toBe(0);
    expect(bridge.looksAt({ kind: "Lamp", name: "orders" })).toBe(false);
  });

  it("keeps secrets out of events, contexts and outputs", () => {
    const bridge = newBridge();
    const viewer = look(bridge);
    const secret = "hunter2";
    const event = { type: "login", password: secret, quoted: `{"data":{"key":"${secret}"}}` };
    const snapshot = {
      status: "done",
      value: "On",
      context: { credentials: { token: secret }, note: `kind: Secret\ndata:\n  key: ${secret}\n` },
      output: { stringData: { key: secret } },
    };
    bridge.report(orders, event, snapshot);
    const text = JSON.stringify(viewer.messages);
    expect(viewer.messages).toHaveLength(3);
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(secret);
  });
});
