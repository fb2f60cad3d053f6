// Jobs and cron jobs: how they fail, wait, are held and are removed.
import { soon, template, type Act, type Manifest, type Stage } from "./act.ts";

/** Pods with this label fail with exit code 42. */
export const failing = { fate: "fails" };
/** Pods with this label run until somebody ends them. */
export const lasting = { fate: "lasts" };

function job(name: string, spec: object, labels: object = {}, pod: object = {}): Manifest {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { ...spec, template: template(name, "1", { restartPolicy: "Never", ...pod }, labels) },
  };
}

const held = (suspend: boolean, parallelism = 2) =>
  job("held", { suspend, parallelism, completions: 4 }, lasting);

const indexed = (completions: number) =>
  job("fewer", { completionMode: "Indexed", completions, parallelism: completions }, lasting);

function cronJob(name: string, schedule: string, spec: object = {}, labels: object = {}): Manifest {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: {
      schedule,
      jobTemplate: {
        metadata: { labels: { app: name } },
        spec: { template: template(name, "1", { restartPolicy: "Never" }, labels) },
      },
      ...spec,
    },
  };
}

const isComplete = (name: string) => (stage: Stage) => stage.isSaid("Job", name, "Complete");
const hasFailed = (name: string, reason: string) => (stage: Stage) =>
  stage.isSaid("Job", name, "Failed", "True", reason);

/** The acts, in their order. */
export const jobActs: readonly Act[] = [
  {
    name: "a job fails when it may not try again",
    apply: [job("once-only", { backoffLimit: 0 }, failing)],
    until: hasFailed("once-only", "BackoffLimitExceeded"),
  },
  {
    name: "a job fails by its policy for an exit code",
    apply: [
      job(
        "by-policy",
        {
          podFailurePolicy: {
            rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }],
          },
        },
        failing,
      ),
    ],
    until: hasFailed("by-policy", "PodFailurePolicy"),
  },
  {
    name: "a job takes too long",
    apply: [job("too-long", { activeDeadlineSeconds: 1 }, lasting)],
    until: async (stage) =>
      (await hasFailed("too-long", "DeadlineExceeded")(stage)) && stage.isEmpty("Pod", "too-long"),
  },
  {
    name: "an indexed job fails for one of its numbers",
    apply: [
      job(
        "by-index",
        {
          completions: 2,
          parallelism: 1,
          completionMode: "Indexed",
          backoffLimitPerIndex: 0,
          maxFailedIndexes: 0,
        },
        failing,
      ),
    ],
    until: hasFailed("by-index", "MaxFailedIndexesExceeded"),
  },
  {
    name: "an indexed job succeeds by its policy",
    apply: [
      job("first-only", {
        completions: 3,
        parallelism: 1,
        completionMode: "Indexed",
        successPolicy: { rules: [{ succeededIndexes: "0" }] },
      }),
    ],
    until: isComplete("first-only"),
  },
  {
    name: "an indexed job has fewer completions, and ends the pods beyond",
    apply: [indexed(4)],
    does: async (stage) => {
      await soon(() => stage.has("Job", "fewer", { active: 4, ready: 4 }));
      await stage.apply(indexed(2));
    },
    until: async (stage) =>
      (await stage.has("Job", "fewer", { active: 2, ready: 2 })) &&
      (await stage.list("Pod", "fewer")).length === 2,
  },
  {
    name: "a job with a selector of its own takes a pod that it selects, and labels none",
    apply: [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "selected", labels: { app: "chosen", ...lasting } },
        spec: {
          automountServiceAccountToken: false,
          restartPolicy: "Never",
          containers: [{ name: "main", image: "chosen:1" }],
        },
      },
      job(
        "chosen",
        {
          manualSelector: true,
          selector: { matchLabels: { app: "chosen" } },
          parallelism: 2,
          completions: 2,
        },
        lasting,
      ),
    ],
    until: async (stage) =>
      (await stage.has("Job", "chosen", { active: 2, ready: 2 })) &&
      (await stage.list("Pod", "chosen")).length === 2,
  },
  {
    name: "a job without a number of completions ends with its first success",
    apply: [job("any", { parallelism: 2 })],
    until: async (stage) =>
      (await isComplete("any")(stage)) && (await stage.has("Job", "any", { succeeded: 2 })),
  },
  {
    name: "a job is removed after its time",
    apply: [job("short-lived", { ttlSecondsAfterFinished: 1 })],
    until: async (stage) =>
      (await stage.find("Job", "short-lived")) === undefined && stage.isEmpty("Pod", "short-lived"),
  },
  {
    name: "a job is left to the controller that it names",
    apply: [
      job("elsewhere", { managedBy: "example.com/queue", ttlSecondsAfterFinished: 1 }, lasting),
      job("here", { managedBy: "kubernetes.io/job-controller" }),
    ],
    until: async (stage) =>
      (await isComplete("here")(stage)) &&
      (await stage.isEmpty("Pod", "elsewhere")) &&
      Object.keys((await stage.find("Job", "elsewhere"))?.status ?? {}).length === 0,
  },
  {
    name: "a job that is left to another controller is removed after its time",
    does: async (stage) => {
      const [startTime, completionTime] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
      const said = (type: string) => ({ type, status: "True", lastTransitionTime: completionTime });
      const conditions = [said("SuccessCriteriaMet"), said("Complete")];
      const status = { startTime, completionTime, succeeded: 1, conditions };
      await stage.patch("Job", "elsewhere", { status }, "status");
    },
    until: async (stage) => (await stage.find("Job", "elsewhere")) === undefined,
  },
  {
    name: "a job is made on hold",
    apply: [held(true)],
    until: (stage) => stage.isSaid("Job", "held", "Suspended"),
  },
  {
    name: "a job is let go",
    apply: [held(false)],
    until: (stage) => stage.has("Job", "held", { active: 2, ready: 2 }),
  },
  {
    name: "a job runs more of its pods at once, then fewer",
    apply: [held(false, 3)],
    does: async (stage) => {
      await soon(() => stage.has("Job", "held", { active: 3, ready: 3 }));
      await stage.apply(held(false, 1));
    },
    until: async (stage) =>
      (await stage.has("Job", "held", { active: 1, ready: 1 })) &&
      (await stage.list("Pod", "held")).length === 1,
  },
  {
    name: "a job is put on hold again",
    apply: [held(true, 1)],
    until: async (stage) => (await stage.isSaid("Job", "held", "Suspended")) && stage.isEmpty("Pod", "held"),
  },
  {
    name: "cron jobs wait: one is suspended, one has long to go",
    apply: [
      cronJob("suspended", "* * * * *", { suspend: true }),
      cronJob("yearly", "0 0 1 1 *", { timeZone: "Etc/UTC" }),
    ],
  },
  {
    name: "jobs and cron jobs are deleted",
    does: (stage) =>
      Promise.all([
        ...[
          "once-only",
          "by-policy",
          "too-long",
          "by-index",
          "first-only",
          "any",
          "here",
          "held",
          "fewer",
          "chosen",
        ].map((name) => stage.remove("Job", name)),
        ...["suspended", "yearly"].map((name) => stage.remove("CronJob", name)),
      ]),
    until: async (stage) => (await stage.list("Job")).length === 0 && (await stage.list("Pod")).length === 0,
  },
];

/** Acts that take as long as Kubernetes' own delays: ten seconds and minutes. */
export const slowJobActs: readonly Act[] = [
  {
    name: "a job tries twice",
    apply: [job("twice", { backoffLimit: 1 }, failing)],
    until: hasFailed("twice", "BackoffLimitExceeded"),
  },
  {
    name: "cron jobs make jobs beside, instead of and not before the one before",
    apply: [
      cronJob("beside", "* * * * *", { concurrencyPolicy: "Allow" }, lasting),
      cronJob("instead", "* * * * *", { concurrencyPolicy: "Replace" }, lasting),
      cronJob("after", "* * * * *", { concurrencyPolicy: "Forbid" }, lasting),
      cronJob("forgetful", "* * * * *", { successfulJobsHistoryLimit: 0 }),
    ],
    until: async (stage) => (await stage.list("Job", "beside")).length >= 2,
    limit: 140_000,
  },
];
