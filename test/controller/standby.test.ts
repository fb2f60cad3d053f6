// What a controller keeps that is not run yet, as on a replica that stands by: nothing but what its cache holds.
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { createCoreClient } from "../../src/cluster/api/in-process/core-client.ts";
import { createController } from "../../src/controller/controller.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineKind } from "../../src/index.ts";
import { silentLogger as log } from "../../src/ports/logger.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";

const Note = defineKind({
  group: "standby.example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({ text: z.string() }),
});
const namespace = "default";

it("a controller that stands by queues nothing, and reconciles what is there when it is run, the unseen change first", async () => {
  const { clock, core, random, client: person } = await startSimulatedServer([Note]);
  const client = createCoreClient({ core, userAgent: "standby" });
  const cache = createSharedCache({ client, clock, random, log });
  const reconciled: string[] = [];
  const controller = createController({
    definition: defineController(Note, {
      workers: 1,
      freeStyle: ({ cr }) => void reconciled.push(`${cr.metadata.name} ${cr.spec.text}`),
    }),
    operator: "standby",
    client,
    cache,
    events: { record: () => undefined, flush: () => Promise.resolve(), dropped: 0 },
    namespaces: [],
    clock,
    random,
    log,
  });
  const stop = new AbortController();
  onTestFinished(() => {
    controller.abort();
    stop.abort();
  });
  cache.start(stop.signal);
  await cache.whenSynced();
  const create = (name: string) =>
    person.create(Note, {
      apiVersion: "standby.example.com/v1",
      kind: "Note",
      metadata: { name, namespace },
      spec: { text: "1" },
    });
  for (const name of ["kept", "edited"]) await create(name);
  await person.patch(
    Note,
    { name: "edited", namespace },
    { type: "merge", body: { status: { observedGeneration: 1 } } },
    { subresource: "status" },
  );
  await person.patch(Note, { name: "edited", namespace }, { type: "merge", body: { spec: { text: "2" } } });
  for (let number = 0; number < 300; number += 1) {
    await create(`short-lived-${number}`);
    await person.delete(Note, { name: `short-lived-${number}`, namespace });
  }
  await clock.settle();
  expect(cache.informer(Note).lister.size).toBe(2);
  expect([controller.queue.depth, controller.queue.delayed]).toEqual([0, 0]);
  void controller.run();
  await clock.settle();
  expect(reconciled).toEqual(["edited 2", "kept 1"]);
});
