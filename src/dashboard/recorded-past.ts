// A recording instead of a running operator: what the dashboard asks of it.
import type { Board } from "./board.ts";
import type { ResourceAddress } from "./detail-stream.ts";
import type { RecordingSpan } from "./recording-span.ts";
import type { RunLog } from "./run-log.ts";

/** A recording that can be viewed at any point in time. */
export interface RecordedPast extends RecordingSpan {
  /** All resources at a moment; with an address that one alone, with its past and its last runs. */
  at(instant: number, address?: ResourceAddress): Promise<{ readonly board: Board; readonly runs: RunLog }>;
}
