// A clock that counts parts of milliseconds, as `performance.now` does: whatever keeps time takes it, and what is written down of it
// is what the API server accepts.
import { expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { compileElectionOptions } from "../../src/election/election-options.ts";
import { createLeaderElector } from "../../src/election/leader-elector.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { subjectOf } from "../../src/testing/lifecycle/subject.ts";
import { startOperatorProcess } from "../../src/testing/simulation/operator-process.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";
import type { LivingResource } from "./simulated-life.ts";

const machine = setupLifecycle().createMachine({
  id: "timed",
  version: "1",
  initial: "Resting",
  states: {
    Resting: { tags: "stable", on: { "desired.Working": "Working" } },
    Working: { invoke: { id: "work", src: "work", onDone: "Cooling", onError: "Broken" } },
    Cooling: { after: { "1500ms": "Resting" } },
    Broken: { tags: "intervention", on: { "human.retry": "Resting" } },
  },
});

it("is kept by events, Leases, backoff, timers and tasks on a clock that counts parts of milliseconds", async () => {
  const { kind } = subjectOf(machine, {});
  const server = await startSimulatedServer([kind]);
  const { clock: whole, client, core, random } = server;
  const clock: Clock = {
    now: () => whole.now() + 0.37,
    monotonic: () => whole.now() + 0.61,
    setTimeout: (callback, milliseconds) => whole.setTimeout(callback, milliseconds),
    clearTimeout: (handle) => whole.clearTimeout(handle),
  };
  const looks: number[] = [];
  let failures = 4;
  const process = await startOperatorProcess({
    core,
    clock,
    random,
    log: silentLogger,
    operator: () =>
      defineOperator({
        name: "timed-operator",
        controllers: [
          defineController(kind as never, {
            steps: {
              SuccessManager: () => {
                looks.push(whole.now());
                failures -= 1;
                if (failures >= 0) throw new Error("not yet");
              },
            },
            application: {
              observe: () => ({}),
              tasks: {
                work: {
                  start: () => undefined,
                  observe: () => ({ phase: "Succeeded" }),
                  cancel: () => undefined,
                  timeout: "90s",
                  poll: "1s",
                },
              } as never,
            },
          }),
        ],
      }),
  });
  const elector = createLeaderElector({
    ...compileElectionOptions({}, { namespace: "default", name: "timed" }),
    client,
    identity: "one",
    fieldManager: "timed-operator",
    clock,
    random,
    log: silentLogger,
  });
  const candidacy = elector.run();

  const key = { namespace: "default", name: "one" };
  await client.create(kind, {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: key,
    spec: { lifecycle: { desiredState: "Working" } },
  });
  await whole.advance(120_000);

  const { status } = await client.get<LivingResource>(kind as never, key);
  expect(status?.lifecycle).toMatchObject({ state: "Resting", target: { reached: true } });
  expect(looks.length).toBeGreaterThanOrEqual(5);
  expect(looks[4] ?? Infinity).toBeGreaterThan(looks[0] ?? Infinity);
  const { items: events } = await client.list(KubernetesEvent, { namespace: "default" });
  expect(events.length).toBeGreaterThan(0);
  expect(elector.state).toBe("leader");
  const lease = await client.get(Lease, { namespace: "default", name: "timed" });
  const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
  const times = [
    lease.spec?.renewTime,
    ...events.map((event) => (event as { eventTime?: unknown }).eventTime),
  ];
  for (const time of times) expect(time).toMatch(microTime);

  const resigned = elector.resign();
  await whole.advance(30_000);
  await resigned;
  expect(await candidacy).toBe("released");
  process.kill();
});
