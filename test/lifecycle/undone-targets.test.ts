// What is desired and what is seen may contradict each other; then the operator goes to and fro ever more slowly.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { Life } from "./life.ts";

const fragile = setupLifecycle().createMachine({
  id: "fragile",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Up": "Running" } },
    Running: { on: { "observed.Down": "Broken", "desired.Upgrading": "Upgrading", "desired.End": "End" } },
    Broken: { on: { "desired.Running": "Running" } },
    Upgrading: {
      on: { "observed.Down": "Broken" },
      invoke: { id: "upgrade", src: "upgrade", onDone: "Running", onError: "Running" },
    },
    End: { type: "final" },
  },
});

function running(): Life {
  const life = new Life(fragile);
  life.observed = "Up";
  life.settle();
  expect(life.state).toBe("Running");
  return life;
}

/** How often the operator leads on for the target within a time, looking whenever it wants to look. */
function triesWithin(life: Life, minutes: number, state: string): number {
  const before = life.path.length;
  const end = life.now + minutes * 60_000;
  while (life.now < end) {
    const plan = life.cycle();
    life.now += plan.moved === undefined ? Math.max(plan.requeueAfter ?? 60_000, 1) : 0;
    if (life.path.length - before > 1_000) throw new Error("it never comes to rest");
  }
  return life.path.slice(before).filter((each) => each === state).length;
}

describe("a target that is undone by what is seen", () => {
  it("is pursued at once the first time, and then later and later", () => {
    const life = running();
    life.observed = "Down";
    const tries = triesWithin(life, 60, "Running");
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(20);
  });

  it("is not put off longer when the clock is set back", () => {
    const life = running();
    life.observed = "Down";
    triesWithin(life, 30, "Running");
    life.now -= 2 * 3_600_000;
    expect(triesWithin(life, 15, "Running")).toBeGreaterThan(0);
  });

  it("starts no task over and over", () => {
    const life = running();
    life.ask("Upgrading", "once");
    life.observed = "Down";
    triesWithin(life, 60, "Upgrading");
    expect(life.starts.length).toBeLessThan(20);
  });

  it("begins no life over and over", () => {
    const ephemeral = setupLifecycle().createMachine({
      id: "ephemeral",
      version: "1",
      initial: "Living",
      states: { Living: { on: { "observed.Gone": "End" } }, End: { type: "final" } },
    });
    const life = new Life(ephemeral);
    life.observed = "Gone";
    expect(triesWithin(life, 60, "Living")).toBeLessThan(20);
  });

  it.each([
    ["a held state", "Ready", {}],
    ["a state that is done once", "Copying", { invoke: { id: "copy", src: "copy", onDone: "Ready" } }],
  ])(
    "is tried later and later where a deadline on the way is always too short: %s",
    (_, desired, copying) => {
      const hasty = setupLifecycle().createMachine({
        id: "hasty",
        version: "1",
        initial: "Idle",
        states: {
          Idle: { on: { "desired.Ready": "Preparing", "desired.Copying": "Preparing" } },
          Preparing: {
            invoke: { id: "prepare", src: "prepare", onDone: "Prepared", onError: "Idle" },
            after: { "10s": "Idle" },
          },
          Prepared: { on: { "desired.Ready": "Ready", "desired.Copying": "Copying" } },
          Copying: copying,
          Ready: { on: { "desired.Idle": "Idle" } },
        },
      }) as unknown as typeof fragile;
      const life = new Life(hasty);
      life.ask(desired);
      const tries = triesWithin(life, 60, "Preparing");
      expect(tries).toBeGreaterThan(3);
      expect(tries).toBeLessThan(20);
      expect(life.starts).toHaveLength(tries);
      while (life.state !== "Idle") life.cycle();
      expect(life.condition.message).toMatch(
        new RegExp(
          `the path to ${desired} failed \\d+ times, last: 10s elapsed, before prepare was done; next try after`,
        ),
      );
    },
  );

  it("is tried later and later where a task on the way to a state that is done once fails", () => {
    const failing = setupLifecycle().createMachine({
      id: "failing",
      version: "1",
      initial: "Idle",
      states: {
        Idle: { on: { "desired.Copying": "Preparing" } },
        Preparing: { invoke: { id: "prepare", src: "prepare", onDone: "Prepared", onError: "Idle" } },
        Prepared: { on: { "desired.Copying": "Copying" } },
        Copying: { invoke: { id: "copy", src: "copy", onDone: "Idle", onError: "Idle" } },
      },
    });
    const life = new Life(failing);
    life.ask("Copying");
    const end = life.now + 600_000;
    while (life.now < end) {
      life.finish({ phase: "Failed", message: "no capacity" });
      const plan = life.cycle();
      life.now += plan.moved === undefined ? Math.max(plan.requeueAfter ?? 60_000, 1) : 0;
      if (life.path.length > 1_000) throw new Error("it never comes to rest");
    }
    expect(life.starts.length).toBeGreaterThan(3);
    expect(life.starts.length).toBeLessThan(12);
    life.settle();
    expect(life.condition.message).toContain("times, last: prepare failed: no capacity; next try after");
  });

  it("says what it waits for", () => {
    const life = running();
    life.observed = "Down";
    triesWithin(life, 10, "Running");
    expect(life.condition.message).toMatch(/the path to Running failed \d+ times, last: .*; next try after /);
  });

  it("is tried at once again when what was reached has held for a while", () => {
    const life = running();
    for (let day = 0; day < 3; day += 1) {
      life.observed = "Down";
      life.cycle();
      expect(life.state).toBe("Broken");
      life.observed = undefined;
      life.cycle();
      expect(life.state).toBe("Running");
      life.pass("1d");
      life.cycle();
    }
  });

  it("is not taken for undone when what is seen is the next step of the way", () => {
    const stepwise = setupLifecycle().createMachine({
      id: "stepwise",
      version: "1",
      initial: "Idle",
      states: {
        Idle: { on: { "desired.Ready": "Preparing" } },
        Preparing: { on: { "observed.Warm": "Warming" } },
        Warming: { on: { "observed.Hot": "Ready" } },
        Ready: { on: { "desired.Idle": "Idle" } },
      },
    });
    const life = new Life(stepwise);
    life.ask("Ready");
    life.observed = "Warm";
    life.settle();
    expect(life.state).toBe("Warming");
    expect(life.status?.target).not.toHaveProperty("failures");
  });
});
