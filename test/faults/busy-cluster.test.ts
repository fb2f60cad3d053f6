// An operator on a cluster where much comes and goes, and where somebody forges Leases: a standby keeps nothing but its cache, what
// is new goes before what recurs, and a Lease that claims everything for decades locks nobody out.
//   STANDBY_NAMES=40000 npx vitest run test/faults/busy-cluster  # with the heap
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { Lease } from "../../src/kinds/builtin/coordination.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import type { OperatorView, RunOptions } from "../../src/manager/run-options.ts";
import { allSlots, formatSlots } from "../../src/sharding/slots.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { liveHeap } from "../support/live-heap.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { samplesOf } from "../support/samples.ts";

const namespace = "default";
const Note = defineKind({
  group: "busy.example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({ text: z.string().default("") }),
});

const asked = process.env["STANDBY_NAMES"];
const names = Number(asked ?? "100");
/** Names that come at the same time. */
const batch = 20;
/** Megabytes by which the heap may grow, as long as nothing is kept. */
const allowance = 20;

const heapInMegabytes = (): number => liveHeap() / 2 ** 20;

describeOnEachApiServer(
  "an operator on a busy cluster",
  (server) => {
    const running: RunningOperator[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((each) => each.stop()));
    });
    const client = () => server().client;
    const at = (name: string) => ({ name, namespace });
    const create = (name: string, text = "") =>
      client().create(Note, {
        apiVersion: "busy.example.com/v1",
        kind: "Note",
        metadata: at(name),
        spec: { text },
      });
    /** A Lease that somebody has written who wants all for himself, for 68 years. */
    const forge = (name: string, more: { labels?: object; annotations?: object } = {}) => {
      const now = new Date().toISOString().replace("Z", "000Z");
      const leaseDurationSeconds = 2_147_483_647;
      return client().create(Lease, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { ...at(name), ...(more as object) },
        spec: { holderIdentity: "forged", leaseDurationSeconds, acquireTime: now, renewTime: now },
      });
    };
    const times = { namespace, leaseDuration: "3s", renewDeadline: "2500ms", retryPeriod: "100ms" } as const;

    /** What was reconciled, in order. */
    let reconciled: string[] = [];
    const notes = defineOperator({
      name: "notes",
      controllers: [
        defineController(Note, { freeStyle: ({ cr }) => void reconciled.push(cr.metadata.name) }),
      ],
    });
    /** Starts one that does not lead yet; `led` settles when it does. */
    async function standBy(options: Partial<RunOptions>) {
      reconciled = [];
      const metrics = createPrometheusMetrics();
      const synced = Promise.withResolvers<OperatorView>();
      const started = startOperator(notes, server().kubeconfig, {
        installCrds: true,
        metrics,
        onSynced: synced.resolve,
        ...options,
      });
      const led = started.then((operator) => void running.push(operator));
      led.catch(synced.reject);
      const { cache } = await synced.promise;
      return {
        led,
        lister: cache.informer(Note).lister,
        measured: async () => samplesOf(await metrics.expose()),
      };
    }

    it(
      `that stands by keeps nothing of ${names} names that came and went, and leads once a forged Lease is deleted`,
      { timeout: 60_000 + names * 40 },
      async () => {
        await forge("notes");
        const { led, lister, measured } = await standBy({ leaderElection: { name: "notes", ...times } });
        let heap = 0;
        for (let first = 0; first < names; first += batch) {
          const some = Array.from({ length: batch }, (_, index) => `short-${first + index}`);
          await Promise.all(some.map((name) => create(name)));
          await Promise.all(some.map((name) => client().delete(Note, at(name))));
          if (asked !== undefined && first === batch * Math.floor(names / batch / 4))
            heap = heapInMegabytes();
        }
        await create("last");
        await eventually(() =>
          expect([...lister.list()].map(({ metadata }) => metadata.name)).toEqual(["last"]),
        );
        expect(reconciled).toEqual([]);
        const samples = await measured();
        const added = [...samples].filter(([name]) => name.startsWith("workqueue_adds_total{"));
        expect(added.map(([, value]) => value)).toEqual([0]);
        if (asked !== undefined) {
          const growth = heapInMegabytes() - heap;
          console.info(
            `${names} names: the heap has grown by ${growth.toFixed(1)} MB after the first quarter`,
          );
          expect(growth).toBeLessThan(allowance);
        }
        await client().delete(Lease, at("notes"));
        await led;
        await eventually(() => expect(reconciled).toEqual(["last"]));
      },
    );

    it("that shares its keys serves all once a forged claim of all is deleted", async () => {
      await forge("notes-shard-forged", {
        labels: { "sharding.xstate-operator.dev/shards": "notes" },
        annotations: { "sharding.xstate-operator.dev/slots": formatSlots(allSlots) },
      });
      const { led } = await standBy({ sharding: { name: "notes", ...times } });
      await led;
      await create("shared");
      await delay(1_500);
      expect(reconciled).toEqual([]);
      await client().delete(Lease, at("notes-shard-forged"));
      await eventually(() => expect(reconciled.toSorted()).toEqual(["last", "shared"]));
    });

    it("serves what is new and what was edited before what is due again and again", async () => {
      const order: string[] = [];
      /** The run that begins next is at work until the cache shows something, and everything else is due. */
      let isToWait = false;
      let waiting = Promise.withResolvers<void>();
      let awaited: { readonly name: string; readonly text: string } | undefined;
      const busy = defineOperator({
        name: "busy",
        controllers: [
          defineController(Note, {
            workers: 1,
            freeStyle: async ({ cr, lookUp, results }) => {
              order.push(`${cr.metadata.name} ${cr.spec.text}`);
              results.success("Succeeded", { requeueAfter: 100 });
              if (!isToWait) return;
              isToWait = false;
              waiting.resolve();
              await eventually(() => {
                if (awaited === undefined) throw new Error("nothing is awaited yet");
                expect(lookUp(Note, at(awaited.name))?.spec.text).toBe(awaited.text);
              });
              await delay(200);
              order.push("now");
            },
          }),
        ],
      });
      running.push(await startOperator(busy, server().kubeconfig, { installCrds: true }));
      await Promise.all(Array.from({ length: 20 }, (_, index) => create(`timer-${index}`)));
      await eventually(() => expect(order.length).toBeGreaterThan(60));
      for (const [name, text] of [
        ["new", "1"],
        ["timer-3", "edited"],
      ] as const) {
        awaited = undefined;
        waiting = Promise.withResolvers();
        isToWait = true;
        await waiting.promise;
        if (name === "new") await create(name, text);
        else await client().patch(Note, at(name), { type: "merge", body: { spec: { text } } });
        awaited = { name, text };
        const served = `${name} ${text}`;
        await eventually(() => expect(order).toContain(served));
        expect(order.indexOf(served)).toBe(order.lastIndexOf("now") + 1);
      }
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
