// What runs is what is drawn: moves that no author draws are edges of the machine too, and actions run on them as on any edge.
import { describe, expect, it } from "vitest";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { checkLifecycle } from "../../src/lifecycle/checks/check-lifecycle.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { Life } from "./life.ts";

const visited = ["enterWork", "leaveWork", "enterHelp", "enterEnd", "enterStop", "leaveStart"] as const;
const counting = setupLifecycle({
  actions: {
    count: ({ context }) => ({ count: Number(context["count"] ?? 0) + 1 }),
    fail: () => {
      throw new Error("bad author");
    },
  },
  effects: [...visited],
});

function draw(states: object, more: object = {}): LifecycleMachine {
  const [initial] = Object.keys(states);
  const config = { id: "drawn", version: "1", initial, context: { count: 0 }, states, ...more };
  return counting.createMachine(config as never) as never;
}

const states = {
  Start: { exit: "leaveStart", on: { "observed.Up": "Work" } },
  Work: {
    entry: ["enterWork", "count"],
    exit: ["leaveWork", "count"],
    invoke: { id: "work", src: "work", onDone: "Done" },
  },
  Done: { on: { "desired.End": "Stopping" } },
  Stopping: { entry: "enterStop", invoke: { id: "stop", src: "stop", onDone: "End" } },
  HumanIntervention: { tags: "intervention", entry: ["enterHelp", "count"], on: { "human.retry": "Work" } },
  End: { type: "final", entry: "enterEnd" },
};

function working(machine = draw(states), options: ConstructorParameters<typeof Life>[1] = {}): Life {
  const life = new Life(machine, options);
  life.observed = "Up";
  life.settle();
  expect(life.state).toMatch(/^Work/);
  return life;
}

/** What the moves of the cycles since then have asked for. */
function actionsOf(life: Life, since = 0): string[] {
  return life.plans
    .slice(since)
    .flatMap(({ effects }) => effects)
    .flatMap((effect) => (effect.kind === "runAction" ? [effect.action.name] : []));
}

describe("a failure that no edge takes", () => {
  it("leads to the intervention state by an edge, with the actions of both states", () => {
    const life = working();
    const before = life.plans.length;
    life.finish({ phase: "Failed", message: "no luck" });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.status?.last).toMatchObject({
      event: "error.work",
      cause: "task work failed (no onError): no luck",
    });
    expect(actionsOf(life, before)).toEqual(["leaveWork", "enterHelp"]);
    // Entered, left, entered.
    expect(life.status?.snapshot.context).toEqual({ count: 3 });
  });

  it("leaves the machine itself alone: its own entry and exit run once, as with an edge from the top that its author draws", () => {
    const life = working(draw(states, { entry: "enterStop", exit: "leaveStart" }));
    life.finish({ phase: "Failed", message: "no luck" });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(actionsOf(life).filter((name) => name === "enterStop")).toEqual(["enterStop"]);
    // Of the state Start.
    expect(actionsOf(life).filter((name) => name === "leaveStart")).toEqual(["leaveStart"]);
  });

  it("is reported by the checks all the same, and opens no path", () => {
    const lost = { ...states, Island: { on: { "desired.End": "Stopping" } } };
    const found = checkLifecycle(draw(lost)).map(({ code, state }) => `${code} ${state ?? ""}`);
    expect(found).toContain("INVOKE_WITHOUT_ERROR_EDGE Work");
    expect(found).toContain("STATE_UNREACHABLE Island");
    const { index, chart } = compileLifecycle(draw(states));
    expect(index.graph.edges.filter(({ event }) => event.startsWith("lifecycle."))).toEqual([]);
    const added = chart.graph.edges.filter(({ event }) => event.startsWith("lifecycle."));
    expect(added.map(({ source, event, targets }) => [source, event, ...targets])).toEqual([
      ["", "lifecycle.intervene", "HumanIntervention"],
      ["", "lifecycle.restart", "_restart"],
      ["", "lifecycle.stop", "Stopping"],
      ["", "lifecycle.end", "End"],
    ]);
  });

  it("leads there although an action on the way throws, which is reported", () => {
    const life = working(draw({ ...states, Work: { ...states.Work, exit: "fail" } }));
    life.finish({ phase: "Failed", message: "no luck" });
    const plans = life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(plans.flatMap(({ problems }) => problems.map(({ code }) => code))).toContain("MACHINE_FAILED");
  });
});

describe("work that begins again under a changed spec", () => {
  it("leaves and enters its state by an edge, and remembers nothing of it", () => {
    const life = working(draw(states), { options: { specEdits: "restart" } });
    const before = life.plans.length;
    life.edit("other");
    const plan = life.cycle();
    expect(plan.moved).toMatchObject({
      from: "Work",
      to: "Work",
      event: "config.changed",
      through: "lifecycle.restart",
    });
    expect(actionsOf(life, before)).toEqual(["leaveWork", "enterWork"]);
    expect(life.status?.snapshot).not.toHaveProperty("history");
  });

  it("begins in every region where it was, those around it included", () => {
    const region = (name: string): object => ({
      initial: "A",
      states: { A: { on: { [`observed.${name}`]: "B" } }, B: { entry: "enterHelp", exit: "enterEnd" } },
    });
    const machine = draw({
      Start: { on: { "observed.Up": "Work" } },
      Work: {
        type: "parallel",
        entry: "enterWork",
        exit: "leaveWork",
        invoke: { id: "work", src: "work", onDone: "Done" },
        states: { Left: region("Left"), Right: region("Right") },
      },
      Done: {},
    });
    const life = working(machine, { options: { specEdits: "restart" } });
    for (const word of ["Left", "Right"]) {
      life.observed = word;
      life.settle();
    }
    expect(life.state).toBe("Work:Left:B,Work:Right:B");
    const before = life.plans.length;
    life.edit("other");
    life.cycle();
    expect(life.state).toBe("Work:Left:B,Work:Right:B");
    expect(actionsOf(life, before).toSorted()).toEqual(
      ["enterEnd", "enterEnd", "leaveWork", "enterWork", "enterHelp", "enterHelp"].toSorted(),
    );
  });
});

describe("a deletion", () => {
  it("leads out of a dead end by an edge", () => {
    const life = working();
    life.finish({ phase: "Failed", message: "no luck" });
    life.settle();
    const before = life.plans.length;
    life.deleting = true;
    life.cycle();
    expect(life.state).toBe("Stopping");
    expect(life.status?.last).toMatchObject({ event: "desired.End" });
    expect(actionsOf(life, before)).toEqual(["enterStop"]);
  });

  it("ends what was never begun by an edge, and enters the end", () => {
    const life = new Life(draw(states));
    life.deleting = true;
    life.cycle();
    expect(life.state).toBe("End");
    expect(life.status?.last).toMatchObject({ event: "desired.End" });
    expect(actionsOf(life)).toContain("enterEnd");
    expect(actionsOf(life)).not.toContain("enterWork");
  });
});

describe("a position that nothing persisted", () => {
  it("is restored and not entered: no action runs again", () => {
    const life = new Life(
      draw({ ...states, Seen: { entry: ["enterWork", "count"], on: { "human.go": "Work" } } }),
    );
    life.store({ graph: "nothing@0" });
    life.observed = "Seen";
    life.cycle();
    expect(life.state).toBe("Seen");
    expect(life.status?.last).toMatchObject({ event: "restore" });
    expect(actionsOf(life)).toEqual([]);
    expect(life.status?.snapshot.context).toEqual({ count: 0 });
  });
});

describe("the machine that runs", () => {
  it("refuses a machine that draws such an edge itself", () => {
    const own = draw(states, { on: { "lifecycle.end": ".End" } });
    expect(() => compileLifecycle(own)).toThrow(/lifecycle\.end, which every lifecycle has/);
    expect(checkLifecycle(own)).toMatchObject([{ code: "LIFECYCLE_INVALID", severity: "error" }]);
  });

  it("has them at a parallel top too: without an intervention state it begins again", () => {
    const region = { initial: "A", states: { A: { on: { "observed.Up": "B" } }, B: { exit: "leaveWork" } } };
    const { chart } = compileLifecycle(
      draw({ Left: region, Right: region }, { type: "parallel", initial: undefined }),
    );
    const position = { leaves: ["Left:B", "Right:B"], context: { count: 0 } };
    const step = chart.take(position, { type: "lifecycle.intervene", spec: {}, facts: {} });
    expect(step?.position.leaves).toEqual(["Left:A", "Right:A"]);
    expect(step?.actions.map(({ name }) => name)).toEqual(["leaveWork", "leaveWork"]);
    const restarted = chart.take(position, { type: "lifecycle.restart", spec: {}, facts: {} });
    expect(restarted?.position.leaves).toEqual(["Left:B", "Right:B"]);
  });
});
