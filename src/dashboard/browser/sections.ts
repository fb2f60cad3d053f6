// The parts of a resource's page that are lists of what `explain` says; a part without anything is left out.
import { html } from "htm/preact";
import { formatLength } from "../../explain/length.ts";
import type { Explanation } from "../../explain/explanation.ts";
import { table } from "./table.ts";

export function Blockers({ blockers }: Pick<Explanation, "blockers">) {
  if (blockers.length === 0) return null;
  return html`<section class="blockers" aria-labelledby="blockers-title">
    <h2 id="blockers-title">Blocked by</h2>
    <ul>
      ${blockers.map(
        ({ message, remedy }) =>
          html`<li key=${message}>
            ${message}${remedy === undefined ? null : html`<br /><span class="quiet">${remedy}</span>`}
          </li>`,
      )}
    </ul>
  </section>`;
}

export function Awaited({ awaited }: Pick<Explanation, "awaited">) {
  return table(
    "Waits for",
    ["Event", "Leads to", "Who", "Condition"],
    awaited,
    ({ event, guard, to, taker, needs, next }) => [
      html`<span class=${next ? "next" : ""}>${next ? "→ " : ""}${event}</span
        >${guard === undefined ? null : html` <code>[${guard}]</code>`}`,
      to,
      taker,
      needs,
    ],
  );
}

export function Tasks({ tasks, now }: Pick<Explanation, "tasks"> & { readonly now: number }) {
  return table("Tasks", ["Task", "Phase", "Progress", "Attempt", "Deadline", "Message"], tasks, (task) => [
    task.id,
    task.phase,
    task.progress === undefined
      ? ""
      : html`<progress max="1" value=${task.progress} aria-label=${`progress of ${task.id}`}></progress>
          ${Math.round(task.progress * 100)} %`,
    String(task.attempt),
    task.deadline === undefined ? "" : countdown(task.deadline, now),
    [
      task.nextAttempt === undefined ? "" : `again ${countdown(task.nextAttempt, now)}`,
      task.failure ?? "",
      task.message ?? "",
    ]
      .filter(Boolean)
      .join("; "),
  ]);
}

export function Timers({
  timers,
  now,
  paused,
}: Pick<Explanation, "timers"> & { readonly now: number; readonly paused: boolean }) {
  return table("Timers", ["Timer", "Of", "Due"], timers, ({ delay, state, due, remaining }) => [
    delay,
    state,
    paused ? `${formatLength(remaining)} of unpaused time` : countdown(due, now),
  ]);
}

export function Conditions({ conditions }: Pick<Explanation, "conditions">) {
  return table(
    "Conditions",
    ["Type", "Status", "Reason", "Message"],
    conditions,
    ({ type, status, reason, message }) => [
      type,
      html`<span class=${`condition ${status}`}>${status}</span>`,
      reason,
      message,
    ],
  );
}

export function Children({ items }: { readonly items: Explanation["children"] }) {
  return table(
    "Owns",
    ["Kind", "Name", "State", "Finalizers"],
    items,
    ({ kind, name, state = "", finalizers, deletingSince }) => [
      kind,
      name,
      deletingSince === undefined ? state : "being deleted",
      finalizers.join(", "),
    ],
  );
}

export function Events({ events, now }: Pick<Explanation, "events"> & { readonly now: number }) {
  return table(
    "Kubernetes Events",
    ["When", "Type", "Reason", "Message"],
    events,
    ({ lastSeen, type, reason, message, count }) => [
      lastSeen === undefined ? "" : `${formatLength(Math.max(0, now - Date.parse(lastSeen)))} ago`,
      type,
      reason,
      count > 1 ? `${message} (${count} times)` : message,
    ],
  );
}

/** Until an instant: `in 3m 4s`, or `now`. */
function countdown(instant: string, now: number): string {
  const left = Date.parse(instant) - now;
  return left <= 0 ? "now" : `in ${formatLength(left)}`;
}
