// Assertions that wait: on the real clock, for what servers and processes do in their own time.
import { setTimeout as delay } from "node:timers/promises";
import { awakeTime } from "./awake-time.ts";

/** Repeats an assertion until it passes; after `limit` milliseconds awake (default 30 s) it fails with the last failure. */
export async function eventually<T>(assertion: () => Promise<T> | T, limit = 30_000): Promise<T> {
  const deadline = awakeTime() + limit;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (awakeTime() > deadline) throw error;
      await delay(50);
    }
  }
}
