import { expect, it } from "vitest";
import { requeueDelay } from "../../src/lifecycle/requeue.ts";

it("looks at an application that could not be observed as often as its author asks for", () => {
  const waiting = { timers: {}, tasks: {}, policies: {}, notBefore: undefined, since: 0, now: 3_600_000 };
  expect(requeueDelay({ ...waiting, content: false, observationPoll: 5_000 })).toBe(5_000);
  expect(requeueDelay({ ...waiting, content: false, observationPoll: 0 })).toBe(60_000);
  expect(requeueDelay({ ...waiting, content: true, observationPoll: 5_000 })).toBe(5_000);
  expect(requeueDelay({ ...waiting, content: true, observationPoll: 0 })).toBeUndefined();
});
