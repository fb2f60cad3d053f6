// Assertions that wait: on the real clock, for what servers and processes do in their own time.
import { setTimeout as delay } from "node:timers/promises";

/** Repeats an assertion until it passes; after `limit` milliseconds (default 20 s) it fails with the last failure. */
export async function eventually<T>(assertion: () => Promise<T> | T, limit = 20_000): Promise<T> {
  const deadline = performance.now() + limit;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(50);
    }
  }
}
