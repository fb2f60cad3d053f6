// When a container that ended is started again: at once the first time, then after a doubling delay.
import { backoffDelay } from "../../ports/backoff.ts";

/** The delays of a restart policy, in milliseconds. */
export interface RestartDelays {
  /** Milliseconds before the second restart in a row; default 10 s. */
  readonly initial: number;
  /** Milliseconds, never longer than this; default 5 min. */
  readonly longest: number;
  /** Milliseconds: an instance that ran at least this long starts the row again; default 10 min. */
  readonly healthyAfter: number;
}

/** The delays of Kubernetes. */
export const kubernetesRestartDelays: RestartDelays = {
  initial: 10_000,
  longest: 300_000,
  healthyAfter: 600_000,
};

/** Milliseconds before restart number `row` (from 0) of a row of failures. */
export function restartDelay(row: number, delays: RestartDelays = kubernetesRestartDelays): number {
  return row <= 0 ? 0 : backoffDelay({ first: delays.initial, longest: delays.longest }, row);
}

/** A delay in the words of the kubelet's messages: `10s`, `1m20s`, `5m0s`. */
export function delayText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
