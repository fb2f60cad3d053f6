// The kit's model-based tests, as an author declares them; and that they fail when something is wrong.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lifecycleTests } from "xstate-operator/testing";
import { Database } from "../../examples/database/src/database/database.ts";
import { applicationLifecycle, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { readGraph } from "../../src/statechart/graph.ts";
import { shopLifecycle } from "./shop-lifecycle.ts";

const shopTests = lifecycleTests(shopLifecycle, {
  facts: [{}, { size: "big" }],
  specs: [{ plan: "free" }, { plan: "paid" }],
  outputs: { dry: ["clean", "dirty"] },
});

const namesOf = (tests: Iterable<{ readonly name: string }>): string[] => [...tests].map(({ name }) => name);

describe("the lifecycle of a kind that draws none", () => {
  const tests = lifecycleTests(applicationLifecycle);
  for (const { name, run } of tests) it(name, run);

  it("has the same tests when they are made again in this process", () => {
    expect(namesOf(lifecycleTests(applicationLifecycle))).toEqual(namesOf(tests));
  });
});

describe("the lifecycle of the database", () => {
  for (const { name, run } of lifecycleTests(Database, {
    specs: [{}, { drainSeconds: 1 }, { maxConnections: 60 }],
  }))
    it(name, run);
});

describe("a lifecycle with everything in it", () => {
  for (const { name, run } of shopTests) it(name, run);

  it("has a test for each edge, and no edge without one", () => {
    const walks = shopTests.tests.filter(({ name }) => !name.includes(" is deleted: "));
    expect(walks).toHaveLength(readGraph(shopLifecycle).edges.length + 1);
    expect(shopTests.tests.length).toBeGreaterThan(walks.length);
    expect(shopTests.unwalked).toEqual([]);
  });

  it("has the same tests each time, in every process", async () => {
    const file = join(import.meta.dirname, "shop-tests.txt");
    expect(existsSync(file)).toBe(true);
    await expect(`${namesOf(shopTests).join("\n")}\n`).toMatchFileSnapshot(file);
  });
});

describe("a lifecycle whose edges share their words", () => {
  // Delays of siblings and of regions; a task under the name of a state that has an end of its own; an id in two states.
  const shared = setupLifecycle().createMachine({
    id: "shared",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Up": "Up" } },
      Up: {
        on: { "desired.Nest": "Nest", "desired.Both": "Both", "desired.Work": "Work", "human.more": "More" },
      },
      Nest: {
        initial: "One",
        states: {
          One: { after: { "5m": "Two" } },
          Two: { after: { "5m": "Three" } },
          Three: { type: "final" },
        },
        onDone: "Up",
      },
      Both: {
        type: "parallel",
        states: {
          Left: { initial: "A", states: { A: { after: { "5m": "B" } }, B: { type: "final" } } },
          Right: { initial: "A", states: { A: { after: { "5m": "B" } }, B: { type: "final" } } },
        },
        onDone: "Up",
      },
      Work: {
        initial: "Doing",
        states: {
          Doing: {
            invoke: { id: "Work", src: "work", onDone: "Done", onError: "#shared.HumanIntervention" },
          },
          Done: { type: "final" },
        },
        onDone: "Up",
      },
      More: { invoke: { id: "Work", src: "work", onDone: "Up", onError: "HumanIntervention" } },
    },
  });
  const tests = lifecycleTests(shared);
  for (const { name, run } of tests) if (/ --(after\.5m|done\.)/.test(name)) it(name, run);

  it("has a walk over each of them", () => expect(tests.unwalked).toEqual([]));
});

describe("a lifecycle whose states refuse changes of the spec", () => {
  const guarded = setupLifecycle().createMachine({
    id: "guarded",
    version: "1",
    meta: { refuses: ["image"] },
    initial: "Start",
    states: {
      Start: { on: { "observed.Up": "Up" } },
      Up: {
        meta: { accepts: ["size", "storage.class.name"], message: "stop it first" },
        on: { "desired.Held": "Held", "config.changed": "Start" },
      },
      Held: { meta: { refuses: ["storage", "storage.class"] }, on: { "desired.Up": "Up" } },
    },
  });

  // A machine has no spec of its own: the fields that its states name are there.
  it.each([undefined, [{ image: "one" }, { image: "one", storage: { class: { name: "fast" } } }]])(
    "is walked without a kind, with the specs %j",
    async (specs) => {
      const tests = lifecycleTests(guarded, specs === undefined ? {} : { specs });
      expect(tests.unwalked).toEqual([]);
      const changes = tests.tests.filter(({ name }) => name.startsWith("Up --config.changed--> "));
      expect(changes).toHaveLength(1);
      for (const { run } of changes) await run();
    },
  );

  it("is told that a machine cannot be used, before its refusals are read", () => {
    const lost = setupLifecycle().createMachine({
      id: "lost",
      version: "1",
      initial: "Start",
      states: { Start: { meta: { refuses: "image" } }, Island: {} },
    });
    expect(() => lifecycleTests(lost)).toThrow(
      expect.objectContaining({ code: "LIFECYCLE_INVALID" }) as Error,
    );
  });
});

describe("the options of lifecycle tests", () => {
  it.each<[string, object, RegExp]>([
    ["a misspelt one", { spec: [{}] }, /lifecycleTests has no option "spec".*Did you mean "specs"\?/],
    ["one spec for a list", { specs: { size: 1 } }, /specs is an object, but must be a list/],
    ["an output that is not in a list", { outputs: { work: 3 } }, /outputs\.work is 3, but must be a list/],
    ["a task's policy", { tasks: { work: { timeout: "long" } } }, /tasks\.work\.timeout is "long"/],
    ["an option of the lifecycle", { lifecycleOptions: { rename: {} } }, /Did you mean "renames"\?/],
    ["a check that is a value", { check: true }, /check is true, but must be a function/],
  ])("are refused: %s", (_, options, message) => {
    expect(() => lifecycleTests(applicationLifecycle, options as never)).toThrow(
      expect.objectContaining({
        code: "TEST_OPTIONS_INVALID",
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });
});

describe("a lifecycle with something wrong", () => {
  const open = setupLifecycle({
    guards: {
      isLate: ({ event }) => event.facts["hour"] === 23,
      breaks: () => {
        throw new Error("no such hour");
      },
    },
  }).createMachine({
    id: "open",
    version: "1",
    initial: "Open",
    states: {
      Open: {
        on: {
          "observed.Late": { target: "Closed", guard: "isLate" },
          "observed.Odd": { target: "Closed", guard: "breaks" },
          "human.close": "Closed",
        },
      },
      Closed: { on: { "observed.Open": "Open" } },
    },
  });

  it("is told which edges have no walk, and why", async () => {
    const { tests, unwalked } = lifecycleTests(open);
    expect(unwalked.map(({ edge }) => edge)).toEqual([
      "Open --observed.Late [isLate]--> Closed",
      "Open --observed.Odd [breaks]--> Closed",
    ]);
    expect(unwalked[0]?.reason).toContain('its guard "isLate" was never true');
    expect(unwalked[1]?.reason).toContain("no such hour");
    await expect(tests.at(-1)?.run()).rejects.toMatchObject({ code: "WALK_MISSING" });
  });

  it("is walked with samples for its guards, and what is known to be unwalkable may be named", async () => {
    const { tests, unwalked } = lifecycleTests(open, {
      facts: [{}, { hour: 23 }],
      unwalkable: ["Open --observed.Odd [breaks]--> Closed"],
    });
    expect(unwalked).toHaveLength(1);
    await tests.at(-1)?.run();
    const late = tests.find(({ name }) => name.startsWith("Open --observed.Late"));
    expect(late?.name).toContain("see Late, see facts 1");
    await late?.run();
  });

  it("fails a test whose own check fails, with where it ended", async () => {
    const [test] = lifecycleTests(open, {
      check: ({ state, edge }) => {
        throw new Error(`${edge} ended in ${state}`);
      },
    });
    await expect(test?.run()).rejects.toThrow("Open --human.close--> Closed ended in Closed");
  });

  it("fails when what is persisted is not what the lifecycle says", async () => {
    // Each process draws another graph: what one persists is not what the next would.
    let hour = 0;
    const unsteady = setupLifecycle({ guards: { isOdd: () => (hour += 1) % 2 === 1 } }).createMachine({
      id: "unsteady",
      version: "1",
      initial: "Open",
      states: {
        Open: { on: { "human.toss": [{ target: "Heads", guard: "isOdd" }, { target: "Tails" }] } },
        Heads: { on: { "human.again": "Open" } },
        Tails: { on: { "human.again": "Open" } },
      },
    });
    const outcomes = await Promise.allSettled([...lifecycleTests(unsteady)].map(({ run }) => run()));
    expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
  });
});
