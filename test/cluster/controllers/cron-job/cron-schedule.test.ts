import { describe, expect, it } from "vitest";
import { parseSchedule } from "../../../../src/cluster/controllers/cron-job/cron-schedule.ts";
import { timesOf } from "../../../../src/cluster/controllers/cron-job/cron-plan.ts";
import type { CronJob } from "../../../../src/kinds/builtin/batch.ts";

const after = (schedule: string, from: string, zone = "Etc/UTC", times = 1): readonly string[] => {
  const found: string[] = [];
  let instant = Date.parse(from);
  for (let index = 0; index < times; index += 1) {
    const next = parseSchedule(schedule, zone).next(instant);
    if (next === undefined) break;
    found.push(new Date(next).toISOString().replace(":00.000Z", "Z"));
    instant = next;
  }
  return found;
};

describe("a schedule", () => {
  it.each([
    ["* * * * *", "2030-01-01T00:00:00Z", ["2030-01-01T00:01Z"]],
    ["* * * * *", "2030-01-01T00:00:59Z", ["2030-01-01T00:01Z"]],
    ["*/20 * * * *", "2030-01-01T00:00:00Z", ["2030-01-01T00:20Z", "2030-01-01T00:40Z", "2030-01-01T01:00Z"]],
    ["5/25 3 * * *", "2030-01-01T00:00:00Z", ["2030-01-01T03:05Z", "2030-01-01T03:30Z", "2030-01-01T03:55Z"]],
    ["0 9-17/4 * * mon-fri", "2030-01-04T16:00:00Z", ["2030-01-04T17:00Z", "2030-01-07T09:00Z"]],
    ["0 0 1 jan *", "2030-01-01T00:00:00Z", ["2031-01-01T00:00Z"]],
    ["@monthly", "2030-01-31T23:59:00Z", ["2030-02-01T00:00Z", "2030-03-01T00:00Z"]],
    ["@weekly", "2030-01-01T00:00:00Z", ["2030-01-06T00:00Z"]],
    ["0 0 29 2 *", "2030-01-01T00:00:00Z", ["2032-02-29T00:00Z", "2036-02-29T00:00Z"]],
    // Both days are named: one of them is enough.
    ["0 0 13 * 5", "2030-09-01T00:00:00Z", ["2030-09-06T00:00Z", "2030-09-13T00:00Z", "2030-09-20T00:00Z"]],
    ["@every 90s", "2030-01-01T00:00:00Z", ["2030-01-01T00:01:30.000Z"]],
    ["0 0 31 2 *", "2030-01-01T00:00:00Z", []],
  ])("%s after %s", (schedule, from, expected) => {
    expect(after(schedule, from, "Etc/UTC", Math.max(1, expected.length))).toEqual(expected);
  });

  it("follows the clocks of its time zone, and leaves out what they skip", () => {
    // Berlin skips 02:00 to 03:00 on 31 March 2030, and has it twice on 27 October.
    expect(after("30 2 * * *", "2030-03-29T12:00:00Z", "Europe/Berlin", 2)).toEqual([
      "2030-03-30T01:30Z",
      "2030-04-01T00:30Z",
    ]);
    expect(after("30 2 * * *", "2030-10-26T12:00:00Z", "Europe/Berlin", 2)).toEqual([
      "2030-10-27T00:30Z",
      "2030-10-28T01:30Z",
    ]);
    expect(after("0 0 * * *", "2030-01-01T12:00:00Z", "Asia/Kolkata")).toEqual(["2030-01-01T18:30Z"]);
  });
});

describe("the times of a cron job", () => {
  const cron = (spec: object, lastScheduleTime: string): CronJob =>
    ({
      metadata: { creationTimestamp: "2029-01-01T00:00:00Z" },
      spec: { schedule: "*/10 * * * *", timeZone: "Etc/UTC", ...spec },
      status: { lastScheduleTime },
    }) as unknown as CronJob;
  const now = Date.parse("2030-01-01T00:34:00Z");
  const at = (time: string): number => Date.parse(`2030-01-01T${time}:00Z`);

  it.each([
    ["none is due", {}, "2030-01-01T00:30:00Z", { due: undefined, missed: 0, next: at("00:40") }],
    [
      "of those that are over the last one",
      {},
      "2030-01-01T00:00:00Z",
      { due: at("00:30"), missed: 3, next: at("00:40") },
    ],
    [
      "only those that are not too late",
      { startingDeadlineSeconds: 120 },
      "2030-01-01T00:00:00Z",
      { due: undefined, missed: 0, next: at("00:40") },
    ],
    [
      "the last one of very many",
      {},
      "2029-01-01T00:00:00Z",
      { due: at("00:30"), missed: 101, next: at("00:40") },
    ],
    [
      "the last one of seldom ones",
      { schedule: "0 0 1 * *" },
      "2010-01-01T00:00:00Z",
      { due: at("00:00"), missed: 101, next: Date.parse("2030-02-01T00:00:00Z") },
    ],
  ])("%s", (_what, spec, last, expected) => {
    expect(timesOf(cron(spec, last), now)).toEqual(expected);
  });
});
