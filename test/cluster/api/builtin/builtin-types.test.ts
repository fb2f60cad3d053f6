import { describe, expect, it } from "vitest";
import type { Fields } from "../../../../src/cluster/api/api-object.ts";
import { createTestApi, refusalOf } from "../support/test-api.ts";

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "nginx" }] } };
const selector = { matchLabels: { a: "b" } };

describe("built-in types", () => {
  it("gives a Deployment the real server's defaults", () => {
    const { spec, status, metadata } = createTestApi().create("deployments.apps", {
      metadata: { name: "d" },
      spec: { selector, template },
    });
    expect(metadata.generation).toBe(1);
    expect(status).toEqual({});
    expect(spec).toEqual({
      replicas: 1,
      selector,
      template: {
        metadata: { labels: { a: "b" } },
        spec: {
          containers: [
            {
              name: "c",
              image: "nginx",
              resources: {},
              terminationMessagePath: "/dev/termination-log",
              terminationMessagePolicy: "File",
              imagePullPolicy: "Always",
            },
          ],
          restartPolicy: "Always",
          terminationGracePeriodSeconds: 30,
          dnsPolicy: "ClusterFirst",
          securityContext: {},
          schedulerName: "default-scheduler",
        },
      },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
  });

  it.each([
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["nginx:1.2", "IfNotPresent"],
    ["host:5000/nginx", "Always"],
    ["nginx@sha256:0123", "IfNotPresent"],
  ])("pulls %s %s", (image, policy) => {
    const pod = createTestApi().create("pods", {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image }] },
    });
    expect(pod["spec"]).toMatchObject({ containers: [{ imagePullPolicy: policy }] });
  });

  it("writes stringData of a Secret into data", () => {
    const api = createTestApi();
    const secret = api.create("secrets", {
      metadata: { name: "s" },
      stringData: { a: "b" },
      data: { c: "ZA==" },
    });
    expect(secret["data"]).toEqual({ a: "Yg==", c: "ZA==" });
    expect(secret["stringData"]).toBeUndefined();
    expect(secret["type"]).toBe("Opaque");
  });

  it("gives every Service an address of its own on loopback, keeps it, and frees it", () => {
    const api = createTestApi();
    const create = (name: string, spec: Fields = {}): unknown =>
      (
        api.create("services", { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })[
          "spec"
        ] as Fields
      )["clusterIP"];
    const [a, b, none] = [create("a"), create("b"), create("headless", { clusterIP: "None" })];
    for (const address of [a, b]) expect(address).toMatch(/^127\.96\.\d+\.\d+$/);
    expect([a === b, none]).toEqual([false, "None"]);
    const updated = api.update("services", "a", { metadata: { name: "a" }, spec: { ports: [{ port: 81 }] } });
    expect(updated["spec"]).toMatchObject({
      clusterIP: a,
      ports: [{ port: 81, targetPort: 81, protocol: "TCP" }],
    });
    expect(
      refusalOf(() => api.patch("services", "a", "merge", { spec: { clusterIP: "127.96.0.99" } })).code,
    ).toBe(422);
    api.delete("services", "a");
    expect(create("c")).toBe(a);
  });

  it("begins with other addresses in another cluster, whose processes are on the same machine", () => {
    const first = [0, 0.5].map((random) => {
      const spec = { ports: [{ port: 80 }] };
      const api = createTestApi({ random: () => random });
      return (api.create("services", { metadata: { name: "a" }, spec })["spec"] as Fields)["clusterIP"];
    });
    expect(first[0]).toBe("127.96.0.10");
    expect(first[1]).not.toBe(first[0]);
  });

  it("makes a Job select its pods by its own uid", () => {
    const job = createTestApi().create("jobs.batch", {
      metadata: { name: "j" },
      spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } },
    });
    const uid = job.metadata.uid;
    expect(job["spec"]).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      template: { metadata: { labels: { "batch.kubernetes.io/controller-uid": uid, "job-name": "j" } } },
    });
  });

  it("serves one stored event in both groups", () => {
    const api = createTestApi();
    api.create("events.events.k8s.io", {
      metadata: { name: "e" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "x/y",
      reportingInstance: "i",
      action: "A",
      reason: "R",
      type: "Normal",
      note: "n",
      regarding: { kind: "Pod", name: "p", namespace: "default" },
    });
    expect(api.get("events", "e")).toMatchObject({
      apiVersion: "v1",
      message: "n",
      reportingComponent: "x/y",
      involvedObject: { kind: "Pod", name: "p" },
    });
    expect(api.get("events.events.k8s.io", "e")).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      note: "n",
      regarding: { name: "p" },
    });
    expect(api.list("events", "fieldSelector=involvedObject.name%3Dp").items).toHaveLength(1);
  });

  it.each([
    ["deployments.apps", { template }, "spec.selector"],
    ["deployments.apps", { selector, template: { spec: template.spec } }, "spec.template.metadata.labels"],
    [
      "deployments.apps",
      { selector, template: { metadata: template.metadata, spec: { containers: [] } } },
      "spec.template.spec.containers",
    ],
    ["jobs.batch", { template }, "spec.template.spec.restartPolicy"],
    ["services", {}, "spec.ports"],
    ["services", { ports: [{ port: 99_999 }] }, "spec.ports[0].port"],
    ["pods", { containers: [{ name: "c" }] }, "spec.containers[0].image"],
    [
      "pods",
      { containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/" }] }] },
      "spec.containers[0].volumeMounts[0].name",
    ],
    [
      "cronjobs.batch",
      { jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } } },
      "spec.schedule",
    ],
  ])("refuses an invalid %s (%#)", (resource, spec, field) => {
    const refusal = refusalOf(() => createTestApi().create(resource, { metadata: { name: "x" }, spec }));
    expect(refusal.code).toBe(422);
    expect(refusal.details?.causes?.map((cause) => cause.field)).toContain(field);
  });
});
