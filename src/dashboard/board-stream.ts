// Sends the board to a page: kinds and rows first, then what changes, several changes at a time.
import type { Clock } from "../ports/clock.ts";
import type { EventStream } from "../web/event-stream.ts";
import type { Board } from "./board.ts";
import type { BoardRow } from "./board-row.ts";

/** Milliseconds for which changes are gathered. */
const gatherFor = 100;
/** Rows in one message. */
const batch = 500;

/**
 * Begins to send; returns what ends it. The stream's reader first hears `start`, after which it knows nothing; `kinds`, again
 * when there are more; and `complete` when it has received everything: of an operator that is starting, nothing is known yet.
 */
export function streamBoard(board: Board, stream: EventStream, clock: Clock): () => void {
  let changed = new Map<string, BoardRow>();
  let gone = new Set<string>();
  let moreKinds = false;
  let timer: object | undefined;
  const sendKinds = (): void =>
    stream.send(
      "kinds",
      board.sources.map(({ type }) => type.kind),
    );
  const sendComplete = (): void => {
    if (board.sources.length > 0) stream.send("complete", {});
  };
  const flush = (): void => {
    timer = undefined;
    if (moreKinds) sendKinds();
    for (const rows of batches([...changed.values()])) stream.send("rows", rows);
    if (gone.size > 0) stream.send("gone", [...gone]);
    if (moreKinds) sendComplete();
    moreKinds = false;
    changed = new Map();
    gone = new Set();
  };
  const end = board.subscribe((change) => {
    if ("added" in change) {
      moreKinds = true;
    } else if ("row" in change) {
      changed.set(change.row.uid, change.row);
      gone.delete(change.row.uid);
    } else {
      changed.delete(change.gone);
      gone.add(change.gone);
    }
    timer ??= clock.setTimeout(flush, gatherFor);
  });
  stream.send("start", {});
  sendKinds();
  for (const rows of batches(board.rows())) stream.send("rows", rows);
  sendComplete();
  return () => {
    end();
    if (timer !== undefined) clock.clearTimeout(timer);
  };
}

function batches<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / batch) }, (_, index) =>
    list.slice(index * batch, (index + 1) * batch),
  );
}
