// `send` and `explain`: the commands that work on one object, against a running operator.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Explanation } from "../../src/explain/explanation.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { Database } from "../../examples/database/src/database/database.ts";
import { Memcached } from "../../examples/memcached/src/memcached/memcached.ts";
import { Lamp, lampOperator, lampWorld } from "../fixtures/lamp.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { runCommand, type CommandOutcome } from "./run-in-process.ts";

describeOnEachApiServer("commands on one object", (server) => {
  const world = lampWorld();
  let operator: RunningOperator;
  const client = () => server().client;
  const keyOf = (name: string) => ({ namespace: "default", name });
  const run = (...args: readonly string[]): Promise<CommandOutcome> =>
    runCommand([...args, "--kubeconfig", server().kubeconfig]);
  const explain = async (typed: string): Promise<Explanation> => {
    const { code, out, err } = await run("explain", typed, "-o", "json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return JSON.parse(out) as Explanation;
  };
  const light = async (name: string, spec: object = {}): Promise<void> => {
    const manifest = { apiVersion: apiVersionOf(Lamp), kind: "Lamp", metadata: keyOf(name), spec };
    await client().create(Lamp, manifest);
    await eventually(async () =>
      expect((await client().get(Lamp, keyOf(name))).status?.lifecycle?.state).toBe("Running"),
    );
  };
  const edit = (name: string, spec: object) =>
    client().patch(Lamp, keyOf(name), { type: "merge", body: { spec } });

  beforeAll(async () => {
    for (const kind of [Lamp, Memcached, Database]) {
      await client().apply(CustomResourceDefinition, crdOf(kind), { fieldManager: "admin" });
      await eventually(() => client().list<KubeObject>(kind));
    }
    operator = await startOperator(lampOperator(world), server().kubeconfig);
  });
  afterAll(() => operator.stop());

  it("send follows a pause until it is accepted; until resume nothing is written", async () => {
    await light("hall");
    const paused = await run(
      "send",
      "lamp/hall",
      "pause",
      "--wait",
      "--field-manager",
      "alice",
      "-o",
      "json",
    );
    expect(paused.code).toBe(0);
    expect(JSON.parse(paused.out)).toMatchObject({ event: "pause", accepted: true, state: "Running" });
    const { status } = await client().get(Lamp, keyOf("hall"));
    expect(status?.lifecycle).toMatchObject({ state: "Running", paused: { by: "alice" } });
    expect(findCondition(status?.conditions, "Paused")).toMatchObject({ status: "True" });
    // Removed once the answer is stored.
    await eventually(async () =>
      expect((await client().get(Lamp, keyOf("hall"))).metadata.annotations ?? {}).toEqual({}),
    );

    await edit("hall", { color: "red", lifecycle: { desiredState: "Polishing" } });
    await eventually(async () => {
      const seen = await client().get(Lamp, keyOf("hall"));
      expect(seen.status?.lifecycle?.target).toMatchObject({ state: "Polishing" });
      expect(findCondition(seen.status?.conditions, "Lifecycle")).toMatchObject({ reason: "Running" });
    });
    const reconciles = operator.reconciles("default/hall");
    await client().delete(ConfigMap, keyOf("hall"));
    await eventually(() => expect(operator.reconciles("default/hall")).toBeGreaterThan(reconciles));
    await expect(client().get(ConfigMap, keyOf("hall"))).rejects.toSatisfy(isNotFound);
    expect(world.polish.size).toBe(0);
    expect((await explain("lamp/hall")).blockers).toContainEqual(
      expect.objectContaining({
        reason: "Paused",
        remedy: "xstate-operator send lamp/hall resume -n default",
      }),
    );

    const resumed = await run("send", "lp/hall", "resume", "--wait");
    expect(resumed).toMatchObject({ code: 0, out: expect.stringMatching(/^lamp\/hall is now in /) });
    await eventually(async () => {
      expect((await client().get(ConfigMap, keyOf("hall"))).data).toEqual({ color: "red" });
      const seen = await client().get(Lamp, keyOf("hall"));
      expect(seen.status?.lifecycle).toMatchObject({ state: "Polishing" });
      expect(seen.status?.lifecycle?.paused).toBeUndefined();
    });
    // The state is written before its task is started.
    await eventually(() => expect(world.polish.size).toBe(1));
  });

  it("send writes over no event that another one sends at the same time", async () => {
    await light("stairs");
    const sent = await Promise.all([
      run("send", "lamp/stairs", "pause"),
      run("send", "lamp/stairs", "pause"),
    ]);
    const [first, second] = sent.toSorted((one, other) => one.code - other.code);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(second?.err).toMatch(/does not accept "pause" in Running while it is paused/);
  });

  it("explain shows what somebody has written to do something to a terminal", async () => {
    await light("study", { lifecycle: { request: "\u001B[2J\u0007\u202E" } });
    const { out } = await run("explain", "lamp/study");
    expect(out).toContain(String.raw`\u001b[2J\u0007\u202e`);
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\u202E]/u);
  });

  it("send refuses what the present state does not declare, before anything is written", async () => {
    await light("attic");
    const before = await client().get(Lamp, keyOf("attic"));
    const { code, out, err } = await run("send", "lamp/attic", "retry");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(
      /^error: lamp\/attic does not accept "retry" in Running\n {2}do: Accepted events: pause\.\n/,
    );
    expect((await run("send", "lamp/attic", "human.pause")).err).toMatch(
      /does not accept "human\.pause"\n {2}do: Omit the prefix: send lamp\/attic pause\n/,
    );
    expect((await run("send", "lamp/attic", "puase")).err).toMatch(
      /do: Did you mean pause\? Accepted events: pause\./,
    );
    const after = await client().get(Lamp, keyOf("attic"));
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("send says what is wrong with kind and name", async () => {
    const outcomes = await Promise.all(
      [["lantern/hall"], ["lamp/nowhere"], ["memcached/a"]].map(([typed = ""]) =>
        run("send", typed, "pause"),
      ),
    );
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1]);
    expect(outcomes[0]?.err).toMatch(
      /no custom kind "lantern"\n {2}do: The kinds with a lifecycle on the cluster: Database, Lamp\./,
    );
    expect(outcomes[1]?.err).toMatch(/there is no Lamp nowhere in namespace default\n/);
    expect(outcomes[2]?.err).toMatch(/there is no Memcached a in/);
    const manifest = { apiVersion: apiVersionOf(Memcached), kind: "Memcached", metadata: keyOf("a") };
    await client().create(Memcached, manifest);
    expect((await run("send", "memcached/a", "pause")).err).toMatch(/the kind Memcached has no lifecycle/);
    expect(await run("send", "hall", "pause")).toMatchObject({ code: 2 });
  });

  it("explain says where an object is, what it waits for and what a person may do", async () => {
    await light("desk");
    await edit("desk", { lifecycle: { desiredState: "Polishing", request: "weekly" } });
    await eventually(async () =>
      expect((await client().get(Lamp, keyOf("desk"))).status?.lifecycle?.tasks?.["polish"]?.progress).toBe(
        0.42,
      ),
    );
    const explanation = await explain("Lamp/desk");
    expect(explanation).toMatchObject({
      object: { kind: "Lamp", name: "desk", namespace: "default" },
      state: { name: "Polishing", last: { from: "Running", event: "desired.Polishing" }, graph: "lamp@1" },
      target: { state: "Polishing", request: "weekly", maintained: false, reached: false },
      tasks: [{ id: "polish", phase: "Running", attempt: 1, progress: 0.42 }],
      accepted: ["abort", "pause"],
      blockers: [],
    });
    expect(explanation.children).toMatchObject([{ kind: "ConfigMap", name: "desk", finalizers: [] }]);
    expect(explanation.awaited).toContainEqual(
      expect.objectContaining({
        event: "done.polish",
        to: "Running",
        needs: "polish is done (Running, 42 %)",
      }),
    );
    await eventually(async () =>
      expect((await explain("lamp/desk")).events.map(({ reason }) => reason)).toContain("StateChanged"),
    );
    const { code, out } = await run("explain", "lamp/desk");
    expect(code).toBe(0);
    expect(out).toMatch(/^Lamp default\/desk, \d+s old\nState {3}Polishing for \d+s, since /);
    expect(out).toMatch(/\nTarget {2}Polishing for "weekly" \(done once\): not reached\n/);
    expect(out).not.toContain("\u001B");
  });

  it("explain names the reason why a person is needed, and what the person can do", async () => {
    await light("porch");
    world.onStart.polish = { phase: "Failed", message: "no cloth is left" };
    await edit("porch", { lifecycle: { desiredState: "Polishing" } });
    await eventually(async () =>
      expect((await client().get(Lamp, keyOf("porch"))).status?.lifecycle?.state).toBe("HumanIntervention"),
    );
    const { status } = await client().get(Lamp, keyOf("porch"));
    expect(findCondition(status?.conditions, "Lifecycle")?.message).toContain("no cloth is left");
    const explanation = await explain("lamp/porch");
    expect(explanation.accepted).toEqual(["retry", "pause"]);
    expect(explanation.blockers).toEqual([
      {
        reason: "InterventionRequired",
        message: "manual intervention required: polish failed: no cloth is left",
        remedy: "Fix the cause, then run: xstate-operator send lamp/porch retry -n default",
      },
    ]);
    world.onStart.polish = { phase: "Running", progress: 0.42 };
    expect(await run("send", "lamp/porch", "retry", "--wait")).toMatchObject({ code: 0 });
  });

  it("explain names the foreign finalizer that holds a deletion, and what our own waits for", async () => {
    await light("cellar");
    world.onStart.dim = { phase: "Running", progress: 0.1 };
    const hold = (finalizers: readonly string[]) =>
      client().patch(ConfigMap, keyOf("cellar"), { type: "merge", body: { metadata: { finalizers } } });
    await hold(["backup.example.org/keep"]);
    await client().delete(ConfigMap, keyOf("cellar"));
    await client().delete(Lamp, keyOf("cellar"));
    await eventually(async () =>
      expect((await client().get(Lamp, keyOf("cellar"))).status?.lifecycle?.state).toBe("Stopping"),
    );
    const { blockers, object, target } = await explain("lamp/cellar");
    expect(object.deletingSince).toBeDefined();
    expect(target).toMatchObject({ state: "End", deletion: true, reached: false });
    expect(blockers).toContainEqual(
      expect.objectContaining({
        reason: "ChildFinalizer",
        child: { kind: "ConfigMap", namespace: "default", name: "cellar" },
        finalizer: "backup.example.org/keep",
      }),
    );
    expect(blockers).toContainEqual(
      expect.objectContaining({
        reason: "Finalizer",
        finalizer: "lamps.test.example.com/finalizer",
        message: expect.stringContaining("the application is in Stopping"),
      }),
    );
    await hold([]);
    for (const key of world.dim.keys()) world.dim.set(key, { phase: "Succeeded" });
    await eventually(() => expect(client().get(Lamp, keyOf("cellar"))).rejects.toSatisfy(isNotFound));
  });

  it("send says why an object has no state: nobody works on it, or its operator could not begin", async () => {
    const manifest = { apiVersion: apiVersionOf(Database), kind: "Database", metadata: keyOf("idle") };
    await client().create(Database, { ...manifest, spec: {} });
    const sent = async (): Promise<string> => {
      const { code, err } = await run("send", "database/idle", "retry");
      expect(code).toBe(1);
      return err;
    };
    const unseen = await sent();
    expect(unseen).toContain("database/idle has no state yet: no operator has written its status\n");
    expect(unseen).toContain("do: Start the operator of Database if it does not run, wait until");
    const condition = (status: string) => ({
      type: "ReconciliationSuccess",
      status,
      reason: "Error",
      message: "the port is taken",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    const say = (status: string) =>
      client().patch(
        Database,
        keyOf("idle"),
        { type: "merge", body: { status: { conditions: [condition(status)] } } },
        { subresource: "status" },
      );
    await say("False");
    const failed = await sent();
    expect(failed).toContain("no state yet: its operator could not begin (Error): the port is taken\n");
    expect(failed).not.toContain("Start the operator");
    await say("Unknown");
    expect(await sent()).toContain("no state yet: its operator has not begun yet\n");
    expect((await client().get(Database, keyOf("idle"))).metadata.annotations).toBeUndefined();
  });

  it("explain says that no operator has looked at an object without a lifecycle", async () => {
    const manifest = { apiVersion: apiVersionOf(Memcached), kind: "Memcached", metadata: keyOf("lonely") };
    await client().create(Memcached, manifest);
    const explanation = await explain("memcacheds.cache.example.com/lonely");
    expect(explanation.state).toBeUndefined();
    expect(explanation.blockers).toEqual([
      {
        reason: "NotObserved",
        message: "no operator has written a status yet",
        remedy: "Is the operator of Memcached running?",
      },
    ]);
  });
});
