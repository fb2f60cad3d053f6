// How children are, for the Ready of a kind without a lifecycle.
import { describe, expect, it } from "vitest";
import { healthOfChild } from "../../src/kinds/builtin/child-health.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const made = (apiVersion: string, kind: string, rest: object, metadata: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 2, ...metadata },
  ...rest,
});
const condition = (type: string, status: string, reason = "Told") => ({
  type,
  status,
  reason,
  message: `${type} is ${status}`,
});
const rolledOut = {
  observedGeneration: 2,
  replicas: 2,
  updatedReplicas: 2,
  readyReplicas: 2,
  availableReplicas: 2,
};

describe("the health of a child", () => {
  it.each([
    [
      "a Deployment that is rolled out",
      made("apps/v1", "Deployment", { spec: { replicas: 2 }, status: rolledOut }),
    ],
    ["a ConfigMap", made("v1", "ConfigMap", {})],
    [
      "a Job that is complete",
      made("batch/v1", "Job", { status: { conditions: [condition("Complete", "True")] } }),
    ],
    ["a claim with its volume", made("v1", "PersistentVolumeClaim", { status: { phase: "Bound" } })],
    [
      "an object of another operator that is ready",
      made("x.io/v1", "X", { status: { observedGeneration: 2, conditions: [condition("Ready", "True")] } }),
    ],
  ])("is ready: %s", (_name, object) => {
    expect(healthOfChild(object)).toEqual({ ready: expect.objectContaining({ status: "True" }) as unknown });
  });

  it.each([
    [
      "a Deployment with 0 of 2 pods",
      made("apps/v1", "Deployment", { spec: { replicas: 2 }, status: { observedGeneration: 2 } }),
      "0 of 2 ready, rolling out",
    ],
    [
      "a StatefulSet whose last change was not seen",
      made("apps/v1", "StatefulSet", {
        spec: { replicas: 2 },
        status: { ...rolledOut, observedGeneration: 1 },
      }),
      "its last change has not been observed yet",
    ],
    [
      "a DaemonSet without pods",
      made("apps/v1", "DaemonSet", {
        spec: {},
        status: { observedGeneration: 2, desiredNumberScheduled: 1 },
      }),
      "not ready",
    ],
    ["a Job that runs", made("batch/v1", "Job", { status: { active: 1 } }), "running"],
    ["a pending pod", made("v1", "Pod", { status: { phase: "Pending" } }), "Pending"],
    [
      "a pod that keeps failing, and is started again",
      made("v1", "Pod", {
        status: {
          phase: "Running",
          containerStatuses: [{ name: "db", state: { waiting: { reason: "CrashLoopBackOff" } } }],
        },
      }),
      "container db: CrashLoopBackOff",
    ],
    [
      "a claim without a volume",
      made("v1", "PersistentVolumeClaim", { status: { phase: "Pending" } }),
      "Pending",
    ],
    [
      "an object that is being deleted",
      made("v1", "ConfigMap", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      "being deleted",
    ],
    [
      "an object of another operator that is reconciling",
      made("x.io/v1", "X", {
        status: { conditions: [condition("Reconciling", "True"), condition("Ready", "True")] },
      }),
      "Reconciling is True",
    ],
    [
      "an object of another operator that nobody has observed",
      made("x.io/v1", "X", { status: { observedGeneration: -1 } }),
      "its last change has not been observed yet",
    ],
  ])("is on its way: %s", (_name, object, message) => {
    const finding = { reason: "NotReady", message };
    expect(healthOfChild(object)).toEqual({ ready: { status: "False", ...finding }, reconciling: finding });
  });

  it.each([
    [
      "a Job",
      made("batch/v1", "Job", { status: { conditions: [condition("Failed", "True")] } }),
      "failed: Failed is True",
    ],
    ["a pod", made("v1", "Pod", { status: { phase: "Failed", reason: "Evicted" } }), "failed: Evicted"],
    [
      "a Deployment past its deadline",
      made("apps/v1", "Deployment", {
        spec: {},
        status: { conditions: [condition("Progressing", "False", "ProgressDeadlineExceeded")] },
      }),
      "Progressing is False",
    ],
    [
      "an object of another operator that says so",
      made("x.io/v1", "X", { status: { conditions: [condition("Stalled", "True")] } }),
      "Stalled is True",
    ],
  ])("is stalled once it has failed for good: %s", (_name, object, message) => {
    const finding = { reason: "Failed", message };
    expect(healthOfChild(object)).toEqual({ ready: { status: "False", ...finding }, stalled: finding });
  });
});
