// Sends one resource to a page: at once, when it changes, when a run of it ends, and from time to time for its Events.
import type { ObjectEvent } from "../explain/explanation.ts";
import { formatKey } from "../meta/object-key.ts";
import type { Clock } from "../ports/clock.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { EventStream } from "../web/event-stream.ts";
import type { Board } from "./board.ts";
import { detailOf } from "./resource-detail.ts";
import { resourcesWithRuns, type RunLog } from "./run-log.ts";

/** Which resource. */
export interface ResourceAddress {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What {@link streamDetail} needs. */
export interface DetailTools {
  readonly board: Board;
  readonly runs: RunLog;
  readonly clock: Clock;
  readonly sanitize: (value: unknown) => unknown;
}

/** Milliseconds for which changes are gathered. */
const gatherFor = 100;
/** Milliseconds between two looks at the Events. */
const lookEvery = 5_000;

/** Begins to send; returns what ends it. `missing` is sent while the resource does not exist. */
export function streamDetail(tools: DetailTools, address: ResourceAddress, stream: EventStream): () => void {
  const { board, runs, clock, sanitize } = tools;
  const abort = new AbortController();
  let events: readonly ObjectEvent[] = [];
  let unknown: readonly string[] = [];
  let timer: object | undefined;
  let look: object | undefined;

  const send = (): void => {
    timer = undefined;
    const found = board.find(address.kind, address.namespace, address.name);
    if (found === undefined) {
      // Before the caches are complete, nothing is known of anything.
      if (board.sources.length > 0) stream.send("missing", {});
      return;
    }
    const { object, source } = found;
    const detail = detailOf({
      object,
      source,
      history: board.history.of(object.metadata.uid),
      runs: (kind, key) => runs.of(kind, key),
      keepsRunsOf: runs.isFull ? resourcesWithRuns : undefined,
      events,
      unknown: [...unknown, ...(source.unknownOf?.(object) ?? [])],
      sanitize,
      now: clock.now(),
    });
    stream.send("detail", sanitize(detail));
  };
  const soon = (): void => {
    timer ??= clock.setTimeout(send, gatherFor);
  };
  const readEvents = async (): Promise<void> => {
    const found = board.find(address.kind, address.namespace, address.name);
    try {
      events = found === undefined ? [] : await found.source.eventsOf(found.object, abort.signal);
      unknown = [];
    } catch (error) {
      unknown = [`The Events about it: ${messageOf(error)}`];
    }
    if (abort.signal.aborted) return;
    send();
    look = clock.setTimeout(() => void readEvents(), lookEvery);
  };

  const key = formatKey(address);
  const ends = [
    board.subscribe((change) => {
      // A deletion names a uid only: what is shown may be what is gone. Of a kind that is known now, one may be missing.
      if (!("row" in change)) soon();
      else if (change.row.kind === address.kind && formatKey(change.row) === key) soon();
    }),
    runs.subscribe((run) => {
      if (run.kind === address.kind && run.key === key) soon();
    }),
  ];
  send();
  void readEvents();
  return () => {
    for (const end of ends) end();
    abort.abort();
    if (timer !== undefined) clock.clearTimeout(timer);
    if (look !== undefined) clock.clearTimeout(look);
  };
}
