import { describe, expect, it } from "vitest";
import { planSet, type SetPlan } from "../../../../src/cluster/controllers/stateful-set/set-plan.ts";
import { setStatus } from "../../../../src/cluster/controllers/stateful-set/set-status.ts";
import type { StatefulSet } from "../../../../src/kinds/builtin/apps.ts";
import type { Pod } from "../../../../src/kinds/builtin/core.ts";

const now = Date.UTC(2026, 0, 1, 12);
const metadata = {
  namespace: "n",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};

function statefulSet(spec: Partial<StatefulSet["spec"]>): StatefulSet {
  const base = { replicas: 3, selector: {}, template: { spec: { containers: [] } } };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { ...metadata, name: "db" },
    spec: { ...base, ...spec },
  };
}

type PodState = "ready" | "unready" | "terminating" | "failed";

function pod(ordinal: number, state: PodState = "ready", revision = "new"): Pod {
  const ready = {
    type: "Ready",
    status: state === "ready" ? "True" : "False",
    lastTransitionTime: "2026-01-01T11:00:00Z",
  } as const;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name: `db-${ordinal}`,
      labels: { "controller-revision-hash": revision },
      ...(state === "terminating" ? { deletionTimestamp: "2026-01-01T11:59:00Z" } : {}),
    },
    spec: { containers: [] },
    status: { phase: state === "failed" ? "Failed" : "Running", conditions: [ready] },
  };
}

function plan(
  pods: readonly Pod[],
  spec: Partial<StatefulSet["spec"]> = {},
  currentRevision = "new",
): string {
  const set = statefulSet(spec);
  const steps: SetPlan = planSet({ set, pods, currentRevision, updateRevision: "new", now });
  return [
    ...steps.create.map(({ ordinal, revision }) => `+${ordinal}${revision === "new" ? "" : `@${revision}`}`),
    ...steps.delete.map((each) => `-${each.metadata.name.slice(3)}`),
  ].join(" ");
}

describe("stateful set plan", () => {
  it("makes pods in order, each when the one before is ready", () => {
    expect(plan([])).toBe("+0");
    expect(plan([pod(0, "unready")])).toBe("");
    expect(plan([pod(0)])).toBe("+1");
    expect(plan([pod(0), pod(1), pod(2)])).toBe("");
  });

  it("makes all pods at once when the order does not matter", () => {
    expect(plan([pod(1, "unready")], { podManagementPolicy: "Parallel" })).toBe("+0 +2");
  });

  it("waits until a ready pod has been so for long enough", () => {
    expect(plan([pod(0)], { minReadySeconds: 3_600 })).toBe("+1");
    expect(plan([pod(0)], { minReadySeconds: 3_601 })).toBe("");
  });

  it("fills a gap before it goes on", () => {
    expect(plan([pod(0), pod(2)])).toBe("+1");
  });

  it("does not make a pod whose name is still taken", () => {
    expect(plan([pod(0, "terminating")])).toBe("");
    expect(plan([pod(0, "terminating")], { podManagementPolicy: "Parallel" })).toBe("+1 +2");
  });

  it("replaces a pod that has failed", () => {
    expect(plan([pod(0, "failed")])).toBe("-0");
  });

  it("scales down from the highest ordinal, one at a time", () => {
    const pods = [pod(0), pod(1), pod(2), pod(3), pod(4)];
    expect(plan(pods, { replicas: 1 })).toBe("-4");
    expect(plan([pod(0), pod(1), pod(2), pod(3), pod(4, "terminating")], { replicas: 1 })).toBe("");
    expect(plan(pods, { replicas: 1, podManagementPolicy: "Parallel" })).toBe("-4 -3 -2 -1");
  });

  it("does not scale down while a wanted pod is not ready", () => {
    expect(plan([pod(0, "unready"), pod(1), pod(2)], { replicas: 1 })).toBe("");
  });

  it("counts from the first ordinal that is asked for", () => {
    const spec = { replicas: 2, ordinals: { start: 5 } };
    expect(plan([], spec)).toBe("+5");
    expect(plan([pod(5)], spec)).toBe("+6");
    expect(plan([pod(5), pod(6), pod(0)], spec)).toBe("-0");
  });

  it("updates from the highest ordinal down, each when the one before is ready", () => {
    expect(plan([pod(0, "ready", "old"), pod(1, "ready", "old"), pod(2, "ready", "old")], {}, "old")).toBe(
      "-2",
    );
    expect(plan([pod(0, "ready", "old"), pod(1, "ready", "old")], {}, "old")).toBe("+2");
    expect(plan([pod(0, "ready", "old"), pod(1, "ready", "old"), pod(2, "unready")], {}, "old")).toBe("");
    expect(plan([pod(0, "ready", "old"), pod(1, "ready", "old"), pod(2)], {}, "old")).toBe("-1");
  });

  it("keeps pods below the partition at the old revision, also when they are made anew", () => {
    const spec = { updateStrategy: { rollingUpdate: { partition: 2 } } };
    expect(plan([pod(0, "ready", "old"), pod(1, "ready", "old"), pod(2)], spec, "old")).toBe("");
    expect(plan([pod(0, "ready", "old"), pod(2)], spec, "old")).toBe("+1@old");
  });

  it("updates nothing by itself when the author deletes the pods", () => {
    const spec = { updateStrategy: { type: "OnDelete" as const } };
    expect(plan([pod(0, "ready", "old"), pod(1, "ready", "old"), pod(2, "ready", "old")], spec, "old")).toBe(
      "",
    );
    expect(plan([pod(0, "ready", "old"), pod(1, "ready", "old")], spec, "old")).toBe("+2");
  });

  it("does nothing when the set is being deleted", () => {
    const set = statefulSet({});
    const deleting = { ...set, metadata: { ...set.metadata, deletionTimestamp: "2026-01-01T11:59:00Z" } };
    expect(planSet({ set: deleting, pods: [], currentRevision: "new", updateRevision: "new", now })).toEqual({
      create: [],
      delete: [],
    });
  });
});

describe("stateful set status", () => {
  const statusOf = (pods: readonly Pod[], currentRevision: string) =>
    setStatus({ set: statefulSet({}), pods, currentRevision, updateRevision: "new", now, collisionCount: 0 });

  it("counts the pods of each revision", () => {
    expect(statusOf([pod(0, "ready", "old"), pod(1, "unready", "old"), pod(2)], "old")).toMatchObject({
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: "old",
      updateRevision: "new",
    });
  });

  it("takes the new revision for the current one only when every pod has it and is ready", () => {
    expect(statusOf([pod(0), pod(1), pod(2, "unready")], "old").currentRevision).toBe("old");
    expect(statusOf([pod(0), pod(1), pod(2)], "old")).toMatchObject({
      currentRevision: "new",
      currentReplicas: 3,
    });
  });
});
