// One open watch that is read event by event, and of which nothing is left once it is closed.
import type { KubeClient, WatchEvent, WatchOptions } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { monotonicNow, type Clock } from "../ports/clock.ts";
import { limitedSignal, untilAborted, withinLimits } from "../ports/deadline.ts";

/** An open watch. */
export interface WatchReader<T extends KubeObject> {
  /** Monotonic milliseconds. */
  readonly openedAt: number;
  /** The next event; undefined when the server has ended the stream. Rejects as the client's watch does. */
  next(): Promise<WatchEvent<T> | undefined>;
  /** As `next`, but `quiet` when nothing comes within so many milliseconds; then the reader can only be closed. */
  nextWithin(milliseconds: number): Promise<WatchEvent<T> | undefined | "quiet">;
  /** Closes the stream; idempotent, also while `next` is pending. */
  close(): void;
}

/** Options of {@link openWatch}. */
export interface OpenWatchOptions<T extends KubeObject> extends Omit<WatchOptions, "signal"> {
  readonly client: KubeClient;
  readonly type: ResourceType<T>;
  readonly clock: Clock;
  /** Ends the stream; pending reads reject with its reason. */
  readonly stop: AbortSignal;
}

/** Opens a watch; the request itself goes out with the first read. */
export function openWatch<T extends KubeObject>(options: OpenWatchOptions<T>): WatchReader<T> {
  const { client, type, clock, stop, ...watch } = options;
  const closed = new AbortController();
  const { signal } = limitedSignal({ clock, signals: [stop, closed.signal] });
  const events = client.watch(type, { ...watch, signal })[Symbol.asyncIterator]();

  const next = async (): Promise<WatchEvent<T> | undefined> => {
    const result = await untilAborted(events.next(), signal);
    return result.done === true ? undefined : result.value;
  };
  return {
    openedAt: monotonicNow(clock),
    next,
    nextWithin(milliseconds) {
      return withinLimits({ clock, timeout: milliseconds, late: () => "quiet" }, next).catch(
        (error: unknown) => {
          if (error === "quiet") return error;
          throw error;
        },
      );
    },
    close() {
      closed.abort(new DOMException("the watch was closed", "AbortError"));
      // What closing itself meets is of no interest: the stream is gone either way.
      events.return?.(undefined).catch(() => undefined);
    },
  };
}
