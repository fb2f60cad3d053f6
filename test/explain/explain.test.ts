// What is said about an object, from states that real cycles have written.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { explain, type ExplainInput } from "../../src/explain/explain.ts";
import type { Explanation } from "../../src/explain/explanation.ts";
import { formatLength } from "../../src/explain/length.ts";
import type { Child } from "../../src/meta/child.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { databaseLifecycle } from "../lifecycle/database-lifecycle.ts";
import { Life } from "../lifecycle/life.ts";

const type = {
  group: "data.example.com",
  version: "v1",
  kind: "Database",
  plural: "databases",
  namespaced: true,
};

interface ObjectChange {
  readonly metadata?: object;
  readonly status?: object;
}

/** The object as the cluster holds it after the cycles of a life. */
function objectOf(life: Life, { metadata = {}, status = {} }: ObjectChange = {}): KubeObject {
  const { desired, generation, conditions } = life;
  const state = desired.state === undefined ? {} : { desiredState: desired.state };
  const request = desired.request === undefined ? {} : { request: desired.request };
  return {
    apiVersion: "data.example.com/v1",
    kind: "Database",
    metadata: {
      name: "orders",
      namespace: "shop",
      uid: "u",
      resourceVersion: "1",
      generation,
      creationTimestamp: "2025-12-31T23:00:00Z",
      ...(life.deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
      ...metadata,
    },
    spec: { lifecycle: { ...state, ...request } },
    status: { conditions, observedGeneration: generation, lifecycle: life.status, ...status },
  } as KubeObject;
}

function explainLife(life: Life, more: Partial<ExplainInput> = {}, change?: ObjectChange): Explanation {
  const { graph } = life.lifecycle.index;
  return explain({
    object: objectOf(life, change),
    type,
    graph,
    children: [],
    events: [],
    now: life.now,
    ...more,
  });
}

function running(machine: LifecycleMachine = databaseLifecycle): Life {
  const life = new Life(machine, { policies: { backUp: { timeout: 7_200_000 } } });
  life.observed = "Running";
  life.settle();
  return life;
}

const child = (change: Partial<Child>): Child => ({
  kind: "ConfigMap",
  namespace: "shop",
  name: "settings",
  finalizers: [],
  blocksOwner: false,
  ...change,
});

describe("an explanation", () => {
  it("says at the end that a new target starts the application again", () => {
    const life = running();
    life.ask("End");
    life.settle();
    life.finish();
    life.settle();
    expect(life.state).toBe("End");
    const [waiting] = explainLife(life).awaited;
    expect(waiting).toMatchObject({ event: "lifecycle.begin", to: "Start", next: false });
    expect(waiting?.needs).toContain("a new target starts the application again");
    life.observed = undefined;
    life.ask("Running");
    expect(life.cycle().moved).toMatchObject({
      from: "End",
      to: "Start",
      cause: "the application starts again after its end: Running is desired",
    });
  });

  it("says where the object is, since when, and by which move", () => {
    const life = running();
    life.pass("90s");
    const { object, state, target, plan, blockers } = explainLife(life);
    expect(object).toEqual({
      kind: "Database",
      name: "orders",
      namespace: "shop",
      uid: "u",
      generation: 1,
      age: 3_690_000,
    });
    expect(state).toEqual({
      name: "Running",
      since: "2026-01-01T00:00:00.000Z",
      lasted: 90_000,
      last: { from: "Start", event: "observed.Running", cause: "the application is observed Running" },
      graph: "database@1",
    });
    expect(target).toEqual({ state: "Running", maintained: true, reached: true, deletion: false });
    expect({ plan, blockers }).toEqual({ plan: [], blockers: [] });
  });

  it("names the beginning of a life as inspectors see it", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    expect(explainLife(life).state?.last).toEqual({ event: "lifecycle.begin", cause: "the resource is new" });
  });

  it("shows the grace of a state among the timers", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "slow",
        version: "1",
        initial: "Start",
        states: { Start: { meta: { grace: "10m" }, on: { "observed.Up": "Up" } }, Up: {} },
      }),
    );
    life.settle();
    life.pass("4m");
    expect(explainLife(life).timers).toEqual([
      { state: "Start", delay: "grace", due: "2026-01-01T00:10:00.000Z", remaining: 360_000 },
      { state: "Start", delay: "grace, twice", due: "2026-01-01T00:20:00.000Z", remaining: 960_000 },
    ]);
  });

  it("names each edge, who takes it, what it needs, and the one that the plan takes next", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("4m");
    const { awaited, plan, timers } = explainLife(life);
    expect(plan).toEqual(["Running"]);
    expect(awaited).toEqual([
      {
        event: "observed.Running",
        to: "Running",
        taker: "observation",
        next: true,
        needs: "the application is observed as Running",
      },
      {
        event: "after.startTimeout",
        to: "HumanIntervention",
        taker: "timer",
        next: false,
        needs: "startTimeout elapses in 6m",
      },
    ]);
    expect(timers).toEqual([
      { state: "Start", delay: "startTimeout", due: "2026-01-01T00:10:00.000Z", remaining: 360_000 },
    ]);
  });

  it("shows tasks with progress, attempt and the time until their deadline", () => {
    const life = running();
    life.ask("Servicing", "nightly");
    life.settle();
    life.finish({ phase: "Running", progress: 0.42, message: "table 3" });
    life.cycle();
    life.pass("30m");
    const { tasks, awaited, target, accepted } = explainLife(life);
    expect(tasks).toEqual([
      {
        id: "backup",
        src: "backUp",
        phase: "Running",
        attempt: 1,
        progress: 0.42,
        message: "table 3",
        startedAt: "2026-01-01T00:00:00.000Z",
        deadline: "2026-01-01T02:00:00.000Z",
        remaining: 5_400_000,
      },
    ]);
    expect(awaited.map(({ event, needs }) => [event, needs])).toEqual([
      ["human.abort", "send it manually: xstate-operator send database/orders abort -n shop"],
      ["done.backup", "backup is done (Running, 42 %)"],
      ["error.backup", "backup fails permanently"],
    ]);
    expect(target).toMatchObject({
      state: "Servicing",
      request: "nightly",
      maintained: false,
      reached: false,
    });
    expect(accepted).toEqual(["abort", "pause"]);
  });

  it("says what made a target fail", () => {
    const life = running();
    life.ask("Servicing", "nightly");
    life.settle();
    life.finish({ phase: "Failed", message: "disk full" });
    life.settle();
    expect(explainLife(life).target).toMatchObject({ outcome: "failed", cause: "backup failed: disk full" });
  });

  it("lets time stand still while the object is paused", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("4m");
    life.human = { event: "pause", id: "1", by: "alice" };
    life.cycle();
    life.pass("3h");
    life.cycle();
    const { paused, timers, accepted, blockers } = explainLife(life);
    expect(paused).toEqual({ at: "2026-01-01T00:04:00.000Z", by: "alice", lasted: 10_800_000 });
    expect(timers).toMatchObject([{ remaining: 360_000 }]);
    expect(accepted).toEqual(["resume"]);
    expect(blockers).toEqual([
      {
        reason: "Paused",
        message: "it is paused by alice since 2026-01-01T00:04:00.000Z: no state changes and no writes",
        remedy: "xstate-operator send database/orders resume -n shop",
      },
    ]);
  });

  it("gives the reason why a person is needed, and what the person can do", () => {
    const life = running();
    life.ask("Servicing");
    life.settle();
    life.finish({ phase: "Failed", message: "disk full" });
    life.settle();
    expect(explainLife(life).blockers).toEqual([
      {
        reason: "InterventionRequired",
        message: "manual intervention required: backup failed: disk full",
        remedy: "Fix the cause, then run: xstate-operator send database/orders retry -n shop",
      },
    ]);
  });

  it("says which target of the spec has not been taken up, and that the operator is behind", () => {
    const life = running();
    life.ask("Servicing", "now");
    const { target, blockers } = explainLife(life, {}, { status: { observedGeneration: 1 } });
    expect(target).toMatchObject({ state: "Running", asked: { state: "Servicing", request: "now" } });
    expect(blockers).toMatchObject([
      {
        reason: "OperatorBehind",
        message: "the operator has observed generation 1; the spec is at generation 2",
      },
    ]);
  });

  it("names the guard that keeps the way closed", () => {
    const machine = setupLifecycle({ guards: { isIdle: () => false } }).createMachine({
      id: "guarded",
      version: "1",
      initial: "On",
      states: { On: { on: { "desired.Off": { target: "Off", guard: "isIdle" } } }, Off: {} },
    });
    const life = new Life(machine);
    life.settle();
    life.ask("Off");
    life.cycle();
    const { awaited, blockers } = explainLife(life);
    expect(awaited).toMatchObject([
      {
        event: "desired.Off",
        guard: "isIdle",
        next: false,
        needs: "taken by the operator, on the path to Off, once the guard isIdle opens; it is closed now",
      },
    ]);
    expect(blockers).toMatchObject([
      { reason: "TargetBlocked", message: expect.stringContaining("guard isIdle") },
    ]);
  });

  it("names what throws and keeps the way closed, and what to do about it", () => {
    const fail = (): never => {
      throw new Error("no size");
    };
    const life = running(
      setupLifecycle({ actions: { fail } }).createMachine({
        id: "throwing",
        version: "1",
        initial: "Running",
        states: {
          Running: { tags: ["stable"], on: { "desired.Idle": { target: "Idle", actions: "fail" } } },
          Idle: {},
        },
      }),
    );
    expect(explainLife(life).blockers).toEqual([]);
    life.ask("Idle");
    life.settle();
    const remedy = life.plans.at(-1)?.problems[0]?.remedy;
    expect(explainLife(life).blockers).toEqual([
      {
        reason: "LifecycleProblem",
        message: expect.stringMatching(
          /explain\.test\.ts:\d+:\d+: the action fail \(Running → Idle by desired\.Idle\) threw: no size$/,
        ),
        remedy,
      },
    ]);
    expect(remedy).toContain("Fix the action fail");
  });

  it("names the move that the status has no room for, and what to do about it", () => {
    const life = running(
      setupLifecycle({ actions: { grow: () => ({ filler: "x".repeat(9_000) }) } }).createMachine({
        id: "growing",
        version: "1",
        initial: "Running",
        states: { Running: { on: { "desired.Idle": { target: "Idle", actions: "grow" } } }, Idle: {} },
      }),
    );
    life.ask("Idle");
    life.settle();
    const { blockers, plan, target } = explainLife(life);
    expect(blockers).toMatchObject([{ reason: "LifecycleProblem" }]);
    expect(blockers[0]?.message).toContain("the move Running → Idle by desired.Idle is not made");
    expect(blockers[0]?.remedy).toContain("raise `snapshotBudget`");
    expect({ plan, state: target?.state }).toEqual({ plan: ["Idle"], state: "Idle" });
  });

  it("says that no path leads to the target", () => {
    const machine = setupLifecycle().createMachine({
      id: "split",
      version: "1",
      initial: "A",
      states: { A: { on: { "desired.B": "B", "desired.C": "C" } }, B: {}, C: { on: { "desired.B": "B" } } },
    });
    const life = new Life(machine);
    life.settle();
    life.ask("B");
    life.settle();
    life.ask("C");
    life.cycle();
    expect(explainLife(life).blockers).toMatchObject([
      { reason: "TargetBlocked", message: expect.stringContaining("no path leads from B to C") },
    ]);
  });

  it("says until when a way that has failed is left alone", () => {
    const machine = setupLifecycle().createMachine({
      id: "failing",
      version: "1",
      initial: "Off",
      states: {
        Off: { on: { "desired.On": "Starting" }, tags: "stable" },
        Starting: { invoke: { id: "start", src: "start", onDone: "On", onError: "Off" } },
        On: {},
      },
    });
    const life = new Life(machine);
    life.ask("On");
    life.settle();
    life.finish({ phase: "Failed", message: "no power" });
    life.settle();
    expect(explainLife(life).blockers).toMatchObject([
      { reason: "RetryLater", message: expect.stringContaining("no power") },
    ]);
  });

  it("tells of a failed reconciliation and of an application that cannot be observed", () => {
    const life = running();
    life.observationError = "connection refused";
    life.cycle();
    const failed = {
      type: "ReconciliationSuccess",
      status: "False",
      reason: "Error",
      message: "ConfigMap/settings: forbidden",
    };
    const { blockers } = explainLife(life, {}, { status: { conditions: [...life.conditions, failed] } });
    expect(blockers.map(({ reason, message }) => [reason, message])).toEqual([
      ["ReconciliationFailed", "the last reconciliation failed (Error): ConfigMap/settings: forbidden"],
      ["ApplicationUnobservable", expect.stringContaining("connection refused")],
    ]);
  });

  it("works for a kind without a lifecycle", () => {
    const { graph: _graph, ...input } = {
      graph: 0,
      object: objectOf(running()),
      type,
      children: [],
      events: [],
      now: 0,
    };
    const explanation = explain(input);
    expect(explanation).toMatchObject({ awaited: [], accepted: [], blockers: [] });
    expect(explanation.state).toBeUndefined();
    expect(explanation.target).toBeUndefined();
  });

  it("keeps the ten newest Events, and says what the cluster cannot tell", () => {
    const events = Array.from({ length: 12 }, (_, index) => ({
      type: "Normal",
      reason: `R${index}`,
      message: "",
      count: 1,
      lastSeen: `2026-01-01T00:00:${String(index).padStart(2, "0")}Z`,
    }));
    const explanation = explainLife(running(), { events, unknown: ["Children of secrets."] });
    expect(explanation.events.map(({ reason }) => reason)).toEqual([
      "R11",
      "R10",
      "R9",
      "R8",
      "R7",
      "R6",
      "R5",
      "R4",
      "R3",
      "R2",
    ]);
    expect(explanation.unknown[0]).toBe("Children of secrets.");
    expect(explanation.unknown.join(" ")).toContain(
      "Why it was last reconciled is known only to the running operator",
    );
    expect(explainLife(running(), { asked: true, runs: [] })).toMatchObject({ runs: [], unknown: [] });
  });

  it("never throws for anything that a status may hold", () => {
    const life = running();
    const parts = fc.dictionary(
      fc.constantFrom(
        "state",
        "since",
        "target",
        "plan",
        "tasks",
        "timers",
        "paused",
        "last",
        "snapshot",
        "digest",
      ),
      fc.jsonValue(),
    );
    const statuses = fc.record({ lifecycle: fc.oneof(parts, fc.jsonValue()), conditions: fc.jsonValue() });
    fc.assert(
      fc.property(statuses, (status) => {
        const explanation = explainLife(life, {}, { status });
        expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
      }),
    );
  });
});

describe("what holds a deletion", () => {
  const deleted = (): Life => {
    const life = running();
    life.deleting = true;
    life.settle();
    return life;
  };

  it("is our own finalizer with what it waits for, and each foreign one with who holds it", () => {
    const finalizers = [
      "databases.data.example.com/finalizer",
      "foregroundDeletion",
      "billing.example.org/invoice",
    ];
    const children = [child({ blocksOwner: true }), child({ name: "free" })];
    const { blockers, target } = explainLife(deleted(), { children }, { metadata: { finalizers } });
    expect(target).toMatchObject({ state: "End", deletion: true });
    expect(blockers.slice(0, 3)).toMatchObject([
      {
        reason: "Finalizer",
        finalizer: finalizers[0],
        message: expect.stringContaining("the application is in Stopping, and End remain"),
      },
      {
        reason: "Finalizer",
        finalizer: finalizers[1],
        message: expect.stringMatching(/the garbage collector.*: ConfigMap shop\/settings$/),
      },
      {
        reason: "Finalizer",
        finalizer: finalizers[2],
        message: `the finalizer ${finalizers[2]} of an unknown controller blocks the deletion`,
        remedy: expect.stringContaining("(billing.example.org)"),
      },
    ]);
  });

  it("is a task that was called off and cannot be ended, with what its cancel says", () => {
    const life = running();
    life.desired = { state: "Servicing" };
    life.settle();
    life.deleting = true;
    life.human = { event: "abort", id: "1" };
    for (let cycles = 0; cycles < 5 && life.cancels.length === 0; cycles += 1) life.cycle();
    const [key = ""] = life.cancels;
    life.reports = [{ key, kind: "cancelFailed", message: "the storage does not answer" }];
    life.human = undefined;
    life.cycle();
    expect(explainLife(life).blockers).toContainEqual({
      reason: "CancelFailed",
      message: expect.stringMatching(
        /^the task backUp was cancelled, but its cancel function fails: the storage does not answer; next attempt after 2026-01-01T/,
      ),
      remedy: expect.stringContaining("cancel"),
    });
    life.now += 60_000;
    life.settle();
    expect(explainLife(life).blockers.map(({ reason }) => reason)).not.toContain("CancelFailed");
  });

  it("is a task that did not succeed and cannot be compensated, with what its compensate says", () => {
    const life = running();
    life.policies["backUp"] = { attempts: 1, delay: 5_000, poll: 30_000, compensates: true };
    life.desired = { state: "Servicing" };
    life.settle();
    life.finish({ phase: "Failed", message: "no space" });
    life.clumsy = true;
    life.cycle();
    life.cycle();
    const explanation = explainLife(life);
    expect(explanation.tasks).toMatchObject([
      { id: "backup", phase: "Compensating", failure: "no space", message: "not yet" },
    ]);
    expect(explanation.blockers).toContainEqual({
      reason: "CompensateFailed",
      message: expect.stringMatching(
        /^the task backUp did not succeed, and its compensate function fails: not yet; next attempt after 2026-01-01T/,
      ),
      remedy: expect.stringContaining("compensate"),
    });
    life.now += 60_000;
    life.settle();
    expect(explainLife(life).blockers.map(({ reason }) => reason)).not.toContain("CompensateFailed");
  });

  it("is each finalizer of a child that is being deleted, and none of one that is not", () => {
    const children = [
      child({
        finalizers: ["a.example.org/x", "kubernetes.io/pvc-protection"],
        deletingSince: "2026-01-01T00:00:00Z",
      }),
      child({ name: "kept", finalizers: ["a.example.org/x"] }),
    ];
    const { blockers } = explainLife(deleted(), { children });
    const held = blockers.filter(({ reason }) => reason === "ChildFinalizer");
    expect(held.map(({ child: whose, finalizer }) => [whose?.name, finalizer])).toEqual([
      ["settings", "a.example.org/x"],
      ["settings", "kubernetes.io/pvc-protection"],
    ]);
    expect(held[1]?.message).toContain("until no pod uses the claim");
    expect(held[1]?.remedy).toBeUndefined();
  });

  it("is no finalizer while the object is not being deleted", () => {
    const finalizers = ["databases.data.example.com/finalizer"];
    expect(explainLife(running(), {}, { metadata: { finalizers } }).blockers).toEqual([]);
  });
});

describe("a length of time", () => {
  it.each([
    [0, "0s"],
    [999, "0s"],
    [8_000, "8s"],
    [60_000, "1m"],
    [725_000, "12m 5s"],
    [3_600_000, "1h"],
    [3_605_000, "1h"],
    [273_600_000, "3d 4h"],
    [-90_000, "-1m 30s"],
  ])("of %i ms reads %s", (milliseconds, text) => {
    expect(formatLength(milliseconds)).toBe(text);
  });
});
