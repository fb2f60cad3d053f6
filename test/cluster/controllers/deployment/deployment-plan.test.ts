import { describe, expect, it } from "vitest";
import {
  type DeploymentState,
  planDeployment,
} from "../../../../src/cluster/controllers/deployment/deployment-plan.ts";
import type { Deployment, ReplicaSet } from "../../../../src/kinds/builtin/apps.ts";

const metadata = {
  namespace: "n",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};

function deployment(spec: Partial<Deployment["spec"]>): Deployment {
  const base = { selector: {}, template: { spec: { containers: [] } } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, name: "d" },
    spec: { ...base, ...spec },
  };
}

function replicaSet(name: string, replicas: number, available = replicas, desired?: number): ReplicaSet {
  const annotations: Record<string, string> =
    desired === undefined ? {} : { "deployment.kubernetes.io/desired-replicas": String(desired) };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { ...metadata, name, annotations },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  };
}

function plan(spec: Partial<Deployment["spec"]>, state: Partial<DeploymentState>) {
  return planDeployment({
    deployment: deployment(spec),
    newSet: undefined,
    oldSets: [],
    oldPodsLeft: false,
    ...state,
  });
}

describe("deployment plan", () => {
  it("makes the first replica set in full size", () => {
    expect(plan({ replicas: 3 }, {})).toEqual({ create: 3, resize: [] });
  });

  it("does nothing when everything is as it should be", () => {
    expect(plan({ replicas: 3 }, { newSet: replicaSet("new", 3) })).toEqual({
      create: undefined,
      resize: [],
    });
  });

  it("starts a rollout with the surge, and shrinks only in a later step", () => {
    expect(plan({ replicas: 3 }, { oldSets: [replicaSet("old", 3)] })).toEqual({ create: 1, resize: [] });
    const state = { newSet: replicaSet("new", 1), oldSets: [replicaSet("old", 3)] };
    expect(plan({ replicas: 3 }, state)).toEqual({
      create: undefined,
      resize: [{ name: "old", replicas: 2 }],
    });
  });

  it("recreates: no new pod before the last old one is gone", () => {
    const recreate = { replicas: 2, strategy: { type: "Recreate" as const } };
    const old = replicaSet("old", 2);
    expect(plan(recreate, { oldSets: [old], oldPodsLeft: true })).toEqual({
      create: undefined,
      resize: [{ name: "old", replicas: 0 }],
    });
    const emptied = replicaSet("old", 0);
    expect(plan(recreate, { oldSets: [emptied], oldPodsLeft: true })).toEqual({
      create: undefined,
      resize: [],
    });
    expect(plan(recreate, { oldSets: [emptied], oldPodsLeft: false })).toEqual({ create: 2, resize: [] });
  });

  it("makes no new set and moves no pods while paused, but scales", () => {
    const paused = { replicas: 3, paused: true };
    expect(plan(paused, { oldSets: [replicaSet("old", 3)] })).toEqual({ create: undefined, resize: [] });
    const midway = { newSet: replicaSet("new", 1), oldSets: [replicaSet("old", 3)] };
    expect(plan(paused, midway)).toEqual({ create: undefined, resize: [] });
    expect(plan({ ...paused, replicas: 5 }, { newSet: replicaSet("new", 3) })).toEqual({
      create: undefined,
      resize: [{ name: "new", replicas: 5 }],
    });
  });

  it("keeps the shares of the sets when scaled in the middle of a rollout", () => {
    const state = { newSet: replicaSet("new", 2, 1, 4), oldSets: [replicaSet("old", 3, 3, 4)] };
    const { create, resize } = plan({ replicas: 8 }, state);
    expect(create).toBeUndefined();
    expect(resize).toEqual([
      { name: "old", replicas: 6 },
      { name: "new", replicas: 4 },
    ]);
  });

  it("goes on with the rollout once the sets know the new size", () => {
    const state = { newSet: replicaSet("new", 4, 4, 8), oldSets: [replicaSet("old", 6, 6, 8)] };
    expect(plan({ replicas: 8 }, state).resize).toEqual([{ name: "old", replicas: 2 }]);
  });

  it("scales to nothing", () => {
    const state = { newSet: replicaSet("new", 3, 3, 3) };
    expect(plan({ replicas: 0 }, state)).toEqual({
      create: undefined,
      resize: [{ name: "new", replicas: 0 }],
    });
  });
});
