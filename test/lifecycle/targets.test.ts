// Stable targets are maintained, transient ones reached once; nothing repeats by itself.
import { beforeEach, describe, expect, it } from "vitest";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

function running(machine: LifecycleMachine = databaseLifecycle, options = {}): Life {
  const life = new Life(machine, { options });
  life.observed = "Running";
  life.settle();
  expect(life.state).toBe("Running");
  return life;
}

describe("a target for a stable state", () => {
  it("is Running when nothing is desired", () => {
    const life = running();
    expect(life.status?.target).toEqual({ state: "Running", generation: 1, reached: true });
  });

  it("is maintained: the application leads back to it whenever it is elsewhere", () => {
    const life = running();
    for (let round = 0; round < 3; round += 1) {
      life.observed = "Down";
      life.cycle();
      expect(life.state).toBe("Start");
      expect(life.condition.status).toBe("False");
      expect(life.status?.plan).toEqual(["Running"]);
      life.observed = "Running";
      life.settle();
      expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
    }
  });

  it("begins a new life after the end", () => {
    const life = running();
    life.ask("End");
    life.settle();
    life.finish();
    life.settle();
    expect(life.condition).toMatchObject({ status: "True", reason: "End" });
    const before = life.path.length;
    life.ask("Running");
    const plan = life.cycle();
    expect(plan.moved).toMatchObject({ from: "End", to: "Start" });
    expect(plan.operation).toBe("create");
    life.settle();
    expect(life.path.slice(before)).toEqual(["Start", "Running"]);
  });

  describe("from which a person turns back", () => {
    const moving = setupLifecycle().createMachine({
      id: "moving",
      version: "1",
      initial: "Here",
      states: {
        Here: {
          tags: ["stable"],
          on: { "desired.There": "Leaving", "desired.End": "Leaving", "observed.Arrived": "There" },
        },
        Leaving: {
          on: {
            "observed.Away": "Away",
            "human.abort": "Here",
            "human.again": { target: "Leaving", reenter: true },
            "human.prepare": "Preparing",
            "human.rollback": "RollingBack",
            "human.skip": "Away",
          },
        },
        // The graph leads on from here by itself.
        Preparing: { on: { "observed.Prepared": "Leaving" } },
        RollingBack: { invoke: { id: "rollBack", src: "rollBack", onDone: "Here" } },
        Away: { on: { "desired.There": "There", "desired.End": "End" } },
        There: { on: { "human.back": "Here" } },
        End: { type: "final" },
      },
    });

    function leaving(): Life {
      const life = new Life(moving);
      life.ask("There");
      life.settle();
      expect(life.state).toBe("Leaving");
      return life;
    }

    it("is given up, until it is asked for again", () => {
      const life = leaving();
      life.send("abort");
      life.settle();
      for (let round = 0; round < 5; round += 1) life.cycle();
      expect(life.state).toBe("Here");
      expect(life.status).toMatchObject({ target: { outcome: "aborted", reached: false }, plan: [] });
      expect(life.condition).toMatchObject({ status: "False", reason: "Here" });
      life.ask("There", "again");
      life.settle();
      expect(life.state).toBe("Leaving");
      expect(life.status?.target).not.toHaveProperty("outcome");
    });

    it("is given up also where work of its own leads back", () => {
      const life = leaving();
      life.send("rollback");
      life.settle();
      expect(life.status).toMatchObject({ state: "RollingBack", target: { outcome: "aborted" } });
      life.finish();
      for (let round = 0; round < 5; round += 1) life.cycle();
      expect(life.condition).toMatchObject({
        reason: "Here",
        message:
          "There was ended by human.rollback; now Here; change spec.lifecycle.request to request it again",
      });
    });

    it("is reached all the same when the application is observed there", () => {
      const life = leaving();
      life.send("abort");
      life.settle();
      life.observed = "Arrived";
      life.settle();
      expect(life.state).toBe("There");
      expect(life.status?.target).toMatchObject({ reached: true });
      expect(life.status?.target).not.toHaveProperty("outcome");
    });

    it.each([
      ["again", "Leaving"],
      ["skip", "There"],
      ["prepare", "Preparing"],
    ])("goes on when %s leads on", (event, state) => {
      const life = leaving();
      life.send(event);
      life.settle();
      expect(life.state).toBe(state);
      expect(life.status?.target).not.toHaveProperty("outcome");
    });

    it("is maintained once it is reached", () => {
      const life = leaving();
      life.send("skip");
      life.settle();
      life.send("back");
      life.settle();
      expect(life.state).toBe("Leaving");
    });

    it("is overridden by a deletion, which nobody turns back", () => {
      const life = leaving();
      life.deleting = true;
      life.cycle();
      life.send("abort");
      life.settle();
      expect(life.state).toBe("Leaving");
      expect(life.status?.target).not.toHaveProperty("outcome");
      life.observed = "Away";
      life.settle();
      expect(life.state).toBe("End");
    });
  });

  it("stays at the end while the end is desired", () => {
    const life = running();
    life.ask("End");
    life.settle();
    life.finish();
    life.settle();
    const { status } = life;
    for (let round = 0; round < 5; round += 1) life.cycle();
    expect(life.status).toEqual(status);
  });
});

describe("a target for a transient state", () => {
  let life: Life;
  beforeEach(() => {
    life = running();
    life.ask("Servicing", "nightly");
    life.settle();
  });

  const fulfil = (): void => {
    life.finish();
    life.settle();
  };

  it("names its state, request and generation in the status", () => {
    expect(life.status?.target).toEqual({
      state: "Servicing",
      request: "nightly",
      generation: 2,
      reached: false,
      entered: true,
    });
  });

  it("is reached once its work is done, and says so", () => {
    fulfil();
    expect(life.condition).toMatchObject({ status: "True", reason: "Running", observedGeneration: 2 });
    expect(life.condition.message).toBe('Servicing was done for "nightly"; now Running');
  });

  it("never repeats, over any number of cycles, restarts and changes of the spec", () => {
    fulfil();
    for (let round = 0; round < 10; round += 1) {
      life.pass("1h");
      life.edit(`spec-${round}`);
      life.reports = [];
      life.cycle(round % 2 === 0 ? "beforeWrite" : undefined);
    }
    expect(life.starts).toHaveLength(1);
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
  });

  it("is asked for again by a changed request", () => {
    fulfil();
    life.ask("Servicing", "weekly");
    life.settle();
    expect(life.state).toBe("Servicing");
    expect(life.starts).toHaveLength(2);
    expect(new Set(life.starts).size).toBe(2);
  });

  it("is asked for again after something else was desired in between", () => {
    fulfil();
    life.ask("Running");
    life.settle();
    life.ask("Servicing", "nightly");
    life.settle();
    expect(life.starts).toHaveLength(2);
  });

  it("rests where the graph leads and is not driven anywhere from there", () => {
    fulfil();
    life.observed = "Down";
    life.settle();
    expect(life.state).toBe("Start");
    life.observed = undefined;
    for (let round = 0; round < 5; round += 1) expect(life.cycle().moved).toBeUndefined();
  });

  it("is given up when its work fails, and tried again by human.retry alone", () => {
    life.finish({ phase: "Failed", message: "disk full" });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.status?.target).toMatchObject({ outcome: "failed", reached: false });
    expect(life.condition.message).toContain("disk full");
    life.pass("1d");
    for (let round = 0; round < 5; round += 1) life.cycle();
    expect(life.starts).toHaveLength(1);
    life.send("retry");
    life.settle();
    expect(life.path.slice(-3)).toEqual(["Start", "Running", "Servicing"]);
    expect(life.starts).toHaveLength(2);
    fulfil();
    expect(life.condition.status).toBe("True");
  });

  it.each([
    [
      "out of an intervention to where something leads on",
      { HumanIntervention: { "human.again": "Start" } },
      ["Start", "Running", "Servicing"],
    ],
    [
      "out of an intervention into its state",
      { HumanIntervention: { "human.go": "Servicing" } },
      ["Servicing"],
    ],
    [
      "out of a stable state into its state",
      { HumanIntervention: { "human.skip": "Running" }, Running: { "human.do": "Servicing" } },
      ["Running", "Servicing"],
    ],
  ])("is asked for again by a person who leads %s, whatever the event is called", (_how, edges, path) => {
    const other = failedService(edges);
    const before = other.path.length;
    for (const event of eventsIn(edges)) {
      expect(other.starts).toHaveLength(1);
      other.send(event);
      other.observed = "Running";
      other.settle();
    }
    expect(other.path.slice(before)).toEqual(path);
    expect(other.starts).toHaveLength(2);
    other.finish();
    other.settle();
    expect(other.status?.target).toMatchObject({ state: "Servicing", reached: true });
    expect(other.starts).toHaveLength(2);
  });

  it("is not asked for again by a person who leads past it to a state of rest, even by retry", () => {
    const other = failedService({ HumanIntervention: { "human.retry": "Running" } });
    other.send("retry");
    other.settle();
    expect(other.state).toBe("Running");
    expect(other.status?.target).toMatchObject({ state: "Servicing", outcome: "failed" });
    expect(other.starts).toHaveLength(1);
  });

  it("is given up when a person ends it", () => {
    life.send("abort");
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.target).toMatchObject({ outcome: "aborted" });
    expect(life.condition).toMatchObject({ status: "False" });
    expect(life.condition.message).toContain("ended");
    expect(life.cancels).toEqual(life.starts);
    for (let round = 0; round < 5; round += 1) life.cycle();
    expect(life.starts).toHaveLength(1);
  });

  it("counts a second request made meanwhile as a target of its own", () => {
    life.ask("Servicing", "weekly");
    life.settle();
    expect(life.status?.target).toMatchObject({ request: "weekly", reached: false });
    expect(life.starts).toHaveLength(1);
    life.finish();
    life.settle();
    expect(life.path.slice(-2)).toEqual(["Running", "Servicing"]);
    expect(life.starts).toHaveLength(2);
    fulfil();
    expect(life.condition.message).toContain('"weekly"');
    expect(life.starts).toHaveLength(2);
  });
});

describe("a target that is interrupted", () => {
  it("is pursued again once the application is back, with a new key", () => {
    const life = running(
      setupLifecycle().createMachine({
        id: "fragile",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Running": "Running" } },
          Running: { on: { "desired.Servicing": "Servicing" } },
          Servicing: {
            invoke: { id: "backup", src: "backUp", onDone: "Running", onError: "HumanIntervention" },
            on: { "observed.Down": "Start" },
          },
        },
      }),
    );
    life.ask("Servicing");
    life.settle();
    life.observed = "Down";
    life.settle();
    expect(life.state).toBe("Start");
    expect(life.cancels).toEqual(life.starts);
    life.observed = "Running";
    life.settle();
    expect(life.state).toBe("Servicing");
    expect(new Set(life.starts).size).toBe(2);
  });
});

describe("a target that a change of the spec cuts off", () => {
  it.each(["queue", "coalesce", "restart"] as const)(
    "is not taken for done, and is pursued again: %s",
    (specEdits) => {
      const life = running(
        setupLifecycle().createMachine({
          id: "edited",
          version: "1",
          initial: "Running",
          states: {
            Running: { on: { "desired.Servicing": "Servicing" } },
            Servicing: {
              invoke: { id: "backup", src: "backUp", onDone: "Running", onError: "HumanIntervention" },
              on: { "config.changed": "Running" },
            },
          },
        }),
        { specEdits },
      );
      life.ask("Servicing");
      life.settle();
      const [first] = life.starts;
      life.edit("spec-2");
      const cutOff = life.settle().some(({ moved }) => moved?.event === "config.changed");
      expect(life.condition.status).toBe("False");
      life.settle();
      expect(cutOff).toBe(true);
      expect(life.cancels).toEqual([first]);
      expect(life.state).toBe("Servicing");
      expect(new Set(life.starts).size).toBe(2);
      life.finish();
      life.settle();
      expect(life.status?.target).toMatchObject({ state: "Servicing", reached: true });
    },
  );
});

describe("a target whose state a timer leaves", () => {
  const withTimer = (servicing: object, more: object = {}): Life =>
    running(
      setupLifecycle().createMachine({
        id: "timed",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Running": "Running" } },
          Running: { on: { "desired.Servicing": "Servicing" } },
          Servicing: servicing,
          ...more,
        },
      }),
    );
  const backup = { id: "backup", src: "backUp", onDone: "Running", onError: "#timed.HumanIntervention" };

  it("before its task is done has failed, says why, and is tried again when it is asked for again", () => {
    const life = withTimer({ invoke: backup, after: { "1h": "Running" } });
    life.ask("Servicing", "nightly");
    life.settle();
    life.pass("61m");
    const pendingEvents = life.settle().flatMap((plan) => plan.pendingEvents);
    const cause = "1h elapsed, before backup was done";
    expect(life.status?.target).toMatchObject({ reached: false, outcome: "failed", cause });
    expect(life.cancels).toEqual(life.starts);
    expect(life.condition).toMatchObject({ status: "False", reason: "Running" });
    expect(life.condition.message).toBe(
      `Servicing was tried for "nightly" and failed: ${cause}; now Running; change spec.lifecycle.request to request it again`,
    );
    expect(pendingEvents).toContainEqual({
      type: "Warning",
      reason: "TargetFailed",
      message: `Servicing was not completed for "nightly": ${cause}`,
    });
    for (let hour = 0; hour < 48; hour += 1) {
      life.pass("1h");
      expect(life.settle().flatMap((plan) => plan.pendingEvents)).toEqual([]);
    }
    expect(life.starts).toHaveLength(1);
    expect(life.condition.message).toContain(cause);
    life.ask("Servicing", "once more");
    life.settle();
    life.finish();
    life.settle();
    expect(life.status?.target).toMatchObject({ request: "once more", reached: true });
    expect(life.status?.target).not.toHaveProperty("cause");
  });

  it.each([
    ["a task inside it", { initial: "A", states: { A: { invoke: { ...backup, onDone: "B" } }, B: {} } }],
    [
      "one of its tasks",
      {
        invoke: [
          { ...backup, onDone: { actions: [] } },
          { ...backup, id: "other" },
        ],
      },
    ],
  ])("before %s is done has failed", (_, servicing) => {
    const life = withTimer({ ...servicing, after: { "1h": "Running" } });
    life.ask("Servicing");
    life.settle();
    const [first] = life.starts;
    if (life.starts.length > 1 && first !== undefined) life.running.set(first, { phase: "Succeeded" });
    life.settle();
    life.pass("61m");
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.target).toMatchObject({ reached: false, outcome: "failed" });
  });

  it.each([
    ["it has no task", {}],
    ["its task waits for nothing", { invoke: { id: "guard", src: "guard" } }],
    ["its task is done", { initial: "A", states: { A: { invoke: { ...backup, onDone: "B" } }, B: {} } }],
  ])("is done, where %s", (_, servicing) => {
    const life = withTimer({ ...servicing, after: { "1h": "Running" } });
    life.ask("Servicing");
    life.settle();
    if (!Object.hasOwn(servicing, "invoke")) life.finish();
    life.settle();
    life.pass("61m");
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.target).toMatchObject({ reached: true });
    expect(life.condition.status).toBe("True");
  });

  it("to begin it again is not done, and the condition counts how often that was so", () => {
    const life = withTimer({ invoke: backup, after: { "1h": { target: "Servicing", reenter: true } } });
    life.ask("Servicing");
    life.settle();
    for (let round = 0; round < 3; round += 1) {
      life.pass("61m");
      life.settle();
    }
    expect(life.starts).toHaveLength(4);
    expect(life.condition).toMatchObject({ status: "False", reason: "Servicing" });
    expect(life.condition.message).toContain(
      "Servicing has begun again 3 times, last: 1h elapsed, before backup was done",
    );
    life.finish();
    life.settle();
    expect(life.status?.target).toMatchObject({ reached: true });
  });

  it("has failed where the graph itself leads on before the task is done", () => {
    let isTold = false;
    const life = running(
      setupLifecycle({ guards: { isTold: () => isTold } }).createMachine({
        id: "impatient",
        version: "1",
        initial: "Running",
        states: {
          Running: { on: { "desired.Servicing": "Servicing" } },
          Servicing: {
            invoke: { id: "backup", src: "backUp", onDone: "Running", onError: "Running" },
            always: { target: "Running", guard: "isTold" },
          },
        },
      }),
    );
    life.ask("Servicing");
    life.settle();
    isTold = true;
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.target).toMatchObject({ reached: false, outcome: "failed" });
  });
});

describe("a target whose state a look leaves", () => {
  it("is done, where its task is done and waits for the look", () => {
    const life = running(
      setupLifecycle({ effects: ["note"] }).createMachine({
        id: "looked",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Running": "Running" } },
          Running: { on: { "desired.Upgrading": "Upgrading" } },
          Upgrading: {
            tags: ["transient"],
            invoke: { id: "upgrade", src: "upgrade", onDone: { actions: "note" }, onError: "Running" },
            on: { "observed.New": "Running" },
          },
        },
      }),
    );
    life.ask("Upgrading");
    life.settle();
    life.finish();
    life.settle();
    life.observed = "New";
    life.settle();
    expect(life.status?.target).toMatchObject({ state: "Upgrading", reached: true });
    expect(life.starts).toHaveLength(1);
  });

  it("is pursued again, where a task inside it was not done", () => {
    const life = running(
      setupLifecycle().createMachine({
        id: "nested",
        version: "1",
        initial: "Running",
        states: {
          Running: { on: { "desired.Servicing": "Servicing" } },
          Servicing: {
            initial: "Copying",
            on: { "observed.Down": "Broken" },
            states: {
              Copying: {
                invoke: { id: "copy", src: "copy", onDone: "#nested.Running", onError: "#nested.Broken" },
              },
            },
          },
          Broken: { on: { "observed.Running": "Running" } },
        },
      }),
    );
    life.ask("Servicing");
    life.settle();
    life.observed = "Down";
    life.settle();
    expect(life.status?.target).toMatchObject({ state: "Servicing", reached: false });
    expect(life.status?.target).not.toHaveProperty("outcome");
    life.observed = "Running";
    life.settle();
    expect(life.state).toBe("Servicing:Copying");
    expect(life.starts).toHaveLength(2);
  });
});

describe("a target that cannot be", () => {
  it("is refused with the accepted ones when its state is unknown, and nothing moves", () => {
    const life = running();
    life.ask("Sleeping");
    const [plan] = life.settle();
    expect(life.state).toBe("Running");
    expect(life.condition).toMatchObject({ status: "False", reason: "Running" });
    expect(life.condition.message).toBe(
      '"Sleeping" is not a state that may be desired; accepted: Running, Servicing, Stopping, End',
    );
    expect(plan?.pendingEvents).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "TargetRejected" }),
    );
    expect(life.cycle().pendingEvents).toEqual([]);
  });

  it("names the edges that are missing when no path leads there", () => {
    const life = running(
      setupLifecycle().createMachine({
        id: "closed",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Running": "Running", "desired.Island": "Island" } },
          Running: {},
          Island: {},
        },
      }),
    );
    life.ask("Island");
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.condition.message).toContain("no path leads from Running to Island");
    expect(life.condition.message).toContain('an edge "desired.Island" on one of these is missing');
  });

  it("names the guard that keeps its edge closed", () => {
    let open = false;
    const life = running(
      setupLifecycle({ guards: { isAllowed: () => open } }).createMachine({
        id: "guarded",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Running": "Running" } },
          Running: { on: { "desired.Idle": { target: "Idle", guard: "isAllowed" } } },
          Idle: {},
        },
      }),
    );
    life.ask("Idle");
    life.settle();
    expect(life.condition.message).toContain("the guard isAllowed keeps desired.Idle closed");
    open = true;
    life.settle();
    expect(life.condition).toMatchObject({ status: "True", reason: "Idle" });
  });
});

describe("a way that fails again and again", () => {
  it("waits longer each time before it is tried again", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "deploying",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "desired.Running": "Deploying" } },
          Deploying: { invoke: { id: "deploy", src: "deploy", onDone: "Running", onError: "Start" } },
          Running: {},
        },
      }),
    );
    life.ask("Running");
    const attempts: number[] = [];
    for (let round = 0; round < 400; round += 1) {
      life.finish({ phase: "Failed", message: "no capacity" });
      life.cycle();
      attempts.push(life.starts.length);
      life.pass("1s");
    }
    // 400 s: after 0, 5, 10, 20, 40, 80, 160 s of waiting, and not once in between.
    expect(life.starts.length).toBeGreaterThan(4);
    expect(life.starts.length).toBeLessThan(9);
    expect(attempts.at(-1)).toBe(life.starts.length);
    expect(life.condition.message).toContain("times, last: deploy failed: no capacity");
  });
});

describe("targets under the policy queue", () => {
  it("are done one after the other, each once", () => {
    const life = running(databaseLifecycle, { specEdits: "queue" });
    for (const request of ["a", "b", "c"]) {
      life.ask("Servicing", request);
      life.cycle();
      life.cycle();
    }
    for (let round = 0; round < 20; round += 1) {
      life.finish();
      life.cycle();
    }
    expect(life.starts).toHaveLength(3);
    expect(life.status?.target).toMatchObject({ request: "c", reached: true });
    expect(life.condition.status).toBe("True");
  });
});

type HumanEdges = Readonly<Record<string, Readonly<Record<string, string>>>>;

const eventsIn = (edges: HumanEdges): readonly string[] =>
  Object.values(edges).flatMap((on) => Object.keys(on).map((event) => event.slice("human.".length)));

/** A service whose one request has failed, with these edges for people. */
function failedService(edges: HumanEdges): Life {
  const on = (state: string, others: object = {}) => ({ on: { ...others, ...edges[state] } });
  const service = new Life(
    setupLifecycle().createMachine({
      id: "service",
      version: "1",
      initial: "Start",
      states: {
        Start: on("Start", { "observed.Running": "Running" }),
        Running: on("Running", { "desired.Servicing": "Servicing" }),
        Servicing: { invoke: { id: "serve", src: "serve", onDone: "Running", onError: "HumanIntervention" } },
        HumanIntervention: { tags: "intervention", ...on("HumanIntervention") },
      },
    }),
  );
  service.ask("Servicing", "nightly");
  service.observed = "Running";
  service.settle();
  service.finish({ phase: "Failed", message: "disk full", retry: false });
  service.observed = undefined;
  service.settle();
  expect(service.status?.target).toMatchObject({ outcome: "failed" });
  expect(service.state).toBe("HumanIntervention");
  return service;
}
