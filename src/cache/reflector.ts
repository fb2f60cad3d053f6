// Keeps a store equal to the server: gives each state of the watch machine its work. The machine decides what follows
// what; this file lists, watches and waits, and tells the informer what changed.
// Nothing but an aborted signal ends it, and one stream at most is open at any time.
import { watchMachine, type WatchContext, type WatchEvent as Move } from "../../machines/watch-machine.ts";
import { ApiError, isGone } from "../client/api-error.ts";
import type { KubeClient, ListScope, WatchEvent } from "../client/kube-client.ts";
import { listPages } from "../client/paging.ts";
import type { KubeObject } from "../meta/object.ts";
import { formatKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { backoffDelay, upperHalf, type JitteredBackoff } from "../ports/backoff.ts";
import { monotonicNow, sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { isOperatorError, messageOf, OperatorError } from "../ports/operator-error.ts";
import type { Random } from "../ports/random.ts";
import { driven, type BeginActor, type Worker } from "../statechart/drive.ts";
import { explainUnavailable, isRefusal, Refusals, type Unavailability } from "./availability.ts";
import { compareResourceVersions } from "./resource-version.ts";
import { limitedSignal, Silence, untilAborted } from "../ports/deadline.ts";

/** What the reflector tells its informer. */
export interface ReflectorTarget<T extends KubeObject> {
  /** A complete list, by keys; nobody else keeps it. */
  replace(list: Map<string, T>, resourceVersion: string): void;
  /** One event of the watch; bookmarks too. */
  readonly apply: (event: WatchEvent<T>) => void;
  /** The state of the watch machine that was entered. */
  moved(state: string): void;
  /** The server is known to be as far as the cache, or has sent a part of a list. That it accepts a watch is neither. */
  heard(): void;
  failed(message: string): void;
  /** The server refuses the type, or its first list fails again and again. What is complete again is replaced. */
  unavailable(why: Unavailability): void;
  /** A streaming list did not complete and is done page by page. */
  fellBack(): void;
  /** Where a watch resumes. */
  readonly version: string;
}

/** Options of {@link runReflector}. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType<T>;
  readonly scope: ListScope;
  readonly target: ReflectorTarget<T>;
  /** Whether nobody reads `metadata.managedFields`. */
  readonly omitManagedFields: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Begins the list-watch's actor. */
  readonly begin: BeginActor;
  readonly signal: AbortSignal;
}

/** Milliseconds. Bookmarks come about every 60 s: a socket that is silent for longer is dead. With the pause after it: within 75 s. */
export const idleTimeout = 70_000;
/** A streaming list that pauses for this long, or takes this long altogether, is given up for a paged one. */
const quietLimit = 15_000;
const streamingLimit = 60_000;
/** Answers in a row that are older than what was seen before one is believed. */
const disbelieved = 3;
const unfinishedList = new Error("the streaming list did not complete");
const interruptedList = new Error("the server ended the streaming list before it was complete");
/** A stream that lasted this long ends a row of failures. */
const healthyAfter = 5_000;

/** The logic of a list-watch's actor. */
export const watchLogic = driven(watchMachine);

/** Runs until the signal is aborted. **RBAC**: `list`, `watch` on the type. */
export async function runReflector<T extends KubeObject>(options: ReflectorOptions<T>): Promise<void> {
  const { target, begin } = options;
  const { workers, close } = createWorkers(options);
  try {
    await begin({ workers, input: { streaming: true }, onState: (state) => target.moved(state) });
  } finally {
    close();
    target.moved("stopped");
  }
}

interface Workers {
  readonly workers: Readonly<Record<string, Worker<Move>>>;
  /** Closes the stream, if one is open. */
  readonly close: () => void;
}

/** A watch that was opened. */
interface Stream {
  /** Monotonic milliseconds. */
  readonly openedAt: number;
  /** Resolves when the server has ended it; rejects as the client's watch does, or with the reason for which it was closed. */
  readonly ended: Promise<void>;
  /** Whether nothing has come on it, not even a bookmark. */
  readonly isMute: () => boolean;
  /** Closes it, for a reason; idempotent. */
  readonly close: (reason?: unknown) => void;
}

function createWorkers<T extends KubeObject>(options: ReflectorOptions<T>): Workers {
  const { client, type, scope, target, omitManagedFields, clock, random, log, signal } = options;
  const stop: Move = { type: "watch.stop" };
  /** The one open stream. */
  let stream: Stream | undefined;

  function close(): void {
    stream?.close();
    stream = undefined;
  }

  /** Opens a watch; its events go straight to whoever receives them, for as long as it is open. */
  function open(
    resume: { resourceVersion: string } | { sendInitialEvents: true },
    receive: (event: WatchEvent<T>) => void,
    onOpen: (signal: AbortSignal) => void,
  ): Stream {
    close();
    const limits = limitedSignal({ clock, signals: [signal] });
    let isMute = true;
    const followed = client.follow<T>(
      type,
      {
        ...scope,
        ...resume,
        omitManagedFields,
        signal: limits.signal,
        allowWatchBookmarks: true,
        // Between 4 and 5 minutes, so that watches opened together do not end together.
        timeoutSeconds: 240 + Math.floor(random() * 61),
        idleTimeout,
        onOpen: () => onOpen(limits.signal),
      },
      (event) => {
        // A client may be late to notice that it was closed.
        if (limits.signal.aborted) return undefined;
        isMute = false;
        receive(event);
        return undefined;
      },
    );
    const ended = untilAborted(followed, limits.signal).finally(limits.release);
    // It may be closed before anybody waits for its end.
    ended.catch(() => undefined);
    const closed = new DOMException("the watch was closed", "AbortError");
    const opened: Stream = {
      openedAt: monotonicNow(clock),
      ended,
      isMute: () => isMute,
      close: (reason: unknown = closed) => limits.end(reason),
    };
    stream = opened;
    return opened;
  }

  const refusals = new Refusals();
  let older = 0;
  /** Whether a list in pages has just shown how far the server is. */
  let wasListed = false;

  /**
   * Takes over a complete list. One that is older than what was seen comes from a server that lags behind, and would take
   * readers back in time: it is refused, unless it stays so, as after a restore from a backup.
   */
  function accept(list: Map<string, T>, resourceVersion: string): void {
    const seen = target.version;
    if (seen !== "" && compareResourceVersions(resourceVersion, seen) < 0 && older < disbelieved) {
      older += 1;
      throw new OperatorError(
        "LIST_OUTDATED",
        `the list (${resourceVersion}) is older than the last known version (${seen})`,
        {
          fields: { listed: resourceVersion, seen },
          remedy: "Nothing to do: it is read again, and accepted if it stays older (a restored cluster).",
        },
      );
    }
    older = 0;
    refusals.forget();
    target.replace(list, resourceVersion);
  }

  function isHealthy(): boolean {
    return stream !== undefined && monotonicNow(clock) - stream.openedAt >= healthyAfter;
  }

  /** Notes and logs a failure. */
  function note(step: string, error: unknown): { retryAfter?: number } {
    const message = messageOf(error);
    target.failed(message);
    const code = isOperatorError(error) ? error.code : undefined;
    const fields = { step, code, error: message };
    // What stays unavailable has been reported, with the remedy.
    if (refusals.areSettled) log.debug(fields, "list-watch step failed");
    else log.warn(fields, "list-watch step failed");
    refusals.note(error);
    return error instanceof ApiError && error.retryAfter !== undefined
      ? { retryAfter: error.retryAfter }
      : {};
  }

  /** Resolves when the list is complete; what comes after it on the same stream is applied as it comes. */
  async function streamList(): Promise<Move> {
    let list: Map<string, T> | undefined = new Map();
    const synced = Promise.withResolvers<Move>();
    const unfinished = (): void => listing.close(unfinishedList);
    const quiet = new Silence(clock, quietLimit, unfinished);
    const receive = (event: WatchEvent<T>): void => {
      if (list === undefined) return target.apply(event);
      target.heard();
      quiet.heard();
      if (event.type === "BOOKMARK") {
        if (!event.initialEventsEnd) return;
        accept(list, event.resourceVersion);
        list = undefined;
        synced.resolve({ type: "watch.synced" });
        return;
      }
      const key = formatKey(event.object.metadata);
      if (event.type === "DELETED") list.delete(key);
      else list.set(key, event.object);
    };
    const listing = open({ sendInitialEvents: true }, receive, () => undefined);
    const limit = clock.setTimeout(unfinished, streamingLimit);
    listing.ended.then(() => synced.reject(interruptedList), synced.reject);
    try {
      return await synced.promise;
    } catch (error) {
      if (error !== unfinishedList && error !== interruptedList) throw error;
      target.fellBack();
      log.warn({ objects: list?.size }, "streaming list did not complete, listing page by page");
      return { type: error === unfinishedList ? "watch.unfinished" : "watch.interrupted" };
    } finally {
      quiet.end();
      clock.clearTimeout(limit);
    }
  }

  async function listInPages(): Promise<Move> {
    close();
    const list = new Map<string, T>();
    let resourceVersion = "";
    const pages = listPages(client, type, { ...scope, signal });
    for (;;) {
      const page = await untilAborted(pages.next(), signal);
      if (signal.aborted) return stop;
      if (page.done === true) break;
      target.heard();
      if (page.value.first) list.clear();
      for (const object of page.value.items) list.set(formatKey(object.metadata), object);
      ({ resourceVersion } = page.value.metadata);
    }
    accept(list, resourceVersion);
    wasListed = true;
    return { type: "watch.listed" };
  }

  /** Closes a watch that was resumed at this version if the server is not that far. */
  async function verify(resumed: Stream, version: string, opened: AbortSignal): Promise<void> {
    try {
      const { metadata } = await client.list(type, { ...scope, limit: 1, signal: opened });
      if (opened.aborted) return;
      if (compareResourceVersions(metadata.resourceVersion, version) >= 0) return target.heard();
      older += 1;
      resumed.close(setBack(metadata.resourceVersion, version));
    } catch (error) {
      // The watch goes on; its first event or bookmark shows the same, and silence leads to a list.
      log.debug({ error: messageOf(error) }, "the version of the server is not known");
    }
  }

  /**
   * Resumes from the last version. A server that was set back to an earlier state, as by a restored backup, accepts a version
   * that lies in its future and then sends nothing: so it is asked how far it is, which costs one object.
   */
  function resume(): Stream {
    const { version } = target;
    const isKnown = wasListed;
    wasListed = false;
    const resumed = open({ resourceVersion: version }, target.apply, (opened) => {
      if (isKnown) target.heard();
      else void verify(resumed, version, opened);
    });
    return resumed;
  }

  async function watch(): Promise<Move> {
    const watching = stream ?? resume();
    await watching.ended;
    return { type: "watch.ended", healthy: isHealthy() };
  }

  /** Runs one state's work; whatever it throws becomes an event. */
  function worker(
    work: (context: WatchContext) => Promise<Move>,
    onError: (error: unknown) => Move,
  ): Worker<Move> {
    return async (snapshot) => {
      if (signal.aborted) return stop;
      try {
        return await work(snapshot.context as WatchContext);
      } catch (error) {
        return signal.aborted ? stop : onError(error);
      }
    };
  }

  return {
    close,
    workers: {
      streamingList: worker(streamList, (error) => {
        close();
        // 400 and 422 name the parameter or the feature gate; 406 and 501 come from servers that are not kube-apiserver.
        if (error instanceof ApiError && [400, 406, 422, 501].includes(error.status)) {
          log.info(
            { error: error.message },
            "the server does not support streaming lists, listing page by page",
          );
          return { type: "watch.unsupported" };
        }
        return { type: "watch.failed", ...note("streamingList", error) };
      }),
      listing: worker(listInPages, (error) => ({ type: "watch.failed", ...note("listing", error) })),
      watching: worker(
        async () => {
          const move = await watch();
          close();
          return move;
        },
        (error) => {
          const healthy = isHealthy();
          const isBlind = isOperatorError(error, "WATCH_IDLE") && stream?.isMute() === true;
          close();
          const noted = note("watching", error);
          if (isGone(error)) return { type: "watch.expired", healthy };
          if (isRefusal(error)) return { type: "watch.refused", healthy };
          if (isBlind || isOperatorError(error, "WATCH_SET_BACK")) return { type: "watch.doubted", healthy };
          return { type: "watch.dropped", healthy, ...noted };
        },
      ),
      backingOff: worker(
        async ({ failures, retryAfter }) => {
          const settled = refusals.settle();
          if (settled !== undefined)
            target.unavailable(await explainUnavailable({ client, type, scope, error: settled, signal }));
          await sleep(clock, pauseAfter(failures, retryAfter, random), signal);
          return signal.aborted ? stop : { type: "watch.retry" };
        },
        () => ({ type: "watch.retry" }),
      ),
    },
  };
}

function setBack(found: string, known: string): OperatorError {
  return new OperatorError(
    "WATCH_SET_BACK",
    `the server is at version ${found}, before the last known version (${known})`,
    {
      fields: { found, known },
      remedy: "Nothing to do: everything is listed again. It happens when etcd is restored from a backup.",
    },
  );
}

const listWatchBackoff: JitteredBackoff = { first: 800, longest: 30_000, jitter: upperHalf };

/** Milliseconds to wait after so many failures in a row, and at least what the server asked for. */
export function pauseAfter(failures: number, retryAfter: number, random: Random): number {
  return Math.max(retryAfter, backoffDelay(listWatchBackoff, failures, random));
}
