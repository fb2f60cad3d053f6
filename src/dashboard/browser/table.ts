// A titled table that can be scrolled sideways by keyboard too, where it is wider than the page.
import { html } from "htm/preact";
import type { ComponentChildren } from "preact";

/** The table; nothing when there are no items. */
export function table<T>(
  title: string,
  columns: readonly string[],
  items: readonly T[],
  cells: (item: T) => readonly ComponentChildren[],
): ComponentChildren {
  if (items.length === 0) return null;
  const id = `${title.toLowerCase().replaceAll(" ", "-")}-title`;
  return html`<section aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <div class="scroll" tabindex="0" role="group" aria-labelledby=${id}>
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th key=${column} scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (item, index) =>
              html`<tr key=${index}>
                ${cells(item).map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
