// A connection that stays open and says nothing, on every API server, through a proxy. Time runs twenty times as fast as
// on the wall, so that the limits (70 s without a byte, 30 s without an answer) keep their ratio to everything else.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import type { Informer } from "../../src/cache/informer.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { checkReadiness } from "../../src/manager/readiness.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createFastClock } from "../support/fast-clock.ts";
import { startFaultProxy, type FaultProxy } from "../support/fault-proxy.ts";

const factor = 20;
const namespace = "default";

describeOnEachApiServer(
  "a silent connection",
  (server) => {
    const clock = createFastClock(factor);
    const stop = new AbortController();
    const deleted: string[] = [];
    let proxy: FaultProxy;
    let client: KubeClient;
    let informer: Informer<ConfigMap>;
    beforeAll(async () => {
      proxy = await startFaultProxy(server().url);
      const path = await proxy.kubeconfigFor(server().kubeconfig);
      client = createKubeClient(await loadConnection({ path, env: {} }), { userAgent: "silent", clock });
      const cache = createSharedCache({ client, clock, random: systemRandom, log: silentLogger });
      informer = cache.informer(ConfigMap, { namespace });
      informer.changes$.subscribe((change) => {
        if (change.type === "deleted") deleted.push(change.object.metadata.name);
      });
      cache.start(stop.signal);
      await cache.whenSynced();
    });
    afterAll(async () => {
      stop.abort();
      await client.close();
      await proxy.stop();
    });

    const name = "unheard";
    const isReady = (): boolean =>
      checkReadiness({ stage: "running", informers: [informer], now: clock.now() }).every(
        ({ problem }) => problem === undefined,
      );
    const create = (): Promise<ConfigMap> =>
      server().client.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace },
      });

    it("is given up after 70 s and replaced at the first try, resumes, and loses no event (T01)", async () => {
      await create();
      await eventually(() => expect(informer.lister.get({ namespace, name })).toBeDefined());
      // Connections that nobody uses are half-open as well: whoever takes one up again hears nothing.
      await Promise.all(Array.from({ length: 4 }, () => client.get(ConfigMap, { namespace, name })));
      const { relists, reconnects } = informer.health;
      expect(isReady()).toBe(true);
      const { unheard } = proxy;
      proxy.silence();
      const since = informer.health.lastActivity ?? 0;
      await server().client.delete(ConfigMap, { namespace, name });
      await eventually(() => expect(deleted).toEqual([name]));
      const lasted = (clock.now() - since) / 1_000;
      expect(lasted).toBeGreaterThan(69);
      // Nothing was asked on another half-open connection, which would have cost another time limit.
      expect(proxy.unheard).toBe(unheard);
      expect(informer.health).toMatchObject({ synced: true, relists, reconnects: reconnects + 1 });
    });

    it("makes the operator unready while nothing gets through, and ready again after (T01)", async () => {
      await create();
      await eventually(() => expect(informer.lister.get({ namespace, name })).toBeDefined());
      proxy.silenceAll();
      await eventually(() => expect(isReady()).toBe(false));
      expect(informer.lister.get({ namespace, name })).toBeDefined();
      await server().client.delete(ConfigMap, { namespace, name });
      await proxy.heal();
      await eventually(() => expect(isReady()).toBe(true));
      await eventually(() => expect(informer.lister.get({ namespace, name })).toBeUndefined());
      expect(informer.health.relists).toBe(0);
    });

    it("costs one request its time limit, and not every later one on a kept connection (T01)", async () => {
      await Promise.all(Array.from({ length: 6 }, () => client.list(ConfigMap, { namespace, limit: 1 })));
      proxy.silence();
      await expect(client.list(ConfigMap, { namespace, limit: 1, timeout: 30_000 })).rejects.toMatchObject({
        code: "REQUEST_TIMEOUT",
      });
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, () => client.list(ConfigMap, { namespace, limit: 1 })),
      );
      expect(outcomes).toHaveLength(6);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
