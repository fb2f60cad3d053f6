import { describe, expect, it } from "vitest";
import type { DaemonSet, Deployment, StatefulSet } from "../../src/kinds/builtin/apps.ts";
import type { Job } from "../../src/kinds/builtin/batch.ts";
import type { PersistentVolumeClaim, Pod, Service } from "../../src/kinds/builtin/core.ts";
import type { EndpointSlice } from "../../src/kinds/builtin/discovery.ts";
import {
  isClaimBound,
  isJobComplete,
  isPodReady,
  isReady,
  isServiceReady,
  jobFailureOf,
  podFailureOf,
  readyEndpointsCount,
} from "../../src/kinds/builtin/readiness.ts";
import { isRolledOut, readyPodsCount, runningPodsCount } from "../../src/kinds/builtin/workload-status.ts";
import type { NamespacedObject } from "../../src/meta/object.ts";

const metadata: NamespacedObject["metadata"] = {
  name: "a",
  namespace: "default",
  uid: "1",
  resourceVersion: "1",
  generation: 2,
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const terminating = { ...metadata, deletionTimestamp: "2026-01-02T00:00:00Z" };
const selector = { matchLabels: { app: "a" } };
const template = { spec: { containers: [] } };

const deployment = (status?: Deployment["status"], spec: object = {}): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: { replicas: 2, selector, template, ...spec },
  ...(status === undefined ? {} : { status }),
});

const settled = {
  observedGeneration: 2,
  replicas: 2,
  updatedReplicas: 2,
  readyReplicas: 2,
  availableReplicas: 2,
};

const statefulSet = (status: Partial<StatefulSet["status"]> = {}, spec: object = {}): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata,
  spec: { replicas: 2, selector, template, serviceName: "a", ...spec },
  status: { ...settled, ...status },
});

const pod = (status: Pod["status"], meta: NamespacedObject["metadata"] = metadata): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta,
  spec: { containers: [] },
  ...(status === undefined ? {} : { status }),
});

describe("readyPodsCount", () => {
  it.each([
    ["all ready", deployment(settled), { ready: 2, missing: 0 }],
    ["one ready", deployment({ ...settled, readyReplicas: 1 }), { ready: 1, missing: 1 }],
    ["no status yet", deployment(), { ready: 0, missing: 2 }],
    [
      "a status about an older generation",
      deployment({ ...settled, observedGeneration: 1 }),
      { ready: 0, missing: 2 },
    ],
    [
      "no replicas given, which means one",
      deployment({ ...settled, readyReplicas: 0 }, { replicas: undefined }),
      { ready: 0, missing: 1 },
    ],
    ["more ready than desired", deployment({ ...settled, readyReplicas: 3 }), { ready: 3, missing: 0 }],
    ["terminating", { ...deployment(settled), metadata: terminating }, { ready: 0, missing: 2 }],
    ["absent", undefined, { ready: 0, missing: 0 }],
  ])("%s", (_, workload, expected) => {
    expect(readyPodsCount(workload)).toEqual(expected);
  });
});

describe("runningPodsCount", () => {
  it("counts running pods, and leaves terminating ones out", () => {
    const pods = [
      pod({ phase: "Running" }),
      pod({ phase: "Pending" }),
      pod({ phase: "Running" }, terminating),
      pod(undefined),
    ];
    expect(runningPodsCount(pods)).toBe(1);
  });
});

describe("isRolledOut", () => {
  it.each([
    ["all updated and available", deployment(settled), true],
    ["an old pod left", deployment({ ...settled, replicas: 3 }), false],
    ["one not updated", deployment({ ...settled, updatedReplicas: 1 }), false],
    ["one not available", deployment({ ...settled, availableReplicas: 1 }), false],
    ["not observed", deployment({ ...settled, observedGeneration: 1 }), false],
    ["scaled to nothing", deployment({ observedGeneration: 2 }, { replicas: 0 }), true],
    ["terminating", { ...deployment(settled), metadata: terminating }, false],
    ["a settled stateful set", statefulSet(), true],
    ["a stateful set half through", statefulSet({ updatedReplicas: 1 }), false],
    [
      "a stateful set that a partition holds back",
      statefulSet({ updatedReplicas: 1 }, { updateStrategy: { rollingUpdate: { partition: 1 } } }),
      true,
    ],
    ["an absent one", undefined, false],
  ])("%s", (_, workload, expected) => {
    expect(isRolledOut(workload)).toBe(expected);
  });

  it.each([
    [{ desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 }, true],
    [{ desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberAvailable: 3 }, false],
    [{ desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 }, false],
  ])("a daemon set with %o: %s", (status, expected) => {
    const daemonSet: DaemonSet = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata,
      spec: { selector, template },
      status: {
        observedGeneration: 2,
        currentNumberScheduled: 3,
        numberMisscheduled: 0,
        numberReady: 3,
        ...status,
      },
    };
    expect(isRolledOut(daemonSet)).toBe(expected);
  });
});

describe("pods", () => {
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } as const;

  it("are ready when they run and their condition says so", () => {
    expect(isPodReady(pod(ready))).toBe(true);
    expect(isPodReady(pod({ ...ready, conditions: [{ type: "Ready", status: "False" }] }))).toBe(false);
    expect(isPodReady(pod({ ...ready, phase: "Succeeded" }))).toBe(false);
    expect(isPodReady(pod(undefined))).toBe(false);
  });

  it("are never ready while they terminate, although their condition still says so", () => {
    expect(isPodReady(pod(ready, terminating))).toBe(false);
  });

  it("say why they fail", () => {
    const container = { name: "db", ready: false, restartCount: 3, image: "", imageID: "" };
    const waiting = (reason: string, message?: string): Pod =>
      pod({
        phase: "Pending",
        containerStatuses: [
          { ...container, state: { waiting: { reason, ...(message === undefined ? {} : { message }) } } },
        ],
      });
    expect(podFailureOf(waiting("ImagePullBackOff", "no such image"))).toBe(
      "container db: ImagePullBackOff: no such image",
    );
    expect(podFailureOf(waiting("ContainerCreating"))).toBeUndefined();
    expect(podFailureOf(pod({ phase: "Failed", message: "evicted" }))).toBe("evicted");
    expect(
      podFailureOf(
        pod({
          phase: "Running",
          containerStatuses: [{ ...container, state: { terminated: { exitCode: 2 } } }],
        }),
      ),
    ).toBe("container db: exit code 2");
    expect(podFailureOf(pod(ready))).toBeUndefined();
  });
});

describe("services", () => {
  const service = (spec: Service["spec"], status: Service["status"] = {}): Service => ({
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec,
    status,
  });
  const slice = (...ready: (boolean | undefined)[]): EndpointSlice => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata,
    addressType: "IPv4",
    endpoints: ready.map((each) => ({
      addresses: ["10.0.0.1"],
      conditions: each === undefined ? {} : { ready: each },
    })),
  });

  it.each([
    ["with a cluster IP", service({ clusterIP: "10.0.0.1" }), true],
    ["headless", service({ clusterIP: "None" }), true],
    ["without one yet", service({}), false],
    ["a load balancer that is pending", service({ type: "LoadBalancer", clusterIP: "10.0.0.1" }), false],
    [
      "a load balancer with an address",
      service(
        { type: "LoadBalancer", clusterIP: "10.0.0.1" },
        { loadBalancer: { ingress: [{ ip: "1.1.1.1" }] } },
      ),
      true,
    ],
    ["an external name", service({ type: "ExternalName", externalName: "a.example.com" }), true],
    ["terminating", { ...service({ clusterIP: "10.0.0.1" }), metadata: terminating }, false],
  ])("%s", (_, object, expected) => {
    expect(isServiceReady(object)).toBe(expected);
  });

  it("need a ready endpoint when slices are given", () => {
    const object = service({ clusterIP: "10.0.0.1" });
    expect(isServiceReady(object, [slice(false, true)])).toBe(true);
    expect(isServiceReady(object, [slice(false)])).toBe(false);
    expect(isServiceReady(object, [])).toBe(false);
  });

  it("count an endpoint that does not say as ready, and a slice that terminates not at all", () => {
    expect(readyEndpointsCount([slice(undefined, false), { ...slice(true), metadata: terminating }])).toBe(1);
  });
});

describe("jobs and claims", () => {
  const job = (type: string, meta: NamespacedObject["metadata"] = metadata): Job => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: meta,
    spec: { template },
    status: { conditions: [{ type, status: "True", reason: "BackoffLimitExceeded" }] },
  });
  const claim = (
    phase: "Bound" | "Pending",
    meta: NamespacedObject["metadata"] = metadata,
  ): PersistentVolumeClaim => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: meta,
    spec: {},
    status: { phase },
  });

  it("are done when their status says so", () => {
    expect([isJobComplete(job("Complete")), isJobComplete(job("Failed"))]).toEqual([true, false]);
    expect([jobFailureOf(job("Failed")), jobFailureOf(job("Complete"))]).toEqual([
      "BackoffLimitExceeded",
      undefined,
    ]);
    expect([isClaimBound(claim("Bound")), isClaimBound(claim("Pending"))]).toEqual([true, false]);
  });

  it("are not while they terminate", () => {
    expect(isJobComplete(job("Complete", terminating))).toBe(false);
    expect(isClaimBound(claim("Bound", terminating))).toBe(false);
  });
});

describe("isReady", () => {
  const object = (apiVersion: string, kind: string, rest: object = {}) => ({
    apiVersion,
    kind,
    metadata,
    ...rest,
  });
  it.each([
    ["a rolled-out deployment", deployment(settled), true],
    ["a deployment under way", deployment({ ...settled, readyReplicas: 0 }), false],
    ["a config map, which is ready by being there", object("v1", "ConfigMap"), true],
    ["a terminating config map", object("v1", "ConfigMap", { metadata: terminating }), false],
    [
      "a custom resource that says it is not",
      object("a.example.com/v1", "A", { status: { conditions: [{ type: "Ready", status: "False" }] } }),
      false,
    ],
    [
      "a custom resource that says it is",
      object("a.example.com/v1", "A", { status: { conditions: [{ type: "Available", status: "True" }] } }),
      true,
    ],
    ["a Deployment of another group", object("a.example.com/v1", "Deployment"), true],
  ])("%s", (_, value, expected) => {
    expect(isReady(value)).toBe(expected);
  });
});
