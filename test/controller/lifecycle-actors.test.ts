// Which lifecycles have an actor: those that are worked on and those that somebody looks at, and no others.
import { describe, expect, it } from "vitest";
import { LifecycleActors } from "../../src/controller/application/lifecycle-actors.ts";
import { InspectionBridge, type InspectionChoice } from "../../src/inspect/inspection-bridge.ts";
import type { InspectionMessage } from "../../src/inspect/inspection-message.ts";
import { cycleLevels } from "../../src/lifecycle/lifecycle-logic.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { databaseLifecycle } from "../lifecycle/database-lifecycle.ts";
import { Life } from "../lifecycle/life.ts";

/** One kind with these resources, whose lives go on apart from the actors: they stand for what is stored. */
function setUp(...names: readonly string[]) {
  const lives = new Map(names.map((name) => [name, new Life(databaseLifecycle, {})]));
  const lifeOf = (name: string): Life => {
    const life = lives.get(name);
    if (life === undefined) throw new Error(`no life ${name}`);
    return life;
  };
  const crOf = (name: string): KubeObject => {
    const { status: lifecycle, conditions } = lifeOf(name);
    return {
      apiVersion: "data.example.com/v1",
      kind: "Database",
      metadata: { name, namespace: "default", uid: `uid-of-${name}` },
      status: { lifecycle, conditions },
    } as unknown as KubeObject;
  };
  const bridge = new InspectionBridge({ now: () => 1_000, sanitize: (value) => value });
  const actors = new LifecycleActors({
    lifecycle: lifeOf(names[0] ?? "").lifecycle,
    inspector: bridge,
    clock: systemClock,
    resources: () => [...lives.keys()].map(crOf),
  });
  const ended = new AbortController();
  actors.start(ended.signal);
  const storedOf = (name: string) => {
    const { status, conditions } = lifeOf(name).input();
    return { status, conditions, uid: `uid-of-${name}`, children: [], spec: {} };
  };
  const work = (name: string) => actors.work(crOf(name), storedOf(name));
  /** A run of one cycle; what it decides is stored. */
  const run = (name: string): void => {
    const actor = work(name);
    actor.send(cycleLevels({ ...lifeOf(name).input(), ...storedOf(name) }, (text) => text));
    lifeOf(name).cycle();
    actors.rest(crOf(name));
  };
  const look = (choice: InspectionChoice = {}) => {
    const messages: InspectionMessage[] = [];
    const { detach } = bridge.attach({ choice, send: (message) => messages.push(message) > 0 });
    return { lines: () => messages.map(lineOf), sessions: () => new Set(messages.map(sessionOf)), detach };
  };
  const end = (): void => ended.abort();
  return { actors, end, lifeOf, crOf, work, run, look, remove: (name: string) => lives.delete(name) };
}

function sessionOf({ sessionId }: InspectionMessage): string {
  return sessionId;
}

function lineOf(message: InspectionMessage): string {
  if (message.type === "@xstate.event") return message.event.type;
  const { status, value } = message.snapshot as { readonly status: string; readonly value: unknown };
  const name = message.type === "@xstate.actor" ? `${message.name}: ` : "";
  return `${name}${status} ${JSON.stringify(value)}`;
}

describe("the lifecycles of a kind", () => {
  it("have no actor while they are idle", () => {
    const { actors, crOf, work, run } = setUp("orders", "invoices");
    const worked = work("orders");
    expect([actors.count, worked.isActive]).toEqual([1, true]);
    actors.rest(crOf("orders"));
    expect([actors.count, worked.isActive]).toEqual([0, false]);
    for (let round = 0; round < 20; round += 1) for (const name of ["orders", "invoices"]) run(name);
    expect(actors.count).toBe(0);
  });

  it("have one while somebody looks, at what is stored and without doing anything", () => {
    const { actors, lifeOf, look } = setUp("orders", "invoices");
    lifeOf("orders").observed = "Running";
    lifeOf("orders").settle();
    const { plans } = lifeOf("orders");
    const known = plans.length;
    const first = look({ name: "orders" });
    expect(first.lines()).toEqual(['Database default/orders: active "Running"']);
    expect([actors.count, plans.length]).toEqual([1, known]);
    const second = look();
    expect(second.lines()).toEqual([
      'Database default/orders: active "Running"',
      "Database default/invoices: active {}",
    ]);
    second.detach();
    expect(actors.count).toBe(1);
    first.detach();
    expect(actors.count).toBe(0);
  });

  it("are seen to move by whoever looks, in one session over all their runs", () => {
    const { lifeOf, run, look } = setUp("orders");
    lifeOf("orders").observed = "Running";
    const viewer = look();
    for (let round = 0; round < 4; round += 1) run("orders");
    expect(viewer.sessions().size).toBe(1);
    expect(viewer.lines()).toEqual([
      "Database default/orders: active {}",
      "lifecycle.levels",
      "active {}",
      "lifecycle.begin",
      'active "Start"',
      "lifecycle.stored",
      'active "Start"',
      "lifecycle.levels",
      'active "Start"',
      "observed.Running",
      'active "Running"',
      "lifecycle.stored",
      'active "Running"',
      "lifecycle.levels",
      'active "Running"',
      // Nothing has changed: the run after it reads what it knows.
      "lifecycle.levels",
      'active "Running"',
    ]);
  });

  it("end with their controller, also those that are being viewed, and are begun by no viewer afterwards", () => {
    const { actors, look, end } = setUp("orders", "invoices");
    const viewer = look();
    expect(actors.count).toBe(2);
    end();
    expect(actors.count).toBe(0);
    expect(viewer.lines().filter((line) => line.startsWith("stopped "))).toHaveLength(2);
    look();
    expect(actors.count).toBe(0);
  });

  it("stay with a run that is under way when nobody looks any more", () => {
    const { actors, crOf, work, look } = setUp("orders");
    const viewer = look();
    const actor = work("orders");
    viewer.detach();
    expect(actor.isActive).toBe(true);
    actors.rest(crOf("orders"));
    expect([actors.count, actor.isActive]).toEqual([0, false]);
  });

  it("follow what is stored, whoever has stored it, also what was decided and never stored", () => {
    const { lifeOf, work, look } = setUp("orders");
    lifeOf("orders").observed = "Running";
    lifeOf("orders").settle();
    look();
    const actor = work("orders");
    const { input } = { input: { ...lifeOf("orders").input(), observation: { state: "Down" } } };
    actor.send(cycleLevels(input, (text) => text));
    expect(actor.state.plan?.status?.state).toBe("Start");
    expect(work("orders")).toBe(actor);
    expect(actor.state.plan).toBeUndefined();
    expect(actor.persist()).toEqual(lifeOf("orders").status);
  });

  it("are begun again at what is stored after one has failed", () => {
    const { lifeOf, work, look } = setUp("orders");
    lifeOf("orders").observed = "Running";
    lifeOf("orders").settle();
    const viewer = look();
    const failed = work("orders");
    expect(() => failed.send({ type: "unheard" } as never)).toThrow('was sent the event "unheard"');
    const next = work("orders");
    expect([failed.isActive, next.isActive]).toEqual([false, true]);
    expect(viewer.lines()).toEqual([
      'Database default/orders: active "Running"',
      "unheard",
      'error "Running"',
      'Database default/orders: active "Running"',
    ]);
  });

  it("are gone with their resource", () => {
    const { actors, look, remove } = setUp("orders");
    const viewer = look();
    remove("orders");
    actors.gone("default/orders");
    expect(actors.count).toBe(0);
    expect(viewer.lines().at(-1)).toBe("stopped {}");
  });
});
