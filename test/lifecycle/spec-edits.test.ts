// A changed spec: told to the application when it is at rest, by the declared policy; never two ways at once.
import { describe, expect, it } from "vitest";
import { applicationLifecycle, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { specChanged } from "../../machines/lifecycle-events.ts";
import type { SpecEditPolicy } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

const configurable = setupLifecycle().createMachine({
  id: "configurable",
  version: "1",
  initial: "Running",
  states: {
    Running: { on: { "config.changed": "Configuring" } },
    Configuring: { invoke: { id: "configure", src: "configure", onDone: "Running", onError: "Running" } },
  },
});

function configuring(specEdits: SpecEditPolicy): Life {
  const life = new Life(configurable, { options: { specEdits } });
  life.settle();
  life.edit("A");
  life.settle();
  expect(life.state).toBe("Configuring");
  return life;
}

/** Two further edits meanwhile, then everything is let happen. */
function editTwice(life: Life): void {
  for (const hash of ["B", "C"]) {
    life.edit(hash);
    life.settle();
  }
  for (let round = 0; round < 20; round += 1) {
    life.finish();
    life.cycle();
  }
}

describe("a changed spec (T56)", () => {
  it("is told once", () => {
    const life = configuring("coalesce");
    life.finish();
    life.settle();
    for (let round = 0; round < 5; round += 1) life.cycle();
    expect(life.starts).toHaveLength(1);
    expect(life.condition).toMatchObject({ status: "True", observedGeneration: 2 });
  });

  it("is nothing to a machine that does not care", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.edit("other");
    const plan = life.cycle();
    expect(plan.moved).toBeUndefined();
    expect(life.status?.config).toMatchObject({ generation: 2, hash: "other" });
    expect(life.condition).toMatchObject({ status: "True", observedGeneration: 2 });
  });

  it("keeps the condition False while it waits", () => {
    const life = configuring("coalesce");
    life.edit("B");
    life.cycle();
    expect(life.condition).toMatchObject({ status: "False", observedGeneration: 3 });
    expect(life.condition.message).toContain("a change of the spec waits");
  });

  it("coalesces with the edits made meanwhile", () => {
    const life = configuring("coalesce");
    editTwice(life);
    expect(life.starts).toHaveLength(2);
    expect(life.cancels).toEqual([]);
    expect(life.condition).toMatchObject({ status: "True", observedGeneration: 4 });
  });

  it("is queued: one way for each edit, one after the other", () => {
    const life = configuring("queue");
    editTwice(life);
    expect(life.starts).toHaveLength(3);
    expect(life.cancels).toEqual([]);
    expect(life.condition.status).toBe("True");
  });

  it("begins anew what is under way: the old task is cancelled before", () => {
    const life = configuring("restart");
    const [first] = life.starts;
    life.edit("B");
    const plan = life.cycle();
    expect(plan.effects.map((effect) => effect.kind)).toEqual(["cancelTask", "startTask"]);
    expect(plan.moved).toMatchObject({
      from: "Configuring",
      to: "Configuring",
      event: "config.changed",
      through: "lifecycle.restart",
    });
    expect(life.cancels).toEqual([first]);
    expect(life.running.size).toBe(1);
    life.settle();
    life.finish();
    life.settle();
    expect(life.starts).toHaveLength(2);
    expect(life.condition.status).toBe("True");
  });

  it.each([
    ["whose graph says so", applicationLifecycle],
    [
      "that has the state from us",
      setupLifecycle().createMachine({
        id: "plain",
        version: "1",
        initial: "Start",
        states: {
          Start: { on: { "observed.Running": "Running" }, after: { startTimeout: "HumanIntervention" } },
          Running: {},
        },
      }),
    ],
  ])("leads a failed application %s out of HumanIntervention", (_name, machine) => {
    const life = new Life(machine as never);
    life.settle();
    life.pass("1h");
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
    life.edit("corrected");
    life.cycle();
    expect(life.state).toBe("Start");
    life.observed = "Running";
    life.settle();
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
  });
});

describe("a changed spec where manual intervention is required", () => {
  const broken = (on: object): Life => {
    const states = {
      Start: { on: { "observed.Running": "Running", "observed.Broken": "HumanIntervention" } },
      Running: {},
      HumanIntervention: { tags: "intervention", on },
    };
    const machine = setupLifecycle().createMachine({
      id: "m",
      version: "1",
      initial: "Start",
      states,
    });
    const life = new Life(machine as never);
    life.observed = "Broken";
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    life.observed = undefined;
    return life;
  };

  it("is named among what is accepted, and takes the edge that is drawn for it", () => {
    const life = broken({ "human.retry": "Running", "config.changed": "Start" });
    expect(life.condition.message).toContain("accepted: retry, or a changed spec");
    life.edit("corrected");
    expect(life.cycle().moved).toMatchObject({ to: "Start", event: "config.changed" });
  });

  it.each([
    ["has an edge for it that leads nowhere", { "human.retry": "Start", "config.changed": {} }],
    ["has an edge for a person alone", { "human.retry": "Start" }],
  ])("is neither where the state %s", (_, on) => {
    const life = broken(on);
    expect(life.condition.message).not.toContain("a changed spec");
    life.edit("corrected");
    life.settle();
    expect(life.state).toBe("HumanIntervention");
  });
});

const particulars = setupLifecycle({
  guards: { needsRestart: ({ event }) => specChanged(event, "parameters", "server.port") },
  actions: { note: ({ event }) => ({ changed: [...(event.changed ?? [])] }) },
});
const particular = particulars.createMachine({
  id: "particular",
  version: "1",
  initial: "Running",
  context: { changed: [] },
  states: {
    Running: {
      on: { "config.changed": { target: "Restarting", guard: "needsRestart", actions: "note" } },
    },
    Restarting: { invoke: { id: "restart", src: "restart", onDone: "Running", onError: "Running" } },
  },
});

const spec = { parameters: { work_mem: "4MB" }, server: { host: "a", port: 1 }, size: 1 };

function particularLife(specEdits: SpecEditPolicy = "coalesce"): Life {
  const life = new Life(particular, { options: { specEdits } });
  life.edit(spec);
  life.settle();
  return life;
}

describe("what changed of the spec", () => {
  it("lets a guard choose, and names the paths in the cause", () => {
    const life = particularLife();
    life.edit({ ...spec, parameters: { work_mem: "8MB" } });
    const plan = life.cycle();
    expect(plan.moved).toMatchObject({
      to: "Restarting",
      cause: "the spec has changed: parameters.work_mem",
    });
    expect(life.status?.snapshot.context).toEqual({ changed: ["parameters.work_mem"] });
  });

  it("is acknowledged where no guard cares", () => {
    const life = particularLife();
    life.edit({ ...spec, size: 2, server: { host: "b", port: 1 } });
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.condition).toMatchObject({ status: "True", observedGeneration: 3 });
    life.edit({ ...spec, size: 2, server: { host: "b", port: 2 } });
    life.cycle();
    expect(life.status?.snapshot.context).toEqual({ changed: ["server.port"] });
  });

  it("is told after a restart as well, from what is stored alone", () => {
    const before = particularLife();
    const after = new Life(particular);
    const { status, conditions, generation } = before;
    Object.assign(after, { status: JSON.parse(JSON.stringify(status)) as unknown, conditions, generation });
    after.edit({ ...spec, parameters: {}, extra: true });
    after.cycle();
    expect(after.status?.snapshot.context).toEqual({ changed: ["extra", "parameters.work_mem"] });
  });

  it("gathers while the application is on its way, and is told at once", () => {
    const life = particularLife();
    life.edit({ ...spec, parameters: { work_mem: "8MB" } });
    life.settle();
    life.edit({ ...spec, parameters: { work_mem: "16MB" } });
    life.settle();
    life.edit({ ...spec, parameters: { work_mem: "16MB" }, size: 3 });
    life.settle();
    life.finish();
    life.settle();
    expect(life.starts).toHaveLength(2);
    expect(life.status?.snapshot.context).toEqual({ changed: ["parameters.work_mem", "size"] });
  });

  it.each([
    ["without an edge whose guard could be asked", false],
    ["with an edge whose guard says no", true],
  ])("begins anew under the policy restart in a state %s, whatever it is", (_, asks) => {
    const asking = { "config.changed": { target: "Running", guard: "needsRestart" } } as const;
    const machine = particulars.createMachine({
      id: "careless",
      version: "1",
      initial: "Running",
      context: { changed: [] },
      states: {
        Running: { on: { "config.changed": { target: "Restarting", guard: "needsRestart" } } },
        Restarting: {
          on: asks ? asking : {},
          invoke: { id: "restart", src: "restart", onDone: "Running", onError: "Running" },
        },
      },
    });
    const life = new Life(machine, { options: { specEdits: "restart" } });
    life.edit(spec);
    life.settle();
    life.edit({ ...spec, size: 2 });
    life.settle();
    expect(life.state).toBe("Running");
    life.edit({ ...spec, size: 2, parameters: {} });
    life.settle();
    life.edit({ ...spec, size: 3, parameters: {} });
    expect(life.cycle().moved).toMatchObject({
      from: "Restarting",
      to: "Restarting",
      event: "config.changed",
    });
    expect(life.cancels).toEqual(life.starts.slice(0, 1));
  });

  it("is told edit by edit under the policy queue, also one that is taken back", () => {
    const life = particularLife("queue");
    const edits = ["8MB", "16MB", "8MB"].map((work_mem) => ({ ...spec, parameters: { work_mem } }));
    for (const edit of edits) {
      life.edit(edit);
      life.settle();
    }
    expect(life.status?.config.edits?.map(({ changed }) => changed)).toEqual([
      ["parameters.work_mem"],
      ["parameters.work_mem"],
    ]);
    for (let round = 0; round < 6; round += 1) {
      life.finish();
      life.settle();
    }
    expect(life.starts).toHaveLength(3);
    expect(life.condition.status).toBe("True");
  });

  it("keeps sixteen edits apart, and what changed in the ones after", () => {
    const life = particularLife("queue");
    for (let size = 2; size < 30; size += 1) {
      life.edit({ ...spec, parameters: { work_mem: `${size}MB` }, [`field${size}`]: size });
      life.cycle();
    }
    expect(life.status?.config.edits).toHaveLength(16);
    expect(life.plans.every((plan) => plan.status !== undefined)).toBe(true);
  });
});
