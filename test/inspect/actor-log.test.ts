import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hear, keptEnded, keptSteps, type ActorLog } from "../../src/inspect/browser/actor-log.ts";
import { outlineOf, valueText } from "../../src/inspect/browser/machine-outline.ts";

const empty: ActorLog = new Map();

function hearAll(messages: readonly unknown[]): ActorLog {
  return messages.reduce<ActorLog>(hear, empty);
}

function actor(sessionId: string, value = "Off") {
  return {
    type: "@xstate.actor",
    sessionId,
    name: sessionId,
    definition: "{}",
    snapshot: { status: "active", value },
  };
}

function step(sessionId: string, event: string, value: string, status = "active") {
  return [
    { type: "@xstate.event", sessionId, createdAt: "5", event: { type: event } },
    {
      type: "@xstate.snapshot",
      sessionId,
      createdAt: "5",
      event: { type: event },
      snapshot: { status, value },
    },
  ];
}

describe("what a viewer knows", () => {
  it("is the actors, each with its state and its steps", () => {
    const log = hearAll([actor("lamp"), ...step("lamp", "switch.on", "On")]);
    expect(log.get("lamp")).toMatchObject({
      name: "lamp",
      snapshot: { value: "On" },
      ended: false,
      steps: [{ at: 5, event: { type: "switch.on" }, snapshot: { value: "On" } }],
    });
  });

  it("keeps the steps of an actor that is introduced anew", () => {
    const log = hearAll([actor("lamp"), ...step("lamp", "switch.on", "On"), actor("lamp", "Broken")]);
    expect(log.get("lamp")).toMatchObject({
      snapshot: { value: "Broken" },
      steps: [{ snapshot: { value: "On" } }],
    });
  });

  it("does not grow without bound", () => {
    const busy = hearAll([
      actor("lamp"),
      ...Array.from({ length: 500 }, () => step("lamp", "tick", "On")).flat(),
    ]);
    expect(busy.get("lamp")?.steps).toHaveLength(keptSteps);
    const runs = Array.from({ length: 300 }, (_, run) => [
      actor(`run-${run}`),
      ...step(`run-${run}`, "end", "End", "done"),
    ]).flat();
    const log = hearAll([actor("lamp"), ...runs]);
    expect([...log.keys()]).toContain("lamp");
    expect([...log.keys()].slice(1)).toHaveLength(keptEnded);
    expect(log.has("run-299")).toBe(true);
  });

  it("ignores whatever is not of the protocol", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (messages) => {
        expect(hearAll(messages).size).toBe(0);
      }),
    );
    const odd = fc.record({
      type: fc.constantFrom("@xstate.actor", "@xstate.event", "@xstate.snapshot", "@xstate.action"),
      sessionId: fc.constant("x"),
      name: fc.jsonValue(),
      definition: fc.oneof(fc.string(), fc.jsonValue()),
      event: fc.jsonValue(),
      snapshot: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(odd), (messages) => {
        for (const { config, snapshot, name } of hearAll(messages).values()) {
          expect(typeof name).toBe("string");
          valueText(snapshot.value);
          outlineOf(config, snapshot.value);
        }
      }),
    );
  });
});

describe("a machine's outline", () => {
  it("has nested and parallel states, the active ones marked, and every edge", () => {
    const config = {
      states: {
        Running: {
          type: "parallel",
          states: { App: { states: { Up: {}, Down: {} } }, Disk: { states: { Free: {} } } },
          on: { "desired.End": { target: "End", guard: { type: "isQuiet" } } },
          after: { startTimeout: "End" },
          invoke: { id: "backup", src: "backUp", onDone: "Running", onError: [{ target: "End" }] },
        },
        End: { type: "final" },
      },
    };
    const value = { Running: { App: "Up", Disk: "Free" } };
    const [running, end] = outlineOf(config, value);
    expect(valueText(value)).toBe("Running.App.Up, Running.Disk.Free");
    expect(end).toMatchObject({ name: "End", type: "final", active: false });
    expect(running).toMatchObject({ type: "parallel", active: true });
    expect(running?.states[0]?.states.map(({ name, active }) => [name, active])).toEqual([
      ["Up", true],
      ["Down", false],
    ]);
    expect(running?.edges).toEqual([
      { label: "desired.End [isQuiet]", targets: ["End"] },
      { label: "after startTimeout", targets: ["End"] },
      { label: "backup done", targets: ["Running"] },
      { label: "backup failed", targets: ["End"] },
    ]);
  });
});
