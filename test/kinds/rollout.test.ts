// How far the pods of workloads are that replace those of an earlier revision.
import { describe, expect, it } from "vitest";
import { rolloutOf } from "../../src/kinds/builtin/workload-status.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const workload = (kind: string, name: string, replicas: number, status: object): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind,
    metadata: { name, uid: name, resourceVersion: "1" },
    spec: { replicas },
    status,
  }) as never;
const db = (updatedReplicas: number, currentRevision = "db-1"): KubeObject =>
  workload("StatefulSet", "db", 5, { replicas: 5, currentRevision, updateRevision: "db-2", updatedReplicas });

describe("a rollout", () => {
  it("counts the pods that have the present template while some of an earlier revision are left", () => {
    expect(rolloutOf([db(2)])).toEqual({ done: 2, total: 5, what: "pods of StatefulSet/db updated" });
    const web = workload("Deployment", "web", 3, { replicas: 4, updatedReplicas: 1 });
    expect(rolloutOf([db(2), web])).toEqual({ done: 3, total: 8, what: "pods of 2 workloads updated" });
  });

  it("is none where all pods are of one revision, where the first ones are made, and of other kinds", () => {
    const first = workload("StatefulSet", "db", 5, {
      replicas: 1,
      currentRevision: "a",
      updateRevision: "a",
    });
    const web = workload("Deployment", "web", 3, { replicas: 1, updatedReplicas: 1 });
    const partial = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } } as never;
    expect(rolloutOf([db(5), db(0, "db-2"), first, web, partial])).toBeUndefined();
  });
});
