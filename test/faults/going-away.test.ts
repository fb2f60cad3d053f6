// A custom resource that is deleted, alone or with its namespace, while the operator's watch of it lags behind: the operator
// learns of it by the server's answers, and lets it go without a word.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { isWrite, layered } from "../../src/client/client-layers.ts";
import { createController } from "../../src/controller/controller.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { createEventRecorder } from "../../src/events/event-recorder.ts";
import { defineKind } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { ConfigMap, Namespace } from "../../src/kinds/index.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { clientOf, describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const Widget = defineKind({
  group: "away.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({}),
  status: z.object({ seen: z.int() }),
});

/** Holds back what watches bring of the custom resources, and counts their reads and the writes of their children. */
class LaggingClient {
  readonly client: KubeClient;
  childWrites = 0;
  reads = 0;
  #held: (() => void)[] | undefined;

  constructor(direct: KubeClient) {
    this.client = layered(direct, {
      place: "life",
      request: (call, send) => {
        if (isWrite(call) && call.type.kind === "ConfigMap") this.childWrites += 1;
        if (call.verb === "get" && call.type.kind === "Widget") this.reads += 1;
        return send(call);
      },
      watch: (follow, type, options, receive) =>
        follow(type, options, (event) => {
          if (type.kind !== "Widget" || this.#held === undefined) return receive(event);
          this.#held.push(() => void receive(event));
          return undefined;
        }),
    });
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const hand of held) hand();
  }
}

describeOnEachApiServer(
  "what goes away",
  (server) => {
    const stop = new AbortController();
    const alarms: string[] = [];
    let direct: KubeClient;
    let lagging: LaggingClient;
    let drain: () => Promise<void>;
    let held: () => number;
    /** As a timer would. */
    let look: (key: string) => void;
    beforeAll(async () => {
      const person = server().client;
      await person.apply(CustomResourceDefinition, crdOf(Widget), { fieldManager: "test" });
      await eventually(() => person.list(Widget));
      direct = await clientOf(server().kubeconfig, "away");
      lagging = new LaggingClient(direct);
      const { client } = lagging;
      const alarm = (fields: object, message: string): void =>
        void alarms.push(`${message} ${JSON.stringify(fields)}`);
      const quiet = (): void => undefined;
      const log: Logger = { child: () => log, debug: quiet, info: quiet, warn: alarm, error: alarm };
      const parts = { client, clock: systemClock, random: systemRandom, log };
      const cache = createSharedCache(parts);
      let seen = 0;
      const controller = createController({
        ...parts,
        definition: defineController(Widget, {
          owns: [ConfigMap],
          hotLoop: false,
          steps: {
            ObjectsGetter: ({ cr, registry }) => {
              const { name, namespace } = cr.metadata;
              registry.add({
                apiVersion: "v1",
                kind: "ConfigMap",
                metadata: { name, namespace },
                data: { of: name },
              });
            },
            // The status of all but one has something new each time.
            SuccessManager: ({ cr }) => ({ seen: cr.metadata.name === "still" ? 1 : (seen += 1) }),
          },
        }),
        operator: "away",
        cache,
        events: createEventRecorder({ ...parts, component: "away", instance: "away-1" }),
        namespaces: [],
      });
      held = () => cache.informer(Widget).lister.size;
      cache.start(stop.signal);
      await cache.whenSynced();
      void controller.run();
      drain = () => controller.drain();
      look = (key) => controller.queue.add(key, { cause: { reason: "requeueAfter" } });
    });
    afterEach(() => lagging.release());
    afterAll(async () => {
      await drain();
      stop.abort();
      await direct.close();
    });

    const create = (name: string, namespace: string) =>
      server().client.create(Widget, {
        apiVersion: "away.example.com/v1",
        kind: "Widget",
        metadata: { name, namespace },
        spec: {},
      });
    const child = (name: string, namespace: string) => server().client.get(ConfigMap, { name, namespace });

    it.each([
      ["alone", "after the first 404"],
      ["still", "although nothing of its status is written"],
    ])("%s rests %s, however late the watch is: no fight with the garbage collector", async (name) => {
      const namespace = "default";
      await create(name, namespace);
      await eventually(() => child(name, namespace));
      await eventually(async () =>
        expect((await server().client.get(Widget, { name, namespace })).status?.seen).toBeGreaterThan(0),
      );
      lagging.hold();
      lagging.childWrites = 0;
      await server().client.delete(Widget, { name, namespace });
      await eventually(() => expect(child(name, namespace)).rejects.toMatchObject({ status: 404 }));
      // A watch that lags by seconds.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(lagging.childWrites).toBeLessThanOrEqual(1);
      lagging.release();
      await eventually(() => expect(held()).toBe(0));
      expect(alarms).toEqual([]);
    });

    it("is asked about only when a child is lost again soon: the first one is made again at once", async () => {
      const [name, namespace] = ["healed", "default"];
      await create(name, namespace);
      await eventually(() => child(name, namespace));
      lagging.reads = 0;
      const lose = async (): Promise<void> => {
        const { uid } = (await child(name, namespace)).metadata;
        await server().client.delete(ConfigMap, { name, namespace });
        await eventually(async () => expect((await child(name, namespace)).metadata.uid).not.toBe(uid));
      };
      await lose();
      expect(lagging.reads).toBe(0);
      await lose();
      expect(lagging.reads).toBe(1);
      await server().client.delete(Widget, { name, namespace });
      await eventually(() => expect(held()).toBe(0));
    });

    it("is quiet in a namespace that is being deleted, where nothing can be created any more", async () => {
      const [name, namespace] = ["within", "going"];
      const person = server().client;
      await person.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      await create(name, namespace);
      await eventually(() => child(name, namespace));
      // Keeps the namespace from being gone.
      await person.patch(
        Widget,
        { name, namespace },
        { type: "merge", body: { metadata: { finalizers: ["example.com/hold"] } } },
      );
      await eventually(() => expect(held()).toBe(1));
      lagging.hold();
      lagging.childWrites = 0;
      await person.delete(Namespace, { name: namespace });
      await eventually(() => expect(child(name, namespace)).rejects.toMatchObject({ status: 404 }));
      await eventually(() => {
        look(`${namespace}/${name}`);
        expect(lagging.childWrites).toBeGreaterThan(0);
      });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      lagging.release();
      await person.patch(
        Widget,
        { name, namespace },
        { type: "merge", body: { metadata: { finalizers: null } } },
      );
      await eventually(() =>
        expect(person.get(Namespace, { name: namespace })).rejects.toMatchObject({ status: 404 }),
      );
      expect(alarms).toEqual([]);
    });
  },
  { real: { controllers: "*" } },
);
