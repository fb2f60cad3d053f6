// The page's connections to the operator: each opens by itself again after it was lost.
import type { BoardRow } from "../board-row.ts";
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
  /** Every row was told. */
  readonly complete: boolean;
}

/** Follows the board. Returns what ends it. */
export function followBoard({ onConnection, onChange }: Listener<BoardState>): () => void {
  let rows = new Map<string, BoardRow>();
  let kinds: readonly string[] = [];
  let complete = false;
  let scheduled = false;
  // Many messages are shown once.
  const show = (): void => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      onChange({ kinds, rows: new Map(rows), complete });
    });
  };
  return follow("api/board", onConnection, {
    start: (told: { readonly kinds: readonly { readonly kind: string }[] }) => {
      kinds = told.kinds.map(({ kind }) => kind);
      rows = new Map();
      complete = false;
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
      show();
    },
  });
}

/** Follows one resource; undefined while there is none. Returns what ends it. */
export function followResource(
  { kind, namespace, name }: Pick<BoardRow, "kind" | "namespace" | "name">,
  { onConnection, onChange }: Listener<ResourceDetail | undefined>,
): () => void {
  const query = new URLSearchParams({ kind, name, ...(namespace === undefined ? {} : { namespace }) });
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
