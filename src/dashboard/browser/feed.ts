// The page's connections to the operator: each reconnects automatically after it was lost.
import type { BoardRow } from "../board-row.ts";
import type { ShownHealth } from "../shown-health.ts";
import type { ResourceDetail } from "../resource-detail.ts";

/** Whether the operator answers. */
export type Connection = "connecting" | "live" | "lost";

/** What a connection tells. */
interface Listener<T> {
  readonly onConnection: (connection: Connection) => void;
  readonly onChange: (value: T) => void;
}

/** The rows of the board, by uid. */
export interface BoardState {
  readonly kinds: readonly string[];
  readonly rows: ReadonlyMap<string, BoardRow>;
  /** Every row was reported. */
  readonly complete: boolean;
  /** Absent while nothing was reported of the operator. */
  readonly health?: ShownHealth;
}

/** Follows the board, of a recording as it was at an instant. Returns what ends it. */
export function followBoard({ onConnection, onChange }: Listener<BoardState>, at?: number): () => void {
  let rows = new Map<string, BoardRow>();
  /** What was shown before the connection was lost: it stays until all is reported again. */
  let former: ReadonlyMap<string, BoardRow> | undefined;
  let kinds: readonly string[] = [];
  let complete = false;
  let health: ShownHealth | undefined;
  let scheduled = false;
  // Many messages are shown once.
  const show = (): void => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      onChange({
        kinds,
        rows: former ?? new Map(rows),
        complete: complete || former !== undefined,
        ...(health === undefined ? {} : { health }),
      });
    });
  };
  return follow(at === undefined ? "api/board" : `api/board?at=${at}`, onConnection, {
    start: () => {
      if (complete) former = rows;
      rows = new Map();
      complete = false;
    },
    kinds: (reported: readonly string[]) => {
      kinds = reported;
    },
    rows: (changed: readonly BoardRow[]) => {
      for (const row of changed) rows.set(row.uid, row);
      show();
    },
    gone: (uids: readonly string[]) => {
      for (const uid of uids) rows.delete(uid);
      show();
    },
    complete: () => {
      complete = true;
      former = undefined;
      show();
    },
    health: (reported: ShownHealth) => {
      health = reported;
      show();
    },
  });
}

/** Follows one resource, likewise; undefined while there is none. Returns what ends it. */
export function followResource(
  { kind, namespace, name }: Pick<BoardRow, "kind" | "namespace" | "name">,
  { onConnection, onChange }: Listener<ResourceDetail | undefined>,
  at?: number,
): () => void {
  const query = new URLSearchParams({
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(at === undefined ? {} : { at: String(at) }),
  });
  return follow(`api/resource?${query.toString()}`, onConnection, {
    detail: (detail: ResourceDetail) => onChange(detail),
    missing: () => onChange(undefined),
  });
}

type Handlers = Readonly<Record<string, (value: never) => void>>;

/** A browser gives up an event stream that was refused; an operator that starts again refuses nobody for long. */
const pause = 2_000;

function follow(
  path: string,
  onConnection: (connection: Connection) => void,
  handlers: Handlers,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const connect = (): void => {
    if (ended) return;
    source = new EventSource(path);
    source.addEventListener("open", () => onConnection("live"));
    source.addEventListener("error", () => {
      onConnection("lost");
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(connect, pause);
    });
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) =>
        handle(JSON.parse((event as MessageEvent<string>).data) as never),
      );
    }
  };
  onConnection("connecting");
  connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
  };
}
