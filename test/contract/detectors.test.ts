// Circles, fights over fields, lost answers and a garbage collector that stands still, end to end: a real operator process's parts on a real API server's answers.
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  defineController,
  defineKind,
  defineOperator,
  findCondition,
  fromManifest,
  type Condition,
  type ControllerOptions,
  type InstanceOf,
} from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startFaultProxy } from "../support/fault-proxy.ts";
import { createJumpingClock, type JumpingClock } from "../support/jumping-clock.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const Gauge = defineKind({
  group: "detectors.example.com",
  version: "v1",
  kind: "Gauge",
  spec: z.object({ size: z.int().default(1), loops: z.boolean().default(false) }),
  status: z.object({ seen: z.int() }),
});
type Gauge = InstanceOf<typeof Gauge>;

const namespace = "default";
let running: RunningOperator | undefined;
/** The operator's clock: what is slowed down waits until it jumps, however long the test takes. */
let clock: JumpingClock;
beforeEach(() => (clock = createJumpingClock()));
afterEach(async () => running?.stop());

function start(kubeconfig: string, options: ControllerOptions<Gauge>): Promise<RunningOperator> {
  const controller = defineController(Gauge, { owns: [ConfigMap], ...options });
  return startOperator(defineOperator({ name: "gauges", controllers: [controller] }), kubeconfig, {
    installCrds: true,
    clock,
  });
}

async function create(client: KubeClient, name: string, spec: Partial<Gauge["spec"]> = {}): Promise<void> {
  const manifest = {
    apiVersion: "detectors.example.com/v1",
    kind: "Gauge",
    metadata: { name, namespace },
    spec,
  };
  await client.create(Gauge, manifest);
}

async function conditionOf(client: KubeClient, name: string, type: string): Promise<Condition | undefined> {
  return findCondition((await client.get(Gauge, { name, namespace })).status?.conditions, type);
}

async function notesOf(client: KubeClient, reason: string): Promise<string[]> {
  const { items } = await client.list(KubernetesEvent, { namespace });
  return items.flatMap((event) => (event.reason === reason ? (event.note ?? "") : []));
}

const steps: ControllerOptions<Gauge>["steps"] = {
  ObjectsGetter: ({ cr, registry, clock, owned }) => {
    const { name } = cr.metadata;
    // What it reads, it has to be shown again after each of its writes.
    owned(ConfigMap);
    const data = cr.spec.loops ? { now: String(clock.now()) } : { mode: "ours", size: String(cr.spec.size) };
    registry.add(fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }));
  },
  SuccessManager: ({ cr }) => ({ seen: cr.spec.size }),
};

describeOnEachApiServer(
  "detectors",
  (server) => {
    it("slow down a circle, name its writer, leave others and user edits alone, and see it end (T30)", async () => {
      const { client, kubeconfig } = server();
      running = await start(kubeconfig, { steps, hotLoop: { runs: 10, within: "10m", longestDelay: "1m" } });
      await create(client, "loop", { loops: true });
      await create(client, "calm");
      await eventually(async () =>
        expect(await conditionOf(client, "loop", "HotLoop")).toMatchObject({
          status: "True",
          reason: "OwnWrites",
        }),
      );
      const message = (await conditionOf(client, "loop", "HotLoop"))?.message;
      expect(message).toContain("ConfigMap default/loop (data.now) is written repeatedly");
      expect(message).toContain('field manager "gauges"');
      await eventually(async () => expect(await notesOf(client, "HotLoop")).toEqual([message]));
      const before = running.reconciles("default/loop");
      await delay(1_000);
      expect(running.reconciles("default/loop") - before).toBeLessThan(3);

      await client.patch(Gauge, { name: "calm", namespace }, { type: "merge", body: { spec: { size: 2 } } });
      await eventually(async () =>
        expect((await client.get(Gauge, { name: "calm", namespace })).status).toMatchObject({ seen: 2 }),
      );
      expect(await conditionOf(client, "calm", "HotLoop")).toBeUndefined();
      const edit = { type: "merge", body: { spec: { size: 5, loops: false } } } as const;
      await client.patch(Gauge, { name: "loop", namespace }, edit);
      await eventually(async () =>
        expect((await client.get(ConfigMap, { name: "loop", namespace })).data).toEqual({
          mode: "ours",
          size: "5",
        }),
      );
      expect(await conditionOf(client, "loop", "HotLoop")).toMatchObject({ status: "True" });
      // The last run of the circle still waits, and is its last sign of life once it has had its turn.
      await eventually(async () => {
        clock.jump(10 * 60_000);
        await delay(300);
        expect(await conditionOf(client, "loop", "HotLoop")).toMatchObject({ status: "False" });
      });
    }, 60_000);

    it("name who overwrites a field of ours, repair it less often, and see it end", async () => {
      const { client, kubeconfig } = server();
      const fieldFights = { repairs: 3, within: "20s", longestDelay: "1m" };
      running = await start(kubeconfig, { steps, fieldFights });
      await create(client, "fought");
      const key = { name: "fought", namespace };
      await eventually(async () =>
        expect((await client.get(ConfigMap, key)).data).toMatchObject({ mode: "ours" }),
      );
      let writes = 0;
      const stop = new AbortController();
      const other = (async () => {
        while (!stop.signal.aborted) {
          if ((await client.get(ConfigMap, key)).data?.["mode"] === "ours") {
            writes += 1;
            const patch = { type: "merge", body: { data: { mode: "theirs" } } } as const;
            await client.patch(ConfigMap, key, patch, { fieldManager: "second-writer" });
          }
          await delay(20);
        }
      })();
      onTestFinished(async () => {
        stop.abort();
        await other;
      });
      const message =
        'field manager "second-writer" keeps overwriting data.mode of ConfigMap/fought, which this operator declares; ' +
        "it is corrected less and less often until that ends";
      await eventually(async () =>
        expect(await conditionOf(client, "fought", "FieldFight")).toMatchObject({ status: "True", message }),
      );
      await eventually(async () => expect(await notesOf(client, "FieldFight")).toEqual([message]));
      // Each repair is answered by one write, and the next repair waits twice as long: 40 s in the end.
      for (let repair = 0; repair < 3; repair += 1) {
        const before = writes;
        clock.jump(60_000);
        await eventually(() => expect(writes).toBeGreaterThan(before));
      }
      const before = writes;
      await delay(1_000);
      // A repair may have been on its way; one at each write would be ten times as many.
      expect(writes - before).toBeLessThan(4);
      const edit = { type: "merge", body: { spec: { size: 9 } } } as const;
      await client.patch(Gauge, key, edit);
      await eventually(async () =>
        expect((await client.get(ConfigMap, key)).data).toMatchObject({ size: "9" }),
      );
      stop.abort();
      await other;
      clock.jump(60_000);
      await eventually(async () =>
        expect((await client.get(ConfigMap, key)).data).toMatchObject({ mode: "ours" }),
      );
      clock.jump(20_000);
      await eventually(async () =>
        expect(await conditionOf(client, "fought", "FieldFight")).toMatchObject({ status: "False" }),
      );
    }, 90_000);

    it("let children be created at a limited pace, past those that are refused, and see no circle in that", async () => {
      const { client, kubeconfig } = server();
      const runs: { readonly at: number; readonly children: number }[] = [];
      const limit = 4;
      // The first ones are refused: a slash is no part of a key.
      const data = (child: number): Record<string, string> =>
        child < limit ? { "a/b": "refused" } : { a: "1" };
      running = await start(kubeconfig, {
        maxCreations: limit,
        hotLoop: { runs: 3, within: "1h", longestDelay: "1h" },
        steps: {
          ObjectsGetter: ({ cr, registry, owned, clock }) => {
            if (cr.metadata.name !== "paced") return;
            runs.push({ at: clock.now(), children: owned(ConfigMap).length });
            for (let child = 0; child < 6 * limit; child += 1) {
              const metadata = { name: `paced-${child}` };
              registry.add(
                fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata, data: data(child) }),
              );
            }
          },
        },
      });
      await create(client, "paced");
      await eventually(async () => {
        clock.jump(1_000);
        await delay(50);
        const { items } = await client.list(ConfigMap, { namespace });
        const made = items.filter(({ metadata }) => metadata.name.startsWith("paced-"));
        expect(made).toHaveLength(5 * limit);
      });
      const tooMany = runs.flatMap((one, index) =>
        runs
          .slice(index)
          .filter(({ at, children }) => at - one.at < 4_000 && children - one.children > limit),
      );
      expect(tooMany).toEqual([]);
      await eventually(async () =>
        expect((await conditionOf(client, "paced", "ReconciliationSuccess"))?.message).toMatch(
          /paced-0.*also failed: ConfigMap\/paced-1, ConfigMap\/paced-2, ConfigMap\/paced-3$/,
        ),
      );
      expect(await conditionOf(client, "paced", "HotLoop")).toBeUndefined();
      await client.delete(Gauge, { name: "paced", namespace });
    }, 60_000);

    it("find a child that an earlier resource left behind, and collect it as nobody else does", async () => {
      const { client, kubeconfig } = server();
      const key = { name: "heir", namespace };
      running = await start(kubeconfig, { steps });
      await create(client, "heir");
      await eventually(() => client.get(ConfigMap, key));
      await running.stop();
      const { uid } = (await client.get(Gauge, key)).metadata;
      await client.delete(Gauge, key, { propagationPolicy: "Background" });
      await create(client, "heir");
      const bystander = await client.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: "bystander",
          namespace,
          ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "heir", uid }],
        },
      });

      running = await start(kubeconfig, { steps });
      await eventually(async () =>
        expect((await conditionOf(client, "heir", "ReconciliationSuccess"))?.message).toContain(
          'ConfigMap/heir still belongs to an earlier Gauge "heir"',
        ),
      );
      expect((await client.get(ConfigMap, key)).metadata.ownerReferences?.[0]?.uid).toBe(uid);
      const heir = (await client.get(Gauge, key)).metadata.uid;
      await eventually(async () => {
        clock.jump(5_000);
        await delay(100);
        expect((await client.get(ConfigMap, key)).metadata.ownerReferences?.[0]?.uid).toBe(heir);
      });
      const note = 'Deleted ConfigMap/heir: an earlier Gauge "heir" left it behind';
      await eventually(async () => expect(await notesOf(client, "Deleted")).toEqual([note]));
      expect(await client.get(ConfigMap, { name: "bystander", namespace })).toEqual(bystander);
    }, 60_000);

    it("make no second child of a generated name when the answer to its creation is lost", async () => {
      const { client, kubeconfig, url } = server();
      const proxy = await startFaultProxy(url);
      const names: string[] = [];
      let lose = 1;
      try {
        running = await start(await proxy.kubeconfigFor(kubeconfig), {
          steps: {
            Updater: async ({ cr, client: own, owned }) => {
              if (owned(ConfigMap).length > 0) return;
              const { apiVersion, kind, metadata } = cr;
              const { name, uid } = metadata;
              const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
              const child = { generateName: "lost-", namespace, ownerReferences };
              // Leaves a connection open that the next request goes by.
              await own.get(Gauge, { name, namespace });
              await delay(50);
              // The request reaches the server, and the connection ends within its answer.
              if (lose > 0) proxy.cutAfter(1);
              lose -= 1;
              const made = await own.create(ConfigMap, {
                apiVersion: "v1",
                kind: "ConfigMap",
                metadata: child,
              } as never);
              names.push(made.metadata.name);
            },
          },
        });
        await create(client, "lost");
        await eventually(async () =>
          expect(await conditionOf(client, "lost", "ReconciliationSuccess")).toMatchObject({
            status: "True",
          }),
        );
        const { items } = await client.list(ConfigMap, { namespace });
        const children = items.filter(({ metadata }) => metadata.generateName === "lost-");
        expect(children).toHaveLength(1);
        expect(lose).toBeLessThan(1);
        expect(running.lines.some(({ message }) => message === "reconcile failed")).toBe(true);
        expect(children[0]?.metadata.name).toMatch(/^lost-[a-z0-9]{5}$/);
        // Where the watch was quick, the child was seen before the second try.
        expect(names.every((name) => name === children[0]?.metadata.name)).toBe(true);
      } finally {
        await running?.stop();
        await proxy.stop();
      }
    }, 60_000);
  },
  { embedded: { controllers: false }, real: { controllers: "none" }, long: true },
);
