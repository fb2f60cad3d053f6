// What a cron job does at an instant: which of its times is to be served, which jobs have ended, and which of them are kept no longer. Pure.
import type { CronJob, Job } from "../../../kinds/builtin/batch.ts";
import { isConditionTrue } from "../../../kinds/builtin/workload-condition.ts";
import { parseSchedule, type CronSchedule } from "./cron-schedule.ts";

/** The times of a cron job. */
export interface CronTimes {
  /** The last one that is over and was not served; undefined when there is none. */
  readonly due: number | undefined;
  /** How many were missed, at most as many as are counted. */
  readonly missed: number;
  /** The next one. */
  readonly next: number | undefined;
}

/** Times that are counted as missed: a schedule of every second may have missed millions. */
const mostCounted = 101;

/** The times of a cron job at an instant. */
export function timesOf({ metadata, spec, status }: CronJob, now: number): CronTimes {
  const schedule = parseSchedule(spec.schedule, spec.timeZone);
  const last = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp);
  const deadline = spec.startingDeadlineSeconds;
  const from = deadline === undefined ? last : Math.max(last, now - deadline * 1_000);
  const next = schedule.next(now);
  let [due, missed]: [number | undefined, number] = [undefined, 0];
  for (let time = schedule.next(from); time !== undefined && time <= now; time = schedule.next(time)) {
    due = time;
    missed += 1;
    if (missed >= mostCounted) break;
  }
  return {
    due: missed < mostCounted || due === undefined ? due : lastBefore(schedule, due, now),
    missed,
    next,
  };
}

/** The last time until now, found by steps that become smaller. */
function lastBefore(schedule: CronSchedule, from: number, now: number): number {
  for (let step = 60_000; ; step *= 2) {
    const time = schedule.next(now - step);
    if (time !== undefined && time <= now) {
      let last = time;
      for (let later = schedule.next(last); later !== undefined && later <= now; later = schedule.next(last))
        last = later;
      return last;
    }
    if (now - step <= from) return from;
  }
}

/** How a job ended; undefined while it has not. */
export function endOf(job: Job): "Complete" | "Failed" | undefined {
  const ends = ["Complete", "Failed"] as const;
  return ends.find((type) => isConditionTrue(job.status?.conditions, type));
}

/** Jobs that have ended and are kept no longer, oldest first. */
export function expiredJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (end: "Complete" | "Failed", limit: number | undefined): readonly Job[] => {
    const ended = jobs
      .filter((job) => endOf(job) === end)
      .toSorted((a, b) => (a.status?.startTime ?? "").localeCompare(b.status?.startTime ?? ""));
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...beyond("Complete", spec.successfulJobsHistoryLimit),
    ...beyond("Failed", spec.failedJobsHistoryLimit),
  ];
}
