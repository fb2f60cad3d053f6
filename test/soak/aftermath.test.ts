// What comes after bad weather, on a virtual clock: the operator of the soak in one process, whose requests and answers are lost and
// whose watches are cut while people change things and overwrite them again and again. When that is over, everything comes to rest, what
// the conditions say included, and then nothing is written any more.
import { describe, expect, it } from "vitest";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import { layered } from "../../src/client/client-layers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { createCoreClient } from "../../src/cluster/api/in-process/core-client.ts";
import { createController } from "../../src/controller/controller.ts";
import { createEventRecorder } from "../../src/events/event-recorder.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { seededRandom } from "../../src/testing/simulation/seeded-random.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";
import { complaintsAbout, readWorld, writtenBetween } from "./judge.ts";
import { requestOf, type Asked } from "./population.ts";
import definition, { Engine, Widget } from "./soak-operator.ts";

const namespace = "default";

/** What keeps requests from being answered. */
class Weather {
  isDown = false;
  /** In a hundred. */
  losses = 0;
  readonly #random: () => number;
  readonly #cuts = new Set<() => void>();

  constructor(random: () => number) {
    this.#random = random;
  }

  cut(): void {
    for (const each of this.#cuts) each();
  }

  over(client: KubeClient): KubeClient {
    const lost = (): OperatorError => new OperatorError("CONNECTION_FAILED", "the connection ended");
    return layered(client, {
      place: "life",
      request: async (call, send) => {
        if (this.isDown || this.#random() * 100 < this.losses) throw lost();
        const answer = await send(call);
        if (this.#random() * 100 < this.losses) throw lost();
        return answer;
      },
      watch: async (follow, type, options, receive) => {
        if (this.isDown) throw lost();
        const end = new AbortController();
        const signal = AbortSignal.any([options.signal, end.signal]);
        const cut = (): void => end.abort(lost());
        this.#cuts.add(cut);
        try {
          await follow(type, { ...options, signal }, receive);
        } finally {
          this.#cuts.delete(cut);
        }
      },
    });
  }
}

/** Milliseconds after which no field is fought about any more, whatever was done before. */
const longestFight = 660_000;

/** Lives through bad weather; what is not right long after it, and what was written although all was. */
async function aftermath(seed: number) {
  const server = await startSimulatedServer([Widget, Engine] as never, seed);
  const { clock, client, core } = server;
  const random = seededRandom(seed);
  const weather = new Weather(seededRandom(seed + 1));
  const faulty = weather.over(createCoreClient({ core, userAgent: definition.name }));
  const end = new AbortController();
  const log = silentLogger;
  const cache = createSharedCache({ client: faulty, clock, random, log });
  const events = createEventRecorder({
    client: faulty,
    clock,
    component: definition.name,
    instance: "simulated",
    log,
  });
  const controllers = definition.controllers.map((each) =>
    createController({
      definition: each,
      operator: definition.name,
      client: faulty,
      cache,
      events,
      namespaces: [],
      clock,
      random,
      log,
    }),
  );
  cache.start(end.signal);
  await cache.whenSynced(end.signal);
  for (const controller of controllers) void controller.run();

  const asked: Asked[] = Array.from({ length: 3 }, (_, index) => ({
    kind: index % 2 === 0 ? "Engine" : "Widget",
    name: `n${index}`,
    size: 1,
    services: 0,
  }));
  const typeOf = ({ kind }: Asked) => (kind === "Engine" ? Engine : Widget);
  const keyOf = ({ name }: Asked) => ({ namespace, name });
  for (const each of asked) {
    const { kind, name } = each;
    await client.create(typeOf(each), {
      apiVersion: `${Engine.group}/v1`,
      kind,
      metadata: { name, namespace },
      spec: { size: 1 },
    });
  }
  await clock.advance(5_000);
  const change = async (): Promise<void> => {
    const each = asked[Math.floor(random() * asked.length)];
    if (each === undefined) return;
    const child = { namespace, name: `${each.kind.toLowerCase()}-${each.name}` };
    const deed = random();
    if (deed < 0.2) {
      each.size += 1;
      await client.patch(typeOf(each), keyOf(each), {
        type: "merge",
        body: { spec: { size: each.size } },
      });
    } else if (deed < 0.25) {
      if (each.kind !== "Engine") return;
      const { status } = await client.get(Engine, keyOf(each));
      const target = status?.lifecycle?.target;
      if (target?.reached !== true || target.request !== requestOf(each)) return;
      each.services += 1;
      const lifecycle = { desiredState: "Servicing", request: requestOf(each) };
      await client.patch(Engine, keyOf(each), { type: "merge", body: { spec: { lifecycle } } });
    } else if (deed < 0.3) {
      await client.delete(ConfigMap, child).catch(() => undefined);
    } else {
      const body = { data: { size: "spoilt" } };
      await client.patch(ConfigMap, child, { type: "merge", body }).catch(() => undefined);
    }
  };
  for (let outage = 0; outage < 4; outage += 1) {
    for (let step = 0; step < 20; step += 1) {
      await change();
      await clock.advance(Math.floor(random() * 400));
      if (random() < 0.2) weather.cut();
      weather.losses = random() < 0.3 ? 30 : 5;
    }
    weather.isDown = true;
    weather.cut();
    const length = 500 + random() * 15_000;
    for (let step = 0; step < 8; step += 1) {
      if (random() < 0.5) await change();
      await clock.advance(Math.floor(length / 8));
    }
    weather.isDown = false;
  }
  weather.losses = 0;
  const started = clock.now();
  let complaints = ["nobody has looked"] as readonly string[];
  while (complaints.length > 0 && clock.now() - started < longestFight) {
    await clock.advance(1_000);
    complaints = complaintsAbout(await readWorld(client), asked);
  }
  const before = await readWorld(client);
  await clock.advance(900_000);
  const late = writtenBetween(before, await readWorld(client));
  end.abort();
  for (const controller of controllers) controller.abort();
  return { complaints, late };
}

describe("after bad weather", () => {
  // In these, a child is deleted that somebody has kept overwriting.
  it.each([5, 6])("everything comes to rest, and nothing is written then (seed %d)", async (seed) => {
    expect(await aftermath(seed)).toEqual({ complaints: [], late: [] });
  });
});
