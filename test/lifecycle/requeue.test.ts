import { describe, expect, it } from "vitest";
import { requeueDelay } from "../../src/lifecycle/requeue.ts";
import { isDue } from "../../src/lifecycle/tasks/task-record.ts";

it("looks at an application that could not be observed as often as its author asks for", () => {
  const waiting = { timers: {}, tasks: {}, policies: {}, notBefore: undefined, since: 0, now: 3_600_000 };
  expect(requeueDelay({ ...waiting, content: false, observationPoll: 5_000 })).toBe(5_000);
  expect(requeueDelay({ ...waiting, content: false, observationPoll: 0 })).toBe(60_000);
  expect(requeueDelay({ ...waiting, content: true, observationPoll: 5_000 })).toBe(5_000);
  expect(requeueDelay({ ...waiting, content: true, observationPoll: 0 })).toBeUndefined();
});

describe("after the clock was set back by an hour", () => {
  const now = Date.UTC(2026, 0, 1);
  const ahead = new Date(now + 3_600_000).toISOString();
  const waiting = {
    timers: {},
    policies: {},
    notBefore: undefined,
    content: true,
    since: now + 3_600_000,
    now,
  };
  const task = { src: "copy", key: "copy-1-1-0123456789abcdef", entry: 1, attempt: 1 } as const;
  const policies = { copy: { attempts: 3, delay: 5_000, poll: 2_000 } };

  it("looks at the application at its poll, and not more often while it is not content", () => {
    expect(requeueDelay({ ...waiting, tasks: {}, observationPoll: 2_000 })).toBe(2_000);
    expect(requeueDelay({ ...waiting, content: false, tasks: {}, observationPoll: 0 })).toBe(60_000);
  });

  it("looks at a task that runs as often as its author asks for", () => {
    const tasks = { copy: { ...task, phase: "Running", startedAt: ahead } as const };
    expect(requeueDelay({ ...waiting, policies, tasks, observationPoll: 0 })).toBe(2_000);
  });

  it.each(["Intended", "Cancelling", "Compensating"] as const)(
    "makes the next attempt of what is %s, which no delay puts off so far",
    (phase) => {
      const record = { ...task, phase, nextAttempt: ahead };
      expect(isDue(record, now)).toBe(true);
      expect(isDue({ ...record, nextAttempt: new Date(now + 5_000).toISOString() }, now)).toBe(false);
      expect(requeueDelay({ ...waiting, policies, tasks: { copy: record }, observationPoll: 0 })).toBe(1_000);
    },
  );
});

it("looks ever more rarely at a later attempt whose start hangs", () => {
  const now = Date.UTC(2026, 0, 1);
  const past = new Date(now - 20_000).toISOString();
  const tasks = {
    copy: {
      src: "copy",
      key: "copy-1-2-0123456789abcdef",
      entry: 1,
      attempt: 2,
      phase: "Intended",
      nextAttempt: past,
      hanging: { hook: "start", since: past },
    } as const,
  };
  const waiting = { timers: {}, policies: {}, notBefore: undefined, content: true, since: now, now };
  expect(requeueDelay({ ...waiting, tasks, observationPoll: 0 })).toBe(10_000);
});
