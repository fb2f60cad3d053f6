// The life of a database, cycle by cycle with a virtual clock: a changed configuration, its time limit, the human events,
// and what version 1 of the graph has stored.
import { describe, expect, it } from "vitest";
import { Database } from "../../../examples/database/src/database/database.ts";
import { databaseLifecycle } from "../../../examples/database/src/database/database-lifecycle.ts";
import { compileLifecycle } from "../../../src/lifecycle/graph/compile-lifecycle.ts";
import type { MigratedSnapshot } from "../../../src/lifecycle/graph/migrate.ts";
import { Life } from "../../lifecycle/life.ts";
import { databaseFixture } from "./database-fixture.ts";
import { databaseLifecycle1 } from "./database-lifecycle-1.ts";

const { spec } = databaseFixture();
/** What Database says about its older versions: the kind's own function, for a life of the same machine. */
const options = {
  migrate: Database.lifecycle?.options.migrate as (old: MigratedSnapshot) => MigratedSnapshot,
};

const running = (): Life => {
  const life = new Life(databaseLifecycle);
  life.edit({ ...spec });
  life.observed = "Running";
  life.settle();
  expect(life.state).toBe("Running");
  return life;
};

describe("a changed configuration", () => {
  it.each<[string, Partial<typeof spec>]>([
    ["parameters", { parameters: { work_mem: "8MB" } }],
    ["maxConnections", { maxConnections: 60 }],
    ["port", { port: 6_000 }],
  ])("of %s leads through Reconfiguring back to Running, counted once", (_, change) => {
    const life = running();
    life.edit({ ...spec, ...change });
    life.observed = "Outdated";
    life.settle();
    expect(life.state).toBe("Reconfiguring");
    expect(life.status?.last?.cause).toContain("the spec has changed");
    life.observed = "Down";
    life.settle();
    expect(life.state).toBe("Reconfiguring");
    life.observed = "Running";
    life.settle();
    expect(life.path).toEqual(["Start", "Running", "Reconfiguring", "Running"]);
    expect(life.status?.snapshot?.context).toEqual({ reconfigurations: 1 });
  });

  it("of anything else moves nothing", () => {
    const life = running();
    life.edit({ ...spec, drainSeconds: 1, backupMaxRate: 32 });
    life.settle();
    expect(life.path).toEqual(["Start", "Running"]);
  });

  it("comes before the backup that is desired with it", () => {
    const life = running();
    life.edit({ ...spec, maxConnections: 60 });
    life.ask("Servicing");
    life.observed = "Outdated";
    life.settle();
    expect(life.state).toBe("Reconfiguring");
    expect(life.starts).toEqual([]);
    life.observed = "Running";
    life.settle();
    expect(life.state).toBe("Servicing");
  });

  it("with which the server does not come up is a person's after five minutes, and no second earlier", () => {
    const life = running();
    life.edit({ ...spec, parameters: { work_mem: "much" } });
    life.observed = "Outdated";
    life.settle();
    life.observed = "Down";
    life.pass("299s");
    life.settle();
    expect(life.state).toBe("Reconfiguring");
    life.pass("1s");
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.status?.last?.cause).toContain("reconfigureTimeout");

    life.edit({ ...spec, parameters: { work_mem: "8MB" } });
    life.cycle();
    expect(life.state).toBe("Start");
    life.observed = "Running";
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.snapshot?.context).toEqual({ reconfigurations: 0 });
  });

  it("during which the end is desired gives way to it", () => {
    const life = running();
    life.edit({ ...spec, maxConnections: 60 });
    life.observed = "Outdated";
    life.settle();
    life.ask("End");
    life.settle();
    expect(life.path.slice(-2)).toEqual(["Reconfiguring", "Stopping"]);
  });
});

describe("a person", () => {
  it("calls a backup off, which is not begun again, and leaves the server to a change", () => {
    const life = running();
    life.ask("Servicing");
    life.settle();
    const [key = ""] = life.starts;
    life.send("abort");
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.cancels).toEqual([key]);
    expect(life.starts).toEqual([key]);
    life.edit({ ...spec, maxConnections: 60 });
    life.observed = "Outdated";
    life.settle();
    expect(life.state).toBe("Reconfiguring");
  });

  it("tries again what did not come up", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("10m");
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    life.send("retry");
    life.settle();
    expect(life.state).toBe("Start");
  });
});

describe("what version 1 has stored", () => {
  /** A life under version 1 in a state. */
  const stored: Readonly<Record<string, () => Life>> = {
    Start: () => former(),
    Running: () => former("Running"),
    Servicing: () => asked(former("Running"), "Servicing"),
    Stopping: () => asked(former("Running"), "End"),
    HumanIntervention: () => {
      const life = former();
      life.pass("10m");
      life.settle();
      return life;
    },
    End: () => {
      const life = asked(former("Running"), "End");
      life.finish();
      life.settle();
      return life;
    },
  };
  const former = (observed?: string): Life => {
    const life = new Life(databaseLifecycle1);
    life.edit({ ...spec });
    life.observed = observed;
    life.settle();
    return life;
  };
  const asked = (life: Life, target: string): Life => {
    life.ask(target);
    life.settle();
    return life;
  };
  /** The same resource under the present version. */
  const upgraded = (before: Life): Life => {
    const life = new Life(databaseLifecycle, { options });
    const { status, conditions, generation, now, desired, observed, specHash } = before;
    Object.assign(life, {
      status,
      conditions,
      generation,
      now,
      desired,
      observed,
      specHash,
      spec: before.spec,
    });
    for (const each of before.running) life.running.set(...each);
    life.starts.push(...before.starts);
    return life;
  };

  it("is of every state that version 1 had", () => {
    expect(Object.keys(stored).toSorted()).toEqual(
      [...compileLifecycle(databaseLifecycle1).states].toSorted(),
    );
  });

  it.each(Object.entries(stored))("in %s stays there, and starts nothing again", (state, store) => {
    const before = store();
    expect(before.state).toBe(state);
    expect(before.status?.graph).toBe("database@1");
    const life = upgraded(before);
    const [first] = life.settle();
    expect(first?.problems).toEqual([]);
    expect(life.state).toBe(state);
    expect(life.path).toEqual([]);
    expect(life.starts).toEqual(before.starts);
    expect(life.cancels).toEqual([]);
    expect(life.status?.graph).toBe("database@2");
    expect(life.status?.snapshot?.context).toEqual({ reconfigurations: 0 });
    expect(life.status?.timers).toEqual(before.status?.timers);
  });

  it("goes on: the backup under way is the one that ends, and a change then finds its new state", () => {
    const life = upgraded(stored["Servicing"]?.() ?? expect.unreachable());
    life.settle();
    life.finish();
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.starts).toHaveLength(1);
    life.edit({ ...spec, port: 6_000 });
    life.observed = "Outdated";
    life.settle();
    expect(life.state).toBe("Reconfiguring");
  });
});
