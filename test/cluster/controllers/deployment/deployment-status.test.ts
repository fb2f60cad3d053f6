import { describe, expect, it } from "vitest";
import {
  deploymentStatus,
  isComplete,
  untilDeadline,
  type DeploymentFacts,
} from "../../../../src/cluster/controllers/deployment/deployment-status.ts";
import type { Deployment, ReplicaSet } from "../../../../src/kinds/builtin/apps.ts";

const now = Date.UTC(2026, 0, 1, 12);
const metadata = {
  namespace: "n",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};

function deployment(
  status: NonNullable<Deployment["status"]> = {},
  spec: Partial<Deployment["spec"]> = {},
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, name: "web", generation: 2 },
    spec: { replicas: 2, selector: {}, template: { spec: { containers: [] } }, ...spec },
    status,
  };
}

function replicaSet(name: string, wanted: number, ready: number): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { ...metadata, name },
    spec: { replicas: wanted, selector: {} },
    status: { replicas: wanted, readyReplicas: ready, availableReplicas: ready },
  };
}

function statusOf(facts: Partial<DeploymentFacts>): NonNullable<Deployment["status"]> {
  const base = { newSet: undefined, oldSets: [], created: false, maxUnavailable: 0, collisionCount: 0, now };
  return deploymentStatus({ deployment: deployment(), ...base, ...facts });
}

const conditionOf = (status: NonNullable<Deployment["status"]>, type: string) =>
  status.conditions?.find((each) => each.type === type);

describe("deployment status", () => {
  it("counts the pods of all its sets, and leaves zeros out", () => {
    const status = statusOf({ newSet: replicaSet("new", 1, 0), oldSets: [replicaSet("old", 2, 2)] });
    expect(status).toMatchObject({
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 1,
    });
    expect(Object.keys(statusOf({}))).toEqual(["observedGeneration", "conditions", "terminatingReplicas"]);
  });

  it("knows how many pods are on their way out once every set has said so", () => {
    const saying = (name: string, terminatingReplicas: number): ReplicaSet => {
      const set = replicaSet(name, 1, 1);
      return { ...set, status: { replicas: 1, ...set.status, terminatingReplicas } };
    };
    const said = { newSet: saying("new", 1), oldSets: [saying("old", 2)] };
    expect(statusOf(said)).toMatchObject({ terminatingReplicas: 3 });
    expect(statusOf({ ...said, oldSets: [replicaSet("old", 1, 1)] })).not.toHaveProperty(
      "terminatingReplicas",
    );
  });

  it("lists its conditions in Kubernetes' order: what has changed comes last", () => {
    const conditions = (status: Deployment["status"]) => status?.conditions?.map(({ type }) => type);
    const created = statusOf({ newSet: replicaSet("new", 2, 0), created: true });
    expect(conditions(created)).toEqual(["Progressing", "Available"]);
    const up = { newSet: replicaSet("new", 2, 2) };
    expect(conditions(statusOf({ ...up, deployment: deployment(created) }))).toEqual([
      "Available",
      "Progressing",
    ]);
  });

  it("is available when enough pods are", () => {
    const half = { newSet: replicaSet("new", 2, 1) };
    expect(conditionOf(statusOf(half), "Available")).toMatchObject({
      status: "False",
      reason: "MinimumReplicasUnavailable",
    });
    expect(conditionOf(statusOf({ ...half, maxUnavailable: 1 }), "Available")).toMatchObject({
      status: "True",
      reason: "MinimumReplicasAvailable",
    });
  });

  it("tells a rollout from its start to its end, and the end stays", () => {
    const created = statusOf({ newSet: replicaSet("web-1", 2, 0), created: true });
    expect(conditionOf(created, "Progressing")).toMatchObject({
      status: "True",
      reason: "NewReplicaSetCreated",
    });
    const moving = statusOf({ deployment: deployment(created), newSet: replicaSet("web-1", 2, 1) });
    expect(conditionOf(moving, "Progressing")).toMatchObject({
      reason: "ReplicaSetUpdated",
      message: 'ReplicaSet "web-1" is progressing.',
    });
    const done = statusOf({ deployment: deployment(moving), newSet: replicaSet("web-1", 2, 2) });
    expect(conditionOf(done, "Progressing")).toMatchObject({ reason: "NewReplicaSetAvailable" });
    expect(isComplete(deployment(), done)).toBe(true);
    const broken = statusOf({ deployment: deployment(done), newSet: replicaSet("web-1", 2, 1) });
    expect(conditionOf(broken, "Progressing")).toEqual(conditionOf(done, "Progressing"));
  });

  it("is the same when nothing has changed, so that nothing is written", () => {
    const facts = { newSet: replicaSet("web-1", 2, 2) };
    const first = statusOf(facts);
    expect(statusOf({ ...facts, deployment: deployment(first), now: now + 3_600_000 })).toEqual(first);
  });

  it("says when the progress deadline is over", () => {
    const spec = { progressDeadlineSeconds: 60 };
    const newSet = replicaSet("web-1", 2, 0);
    const started = statusOf({ deployment: deployment({}, spec), newSet, created: true });
    const later = deployment(started, spec);
    expect(untilDeadline(later, started, now + 10_000)).toBe(51_000);
    const early = statusOf({ deployment: later, newSet, now: now + 60_000 });
    // The pods of the set count as progress once; then nothing moves.
    const waiting = statusOf({ deployment: deployment(early, spec), newSet, now: now + 61_000 });
    const late = statusOf({ deployment: deployment(waiting, spec), newSet, now: now + 200_000 });
    expect(conditionOf(late, "Progressing")).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
    });
    expect(untilDeadline(deployment(late, spec), late, now + 200_000)).toBeUndefined();
  });

  it("is paused while it is paused, and resumed after", () => {
    const paused = statusOf({
      deployment: deployment({}, { paused: true }),
      newSet: replicaSet("web-1", 2, 1),
    });
    expect(conditionOf(paused, "Progressing")).toMatchObject({
      status: "Unknown",
      reason: "DeploymentPaused",
    });
    const resumed = statusOf({ deployment: deployment(paused), newSet: replicaSet("web-1", 2, 1) });
    expect(conditionOf(resumed, "Progressing")).toMatchObject({
      status: "Unknown",
      reason: "DeploymentResumed",
    });
  });

  it("passes on that pods cannot be created", () => {
    const set = replicaSet("web-1", 2, 0);
    const failure = {
      type: "ReplicaFailure",
      status: "True" as const,
      reason: "FailedCreate",
      message: "quota",
    };
    const failing = { ...set, status: { replicas: 0, ...set.status, conditions: [failure] } };
    const status = statusOf({ newSet: failing });
    expect(conditionOf(status, "ReplicaFailure")).toMatchObject({ reason: "FailedCreate", message: "quota" });
    const healed = statusOf({ deployment: deployment(status), newSet: set });
    expect(conditionOf(healed, "ReplicaFailure")).toBeUndefined();
  });
});
