// Sends how the operator is to a page: at once, and again when it has changed.
import type { Clock } from "../ports/clock.ts";
import type { EventStream } from "../web/event-stream.ts";
import type { ShownHealth } from "./shown-health.ts";

/** What {@link streamHealth} needs. */
export interface HealthTools {
  /** Undefined while there is no operator yet. */
  readonly health: () => ShownHealth | undefined;
  readonly clock: Clock;
  /** Takes secrets out of errors. */
  readonly sanitize: (value: unknown) => unknown;
}

/** Milliseconds between two looks. */
const lookEvery = 500;

/** Begins to send; returns what ends it. */
export function streamHealth({ health, clock, sanitize }: HealthTools, stream: EventStream): () => void {
  let reported = "";
  let timer: object;
  const look = (): void => {
    const found = health();
    const text = found === undefined ? "" : JSON.stringify(found);
    if (text !== reported) stream.send("health", sanitize(found));
    reported = text;
    timer = clock.setTimeout(look, lookEvery);
  };
  look();
  return () => clock.clearTimeout(timer);
}
