// What people are told of an application that waits: what leads on, who has to act, and no more than that.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { clusterMachine, kafkaRebalance, memcached, plant } from "./foreign-lifecycles.ts";
import { Life } from "./life.ts";

/** A rebalance that has a proposal, and nobody's approval. */
function proposed(): Life {
  const life = new Life(kafkaRebalance);
  life.observed = "Taken";
  life.settle();
  life.observed = undefined;
  life.finish();
  life.settle();
  expect(life.state).toBe("ProposalReady");
  return life;
}

/** Nobody knows whether it will ever rain; the ways to the place where that counts differ. */
const wells = setupLifecycle().createMachine({
  id: "wells",
  version: "1",
  initial: "Start",
  states: {
    Start: {
      tags: ["stable"],
      on: { "desired.Filling": "Filling", "desired.Low": "Low", "desired.Soaking": "Soaking" },
    },
    Low: { tags: ["stable"], on: { "observed.Wet": "Filling" } },
    Soaking: {
      tags: ["stable"],
      invoke: { id: "soak", src: "soak", onDone: "Filling", onError: "Start" },
    },
    Filling: { tags: ["stable"], on: { "observed.Rain": "Full", "desired.Start": "Start" } },
    Full: { tags: ["stable"], on: { "desired.Start": "Start", "desired.Filling": "Filling" } },
  },
});

describe("an application that waits", () => {
  it("is planned over no guard that is closed now: the guard is named, and who goes on instead", () => {
    const life = proposed();
    expect(life.status?.plan).toEqual(["Rebalancing", "Ready"]);
    expect(life.condition.message).toBe(
      "ProposalReady; the guard autoApproval keeps always closed; " +
        "Ready is desired, next is Rebalancing by human.approve, which a person must send",
    );
    life.edit({ autoApproval: true });
    life.cycle();
    expect(life.path.at(-1)).toBe("PendingProposal");
    life.settle();
    life.finish();
    life.settle();
    expect(life.path.slice(-1)).toEqual(["Rebalancing"]);
  });

  it("has no plan where only a closed guard leads on, and names it", () => {
    const life = new Life(
      setupLifecycle({ guards: { isReady: ({ event }) => event.facts["ready"] === true } }).createMachine({
        id: "gate",
        version: "1",
        initial: "Waiting",
        states: { Waiting: { always: { guard: "isReady", target: "Open" } }, Open: {} },
      }),
    );
    life.facts = { ready: false };
    life.settle();
    expect(life.status?.plan).toEqual([]);
    expect(life.condition.message).toBe(
      "Waiting; the guard isReady keeps always closed, so Open is not reached",
    );
    life.facts = { ready: true };
    life.settle();
    expect(life.state).toBe("Open");
  });

  it("is promised nothing of a state from which a guard leads back, and no step is made that comes to nothing", () => {
    const guards = {
      isFull: ({ event }: { event: { facts: Record<string, unknown> } }) => event.facts["full"] === true,
    };
    const lock = (on: string, back: object | string) =>
      setupLifecycle({ guards } as never).createMachine({
        id: "lock",
        version: "1",
        initial: "Low",
        states: {
          Low: { entry: "ring", on: { [on]: "Rising" } },
          Rising: { always: back, on: { "desired.High": "High" } },
          High: {},
        },
      });
    const told = (on: string, back: object | string) => {
      const life = new Life(lock(on, back));
      life.facts = { full: true };
      life.settle();
      life.ask("High");
      const plans = [life.cycle(), life.cycle()];
      return { life, message: life.condition.message, effects: plans.flatMap(({ effects }) => effects) };
    };
    const guarded = { guard: "isFull", target: "Low" };
    const byOperator = told("desired.Rising", guarded);
    expect(byOperator.message).toBe(
      "Low; desired.Rising is not taken, as the graph leads back to Low at once, so High is not reached",
    );
    expect(byOperator.effects).toEqual([]);
    byOperator.life.facts = { full: false };
    byOperator.life.settle();
    expect(byOperator.life.state).toBe("High");
    expect(told("observed.Rising", guarded).message).toBe(
      "Low; High is desired, next is Rising by observed.Rising, once it is observed, unless the guard isFull is open, which leads back at once",
    );
    expect(told("desired.Rising", "Low").message).toContain("no path leads from Low to High");
  });

  it("is promised no retry where only people lead on", () => {
    const life = new Life(kafkaRebalance);
    life.observed = "Taken";
    life.settle();
    life.observed = undefined;
    life.finish({ phase: "Failed", message: "no capacity", retry: false });
    life.settle();
    expect(life.state).toBe("NotReady");
    expect(life.condition.message).toBe(
      "NotReady; the path to Ready failed once, last: propose failed: no capacity; " +
        "Ready is desired, next is PendingProposal by config.changed, once the spec is changed",
    );
    life.pass("1h");
    life.settle();
    expect(life.condition.message).not.toContain("try after");
  });

  it("has failed in nothing by a step that it was to take", () => {
    const life = new Life(kafkaRebalance);
    life.observed = "Taken";
    life.settle();
    expect(life.path).toEqual(["New", "PendingProposal"]);
    expect(life.status?.target).not.toHaveProperty("failures");
  });

  it("still counts as undone what the operator would do again", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "pump",
        version: "1",
        initial: "Off",
        states: {
          Off: { tags: ["stable"], on: { "desired.On": "On" } },
          On: { tags: ["stable"], on: { "observed.Off": "Off", "desired.Off": "Off" } },
        },
      }),
    );
    life.ask("On");
    life.settle();
    life.observed = "Off";
    life.cycle();
    expect(life.status?.target).toMatchObject({ state: "On", failures: 1 });
  });

  it("is told what it waits for, not what is unexpected in it", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "well",
        version: "1",
        initial: "Start",
        states: {
          Start: { tags: ["stable"], on: { "desired.Filling": "Filling" } },
          Filling: { tags: ["stable"], on: { "observed.Rain": "Full", "desired.Start": "Start" } },
          Full: { tags: ["stable"], on: { "desired.Start": "Start", "desired.Filling": "Filling" } },
        },
      }),
    );
    life.ask("Filling");
    life.settle();
    life.ask("Full");
    life.settle();
    expect(life.state).toBe("Filling");
    expect(life.condition.message).toBe(
      "Filling; Full is desired; observed.Rain leads on to Full when it is observed",
    );
    expect(life.plans.at(-1)?.health.stalled).toBeUndefined();
    expect(life.plans.at(-1)?.health.reconciling?.reason).toBe("Filling");
    for (const machine of [kafkaRebalance, clusterMachine, memcached, plant]) {
      const other = new Life(machine);
      other.settle();
      expect(other.condition.message).not.toMatch(/unexpected|missing/);
    }
  });

  it.each([
    ["Low", "Low; Full is desired; observed.Wet leads on to Filling when it is observed"],
    ["Soaking", "soak is running; Full is desired; done.soak leads on to Filling when the task is done"],
  ])("waits as well in %s where what nobody can rely on is deeper on the path", (state, waits) => {
    const life = new Life(wells);
    life.ask("Start");
    life.settle();
    life.ask(state);
    life.settle();
    life.ask("Full");
    life.settle();
    expect(life.state).toBe(state);
    expect(life.condition.message).toBe(
      `${waits}, and from Filling only observed.Rain leads on to Full, when it is observed`,
    );
    expect(life.plans.at(-1)?.health.stalled).toBeUndefined();
    expect(life.plans.at(-1)?.health.reconciling?.reason).toBe(state);
    life.observed = "Wet";
    life.finish();
    life.settle();
    life.observed = "Rain";
    life.settle();
    expect(life.state).toBe("Full");
    expect(life.condition.status).toBe("True");
  });

  it("is told why the operator does not set out, where it would have to rely on what may never be observed", () => {
    const life = new Life(wells);
    life.ask("Start");
    life.settle();
    life.ask("Full");
    life.settle();
    expect(life.state).toBe("Start");
    expect(life.condition.message).toBe(
      "Start; no path that can be relied on leads from Start to Full: Filling → Full by observed.Rain is taken only once " +
        'that is observed, and the operator does not rely on it; add an edge "desired.Full"',
    );
    expect(life.plans.at(-1)?.health.stalled).toBeDefined();
  });

  it("is told of a task that still runs once a target is reached that is done once", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "shop",
        version: "1",
        initial: "Open",
        states: {
          Open: { tags: ["stable"], on: { "desired.Counting": "Counting" } },
          Counting: { invoke: { id: "count", src: "count", onDone: "Filing" } },
          Filing: { invoke: { id: "file", src: "file", onDone: "Open" } },
        },
      }),
    );
    life.settle();
    life.ask("Counting", "may");
    life.settle();
    life.finish();
    life.settle();
    expect(life.state).toBe("Filing");
    expect(life.status?.target).toMatchObject({ state: "Counting", reached: true });
    expect(life.condition.message).toBe('Counting was done for "may"; now Filing; file is running');
  });
});

describe("an observation that no edge takes", () => {
  const door = setupLifecycle().createMachine({
    id: "door",
    version: "1",
    initial: "Start",
    states: { Start: { on: { "observed.Open": "Open" } }, Open: { on: { "observed.Down": "Start" } } },
  });

  it("is told once, with what was most likely meant, while something is waited for", () => {
    const life = new Life(door);
    life.observed = "Opened";
    life.settle();
    const message = 'observe returned "Opened", which no edge takes; did you mean "Open" (observed.Open)?';
    expect(life.condition.message).toContain(message);
    for (let round = 0; round < 3; round += 1) {
      life.pass("1m");
      life.cycle();
    }
    const told = life.plans.flatMap(({ pendingEvents }) => pendingEvents);
    expect(told.filter(({ reason }) => reason === "ObservationUnknown")).toEqual([
      { type: "Warning", reason: "ObservationUnknown", message },
    ]);
    life.observed = "Open";
    life.settle();
    expect(life.condition.message).toBe("Open, as desired");
  });

  it("is not told of a state, nor of what another state takes", () => {
    for (const word of ["Start", "Down"]) {
      const life = new Life(door);
      life.observed = word;
      life.settle();
      expect(life.condition.message).not.toContain("no edge takes");
    }
  });
});

describe("a human event", () => {
  const gated = (guards: readonly string[]) =>
    new Life(
      setupLifecycle({
        guards: { isQuiet: ({ event }) => event.facts["quiet"] === true, isNight: () => false },
      }).createMachine({
        id: "gated",
        version: "1",
        initial: "On",
        states: {
          On: {
            tags: ["stable"],
            on: { "human.stop": guards.map((guard) => ({ guard, target: "Off" })) as never },
          },
          Off: {},
        },
      }),
    );

  it.each([
    [["isQuiet"], "stop is not accepted in On: the guard isQuiet is closed"],
    [["isQuiet", "isNight"], "stop is not accepted in On: none of the guards isQuiet, isNight is open"],
  ])("is refused while its guards %j are closed, and names them", (guards, message) => {
    const life = gated(guards);
    life.settle();
    life.send("stop");
    const plan = life.cycle();
    expect(plan.moved).toBeUndefined();
    expect(plan.human).toMatchObject({ accepted: false, message });
    expect(plan.pendingEvents).toContainEqual({ type: "Warning", reason: "HumanEventRefused", message });
    expect(life.status?.human).toMatchObject({ accepted: false });
    life.facts = { quiet: true };
    life.send("stop");
    expect(life.cycle()).toMatchObject({ moved: { to: "Off" }, human: { accepted: true } });
  });
});

describe("a region", () => {
  it("is at rest although the graph would lead on by itself, were a guard open", () => {
    const life = new Life(plant);
    life.settle();
    life.ask("Live");
    const plan = life.settle().at(-1);
    expect(plan?.regions.map(({ type, status }) => [type, status])).toEqual([
      ["Lifecycle.Live.network", expect.any(String)],
      ["Lifecycle.Live.data", "True"],
    ]);
    expect(plan?.regions[1]?.message).not.toContain("transition");
  });
});

describe("an application that was led away by an observation", () => {
  it.each([{}, { "desired.End": "End" }])("only waits to be seen elsewhere, beside the edges %o", (end) => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "queue",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Running": "Running", ...end } },
          Running: { on: { "observed.Empty": "Idle", ...end } },
          Idle: { on: { "observed.Running": "Start", ...end } },
          End: { type: "final" },
        },
      }),
    );
    for (const seen of ["Running", "Empty", undefined]) {
      life.observed = seen;
      life.settle();
    }
    expect(life.state).toBe("Idle");
    expect(life.status?.target).toMatchObject({ state: "Running" });
    expect(life.conditions.find(({ type }) => type === "Stalled")).toBeUndefined();
    expect(life.conditions.find(({ type }) => type === "Reconciling")).toMatchObject({ status: "True" });
    expect(life.condition.message).toBe(
      "Idle; Running is desired; observed.Running leads on to Start when it is observed",
    );
  });
});
