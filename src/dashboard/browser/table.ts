// A titled table that can be scrolled sideways by keyboard too, where it is wider than the page. On a phone its cells are
// below each other, each with the title of its column: the roles are reported, as a browser may forget them then.
import { html } from "htm/preact";
import type { ComponentChildren } from "preact";

/** The table; nothing when there are no items. Above the page's own heading, its title is none: `isHeading` is false. */
export function table<T>(
  title: string,
  columns: readonly string[],
  items: readonly T[],
  cells: (item: T) => readonly ComponentChildren[],
  { isHeading = true }: { readonly isHeading?: boolean } = {},
): ComponentChildren {
  if (items.length === 0) return null;
  const id = `${title.toLowerCase().replaceAll(" ", "-")}-title`;
  return html`<section aria-labelledby=${id}>
    ${isHeading ? html`<h2 id=${id}>${title}</h2>` : html`<p id=${id} class="table-title">${title}</p>`}
    <div class="scroll" tabindex="0" role="group" aria-labelledby=${id}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            ${columns.map((column) => html`<th key=${column} scope="col" role="columnheader">${column}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${items.map(
            (item, index) =>
              html`<tr key=${index} role="row">
                ${cells(item).map(
                  (cell, column) => html`<td role="cell" data-column=${columns[column]}>${cell}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
