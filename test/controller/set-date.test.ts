// The date of the operator's machine is set, forward and back, while timers go on: what is to be done after a while is done then.
import { afterEach, expect, it } from "vitest";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { createCoreClient } from "../../src/cluster/api/in-process/core-client.ts";
import { createController, type Controller } from "../../src/controller/controller.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { createEventRecorder } from "../../src/events/event-recorder.ts";
import type { TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { subjectOf } from "../../src/testing/lifecycle/subject.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";
import { withDate } from "../support/set-clock.ts";
import type { LivingResource } from "./simulated-life.ts";
import { workingLifecycle } from "./working-lifecycle.ts";

const hour = 3_600_000;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** An operator that looks every 2 s, and one object whose task runs until it is told. */
async function begin() {
  const { kind } = subjectOf(workingLifecycle, {});
  const { core, clock: time, random, client: person } = await startSimulatedServer([kind]);
  const clock = withDate(time);
  const log = silentLogger;
  const stop = new AbortController();
  let [looks, fails] = [0, false];
  let task: TaskObservation = { phase: "NotFound" };
  const work = {
    start: () => {
      if (fails) throw new Error("no room");
      task = { phase: "Running" };
    },
    observe: () => task,
    retry: { attempts: 9, delay: "1s" },
    poll: "2s",
  };
  const observe = () => {
    looks += 1;
    return {};
  };
  const client = createCoreClient({ core, userAgent: "working-operator" });
  const cache = createSharedCache({ client, clock, random, log });
  const controller: Controller = createController({
    definition: defineController(kind as never, {
      application: { observe, tasks: { work }, poll: "2s" },
    }),
    operator: "working-operator",
    client,
    cache,
    events: createEventRecorder({ client, clock, component: "working-operator", instance: "one", log }),
    namespaces: [],
    clock,
    random,
    log,
  });
  cache.start(stop.signal);
  await cache.whenSynced(stop.signal);
  const running = controller.run();
  running.catch(() => undefined);
  ends.push(() => {
    stop.abort();
    controller.abort();
  });
  const key = { namespace: "default", name: "one" };
  const spec = { lifecycle: { desiredState: "Working", request: "first" } };
  const manifest = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: key, spec };
  await person.create(kind, manifest);
  await time.advance(0);
  return {
    time,
    clock,
    looks: () => looks,
    see: (seen: TaskObservation) => void (task = seen),
    fail: (isFailing: boolean) => void (fails = isFailing),
    ask: async (request: string) => {
      const body = { spec: { lifecycle: { desiredState: "Working", request } } };
      await person.patch(kind, key, { type: "merge", body });
      await time.advance(0);
    },
    status: async () => (await person.get<LivingResource>(kind as never, key)).status?.lifecycle,
  };
}

it.each([-hour, hour, -7 * 24 * hour])(
  "looks at the application and at its task at their polls, however the date is set (%i ms)",
  async (by) => {
    const { time, clock, looks, see, status } = await begin();
    await time.advance(4_000);
    expect((await status())?.tasks["work"]).toMatchObject({ phase: "Running" });
    clock.set(by);
    const before = looks();
    await time.advance(20_000);
    const seen = looks() - before;
    expect(seen).toBeGreaterThanOrEqual(9);
    expect(seen).toBeLessThanOrEqual(12);
    see({ phase: "Succeeded" });
    await time.advance(4_000);
    expect(await status()).toMatchObject({ state: "Idle", target: { reached: true }, tasks: {} });
  },
);

it("tries a task again after its delay, also when the date is set back meanwhile", async () => {
  const { time, clock, see, fail, ask, status } = await begin();
  see({ phase: "Succeeded" });
  await time.advance(4_000);
  fail(true);
  see({ phase: "NotFound" });
  await ask("second");
  expect((await status())?.tasks["work"]).toMatchObject({ phase: "Intended", attempt: 2 });
  clock.set(-hour);
  fail(false);
  await time.advance(4_000);
  expect((await status())?.tasks["work"]).toMatchObject({ phase: "Running", attempt: 2 });
});

it("takes every target while the date goes back, on and too far", async () => {
  const { time, clock, see, ask, status } = await begin();
  for (const [number, by] of [-hour, hour, hour / 3].entries()) {
    clock.set(by);
    see({ phase: "Succeeded" });
    await time.advance(4_000);
    expect(await status()).toMatchObject({ state: "Idle", target: { reached: true } });
    see({ phase: "NotFound" });
    await ask(`target-${number}`);
    await time.advance(4_000);
    expect(await status()).toMatchObject({ state: "Working", target: { request: `target-${number}` } });
  }
});
