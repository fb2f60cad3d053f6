// What states are for: tags first, then the shape of the graph, and never a name.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { isAtRest, rolesOf, type Roles } from "../../src/lifecycle/graph/roles.ts";
import { drawnGraph, graphOf } from "./drawn-graph.ts";
import {
  clusterMachine,
  kafkaRebalance,
  memcached,
  plant,
  postgresCluster,
  zooKeeper,
} from "./foreign-lifecycles.ts";
import {
  issuedCertificate,
  ringMember,
  runnerPool,
  searchCluster,
  secretStore,
} from "./further-lifecycles.ts";

function read(machine: unknown): Roles {
  return rolesOf(compileLifecycle(machine as LifecycleMachine).index);
}

function rolesIn(machine: unknown): Record<string, string> {
  return Object.fromEntries([...read(machine).states].map(([state, { role }]) => [state, role]));
}

function draw(states: object, more: object = {}): LifecycleMachine {
  const [initial] = Object.keys(states);
  const config = { id: "drawn", version: "1", initial, states, ...more };
  return setupLifecycle({ guards: { closed: () => false } }).createMachine(config as never) as never;
}

describe("the roles of states", () => {
  it("of a rebalance that waits for an approval", () => {
    expect(rolesIn(kafkaRebalance)).toEqual({
      New: "initial",
      PendingProposal: "transient",
      ProposalReady: "transient",
      Rebalancing: "transient",
      Ready: "stable",
      Stopped: "stable",
      NotReady: "stable",
      HumanIntervention: "intervention",
    });
    // A guard that is closed keeps it there: nothing is under way.
    expect(isAtRest({ roles: read(kafkaRebalance) }, ["ProposalReady"])).toBe(true);
    expect(isAtRest({ roles: read(kafkaRebalance) }, ["Rebalancing"])).toBe(false);
  });

  const signing = (back: string) => ({
    NewKey: { invoke: { id: "generate", src: "generate", onDone: "DoubleSigned" } },
    DoubleSigned: { on: { "observed.KeyAtParent": "DroppingOld" } },
    DroppingOld: { invoke: { id: "drop", src: "drop", onDone: back } },
  });
  const Signed = {
    tags: "stable",
    on: { "desired.Rotating": "Rotating" },
    after: { 86_400_000: "Rotating" },
  };
  it.each([
    [
      "beside it",
      {
        NewZone: { on: { "observed.Up": "Signed" } },
        Signed,
        Rotating: { always: "NewKey" },
        ...signing("Signed"),
      },
    ],
    [
      "in a state of its own",
      {
        NewZone: { on: { "observed.Up": "Signed" } },
        Signed,
        Rotating: {
          initial: "NewKey",
          states: { ...signing("Done"), Done: { type: "final" } },
          onDone: "Signed",
        },
      },
    ],
  ])("of work that a timer begins again and again: %s", (_, states) => {
    const roles = rolesIn(draw(states));
    expect(roles).toMatchObject({ Signed: "stable", Rotating: "transient" });
    const waiting = Object.entries(roles).filter(([state]) => state.endsWith("DoubleSigned"));
    expect(waiting.map(([, role]) => role)).toEqual(["transient"]);
  });

  it("of plans that consist of phases and steps", () => {
    const roles = rolesIn(zooKeeper);
    expect(roles).toMatchObject({
      Deploy: "initial",
      "Deploy:StatefulSet": "transient",
      Complete: "stable",
      Update: "transient",
      Backup: "transient",
      Failed: "stable",
    });
    expect(read(zooKeeper).transient.has("Deploy")).toBe(true);
  });

  it("of a cluster that is rolled pod by pod", () => {
    expect(rolesIn(postgresCluster)).toMatchObject({
      Creating: "initial",
      Running: "stable",
      Updating: "transient",
      "Updating:Choosing": "transient",
      "Updating:Syncing": "transient",
      CreateFailed: "transient",
      SyncFailed: "failure",
      Invalid: "failure",
      Deleting: "transient",
      End: "end",
    });
  });

  it("of a machine that begins in Pending", () => {
    expect(rolesIn(clusterMachine)).toMatchObject({
      Pending: "initial",
      Provisioning: "transient",
      Provisioned: "transient",
      Running: "stable",
      Failed: "failure",
      Deleting: "transient",
      "Deleting:Detaching": "transient",
      Deleted: "end",
    });
  });

  it("of a server that is serviced on demand", () => {
    expect(rolesIn(memcached)).toMatchObject({
      Start: "initial",
      Run: "stable",
      Service: "stable",
      Stop: "transient",
      End: "end",
    });
  });

  it("of a plant whose regions move by their own observations", () => {
    const roles = rolesIn(plant);
    expect(roles).toMatchObject({
      Off: "initial",
      Live: "stable",
      "Live:network": "stable",
      "Live:network:Up": "stable",
      "Live:data": "stable",
      "Live:data:Dirty": "transient",
      "Live:data:Syncing": "transient",
      Maintenance: "stable",
      Scrapped: "end",
    });
    expect(roles).not.toHaveProperty("Live:memory");
    // A guarded way on does not keep a region under way for ever.
    expect(isAtRest({ roles: read(plant) }, ["Live:data:Clean"])).toBe(true);
    expect(isAtRest({ roles: read(plant) }, ["Live:data:Dirty"])).toBe(false);
  });
});

describe("what a person would say, without a tag", () => {
  const defaultOf = (machine: unknown): string =>
    compileLifecycle(machine as LifecycleMachine).defaultDesiredState;

  it("of a member of a ring: it is Normal, and Down is only away for a while", () => {
    expect(defaultOf(ringMember)).toBe("Normal");
    expect(rolesIn(ringMember)).toMatchObject({
      Joining: "transient",
      Normal: "stable",
      Down: "transient",
      Replacing: "transient",
      Repairing: "transient",
      Drained: "stable",
      Decommissioning: "transient",
    });
  });

  it("of a search cluster: an upgrade leads on, and waits in it for each node", () => {
    expect(defaultOf(searchCluster)).toBe("Green");
    expect(rolesIn(searchCluster)).toMatchObject({
      Green: "stable",
      Red: "failure",
      Upgrading: "transient",
      "Upgrading:Restarting": "transient",
      "Upgrading:Recovering": "transient",
      "Upgrading:Enabling": "transient",
    });
    expect(compileLifecycle(searchCluster).desirable).not.toContain("Upgrading");
  });

  it("of a certificate: it is ready, and a timer renews it", () => {
    expect(defaultOf(issuedCertificate)).toBe("Ready");
    expect(rolesIn(issuedCertificate)).toMatchObject({
      Challenging: "transient",
      Ready: "stable",
      Renewing: "transient",
      Failed: "failure",
    });
  });

  it("of a store of secrets, and of a pool that is scaled to nothing", () => {
    expect(rolesIn(secretStore)).toMatchObject({ Sealed: "stable", Standby: "transient", Active: "stable" });
    expect(rolesIn(runnerPool)).toMatchObject({
      Idle: "transient",
      ScaledToZero: "stable",
      Paused: "suspended",
      Draining: "transient",
      Failed: "failure",
    });
  });

  it("of a timer that leads to another place, or to work that comes back over one: it leads on", () => {
    expect(
      rolesIn(
        draw({
          A: { on: { "observed.B": "B" } },
          B: { after: { "5s": "C" } },
          C: { invoke: { id: "c", src: "c", onDone: "D" } },
          D: { always: { guard: "closed", target: "B" }, on: { "human.x": "A" } },
        }),
      ),
    ).toMatchObject({ B: "transient" });
  });
});

describe("the shape of a graph", () => {
  it("makes no state transient by a failure, wherever it is drawn", () => {
    const roles = read(
      draw({
        New: { on: { "observed.Up": "Up" } },
        Up: {
          initial: "Serving",
          after: { "1h": "Broken" },
          states: {
            Serving: { on: { "desired.Up:Checking": "Checking" } },
            Checking: {
              invoke: { id: "check", src: "check", onDone: "Serving", onError: "#drawn.HumanIntervention" },
            },
          },
        },
        Broken: { tags: ["failure"], on: { "observed.Up": "Up" } },
      }),
    );
    expect(roles.states.get("Up")).toMatchObject({ role: "stable" });
    expect(roles.states.get("Up:Checking")).toMatchObject({ role: "transient" });
    expect(roles.transient.has("Up")).toBe(false);
    expect([...roles.failures].map(({ event }) => event).toSorted()).toEqual(["after.1h", "error.check"]);
  });

  it("tells a deadline beside work from a time that is waited for", () => {
    const roles = read(
      draw({
        A: { on: { "observed.B": "B" }, after: { "1h": "C" } },
        B: { after: { "1h": "C" }, on: { "observed.A": "A" } },
        C: {},
      }),
    );
    expect([...roles.failures].map(({ source }) => source)).toEqual(["A"]);
    expect(roles.states.get("B")).toEqual({ state: "B", role: "transient", why: "after.1h leads on to C" });
  });

  it.each([
    ["back to a nearer state", { On: { on: { "observed.Off": "Off" } } }, "stable"],
    ["to a farther state", { On: { on: { "observed.Busy": "Busy" } }, Busy: {} }, "transient"],
    ["to the end", { On: { on: { "observed.Gone": "Gone" } }, Gone: { type: "final" } }, "transient"],
    [
      "to a failure",
      { On: { on: { "observed.Lost": "Lost" } }, Lost: { tags: ["failure"], on: { "human.mend": "Off" } } },
      "stable",
    ],
    [
      "to what is degraded and recovers",
      { On: { on: { "observed.Slow": "Slow" } }, Slow: { tags: ["degraded"], on: { "observed.On": "On" } } },
      "stable",
    ],
    [
      "to work that always leads back",
      { On: { on: { "observed.Dirty": "Clean" } }, Clean: { invoke: { id: "c", src: "c", onDone: "On" } } },
      "stable",
    ],
    [
      "to a state that only an operator leads out of",
      { On: { on: { "observed.Empty": "Empty" } }, Empty: { on: { "desired.On": "On" } } },
      "transient",
    ],
  ])("knows an observation that leads %s", (_, states, role) => {
    const roles = rolesIn(
      draw({ Off: { on: { "observed.On": "On", "desired.Empty": "Empty" } }, Empty: {}, ...states }),
    );
    expect(roles["On"]).toBe(role);
  });

  it("never makes the initial state stable", () => {
    expect(rolesIn(draw({ Idle: { on: { "desired.Busy": "Busy" } }, Busy: {} }))["Idle"]).toBe("initial");
    const tagged = draw({ Idle: { tags: ["stable"], on: { "desired.Busy": "Busy" } }, Busy: {} });
    expect(rolesIn(tagged)["Idle"]).toBe("stable");
  });

  it("takes a compound state for left only where its own work leads out", () => {
    const roles = rolesIn(
      draw({
        New: { on: { "observed.Up": "Up" } },
        Up: {
          initial: "Serving",
          states: {
            Serving: { on: { "desired.Up:Archiving": "Archiving" } },
            Archiving: { invoke: { id: "archive", src: "archive", onDone: "#drawn.Archived" } },
          },
        },
        Archived: {},
        Rolling: {
          initial: "First",
          states: {
            First: { invoke: { id: "first", src: "first", onDone: "Last" } },
            Last: { type: "final" },
            Held: { on: { "human.go": "First" } },
          },
          onDone: "Up",
          on: { "human.hold": ".Held" },
        },
      }),
    );
    expect(roles).toMatchObject({
      Up: "stable",
      "Up:Serving": "stable",
      "Up:Archiving": "transient",
      Rolling: "transient",
      "Rolling:First": "transient",
      "Rolling:Held": "stable",
    });
  });
});

describe("tags", () => {
  it("beat the shape, and the nearest one counts", () => {
    const roles = rolesIn(
      draw({
        A: { on: { "observed.B": "B" } },
        B: { tags: ["stable"], after: { "24h": "C" } },
        C: { tags: ["transient"], initial: "Inner", states: { Inner: {}, Kept: { tags: ["stable"] } } },
        D: { tags: ["suspended"], on: { "desired.B": "B" } },
        E: { tags: ["failure"], initial: "Inner", states: { Inner: { on: { "human.mend": "#drawn.A" } } } },
      }),
    );
    expect(roles).toMatchObject({
      B: "stable",
      C: "transient",
      "C:Inner": "transient",
      "C:Kept": "stable",
      D: "suspended",
      E: "failure",
      "E:Inner": "failure",
    });
  });

  it("say which of several final states a deletion leads to", () => {
    const finals = (first: object, second: object, on: object = {}): LifecycleMachine =>
      draw({ A: { on }, First: { type: "final", ...first }, Second: { type: "final", ...second } });
    expect(read(finals({}, {})).end).toBe("First");
    expect(read(finals({ tags: ["failure"] }, {})).end).toBe("Second");
    expect(read(finals({}, {}, { "desired.Second": "Second" })).end).toBe("Second");
    expect(read(finals({ tags: ["end"] }, {}, { "desired.Second": "Second" })).end).toBe("First");
    expect(read(draw({ A: {} })).end).toBeUndefined();
  });
});

describe("any graph", () => {
  const names = ["Start", "End", "HumanIntervention", "Running", "Stopping", "Failed", "Pending"];
  const naming = fc.shuffledSubarray(names, { minLength: names.length });

  it("has a role for every state, the same whatever its states are called", () => {
    fc.assert(
      fc.property(drawnGraph, naming, (drawn, words) => {
        const plain = graphOf(drawn, (number) => `State${number}`);
        const renamed = graphOf(drawn, (number) => words[number] ?? `Other${number}`);
        const roles = rolesOf(plain);
        const others = rolesOf(renamed);
        const states = plain.graph.nodes.filter(({ type }) => type !== "history");
        expect([...roles.states.keys()]).toEqual(states.map(({ path }) => path));
        expect([...others.states.values()].map(({ role }) => role)).toEqual(
          [...roles.states.values()].map(({ role }) => role),
        );
        expect(positions(renamed, others.transient)).toEqual(positions(plain, roles.transient));
        expect(positions(renamed, others.moving)).toEqual(positions(plain, roles.moving));
        const edgesOf = (index: typeof plain, { failures }: Roles): number[] =>
          [...failures].map((edge) => index.graph.edges.indexOf(edge)).toSorted((a, b) => a - b);
        expect(edgesOf(renamed, others)).toEqual(edgesOf(plain, roles));
        expect(rolesOf(plain).states).toEqual(roles.states);
      }),
    );
  });

  it("is consistent between a state and those inside it", () => {
    fc.assert(
      fc.property(drawnGraph, (drawn) => {
        const index = graphOf(drawn, (number) => `State${number}`);
        const roles = rolesOf(index);
        for (const path of roles.moving) expect(roles.transient).toContain(path);
        for (const { path, parent, tags } of index.graph.nodes) {
          if (parent === undefined) continue;
          // What has failed has failed in all its parts.
          if (roles.failure.has(parent)) expect(roles.failure).toContain(path);
          if (roles.intervention.has(parent)) expect(roles.intervention).toContain(path);
          const isTagged = tags.includes("stable") || tags.includes("transient");
          const outer = index.nodes.get(parent);
          if (outer?.tags.includes("transient") === true && !outer.tags.includes("stable") && !isTagged) {
            expect(roles.transient).toContain(path);
          }
        }
      }),
    );
  });

  function positions(index: ReturnType<typeof graphOf>, paths: ReadonlySet<string>): number[] {
    return [...paths].map((path) => index.order.get(path) ?? -1).toSorted((a, b) => a - b);
  }
});
