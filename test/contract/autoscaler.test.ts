// Autoscalers on the embedded cluster, from what annotations say is used: how they grow, shrink and refuse to, what `kubectl top` would
// read, and what they say of it.
import { expect, it, onTestFinished } from "vitest";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { HorizontalPodAutoscaler } from "../../src/kinds/builtin/autoscaling.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startExtensionServer } from "../support/extension-server.ts";
import { createJumpingClock, type JumpingClock } from "../support/jumping-clock.ts";

const key = { namespace: "default", name: "web" };

async function start(metrics: boolean): Promise<{ client: KubeClient; clock: JumpingClock }> {
  const clock = createJumpingClock();
  const cluster = await startCluster({ metrics, clock });
  onTestFinished(() => cluster.stop());
  const client = await clientOf(cluster.kubeconfig);
  onTestFinished(() => client.close());
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: key,
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "web", resources: { requests: { cpu: "100m" } } }] },
      },
    },
  });
  await eventually(async () => expect((await client.get(Deployment, key)).status?.readyReplicas).toBe(2));
  return { client, clock };
}

function autoscaler(metrics: object[], more: object = {}): HorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: key,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 6,
      metrics,
      ...more,
    },
  } as unknown as HorizontalPodAutoscaler;
}

const halfOfTheCpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};

async function annotate(client: KubeClient, annotations: Record<string, string>): Promise<void> {
  await client.patch(Deployment, key, { type: "merge", body: { metadata: { annotations } } });
}

function conditionsOf({ status }: HorizontalPodAutoscaler): Record<string, string> {
  return Object.fromEntries(
    (status?.conditions ?? []).map((each) => [each.type, `${each.status} ${each.reason}`]),
  );
}

it("grows with what its pods share, and shrinks five minutes after they need less", async () => {
  const { client, clock } = await start(true);
  await annotate(client, { "shared.metrics.xstate-operator.dev/cpu": "200m" });
  await client.create(HorizontalPodAutoscaler, autoscaler([halfOfTheCpu]));
  const look = async (replicas: number, conditions: Record<string, string>): Promise<void> => {
    await eventually(async () => {
      clock.jump(16_000);
      const found = await client.get(HorizontalPodAutoscaler, key);
      expect([found.status?.desiredReplicas, conditionsOf(found)]).toEqual([replicas, conditions]);
      expect((await client.get(Deployment, key)).status?.readyReplicas).toBe(replicas);
    });
  };
  const settled = {
    AbleToScale: "True ReadyForNewScale",
    ScalingActive: "True ValidMetricFound",
    ScalingLimited: "False DesiredWithinRange",
  };
  await look(4, settled);
  await eventually(async () => {
    clock.jump(16_000);
    const { status } = await client.get(HorizontalPodAutoscaler, key);
    expect(status?.currentMetrics).toEqual([
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 50, averageValue: "50m" } },
      },
    ]);
    const pods = (await client.request({
      method: "GET",
      path: "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
    })) as { items: { containers: object[] }[] };
    expect(pods.items.map(({ containers }) => containers)).toEqual(
      Array.from({ length: 4 }, () => [{ name: "web", usage: { cpu: "50m", memory: "0" } }]),
    );
  });
  await annotate(client, { "shared.metrics.xstate-operator.dev/cpu": "1" });
  await look(6, { ...settled, ScalingLimited: "True TooManyReplicas" });
  await annotate(client, { "shared.metrics.xstate-operator.dev/cpu": "40m" });
  clock.jump(16_000);
  await eventually(async () => {
    const found = await client.get(HorizontalPodAutoscaler, key);
    expect(conditionsOf(found)["AbleToScale"]).toBe("True ScaleDownStabilized");
    expect(found.status?.desiredReplicas).toBe(6);
  });
  clock.jump(310_000);
  await look(1, settled);
  const { items } = (await client.request({
    method: "GET",
    path: "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind=HorizontalPodAutoscaler",
  })) as { items: { reason: string; message: string }[] };
  expect(items.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      "New size: 4; reason: cpu resource utilization (percentage of request) above target",
      "New size: 1; reason: All metrics below target",
    ]),
  );
});

it("reads metrics of pods, of objects and of namespaces", async () => {
  const { client, clock } = await start(true);
  await annotate(client, {
    "metrics.xstate-operator.dev/requests": "30",
    "metrics.xstate-operator.dev/queue": "40",
  });
  await client.request({
    method: "PATCH",
    path: "/api/v1/namespaces/default",
    contentType: "application/merge-patch+json",
    body: { metadata: { annotations: { "metrics.xstate-operator.dev/jobs": "9" } } },
  });
  const describedObject = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  await client.create(
    HorizontalPodAutoscaler,
    autoscaler([
      {
        type: "Pods",
        pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "30" } },
      },
      {
        type: "Object",
        object: {
          describedObject,
          metric: { name: "queue" },
          target: { type: "AverageValue", averageValue: "20" },
        },
      },
      {
        type: "External",
        external: { metric: { name: "jobs" }, target: { type: "AverageValue", averageValue: "3" } },
      },
    ]),
  );
  await eventually(async () => {
    clock.jump(16_000);
    const { status } = await client.get(HorizontalPodAutoscaler, key);
    expect(status).toMatchObject({ desiredReplicas: 3, currentReplicas: 3 });
    expect(
      status?.currentMetrics?.map(({ type, ...more }) => [
        type,
        JSON.stringify(more).includes("averageValue"),
      ]),
    ).toEqual([
      ["Pods", true],
      ["Object", true],
      ["External", true],
    ]);
  });
});

it("reads the metrics of adapters behind APIServices, by the selectors of the metrics", async () => {
  const { client, clock } = await start(false);
  const adapter = await startExtensionServer(["adapter.default.svc"]);
  onTestFinished(() => adapter.stop());
  adapter.answer = ({ url }, response) => {
    const [, value] = Object.entries({ "/deployments.apps/web/queue?": "8", "/lag?": "9" }).find(([path]) =>
      url.includes(path),
    ) ?? ["", undefined];
    if (value === undefined) return "as usual";
    response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify({ items: [{ value }] }));
    return "answered";
  };
  const post = (path: string, body: object): Promise<unknown> =>
    client.request({ method: "POST", path, body });
  await post("/api/v1/namespaces/default/services", {
    metadata: { name: "adapter" },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port: adapter.port }] },
  });
  const served = [
    ["custom.metrics.k8s.io", "v1beta2"],
    ["external.metrics.k8s.io", "v1beta1"],
  ] as const;
  for (const [group, version] of served) {
    await post("/apis/apiregistration.k8s.io/v1/apiservices", {
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        caBundle: adapter.caBundle,
        service: { namespace: "default", name: "adapter", port: adapter.port },
      },
    });
  }
  const of = (name: string): object => ({ name, selector: { matchLabels: { "example.com/team": "blue" } } });
  await client.create(
    HorizontalPodAutoscaler,
    autoscaler([
      {
        type: "Object",
        object: {
          describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          metric: of("queue"),
          target: { type: "AverageValue", averageValue: "2" },
        },
      },
      {
        type: "External",
        external: { metric: of("lag"), target: { type: "AverageValue", averageValue: "3" } },
      },
    ]),
  );
  await eventually(async () => {
    clock.jump(16_000);
    const { status } = await client.get(HorizontalPodAutoscaler, key);
    expect(status).toMatchObject({ desiredReplicas: 4, currentReplicas: 4 });
  });
  const asked = new Set(adapter.take().map(({ url }) => decodeURIComponent(url)));
  expect([...asked].filter((url) => url.includes("/namespaces/"))).toEqual([
    "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/deployments.apps/web/queue?metricLabelSelector=example.com/team=blue",
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/lag?labelSelector=example.com/team=blue",
  ]);
  // One that knows the metric and has no values of it is no reason to shrink.
  adapter.answer = ({ url }, response) => {
    if (!url.includes("/lag?")) return "as usual";
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ items: [] }));
    return "answered";
  };
  await eventually(async () => {
    clock.jump(16_000);
    const { status } = await client.get(HorizontalPodAutoscaler, key);
    expect(status).toMatchObject({ desiredReplicas: 4 });
    expect(status?.conditions?.find(({ type }) => type === "ScalingActive")?.message).toContain(
      "unable to get metric queue: Deployment on default web/unable to fetch metrics from custom metrics API:",
    );
  });
  await client.patch(HorizontalPodAutoscaler, key, {
    type: "merge",
    body: {
      spec: {
        metrics: [
          { type: "External", external: { metric: of("lag"), target: { type: "Value", value: "3" } } },
        ],
      },
    },
  });
  await eventually(async () => {
    clock.jump(16_000);
    const { status } = await client.get(HorizontalPodAutoscaler, key);
    expect(status?.conditions?.find(({ type }) => type === "ScalingActive")).toMatchObject({
      reason: "FailedGetExternalMetric",
      message: expect.stringContaining("no metrics returned from external metrics API") as string,
    });
  });
});

it("says that nothing is measured where no metrics are served", async () => {
  const { client, clock } = await start(false);
  await client.create(HorizontalPodAutoscaler, autoscaler([halfOfTheCpu]));
  await eventually(async () => {
    clock.jump(16_000);
    const { status } = await client.get(HorizontalPodAutoscaler, key);
    expect(
      status?.conditions?.map(({ type, status: state, reason, message }) => [type, state, reason, message]),
    ).toEqual([
      [
        "AbleToScale",
        "True",
        "SucceededGetScale",
        "the HPA controller was able to get the target's current scale",
      ],
      [
        "ScalingActive",
        "False",
        "FailedGetResourceMetric",
        "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)",
      ],
    ]);
  });
});
