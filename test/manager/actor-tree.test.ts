// What runs is what is drawn: every machine of `machines/` is an actor on a running operator, as XState's own inspection
// tells, and has the parent and the children that the drawings give it.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AnyStateMachine, InspectionEvent } from "xstate";
import { z } from "zod";
import * as entry from "../../machines/index.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { isMachine } from "../../src/statechart/is-machine.ts";
import {
  noInspector,
  type ActorIntroduction,
  type Inspector,
  type RootActor,
} from "../../src/statechart/inspection.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";

/** An actor as XState's inspection has told of it. */
interface SeenActor {
  readonly machine: string;
  readonly id: string;
  readonly parent: string | undefined;
  /** Whose system it is in, in the words of who made the root. */
  readonly root: ActorIntroduction;
  readonly states: string[];
  readonly received: string[];
}

/** Attaches to the system of every root and listens to nothing but XState. */
function listen(): {
  readonly inspector: Inspector;
  readonly actors: () => readonly SeenActor[];
  /** Roots that have not ended. */
  readonly living: () => readonly string[];
} {
  const actors = new Map<string, SeenActor>();
  const roots = new Set<RootActor>();
  const inspector: Inspector = {
    ...noInspector,
    begin: (root, introduce) => {
      const introduction = introduce();
      roots.add(root);
      root.system.inspect((told: InspectionEvent) => {
        if (told.type !== "@xstate.event" && told.type !== "@xstate.snapshot") return;
        const actorRef = told.actorRef as RootActor;
        const { logic } = actorRef as unknown as { readonly logic: AnyStateMachine };
        const actor = actors.get(actorRef.sessionId) ?? {
          machine: logic.id,
          id: actorRef.id,
          parent: actorRef._parent?.id,
          root: introduction,
          states: [],
          received: [],
        };
        actors.set(actorRef.sessionId, actor);
        if (told.type === "@xstate.event") actor.received.push(told.event.type);
        else actor.states.push(String((told.snapshot as { readonly value?: unknown }).value));
      });
    },
    end: (root) => void roots.delete(root),
  };
  return {
    inspector,
    actors: () => [...actors.values()],
    living: () => [...roots].map(({ id }) => id),
  };
}

const Note = defineKind({
  group: "actors.example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({ text: z.string().default("hello") }),
  lifecycle: entry.applicationLifecycle,
});
const operator = defineOperator({
  name: "notes",
  controllers: [
    defineController(Note, {
      owns: [ConfigMap],
      steps: {
        ObjectsGetter: ({ cr, registry }) => {
          const { name } = cr.metadata;
          registry.add({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name },
            data: { text: cr.spec.text },
          });
        },
      },
      application: {
        observe: () => ({ state: "Running" }),
        tasks: { service: { start: () => undefined }, stop: { start: () => undefined } },
        actions: {},
      },
    }),
  ],
});

describe("the actors of a running operator", () => {
  let cluster: Cluster;
  let client: KubeClient;
  beforeAll(async () => {
    cluster = await startCluster();
    client = await clientOf(cluster.kubeconfig);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  const seen = new Set<string>();

  it.each([
    [
      "election",
      { leaderElection: {} },
      { machine: "election", id: "election", states: ["leader", "released"] },
    ],
    ["sharding", { sharding: {} }, { machine: "shardMember", id: "shards", states: ["resting", "released"] }],
    ["neither", {}, undefined],
  ] as const)("are drawn in machines/, with %s", async (name, options, coordination) => {
    const { inspector, actors, living } = listen();
    const running = await startOperator(operator, cluster.kubeconfig, {
      ...options,
      inspector,
      installCrds: true,
    });
    onTestFinished(() => running.stop());
    const metadata = { name, namespace: "default" };
    await client.create(Note, {
      apiVersion: "actors.example.com/v1",
      kind: "Note",
      metadata,
      spec: { text: "hello" },
    });
    const runs = () =>
      actors().filter(({ machine, root }) => machine === "reconciliation" && root.subject?.name === name);
    await eventually(() => expect(runs().some(({ states }) => states.includes("SuccessManager"))).toBe(true));
    const lives = () =>
      actors().filter(({ machine, root }) => machine === "application" && root.subject?.name === name);
    // The next run restores the application where the first one has left it.
    await client.patch(
      Note,
      { namespace: "default", name },
      { type: "merge", body: { spec: { text: "hello again" } } },
    );
    await eventually(() => expect(lives().some(({ states: [first] }) => first === "Running")).toBe(true));
    await running.stop();
    for (const { machine } of actors()) seen.add(machine);

    // One tree for the process.
    const tree = actors().filter(({ root }) => root.subject === undefined);
    const [manager, ...children] = tree;
    expect(manager).toMatchObject({ machine: "manager", id: "manager", parent: undefined });
    expect(manager?.states).toEqual(
      expect.arrayContaining([
        "Connecting",
        "Preparing",
        "Syncing",
        "Standby",
        "Running",
        "Draining",
        "Stopped",
      ]),
    );
    expect(children.map(({ parent }) => parent)).toEqual(children.map(() => "manager"));
    const watches = children.filter(({ machine }) => machine === "watch");
    expect(watches.map(({ id }) => id).sort()).toEqual([
      "watch of configmaps",
      "watch of notes.actors.example.com",
    ]);
    for (const { states } of watches) expect(states.slice(-2)).toEqual(["watching", "stopped"]);
    const others = children.filter(({ machine }) => machine !== "watch");
    expect(others).toMatchObject(
      coordination === undefined
        ? []
        : [{ ...coordination, states: expect.arrayContaining([...coordination.states]) as unknown }],
    );

    // A run is a root of its own, made for one request and at its end after it.
    for (const { id, parent, received, states } of runs()) {
      expect([id, parent]).toEqual(["reconciliation", undefined]);
      expect(received.slice(0, 2)).toEqual(["xstate.init", "request.received"]);
      expect(states.at(-1)).toBe("End");
    }

    // The lifecycle is a root of its own for as long as a run works with it, and goes on from the status in the next.
    for (const { id, parent } of lives()) expect([id, parent]).toEqual(["lifecycle", undefined]);
    const own = new Set(["xstate.init", "xstate.stop", "lifecycle.stored", "lifecycle.levels"]);
    const moves = lives().flatMap(({ received }) => received.filter((type) => !own.has(type)));
    expect(moves).toEqual(["lifecycle.begin", "observed.Running"]);
    expect(living()).toEqual([]);
  });

  it("are of all machines that machines/ has", () => {
    const machines = Object.values(entry).filter(isMachine);
    const drawn = machines.map(({ id }) => id);
    expect(drawn).toHaveLength(6);
    expect([...seen].sort()).toEqual(drawn.sort());
  });
});
