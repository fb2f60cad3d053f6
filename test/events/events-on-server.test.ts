import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { createEventRecorder, type EventRecorder } from "../../src/events/event-recorder.ts";
import { ConfigMap, Namespace } from "../../src/kinds/builtin/core.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { assets } from "../support/control-plane.ts";
import { leaseControlPlane, type LeasedControlPlane } from "../support/leased-control-plane.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";

describeOnRealApiServer("Events", () => {
  let plane: LeasedControlPlane;
  let client: KubeClient;
  let events: EventRecorder;

  beforeAll(async () => {
    plane = await leaseControlPlane({ controllers: "none" });
    client = createKubeClient(await loadConnection({ path: plane.kubeconfig, env: {} }), {
      userAgent: "test",
    });
    events = createEventRecorder({
      client,
      clock: systemClock,
      component: "database-operator",
      instance: "database-operator-1",
      log: silentLogger,
    });
  });

  afterAll(async () => {
    await client?.close();
    await plane?.stop();
  });

  it("are shown by kubectl describe, with their count", async () => {
    const regarding = await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "default" },
    });
    const event = { type: "Warning", reason: "Broken", action: "Check", note: "it is broken: ö" } as const;
    for (let time = 0; time < 3; time += 1) events.record(regarding, event);
    await events.flush(AbortSignal.timeout(10_000));
    expect(events.dropped).toBe(0);

    const { items } = await client.list(KubernetesEvent, { namespace: "default" });
    const [found] = items.filter(({ reason }) => reason === "Broken");
    expect(found).toMatchObject({
      series: { count: 3 },
      regarding: { name: "settings", uid: regarding.metadata.uid },
    });

    const kubectl = join(assets ?? "", "kubectl");
    const args = ["--kubeconfig", plane.kubeconfig, "describe", "configmap", "settings"];
    const { stdout } = await promisify(execFile)(kubectl, args);
    expect(stdout).toMatch(/Warning +Broken +.*\(x3 over .*\) +database-operator +it is broken: ö/);
  });

  it("are taken at the limits of the server: a long note, a cluster-scoped object", async () => {
    const regarding = await client.get(Namespace, { name: "kube-public" });
    events.record(regarding, { type: "Normal", reason: "R".repeat(500), note: "😀".repeat(1_000) });
    await events.flush(AbortSignal.timeout(10_000));
    expect(events.dropped).toBe(0);
    const { items } = await client.list(KubernetesEvent, { namespace: "default" });
    expect(items.some(({ regarding: subject }) => subject?.name === "kube-public")).toBe(true);
  });
});
