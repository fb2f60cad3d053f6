// The walk through a whole life, the order of events, and what a cycle contains.
import { describe, expect, it } from "vitest";
import { assign, createMachine } from "xstate";
import { applicationLifecycle, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { placeOfError } from "../../src/ports/author-code.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

describe("the cycle of an application", () => {
  it("walks through start, run, service, stop and end, one state a cycle", () => {
    const life = new Life(databaseLifecycle);
    const first = life.cycle();
    expect(first.moved).toMatchObject({ to: "Start" });
    expect(first.operation).toBe("create");
    expect(life.condition).toMatchObject({ status: "False", reason: "Start" });
    life.observed = "Running";
    expect(life.cycle().operation).toBe("update");
    life.settle();
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
    life.ask("Servicing", "nightly");
    life.settle();
    expect(life.state).toBe("Servicing");
    life.finish();
    life.settle();
    expect(life.state).toBe("Running");
    life.deleting = true;
    life.settle();
    life.finish();
    const plans = life.settle();
    expect(plans.map((plan) => plan.operation)).toContain("delete");
    expect(life.path).toEqual(["Start", "Running", "Servicing", "Running", "Stopping", "End"]);
    expect(life.starts).toHaveLength(2);
  });

  it("writes nothing once it is settled, however often it runs", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    const { status, conditions } = life;
    for (let round = 0; round < 20; round += 1) {
      life.pass("17m");
      const plan = life.cycle();
      expect(plan.status).toEqual(status);
      expect(plan.effects).toEqual([]);
      expect(plan.pendingEvents).toEqual([]);
      expect(plan.requeueAfter).toBe(60_000);
    }
    expect(life.conditions).toBe(conditions);
  });

  it("is not asked for again where nothing polls", () => {
    const life = new Life(databaseLifecycle, { observationPoll: 0 });
    life.observed = "Running";
    life.settle();
    expect(life.cycle().requeueAfter).toBeUndefined();
  });

  it("looks ever later while the target is not reached", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    const delays = [1, 3, 10, 30, 60, 200].map((seconds) => {
      life.now = Date.parse("2026-01-01T00:00:00Z") + seconds * 1_000;
      return life.cycle().requeueAfter;
    });
    expect(delays).toEqual([1_000, 3_000, 10_000, 30_000, 60_000, 60_000]);
  });

  it("shows the remaining way as the plan, and goes one edge a cycle", () => {
    const life = new Life(databaseLifecycle);
    life.ask("End");
    life.cycle();
    expect(life.status?.plan).toEqual(["Running", "Stopping", "End"]);
    expect(life.condition.message).toBe(
      "Start; End is desired, next is Running by observed.Running, once it is observed",
    );
    life.observed = "Running";
    life.cycle();
    expect(life.status?.plan).toEqual(["Stopping", "End"]);
    life.cycle();
    expect(life.state).toBe("Stopping");
  });

  it("misses nothing when it is run only now and then", () => {
    const often = new Life(databaseLifecycle);
    const rarely = new Life(databaseLifecycle);
    for (const seen of ["Starting", "Running", "Down", "Starting", "Running"]) {
      often.observed = seen;
      often.cycle();
    }
    rarely.observed = "Running";
    rarely.settle();
    often.settle();
    expect(rarely.state).toBe(often.state);
    expect(rarely.condition.message).toBe(often.condition.message);
  });

  it("tells each move as an Event, a move to a person as a warning", () => {
    const life = new Life(databaseLifecycle);
    expect(life.cycle().pendingEvents).toContainEqual({
      type: "Normal",
      reason: "StateChanged",
      message: "entered Start: the resource is new",
    });
    life.pass("1h");
    expect(life.cycle().pendingEvents).toContainEqual({
      type: "Warning",
      reason: "StateChanged",
      message: "Start → HumanIntervention by after.startTimeout: startTimeout elapsed",
    });
  });

  it("drives the lifecycle that every operator has by default", () => {
    const life = new Life(applicationLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("Servicing");
    life.settle();
    life.finish();
    life.settle();
    life.deleting = true;
    life.settle();
    life.finish();
    life.settle();
    expect(life.path).toEqual(["Start", "Running", "Servicing", "Running", "Stopping", "End"]);
  });
});

describe("the order of events", () => {
  const crossroads = setupLifecycle().createMachine({
    id: "crossroads",
    version: "1",
    initial: "Here",
    states: {
      Here: {
        invoke: { id: "work", src: "work", onDone: "Task", onError: "HumanIntervention" },
        on: {
          "human.go": "Human",
          "observed.Seen": "Observed",
          "config.changed": "Config",
          "desired.Desired": "Desired",
        },
        after: { "1m": "Timer" },
      },
      Human: {},
      Task: {},
      Observed: {},
      Config: {},
      Timer: {},
      Desired: {},
    },
  });

  it("is human, task, observed, config, timer, desired", () => {
    const levels: readonly ((life: Life) => void)[] = [
      (life) => life.send("go"),
      (life) => life.finish(),
      (life) => (life.observed = "Seen"),
      (life) => life.edit("changed"),
      (life) => life.pass("1h"),
      (life) => life.ask("Desired"),
    ];
    const reached = levels.map((_, first) => {
      const life = new Life(crossroads);
      life.cycle();
      life.cycle();
      for (const level of levels.slice(first)) level(life);
      life.cycle();
      return life.state;
    });
    expect(reached).toEqual(["Human", "Task", "Observed", "Config", "Timer", "Desired"]);
  });
});

describe("an observation", () => {
  it("moves the application out of a state that it contradicts, in one cycle", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.observed = "Down";
    expect(life.cycle().moved).toMatchObject({ from: "Running", to: "Start", event: "observed.Down" });
    expect(life.condition.status).toBe("False");
  });

  it("leads out of a failed state as soon as the cause is gone", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "probed",
        version: "1",
        initial: "Running",
        states: {
          Running: { on: { "observed.Failed": "Failed" } },
          Failed: { on: { "observed.Running": "Running" } },
        },
      }),
    );
    life.observed = "Failed";
    life.settle();
    expect(life.state).toBe("Failed");
    life.observed = "Running";
    expect(life.cycle().moved).toMatchObject({ to: "Running" });
  });

  it("that is missing keeps the state, and the condition says that it is unknown", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.observed = undefined;
    life.observationError = "connection refused";
    const plan = life.cycle();
    expect(plan.moved).toBeUndefined();
    expect(life.condition).toMatchObject({ status: "Unknown", reason: "Running" });
    expect(life.condition.message).toContain("connection refused");
    expect(plan.requeueAfter).toBe(1_000);
  });

  it("that leads back to the same state is no move, so that nothing repeats", () => {
    const life = new Life(
      setupLifecycle({ effects: ["page"] }).createMachine({
        id: "looping",
        version: "1",
        initial: "Running",
        states: {
          Running: { on: { "observed.Busy": { target: "Running", reenter: true, actions: "page" } } },
        },
      }),
    );
    life.observed = "Busy";
    life.settle();
    const plan = life.cycle();
    expect(plan.moved).toBeUndefined();
    expect(plan.effects).toEqual([]);
  });
});

type Drawn = Readonly<Record<string, object>>;

describe("what an author wrote and what fails in it", () => {
  it("gives guards the spec and the facts", () => {
    const seen: unknown[] = [];
    const life = new Life(
      setupLifecycle<{ spec: { hash: string } }>()
        .extend({
          guards: {
            isChanged: ({ event }) => {
              seen.push(event.spec, event.facts);
              return event.spec.hash === "wanted";
            },
          },
        })
        .createMachine({
          id: "typed",
          version: "1",
          initial: "A",
          states: { A: { on: { "observed.Up": { target: "B", guard: "isChanged" } } }, B: {} },
        }),
    );
    life.observed = "Up";
    life.settle();
    expect(life.state).toBe("A");
    life.edit("wanted");
    life.settle();
    expect(life.state).toBe("B");
    expect(seen).toContainEqual({ hash: "wanted" });
    expect(seen).toContainEqual({});
  });

  it.each(["guard", "action"])("contains a %s that throws, and stays at the last good snapshot", (which) => {
    const fail = (): never => {
      throw new Error("bad author");
    };
    const life = new Life(
      setupLifecycle({ guards: { fail }, actions: { fail } }).createMachine({
        id: "throwing",
        version: "1",
        initial: "A",
        context: { count: 1 },
        states: {
          A: {
            on: {
              "observed.Up":
                which === "guard" ? { target: "B", guard: "fail" } : { target: "B", actions: "fail" },
              "desired.C": "C",
            },
          },
          B: {},
          C: {},
        },
      }),
    );
    life.observed = "Up";
    life.settle();
    const plan = life.cycle();
    expect(plan.problems).toMatchObject([{ code: "MACHINE_FAILED", severity: "error" }]);
    expect(life.condition).toMatchObject({ status: "False", reason: "A" });
    expect(life.condition.message).toContain("bad author");
    expect(life.status?.snapshot.context).toEqual({ count: 1 });
    life.ask("C");
    life.settle();
    expect(life.state).toBe("C");
  });

  /** Where the function of {@link failing} throws. */
  let thrownAt = "";
  const caughtFrom = (act: () => void): unknown => {
    try {
      return act();
    } catch (error) {
      return error;
    }
  };

  const late = (): Promise<boolean> => Promise.reject(new Error("nobody waits for this"));

  const failing = ({
    A: first = { on: { "desired.B": "B", "observed.Odd": "C" } },
    ...states
  }: Drawn): Life => {
    const fail = (): never => {
      throw new TypeError("no size");
    };
    thrownAt = placeOfError(caughtFrom(fail)) ?? "";
    const life = new Life(
      setupLifecycle({
        guards: { fail, late: late as never, vague: () => 1 as never },
        delays: { late: late as never },
        actions: {
          fail,
          late: late as never,
          text: () => "done" as never,
          date: () => ({ at: { last: new Date(0) } }) as never,
          gap: () => ({ at: undefined }) as never,
        },
      }).createMachine({
        id: "throwing",
        version: "1",
        initial: "A",
        states: { A: { tags: ["stable"], ...first }, B: {}, C: {}, ...states },
      }),
    );
    life.observed = "Up";
    life.settle();
    return life;
  };

  it.each([
    ["action fail (A → B by desired.B)", { A: { on: { "desired.B": { target: "B", actions: "fail" } } } }],
    ["action fail (entering B)", { B: { entry: "fail" } }],
    ["action fail (leaving A)", { A: { on: { "desired.B": "B" }, exit: "fail" } }],
    ["guard fail (A → B by desired.B)", { A: { on: { "desired.B": { target: "B", guard: "fail" } } } }],
    ["guard fail (B → C by always)", { B: { always: { target: "C", guard: "fail" } } }],
    ["action fail (B → C by always)", { B: { always: { target: "C", actions: "fail" } } }],
  ])("names what throws, as a problem with a remedy: the %s", (what, states) => {
    const life = failing(states);
    expect(life.conditions.find(({ type }) => type === "LifecycleProblem")).toBeUndefined();
    life.observed = undefined;
    life.ask("B");
    const plan = life.settle().at(-1);
    expect(life.state).toBe("A");
    const said = `the ${what} threw: no size`;
    expect(thrownAt).toMatch(/cycle\.test\.ts:\d+:\d+$/);
    expect(plan?.problems).toMatchObject([
      { code: "MACHINE_FAILED", state: "A", message: said, where: thrownAt },
    ]);
    expect(plan?.problems[0]?.remedy).toContain(`Fix the ${what.split(" (")[0] ?? ""}`);
    expect(life.condition).toMatchObject({ status: "False", reason: "A" });
    expect(life.condition.message).toBe(
      `A; desired.B cannot be taken, so B is not reached; ${thrownAt}: ${said}`,
    );
    expect(life.conditions.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      message: `the lifecycle cannot go on: ${thrownAt}: ${said}`,
    });
    expect(life.conditions.find(({ type }) => type === "LifecycleProblem")).toMatchObject({
      status: "True",
      reason: "MachineFailed",
      message: `${thrownAt}: ${said}. What to do: ${plan?.problems[0]?.remedy ?? ""}`,
    });
    life.ask("A");
    life.settle();
    expect(life.condition.status).toBe("True");
    expect(life.conditions.map(({ type, status }) => [type, status])).toContainEqual(["Ready", "True"]);
    expect(life.conditions.find(({ type }) => type === "LifecycleProblem")).toBeUndefined();
  });

  it.each<[what: string, states: Drawn, remedy: RegExp]>([
    [
      "guard late (A → B by desired.B) returned a promise, which a machine does not wait for",
      { A: { on: { "desired.B": { target: "B", guard: "late" } } } },
      /plain function: compute the value before, in observe/,
    ],
    [
      "inline guard (A → B by desired.B) returned a promise, which a machine does not wait for",
      { A: { on: { "desired.B": { target: "B", guard: late } } } },
      /plain function: compute the value before, in observe/,
    ],
    [
      "action late (entering B) returned a promise, which a machine does not wait for",
      { B: { entry: "late" } },
      /plain function: work that takes time belongs in a task/,
    ],
    [
      "inline action (A → B by desired.B) returned a promise, which a machine does not wait for",
      { A: { on: { "desired.B": { target: "B", actions: assign(late as never) } } } },
      /plain function: work that takes time belongs in a task/,
    ],
    [
      "guard vague (A → B by desired.B) returned 1, but must return true or false",
      { A: { on: { "desired.B": { target: "B", guard: "vague" } } } },
      /Return a comparison/,
    ],
    [
      "action date (entering B) returned a Date in at.last, which is not plain JSON",
      { B: { entry: "date" } },
      /Return text, finite numbers/,
    ],
    [
      "action gap (entering B) returned undefined in at, which is not plain JSON",
      { B: { entry: "gap" } },
      /null clears a field/,
    ],
    [
      'action text (leaving A) returned "done", but must return the fields of the context that change',
      { A: { on: { "desired.B": "B" }, exit: "text" } },
      /Return an object such as/,
    ],
  ])("refuses a result that a machine cannot use: the %s", (said, states, remedy) => {
    const life = failing(states);
    life.ask("B");
    const plan = life.settle().at(-1);
    expect(life.state).toBe("A");
    expect(plan?.problems).toMatchObject([{ code: "MACHINE_FAILED", state: "A", message: `the ${said}` }]);
    expect(plan?.problems[0]?.remedy).toMatch(remedy);
    expect(life.status?.snapshot.context).toEqual({});
  });

  it("names a delay that returns a promise", () => {
    const life = failing({ B: { after: { late: "C" } } });
    life.ask("B");
    const problems = life.settle().flatMap((plan) => plan.problems);
    expect(problems[0]?.message).toBe("the delay late returned a promise, which a machine does not wait for");
    expect(problems[0]?.remedy).toContain("Delays must be pure, synchronous functions");
  });

  it("gives a guard that is written into the machine the spec on every event", () => {
    const isReady = ({ event }: { readonly event: object }): boolean =>
      (event as { readonly spec?: { readonly ready?: boolean } }).spec?.ready === true;
    const life = failing({
      A: { on: { "desired.B": "B" } },
      B: {
        initial: "Inside",
        states: { Inside: { type: "final" } },
        onDone: { target: "C", guard: isReady },
      },
    });
    life.spec = { ready: true };
    life.ask("B");
    life.settle();
    expect(life.state).toBe("C");
  });

  it("takes another path around an edge that cannot be taken", () => {
    const life = failing({
      A: { on: { "desired.B": { target: "B", actions: "fail" }, "desired.C": "C" } },
      C: { on: { "desired.B": "B", "desired.A": "A" } },
    });
    life.ask("B");
    life.settle();
    expect(life.path.slice(-2)).toEqual(["C", "B"]);
    expect(life.condition.status).toBe("True");
  });

  it("contains a context function that throws", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "unborn",
        version: "1",
        initial: "A",
        context: () => {
          throw new Error("no context");
        },
        states: { A: {} },
      }),
    );
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("no context");
  });

  it("contains a delay that throws", () => {
    const machine = createMachine(
      { id: "late", version: "1", initial: "A", states: { A: { after: { fail: "B" } }, B: {} } },
      {
        delays: {
          fail: () => {
            throw new Error("bad delay");
          },
        },
      },
    );
    const life = new Life(machine);
    expect(life.cycle().problems).toMatchObject([{ code: "MACHINE_FAILED" }]);
    expect(life.state).toBe("A");
    expect(life.condition.message).toContain("bad delay");
  });

  it("contains a circle of edges that the graph takes by itself", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "circling",
        version: "1",
        initial: "A",
        states: { A: { on: { "desired.B": "B" } }, B: { always: "C" }, C: { always: "B" } },
      }),
    );
    life.ask("B");
    life.settle();
    expect(life.state).toBe("A");
    expect(life.plans.at(-1)?.problems[0]?.message).toContain("Infinite loop");
  });

  it("takes an edge of the graph itself when its guard opens later", () => {
    const life = new Life(
      setupLifecycle<{ spec: { hash: string } }>()
        .extend({
          guards: { isOpen: ({ event }) => event.spec.hash === "open" },
        })
        .createMachine({
          id: "waiting",
          version: "1",
          initial: "A",
          states: { A: { always: { target: "B", guard: "isOpen" } }, B: {} },
        }),
    );
    life.settle();
    expect(life.state).toBe("A");
    life.edit("open");
    life.settle();
    expect(life.state).toBe("B");
  });

  it("returns effects by name, and changes of the context in the snapshot", () => {
    const life = new Life(
      setupLifecycle({
        actions: { count: ({ context }) => ({ visits: Number(context["visits"]) + 1 }) },
        effects: ["notify"],
      }).createMachine({
        id: "acting",
        version: "1",
        initial: "A",
        context: { visits: 0 },
        states: {
          A: { on: { "observed.Up": { target: "B", actions: ["count", "notify"] } } },
          B: { entry: "count" },
        },
      }),
    );
    life.cycle();
    life.observed = "Up";
    const plan = life.cycle();
    expect(plan.effects).toEqual([{ kind: "runAction", action: { name: "notify" } }]);
    expect(plan.status?.snapshot.context).toEqual({ visits: 2 });
  });

  const growing = (more: object = {}): Life => {
    const life = new Life(
      setupLifecycle({
        actions: { grow: () => ({ filler: "x".repeat(9_000) }) },
        effects: ["notify"],
      }).createMachine({
        id: "growing",
        version: "1",
        initial: "A",
        states: {
          A: {
            tags: ["stable"],
            on: {
              "observed.Up": { target: "B", actions: ["grow", "notify"] },
              "desired.B": { target: "B", actions: "grow" },
              "human.grow": { target: "B", actions: "grow" },
              "config.changed": { target: "B", actions: "grow" },
            },
          },
          B: {},
          ...more,
        },
      }),
    );
    life.cycle();
    return life;
  };
  const conditionOf = (life: Life, name: string) => life.conditions.find(({ type }) => type === name);

  it("does not make a move whose snapshot is above the budget, and says which edge, why, and what to do", () => {
    const life = growing();
    const { snapshot } = life.status ?? {};
    life.observed = "Up";
    const plan = life.cycle();
    expect(plan.effects).toEqual([]);
    expect(plan.moved).toBeUndefined();
    expect(life.status).toMatchObject({ state: "A", snapshot });
    expect(plan.problems).toMatchObject([{ code: "SNAPSHOT_TOO_LARGE", severity: "error", state: "A" }]);
    const said =
      /^the move A → B by observed.Up is not made: status.lifecycle would take \d+ bytes, the budget is 8192; most of it is snapshot.context.filler with 9002$/;
    expect(plan.problems[0]?.message).toMatch(said);
    expect(plan.problems[0]?.remedy).toContain("raise `snapshotBudget`");
    expect(life.condition).toMatchObject({ status: "False", reason: "A" });
    expect(life.condition.message).toContain("the move A → B by observed.Up is not made");
    expect(conditionOf(life, "Ready")).toMatchObject({ status: "False", reason: "A" });
    expect(conditionOf(life, "LifecycleProblem")).toMatchObject({
      status: "True",
      reason: "SnapshotTooLarge",
    });
    expect(plan.pendingEvents).toMatchObject([{ type: "Warning", reason: "LifecycleBlocked" }]);
    expect(life.cycle().pendingEvents).toEqual([]);
    life.observed = undefined;
    life.cycle();
    expect(conditionOf(life, "Ready")).toMatchObject({ status: "True" });
    expect(conditionOf(life, "LifecycleProblem")).toBeUndefined();
  });

  it("adopts the target whose next move does not fit, and plans for it", () => {
    const life = growing();
    life.ask("B", "now");
    life.settle();
    expect(life.status).toMatchObject({ state: "A", target: { state: "B", request: "now" }, plan: ["B"] });
    expect(life.condition.message).toMatch(
      /^A; desired.B cannot be taken, so B is not reached; the move A → B by desired.B is not made/,
    );
  });

  it("refuses a person's event whose move does not fit, and tells a changed spec again", () => {
    const life = growing();
    life.send("grow");
    expect(life.cycle().pendingEvents).toContainEqual(
      expect.objectContaining({ reason: "HumanEventRefused" }),
    );
    expect(life.status?.human).toMatchObject({ event: "grow", accepted: false });
    life.edit("spec-2");
    for (let round = 0; round < 3; round += 1) {
      const { problems } = life.cycle();
      expect(problems[0]?.message).toContain("A → B by config.changed");
    }
  });

  it("changes nothing stored when even staying does not fit", () => {
    const life = growing();
    const { status } = life;
    const snapshot = { ...status?.snapshot, context: { filler: "y".repeat(9_000) } };
    life.store({ ...status, snapshot, digest: undefined });
    const stored = life.status;
    life.observed = "Up";
    const plan = life.cycle();
    expect(plan).toMatchObject({ status: undefined, effects: [] });
    expect(plan.moved).toBeUndefined();
    expect(life.status).toBe(stored);
    expect(life.condition).toMatchObject({ status: "False", reason: "A" });
    expect(plan.problems.at(-1)?.message).toMatch(
      /the previous one stays; most of it is snapshot.context.filler with \d+$/,
    );
    expect(conditionOf(life, "Ready")).toMatchObject({ status: "False" });
    expect(conditionOf(life, "LifecycleProblem")).toMatchObject({ status: "True" });
    expect(plan.pendingEvents.map(({ reason }) => reason)).toContain("LifecycleBlocked");
    expect(life.cycle().pendingEvents).toEqual([]);
  });
});
