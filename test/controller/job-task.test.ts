// A task that is a Job: asked for as often as you like, it exists once; looked at, it says how it is.
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { jobTask, type JobTaskOptions } from "../../src/controller/jobs/job-task.ts";
import type { Job } from "../../src/kinds/builtin/batch.ts";
import type { TaskCall } from "../../src/lifecycle/tasks/task-definition.ts";
import type { AnyObject, KubeObject } from "../../src/meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../src/meta/object-key.ts";
import type { HookContext } from "../../src/reconcile/hook-context.ts";

const spec: Job["spec"] = {
  template: { spec: { restartPolicy: "Never", containers: [{ name: "work", image: "example.com/work:1" }] } },
};

/** A server that has Jobs and nothing else, and a cache that has seen some of them. */
function world() {
  const jobs = new Map<string, Job>();
  const cached = new Map<string, Job>();
  const requests: string[] = [];
  const refuse = (status: number, reason: string): never => {
    throw new ApiError(reason, { status, reason, details: {}, retryAfter: undefined, request: "" });
  };
  const metadata = { name: "orders", namespace: "shop", uid: "u-1" };
  const client = {
    create: async (_type: unknown, manifest: AnyObject) => {
      const key = formatKey(keyOf(manifest));
      requests.push(`create ${key}`);
      if (jobs.has(key)) refuse(409, "AlreadyExists");
      jobs.set(key, manifest as unknown as Job);
    },
    get: async (_type: unknown, key: ObjectKey) => jobs.get(formatKey(key)) ?? refuse(404, "NotFound"),
    delete: async (_type: unknown, key: ObjectKey, options: { propagationPolicy?: string }) => {
      requests.push(`delete ${formatKey(key)} ${options.propagationPolicy}`);
      if (!jobs.delete(formatKey(key))) refuse(404, "NotFound");
    },
  };
  const call = {
    cr: { apiVersion: "data.example.com/v1", kind: "Database", metadata },
    key: "backup-1-1-abc",
    attempt: 1,
    client,
    lookUp: (_type: unknown, key: ObjectKey) => cached.get(formatKey(key)),
    signal: new AbortController().signal,
  } as unknown as HookContext<KubeObject> & TaskCall;
  return { jobs, cached, requests, call };
}

const taskOf = (more: Partial<JobTaskOptions<KubeObject>> = {}) =>
  jobTask({ job: () => ({ spec }), ...more });
const ended = (type: string): Job =>
  ({ metadata: {}, status: { conditions: [{ type, status: "True", message: "over" }] } }) as unknown as Job;

describe("a task that is a Job", () => {
  it("makes one Job, named by the key and owned by the custom resource, however often it is started", async () => {
    const { jobs, call } = world();
    const task = taskOf({ job: () => ({ metadata: { labels: { app: "backup" } }, spec }) });
    await task.start(call);
    await task.start(call);
    expect([...jobs]).toEqual([
      [
        "shop/backup-1-1-abc",
        {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: {
            name: "backup-1-1-abc",
            namespace: "shop",
            labels: { app: "backup" },
            ownerReferences: [
              {
                apiVersion: "data.example.com/v1",
                kind: "Database",
                name: "orders",
                uid: "u-1",
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
          spec,
        },
      ],
    ]);
  });

  it("fails to start with what the author throws, and makes nothing", async () => {
    const { requests, call } = world();
    const task = taskOf({ job: () => Promise.reject(new Error("there is no server")) });
    await expect(task.start(call)).rejects.toThrow("there is no server");
    expect(requests).toEqual([]);
  });

  it("finds no trace, then a Job that runs, is complete or has failed; the cache is asked first", async () => {
    const { jobs, cached, call } = world();
    const task = taskOf();
    expect(await task.observe?.(call)).toEqual({ phase: "NotFound" });
    await task.start(call);
    expect(await task.observe?.(call)).toEqual({ phase: "Running" });
    cached.set("shop/backup-1-1-abc", ended("Complete"));
    expect(await task.observe?.(call)).toEqual({ phase: "Succeeded" });
    jobs.set("shop/backup-1-1-abc", ended("Failed"));
    cached.clear();
    expect(await task.observe?.(call)).toEqual({ phase: "Failed", message: "over" });
  });

  it("lets the author say more of a Job that has not failed", async () => {
    const { jobs, call } = world();
    const task = taskOf({ observe: () => ({ phase: "Running", progress: 0.5 }) });
    await task.start(call);
    expect(await task.observe?.(call)).toEqual({ phase: "Running", progress: 0.5 });
    jobs.set("shop/backup-1-1-abc", ended("Failed"));
    expect(await task.observe?.(call)).toMatchObject({ phase: "Failed" });
  });

  it("is cancelled with its pods, also when it is gone already", async () => {
    const { requests, call } = world();
    const task = taskOf();
    await task.start(call);
    await task.cancel?.(call);
    await task.cancel?.(call);
    expect(requests.slice(1)).toEqual(Array(2).fill("delete shop/backup-1-1-abc Background"));
  });

  it("runs where it is told to for a cluster-scoped custom resource, and keeps the author's policy", async () => {
    const { jobs, call } = world();
    const cluster = { ...call, cr: { ...call.cr, metadata: { name: "orders", uid: "u-1" } } } as typeof call;
    const task = taskOf({ namespace: "jobs", timeout: "2h", retry: { attempts: 3 } });
    expect(task).toMatchObject({ timeout: "2h", retry: { attempts: 3 } });
    await task.start(cluster);
    expect([...jobs.keys()]).toEqual(["jobs/backup-1-1-abc"]);
  });

  it("is refused with options that are wrong, all at once", () => {
    expect(() => jobTask({ retry: { attempts: 0 }, timeOut: "1h" } as never)).toThrow(
      expect.objectContaining({
        code: "CONTROLLER_INVALID",
        fields: expect.objectContaining({
          by: "jobTask",
          problems: [
            expect.objectContaining({ code: "OPTION_INVALID", option: "retry.attempts" }),
            expect.objectContaining({ code: "OPTION_MISSING", option: "job" }),
            expect.objectContaining({ code: "OPTION_UNKNOWN", option: "timeOut" }),
          ],
        }) as unknown,
      }) as Error,
    );
  });

  it("has what undoes its leftovers, where its author gives it that", () => {
    const compensate = (): void => undefined;
    expect(taskOf({ compensate }).compensate).toBe(compensate);
    expect(taskOf()).not.toHaveProperty("compensate");
  });
});
