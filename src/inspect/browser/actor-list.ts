// The list of actors: each below the one it belongs to, with its state; filtered by what is typed.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { ActorLog, SeenActor } from "./actor-log.ts";
import { valueText } from "./machine-outline.ts";

interface ActorListProps {
  readonly log: ActorLog;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** More are not shown at once; the filter finds them. */
const shown = 500;

export function ActorList({ log, chosen, onChoose }: ActorListProps) {
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const found = inOrder(log).filter(({ actor }) => actor.name.toLowerCase().includes(wanted));
  return html`<nav class="actors" aria-label="Actors">
    <input
      type="search"
      placeholder="Filter actors"
      aria-label="Filter actors"
      value=${filter}
      onInput=${(event: InputEvent) => setFilter((event.currentTarget as HTMLInputElement).value)}
    />
    <ul>
      ${found.slice(0, shown).map(
        ({ actor, depth }) =>
          html`<li key=${actor.id}>
            <button
              type="button"
              class=${`depth-${Math.min(depth, 3)}${actor.ended ? " ended" : ""}`}
              aria-current=${actor.id === chosen ? "true" : undefined}
              onClick=${() => onChoose(actor.id)}
            >
              <span class="name">${actor.name}</span>
              <span class="value">${valueText(actor.snapshot.value)}</span>
            </button>
          </li>`,
      )}
    </ul>
    ${found.length > shown ? html`<p>${found.length - shown} more: use the filter to find them.</p>` : null}
    ${found.length === 0 ? html`<p>No actor matches “${filter}”.</p>` : null}
  </nav>`;
}

/** Each actor after the one it belongs to. */
function inOrder(log: ActorLog): { readonly actor: SeenActor; readonly depth: number }[] {
  const children = new Map<string, SeenActor[]>();
  const roots: SeenActor[] = [];
  for (const actor of log.values()) {
    const { parentId } = actor;
    if (parentId === undefined || parentId === actor.id || !log.has(parentId)) roots.push(actor);
    else children.set(parentId, [...(children.get(parentId) ?? []), actor]);
  }
  const seen = new Set<string>();
  const below = (
    actor: SeenActor,
    depth: number,
  ): { readonly actor: SeenActor; readonly depth: number }[] => {
    // Ids come from outside: they may form a circle.
    if (seen.has(actor.id)) return [];
    seen.add(actor.id);
    return [{ actor, depth }, ...(children.get(actor.id) ?? []).flatMap((child) => below(child, depth + 1))];
  };
  return roots.flatMap((actor) => below(actor, 0));
}
