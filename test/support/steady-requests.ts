// Requests at a steady pace, as many clients together send them, while something else is done to the servers.
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../../src/client/api-error.ts";

/** Requests that are being sent. */
export interface SteadyRequests {
  /** Sent so far. */
  readonly asked: number;
  /** Resolves when all that were sent so far are answered. */
  answered(): Promise<unknown>;
  /** Sends no more, and resolves with what failed when all are answered. */
  stop(): Promise<readonly unknown[]>;
}

/** As client-go has it. */
const mostRetries = 10;

/** Sends about 50 requests a second, whatever becomes of those before; each by its number. */
export function steadyRequests(ask: (number: number) => Promise<unknown>): SteadyRequests {
  const failures: unknown[] = [];
  const answers: Promise<unknown>[] = [];
  const over = new AbortController();
  let asked = 0;
  const send = async (number: number): Promise<void> => {
    for (let retries = 0; ; retries += 1) {
      try {
        await ask(number);
        return;
      } catch (error) {
        // While its cache of a type is filled again, an API server asks clients to come back, as all that are made of client-go do.
        if (!(error instanceof ApiError) || error.status !== 429 || retries === mostRetries) {
          failures.push(error);
          return;
        }
        await delay(error.retryAfter ?? 1_000);
      }
    }
  };
  const sending = (async () => {
    while (!over.signal.aborted) {
      answers.push(send((asked += 1)));
      await delay(20);
    }
  })();
  return {
    get asked() {
      return asked;
    },
    answered: () => Promise.all(answers),
    stop: async () => {
      over.abort();
      await sending;
      await Promise.all(answers);
      return failures;
    },
  };
}
