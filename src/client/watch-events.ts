// A watch for a reader who asks for one event after the other: events wait until they are asked for, and so does the stream.
import type { KubeObject } from "../meta/object.ts";
import type { WatchEvent, WatchOptions, WatchReceiver } from "./kube-client.ts";

/** Follows a watch of one type. */
export type Follow<T extends KubeObject> = (
  options: WatchOptions,
  receive: WatchReceiver<T>,
) => Promise<void>;

/**
 * The events of a watch that is followed from the first one that is asked for until the reader leaves.
 *
 * **Errors**: what the watch rejects with, after the events before it.
 */
export async function* eventsOf<T extends KubeObject>(
  follow: Follow<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const left = new AbortController();
  const waiting: WatchEvent<T>[] = [];
  let news = Promise.withResolvers<void>();
  let taken = Promise.withResolvers<void>();
  let isOver = false;
  const signal = AbortSignal.any([options.signal, left.signal]);
  const end = follow({ ...options, signal }, (event) => {
    waiting.push(event);
    news.resolve();
    return taken.promise;
  }).finally(() => {
    isOver = true;
    news.resolve();
  });
  // It is awaited below, when its events are taken.
  end.catch(() => undefined);
  try {
    for (;;) {
      await news.promise;
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
      if (isOver) return await end;
      news = Promise.withResolvers();
      taken.resolve();
      taken = Promise.withResolvers();
    }
  } finally {
    left.abort(new DOMException("the watch was left", "AbortError"));
  }
}
