// All resources: filtered, ordered, thousands of them.
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import { formatLength } from "../../explain/length.ts";
import type { BoardRow } from "../board-row.ts";
import { addressOf } from "./address.ts";
import { findRows, nameOf, type SortKey } from "./board-rows.ts";
import type { BoardState } from "./feed.ts";
import { keepTop, keptTop, useRowQuery } from "./kept-board.ts";
import { VirtualList } from "./virtual-list.ts";

interface BoardViewProps {
  readonly board: BoardState;
  readonly now: number;
}

const columns: readonly (readonly [key: SortKey, title: string])[] = [
  ["name", "Name"],
  ["kind", "Kind"],
  ["state", "State"],
  ["target", "Target"],
  ["health", "Health"],
  ["since", "In state"],
  ["created", "Age"],
];
const healths = ["ready", "progressing", "degraded", "failed", "suspended", "deleting", "unknown"] as const;

export function BoardView({ board, now }: BoardViewProps) {
  const [query, change] = useRowQuery();
  const rows = useMemo(() => findRows(board.rows.values(), query), [board.rows, query]);
  // What is looked for stays so while the operator that knows it starts again.
  const kinds = [...new Set([...board.kinds, ...(query.kind === "" ? [] : [query.kind])])];
  const sortBy = (sort: SortKey): void =>
    change({ sort, descending: query.sort === sort ? !query.descending : false });
  const valueOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value;
  return html`<main class="board">
    <h1>Resources</h1>
    <form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          placeholder="name, state, message …"
          value=${query.text}
          onInput=${(event: Event) => change({ text: valueOf(event) })}
        />
      </label>
      <label>
        Kind
        <select value=${query.kind} onChange=${(event: Event) => change({ kind: valueOf(event) })}>
          <option value="">all</option>
          ${kinds.map((kind) => html`<option key=${kind} value=${kind}>${kind}</option>`)}
        </select>
      </label>
      <label>
        Health
        <select value=${query.health} onChange=${(event: Event) => change({ health: valueOf(event) })}>
          <option value="">all</option>
          ${healths.map((health) => html`<option key=${health} value=${health}>${health}</option>`)}
        </select>
      </label>
      <p class="count" role="status">
        ${board.complete ? `${rows.length} of ${board.rows.size}` : "loading …"}
      </p>
    </form>
    <div class="table" role="table" aria-label="Resources" aria-rowcount=${rows.length + 1}>
      <div role="rowgroup">
        <div class="row head" role="row">
          ${columns.map(
            ([key, title]) =>
              html`<div
                key=${key}
                role="columnheader"
                class=${`cell ${key}`}
                aria-sort=${query.sort === key ? (query.descending ? "descending" : "ascending") : "none"}
              >
                <button type="button" onClick=${() => sortBy(key)}>
                  ${title}${query.sort === key ? (query.descending ? " ↓" : " ↑") : ""}
                </button>
              </div>`,
          )}
          <div role="columnheader" class="cell message">Message</div>
        </div>
      </div>
      <${VirtualList}
        items=${rows}
        itemHeight=${40}
        label="Rows"
        isComplete=${board.complete}
        top=${keptTop}
        onTop=${keepTop}
      >
        ${(row: BoardRow, index: number) => html`<${Row} key=${row.uid} row=${row} index=${index} now=${now} />`}
      <//>
      ${
        rows.length === 0 && board.complete
          ? html`<p class="empty">
              ${board.rows.size === 0 ? "There are no resources yet." : "No resources match the filter."}
            </p>`
          : null
      }
    </div>
  </main>`;
}

function Row({ row, index, now }: { readonly row: BoardRow; readonly index: number; readonly now: number }) {
  const { kind, state, target, reached, outcome, health, since, created, message, paused } = row;
  return html`<div class="row" role="row" aria-rowindex=${index + 2} style=${{ top: `${index * 40}px` }}>
    <div role="cell" class="cell name"><a href=${addressOf(row)}>${nameOf(row)}</a></div>
    <div role="cell" class="cell kind">${kind}</div>
    <div role="cell" class="cell state">
      ${state || "—"}${paused ? html` <span class="tag">paused</span>` : null}
    </div>
    <div role="cell" class="cell target" title=${outcome}>
      ${target === undefined ? "" : `${reached === true ? "✓" : outcome === undefined ? "→" : "✗"} ${target}`}
    </div>
    <div role="cell" class="cell health"><span class=${`health-mark ${health}`}>${health}</span></div>
    <div role="cell" class="cell since">${since === undefined ? "" : age(since, now)}</div>
    <div role="cell" class="cell created">${age(created, now)}</div>
    <div role="cell" class="cell message" title=${message}>${message}</div>
  </div>`;
}

function age(instant: string, now: number): string {
  const at = Date.parse(instant);
  return Number.isNaN(at) ? "" : formatLength(Math.max(0, now - at));
}
