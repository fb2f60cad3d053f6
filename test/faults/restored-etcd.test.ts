// A real API server whose etcd is set back to a backup: its versions begin again before what the operator has seen, and a watch
// that is resumed there is accepted and never brings anything.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { checkReadiness } from "../../src/manager/readiness.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";

const namespace = "default";

describeOnRealApiServer(
  "a watch of an etcd that is restored from a backup",
  () => {
    const stop = new AbortController();
    let plane: LeasedControlPlane;
    let client: KubeClient;
    let person: KubeClient;
    beforeAll(async () => {
      plane = await leaseControlPlane({ controllers: "none" });
      [client, person] = await Promise.all([clientOf(plane.kubeconfig), clientOf(plane.kubeconfig)]);
    });
    afterAll(async () => {
      stop.abort();
      await Promise.all([client.close(), person.close()]);
      await plane.stop();
    });

    const put = (name: string, value: string): Promise<ConfigMap> =>
      person.apply(
        ConfigMap,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { value } },
        { fieldManager: "person" },
      );

    it("does not stay blind: what is restored is shown, what is lost is deleted, and what comes is followed", async () => {
      await put("kept", "before");
      await plane.backUp();
      const cache = createSharedCache({
        client,
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
      });
      const informer = cache.informer(ConfigMap, { namespace });
      const held = (name: string): string | undefined =>
        informer.lister.get({ namespace, name })?.data?.["value"];
      cache.start(stop.signal);
      await eventually(() => cache.whenSynced());
      await put("kept", "after");
      for (let number = 0; number < 40; number += 1) await put(`lost-${number}`, "lost");
      await eventually(() => {
        expect(held("kept")).toBe("after");
        expect(held("lost-39")).toBe("lost");
      });
      await plane.restore();
      await eventually(() => {
        expect(held("kept")).toBe("before");
        expect(held("lost-0")).toBeUndefined();
      });
      await put("new", "after the restore");
      await eventually(() => expect(held("new")).toBe("after the restore"));
      const problems = checkReadiness({ stage: "running", informers: [informer], now: systemClock.now() });
      expect(problems.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    }, 120_000);
  },
  { long: true },
);
