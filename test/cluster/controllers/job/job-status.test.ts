import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatIndexes,
  freeIndexes,
  parseIndexes,
  surplusPods,
} from "../../../../src/cluster/controllers/job/job-pods.ts";
import { waitOfIndex } from "../../../../src/cluster/controllers/job/job-policies.ts";
import {
  isJobFinished,
  judgeJob,
  type JobProgress,
} from "../../../../src/cluster/controllers/job/job-status.ts";
import type { Job } from "../../../../src/kinds/builtin/batch.ts";
import type { Pod } from "../../../../src/kinds/builtin/core.ts";
import type { JobSpec } from "../../../../src/kinds/builtin/parts.ts";

const now = Date.UTC(2026, 0, 1, 12);
const metadata = { namespace: "n", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function job(spec: Partial<JobSpec> = {}, status: JobProgress = {}): Job {
  const template = { spec: { containers: [], restartPolicy: "Never" as const } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { ...metadata, name: "work", uid: "j" },
    spec: { completions: 1, parallelism: 1, template, ...spec },
    status,
  };
}

type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

function pod(
  uid: string,
  phase: Phase,
  more: {
    counted?: boolean;
    deleting?: boolean;
    endedAt?: string;
    restarts?: number;
    index?: number;
    failures?: number;
  } = {},
): Pod {
  const { index, failures = 0 } = more;
  const prefix = "batch.kubernetes.io/job-";
  const annotations =
    index === undefined
      ? {}
      : { [`${prefix}completion-index`]: String(index), [`${prefix}index-failure-count`]: String(failures) };
  const status = {
    name: "c",
    image: "",
    imageID: "",
    ready: phase === "Running",
    restartCount: more.restarts ?? 0,
  };
  const terminated = {
    exitCode: phase === "Failed" ? 1 : 0,
    finishedAt: more.endedAt ?? "2026-01-01T10:00:00Z",
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name: uid,
      uid,
      annotations,
      ...(more.counted === true ? {} : { finalizers: ["batch.kubernetes.io/job-tracking"] }),
      ...(more.deleting === true ? { deletionTimestamp: "2026-01-01T11:59:00Z" } : {}),
    },
    spec: { containers: [] },
    status: {
      phase,
      conditions: [{ type: "Ready", status: phase === "Running" ? "True" : "False" }],
      containerStatuses: [
        { ...status, ...(phase === "Succeeded" || phase === "Failed" ? { state: { terminated } } : {}) },
      ],
    },
  };
}

const conditions = (status: JobProgress): string =>
  (status.conditions ?? []).map((each) => `${each.type}=${each.status}`).join(" ");

describe("job", () => {
  it("wants as many pods as may run at once and are still needed", () => {
    expect(judgeJob(job(), [], now).wanted).toBe(1);
    expect(judgeJob(job({ completions: 5, parallelism: 2 }), [], now).wanted).toBe(2);
    expect(judgeJob(job({ completions: 5, parallelism: 3 }, { succeeded: 4 }), [], now).wanted).toBe(1);
  });

  it("shows its active and ready pods", () => {
    const { status } = judgeJob(
      job({ parallelism: 2, completions: 2 }),
      [pod("a", "Running"), pod("b", "Pending")],
      now,
    );
    expect(status).toMatchObject({ active: 2, ready: 1, startTime: "2026-01-01T12:00:00Z" });
  });

  it("counts a pod once, before it lets it go, and completes only when all are let go", () => {
    const first = judgeJob(job(), [pod("a", "Succeeded")], now);
    expect(first.counted.map((each) => each.metadata.uid)).toEqual(["a"]);
    expect(first.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: { succeeded: ["a"] } });
    expect(conditions(first.status)).toBe("SuccessCriteriaMet=True");
    const again = judgeJob(job({}, first.status), [pod("a", "Succeeded")], now);
    expect(again.status.succeeded).toBe(1);
    const last = judgeJob(job({}, again.status), [pod("a", "Succeeded", { counted: true })], now + 1_000);
    expect(conditions(last.status)).toBe("SuccessCriteriaMet=True Complete=True");
    expect(last.status).toMatchObject({ succeeded: 1, completionTime: "2026-01-01T12:00:01Z" });
    expect(last.status.uncountedTerminatedPods).toEqual({});
    expect(isJobFinished(job({}, last.status))).toBe(true);
  });

  it("remembers a success whose pod is gone", () => {
    const { status, wanted } = judgeJob(job({ completions: 2 }, { succeeded: 1 }), [], now);
    expect(status.succeeded).toBe(1);
    expect(wanted).toBe(1);
  });

  it("without a number of completions ends when one has succeeded and the others have ended", () => {
    const { completions: _, ...spec } = job({ parallelism: 2 }).spec;
    const open = { ...job(), spec };
    const midway = judgeJob(open, [pod("a", "Succeeded"), pod("b", "Running")], now);
    expect(conditions(midway.status)).toBe("");
    expect(midway.wanted).toBe(1);
    const done = judgeJob(
      { ...open, status: { succeeded: 1 } },
      [pod("a", "Succeeded", { counted: true })],
      now,
    );
    expect(conditions(done.status)).toBe("SuccessCriteriaMet=True Complete=True");
  });

  it("waits longer after each failure before it tries again", () => {
    const endedAt = "2026-01-01T11:59:55Z";
    const once = judgeJob(job(), [pod("a", "Failed", { endedAt })], now);
    expect(once).toMatchObject({ wanted: 0, requeueAfter: 5_000 });
    expect(
      judgeJob(job({}, { failed: 1 }), [pod("a", "Failed", { endedAt, counted: true })], now + 5_000).wanted,
    ).toBe(1);
    const twice = [pod("a", "Failed", { counted: true }), pod("b", "Failed", { endedAt })];
    expect(judgeJob(job({}, { failed: 1 }), twice, now).requeueAfter).toBe(15_000);
  });

  it("waits after failures that are ignored, and from the start again after a success", () => {
    const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [1] } }];
    const ignoring = job({ backoffLimit: 0, podFailurePolicy: { rules } });
    const endedAt = "2026-01-01T11:59:55Z";
    const ignored = judgeJob(ignoring, [pod("a", "Failed", { endedAt })], now);
    expect(ignored).toMatchObject({ wanted: 0, requeueAfter: 5_000, row: { failures: 1 } });
    expect(ignored.status.failed).toBeUndefined();
    // What is remembered holds, whatever pods are left.
    expect(judgeJob(ignoring, [], now, ignored.row).wanted).toBe(0);
    const success = pod("b", "Succeeded", { endedAt: "2026-01-01T11:59:58Z" });
    expect(judgeJob(job({ completions: 2 }), [success], now, ignored.row).wanted).toBe(1);
  });

  it("replaces a pod only when it has failed, if it is asked to", () => {
    const leaving = pod("a", "Running", { deleting: true });
    expect(judgeJob(job({ podReplacementPolicy: "Failed" }), [leaving], now)).toMatchObject({
      leaving: 1,
      counted: [],
      status: { terminating: 1 },
    });
    expect(judgeJob(job(), [leaving], now)).toMatchObject({ leaving: 0, status: { failed: 1 } });
  });

  it("forgets the successes and the pods of indexes that it does not have any more", () => {
    const spec = { completionMode: "Indexed", completions: 2, parallelism: 2 } as const;
    const { status, wanted } = judgeJob(job(spec, { completedIndexes: "0,3", succeeded: 2 }), [], now);
    expect(status).toMatchObject({ completedIndexes: "0", succeeded: 1 });
    expect(wanted).toBe(1);
    const pods = [0, 1, 1, 3].map((index, place) => pod(`p${place}`, "Running", { index }));
    const names = (atLeast: number): string[] =>
      surplusPods(job(spec), pods, atLeast)
        .map(({ metadata }) => metadata.name)
        .toSorted();
    expect(names(0)).toHaveLength(2);
    expect(names(0)).toContain("p3");
    expect(names(3)).toHaveLength(3);
  });

  it("lets an index wait by itself, and counts it when another pod has taken its failures over", () => {
    const spec = {
      completionMode: "Indexed",
      completions: 3,
      parallelism: 2,
      backoffLimitPerIndex: 2,
    } as const;
    const endedAt = "2026-01-01T11:59:55Z";
    const failed = pod("a", "Failed", { index: 1, endedAt, failures: 1 });
    const indexed = job(spec);
    const waiting = judgeJob(indexed, [failed], now);
    expect(waiting).toMatchObject({ wanted: 2, counted: [], status: { failedIndexes: "" } });
    expect([0, 1].map((index) => waitOfIndex(indexed, [failed], index, now))).toEqual([0, 15_000]);
    const next = pod("b", "Running", { index: 1, failures: 2 });
    expect(judgeJob(indexed, [failed, next], now).status.failed).toBe(1);
    const last = pod("b", "Failed", { index: 1, failures: 2 });
    expect(judgeJob(indexed, [last], now).status).toMatchObject({ failed: 1, failedIndexes: "1" });
  });

  it("fails no index by the pods that are ended because the job has failed", () => {
    const spec = { completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 0 } as const;
    const decided = { type: "FailureTarget", status: "True" as const, reason: "MaxFailedIndexesExceeded" };
    const { status } = judgeJob(
      job(spec, { failedIndexes: "1", conditions: [decided] }),
      [pod("a", "Failed", { index: 0 })],
      now,
    );
    expect(status.failedIndexes).toBe("1");
  });

  it("fails when more pods than the limit have failed, and keeps that verdict", () => {
    const spec = { backoffLimit: 1 };
    const failed = judgeJob(job(spec, { failed: 1 }), [pod("b", "Failed"), pod("c", "Running")], now);
    expect(failed.wanted).toBe(0);
    expect(conditions(failed.status)).toBe("FailureTarget=True");
    const last = judgeJob(job(spec, failed.status), [pod("b", "Failed", { counted: true })], now);
    expect(conditions(last.status)).toBe("FailureTarget=True Failed=True");
    expect(last.status.conditions?.[1]).toMatchObject({
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    });
    expect(last.status.completionTime).toBeUndefined();
  });

  it("counts restarts against the limit when its pods are restarted in place", () => {
    const template = { spec: { containers: [], restartPolicy: "OnFailure" as const } };
    const spec = { template, backoffLimit: 2 };
    expect(conditions(judgeJob(job(spec), [pod("a", "Running", { restarts: 1 })], now).status)).toBe("");
    expect(conditions(judgeJob(job(spec), [pod("a", "Running", { restarts: 2 })], now).status)).toBe(
      "FailureTarget=True",
    );
  });

  it("fails when its time is over", () => {
    const spec = { activeDeadlineSeconds: 60 };
    const started = { startTime: "2026-01-01T11:59:30Z" };
    expect(judgeJob(job(spec, started), [pod("a", "Running")], now).requeueAfter).toBe(30_000);
    const late = judgeJob(job(spec, started), [pod("a", "Running")], now + 30_000);
    expect(late.status.conditions?.[0]).toMatchObject({ type: "FailureTarget", reason: "DeadlineExceeded" });
    expect(late.wanted).toBe(0);
  });

  it("runs nothing while suspended, and starts its clock anew when resumed", () => {
    const suspended = judgeJob(
      job({ suspend: true }, { startTime: "2026-01-01T11:00:00Z" }),
      [pod("a", "Running")],
      now,
    );
    expect(suspended.wanted).toBe(0);
    expect(suspended.status.startTime).toBeUndefined();
    expect(conditions(suspended.status)).toBe("Suspended=True");
    const resumed = judgeJob(job({}, suspended.status), [], now);
    expect(conditions(resumed.status)).toBe("Suspended=False");
    expect(resumed).toMatchObject({ wanted: 1, status: { startTime: "2026-01-01T12:00:00Z" } });
  });

  it("takes a pod that somebody deletes for failed", () => {
    expect(judgeJob(job(), [pod("a", "Running", { deleting: true })], now).status).toMatchObject({
      failed: 1,
    });
  });

  it("has the same status when nothing has changed, so that nothing is written", () => {
    const running = [pod("a", "Running")];
    const { status } = judgeJob(job(), running, now);
    expect(judgeJob(job({}, status), running, now + 60_000).status).toEqual(status);
  });
});

describe("completion indexes", () => {
  it("are written as ranges", () => {
    expect(formatIndexes([4, 0, 1, 2, 7, 8])).toBe("0-2,4,7,8");
    expect(formatIndexes([])).toBe("");
  });

  it("are read back as they were written", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (indexes) => {
        expect(parseIndexes(formatIndexes(indexes))).toEqual([...indexes].sort((a, b) => a - b));
      }),
    );
  });

  it("that are free come lowest first", () => {
    expect(freeIndexes(5, new Set([0, 2]), 2)).toEqual([1, 3]);
    expect(freeIndexes(3, new Set([0, 2]), 5)).toEqual([1]);
  });
});
