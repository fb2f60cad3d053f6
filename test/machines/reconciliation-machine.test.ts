import { getShortestPaths } from "xstate/graph";
import { initialTransition, transition } from "xstate";
import { describe, expect, it } from "vitest";
import { reconciliationMachine, type ReconciliationEvent } from "../../machines/reconciliation-machine.ts";

type StageEvent = Exclude<ReconciliationEvent["type"], "request.received">;

const request = { type: "request.received", causes: [{ reason: "modified" }] } as const;

/** The stages of a run, the first one included. */
function pathOf(...events: readonly StageEvent[]): string[] {
  let [snapshot] = transition(reconciliationMachine, initialTransition(reconciliationMachine)[0], request);
  const path: string[] = [snapshot.value];
  for (const type of events) {
    [snapshot] = transition(reconciliationMachine, snapshot, { type });
    path.push(snapshot.value);
  }
  return path;
}

const ok: StageEvent = "stage.succeeded";
const failed: StageEvent = "stage.failed";
const gaveUp: StageEvent = "stage.gaveUp";

describe("reconciliation machine", () => {
  it("waits for the request, and goes through no stage without one", () => {
    const [requested] = initialTransition(reconciliationMachine);
    expect(requested.value).toBe("Requested");
    expect(requested.can(request)).toBe(true);
    expect(requested.can({ type: ok })).toBe(false);
  });

  it("visits the stages of a clean run in order", () => {
    expect(pathOf(ok, ok, ok, ok, ok)).toEqual([
      "CRChecker",
      "ObjectsGetter",
      "Mutator",
      "Updater",
      "SuccessManager",
      "End",
    ]);
  });

  it.each([
    ["CRChecker", []],
    ["ObjectsGetter", [ok]],
    ["Mutator", [ok, ok]],
    ["Updater", [ok, ok, ok]],
    ["SuccessManager", [ok, ok, ok, ok]],
    ["CRFinalizer", ["stage.finalizing"]],
  ] as const)("leads from %s to ErrorManager on a failure, and to GiveUp on a give-up", (stage, before) => {
    expect(pathOf(...before, failed, ok)).toEqual([...pathOf(...before), "ErrorManager", "End"]);
    expect(pathOf(...before, gaveUp, ok)).toEqual([...pathOf(...before), "GiveUp", "End"]);
    expect(pathOf(...before).at(-1)).toBe(stage);
  });

  it("tells the reason of a give-up before it gives up", () => {
    expect(pathOf(ok, ok, ok, failed, gaveUp, ok).slice(-3)).toEqual(["ErrorManager", "GiveUp", "End"]);
  });

  it("goes on with the resources of the new state when the application has moved, from Updater only", () => {
    expect(pathOf(ok, ok, ok, "stage.moved", ok, ok, ok, ok).slice(3)).toEqual([
      "Updater",
      "ObjectsGetter",
      "Mutator",
      "Updater",
      "SuccessManager",
      "End",
    ]);
    expect(pathOf(ok, ok, "stage.moved").at(-1)).toBe("Mutator");
  });

  it("finalizes only from CRChecker", () => {
    expect(pathOf("stage.finalizing", ok)).toEqual(["CRChecker", "CRFinalizer", "End"]);
    expect(pathOf(ok, "stage.finalizing").at(-1)).toBe("ObjectsGetter");
  });

  it("ends at once when there is nothing to do", () => {
    expect(pathOf("stage.nothingToDo")).toEqual(["CRChecker", "End"]);
  });

  it("reaches every state, and from each the end, in at most eight moves", () => {
    const found = (["stage.finalizing", "stage.nothingToDo", "stage.moved", ok, failed, gaveUp] as const).map(
      (type) => ({
        type,
      }),
    );
    const events = [request, ...found];
    const paths = getShortestPaths(reconciliationMachine, { events });
    const reached = new Set(paths.map((path) => path.state.value));
    expect([...reached].sort()).toEqual(Object.keys(reconciliationMachine.states).sort());
    expect(Math.max(...paths.map((path) => path.steps.length))).toBeLessThanOrEqual(8);
  });

  it("accepts nothing after the end", () => {
    expect(pathOf("stage.nothingToDo", ok, failed).slice(1)).toEqual(["End", "End", "End"]);
  });

  it("describes every state and every edge, for whoever opens it in an editor", () => {
    for (const state of Object.values(reconciliationMachine.config.states ?? {})) {
      expect(state.description).toMatch(/\.$/);
      for (const edge of Object.values(state.on ?? {})) expect(edge).toHaveProperty("description");
    }
  });
});
