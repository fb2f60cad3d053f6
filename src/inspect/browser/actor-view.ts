// One actor: its machine with the active states lit, its context, and its last events, of which any can be gone back to.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { SeenActor, SeenStep } from "./actor-log.ts";
import type { MarkedStep } from "./machine-marks.ts";
import { valueText } from "./machine-outline.ts";
import { MachineView } from "./machine-view.ts";

export function ActorView({ actor }: { readonly actor: SeenActor }) {
  const [back, goBack] = useState<number>();
  const step =
    back === undefined ? undefined : actor.steps.find(({ at }, index) => stepKey(at, index) === back);
  const snapshot = step?.snapshot ?? actor.snapshot;
  const { context, output, value } = snapshot;
  return html`<main class="actor">
    <h1>${actor.name}</h1>
    <p class="now">
      <strong>${valueText(value) || "—"}</strong>
      ${snapshot.status === undefined ? null : html` <span class="status">${snapshot.status}</span>`}
      ${
        step === undefined
          ? null
          : html` <button type="button" onClick=${() => goBack(undefined)}>back to now</button>`
      }
    </p>
    <section aria-label="Machine">
      <h2>Machine</h2>
      ${
        actor.config === undefined
          ? html`<p>The definition of this machine was not reported.</p>`
          : html`<${MachineView}
              config=${actor.config}
              step=${markedStep(step ?? actor.steps.at(-1), value)}
            />`
      }
    </section>
    <section aria-label="Context">
      <h2>Context</h2>
      <pre tabindex="0">${JSON.stringify(context ?? {}, null, 2)}</pre>
      ${
        output === undefined
          ? null
          : html`<h3>Output</h3>
              <pre tabindex="0">${JSON.stringify(output, null, 2)}</pre>`
      }
    </section>
    <section aria-label="Events">
      <h2>Events</h2>
      ${actor.steps.length === 0 ? html`<p>None since this page was opened.</p>` : null}
      <ol class="steps" reversed>
        ${actor.steps
          .map(
            (each, index) =>
              html`<li key=${stepKey(each.at, index)}>
                <button
                  type="button"
                  aria-pressed=${each === step ? "true" : "false"}
                  title=${JSON.stringify(each.event, null, 2)}
                  onClick=${() => goBack(stepKey(each.at, index))}
                >
                  <time>${clockTime(each.at)}</time>
                  <span class="event">${each.event.type}</span>
                  <span class="value"
                    >${each.snapshot === undefined ? "" : valueText(each.snapshot.value)}</span
                  >
                </button>
              </li>`,
          )
          .reverse()}
      </ol>
    </section>
  </main>`;
}

function markedStep(step: SeenStep | undefined, value: unknown): MarkedStep {
  if (step?.snapshot === undefined) return { value };
  return { before: step.before, value, eventType: step.event.type };
}

function stepKey(at: number, index: number): number {
  return at * 1_000 + (index % 1_000);
}

function clockTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(11, 23);
}
