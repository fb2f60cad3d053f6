// Time as an injected port: the runtime never reads the system's clock by itself, so that tests drive it.

/** What a pending timer is called; opaque. */
export type TimerHandle = object;

/** A source of time and timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Milliseconds from an arbitrary start that are never set back or forward, as `now` may be. Default: `now`.
   * Read it through `monotonicNow`.
   */
  monotonic?(): number;
  /** Calls back once after `milliseconds`; any delay is honoured, also above 2^31 ms. */
  setTimeout(callback: () => void, milliseconds: number): TimerHandle;
  /** Cancels a pending timer; a no-op when it has fired. */
  clearTimeout(handle: TimerHandle): void;
  /** Resolves once timers and sockets have had their turn. Default: at once, where time is virtual and there are none. */
  yield?(): Promise<void>;
}

/** Time for measuring how long something has lasted; of use only as a difference. */
export function monotonicNow(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}

/** The date of a monotonic instant, by the wall clock as it is set now: an age that is reported keeps right when that is set. */
export function dateOf(clock: Clock, monotonic: number): number {
  return Math.round(clock.now() - (monotonicNow(clock) - monotonic));
}

/** Resolves after `milliseconds`, or at once when the signal is aborted; never rejects and leaves no listener behind. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const finish = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.setTimeout(finish, milliseconds);
    signal?.addEventListener("abort", finish, { once: true });
  });
}
