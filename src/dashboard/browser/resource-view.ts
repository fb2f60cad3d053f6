// One resource: where it is and why, its graph, its past, and everything that surrounds it.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { formatLength } from "../../explain/length.ts";
import type { ResourceDetail } from "../resource-detail.ts";
import type { Address } from "./address.ts";
import { nameOf } from "./board-rows.ts";
import { EventButtons } from "./event-buttons.ts";
import { followResource } from "./feed.ts";
import { GraphView } from "./graph-view.ts";
import { RunList } from "./run-list.ts";
import { Awaited, Blockers, Children, Conditions, Events, Tasks, Timers } from "./sections.ts";
import { Timeline } from "./timeline.ts";

interface ResourceViewProps {
  readonly address: Address;
  readonly now: number;
  /** The moment of a recording; undefined: it is live. */
  readonly at?: number | undefined;
}

export function ResourceView({ address, now, at }: ResourceViewProps) {
  const [detail, setDetail] = useState<ResourceDetail | "none">();
  const [isGone, setGone] = useState(false);
  /** The moment that is looked at; undefined: the present. */
  const [moment, setMoment] = useState<number>();
  useEffect(
    () =>
      followResource(
        address,
        {
          onConnection: () => undefined,
          // What was shown stays when it is gone: its end is worth a look. In a recording one can go back to it.
          onChange: (reported) => {
            setGone(reported === undefined);
            setDetail((before) => reported ?? (at === undefined ? before : undefined) ?? "none");
          },
        },
        at,
      ),
    [at],
  );
  if (detail === undefined) return html`<main class="resource"><p role="status">Loading …</p></main>`;
  if (detail === "none") {
    return html`<main class="resource">
      <h1>${address.kind} ${nameOf(address)}</h1>
      <p>
        This resource does not exist${at === undefined ? "" : " at this time"}. <a href="#/">All resources</a>
      </p>
    </main>`;
  }
  const { row, explanation, history, runs, yaml } = detail;
  const { state, target, plan, accepted, paused } = explanation;
  const entry = history.find(({ at }) => at === moment);
  const shown = entry ?? history.at(-1);
  return html`<main class="resource">
    <p class="path"><a href="#/">All resources</a></p>
    <h1>${row.kind} ${nameOf(row)}</h1>
    ${isGone ? html`<p role="status" class="gone">It was deleted. This is its last known state.</p>` : null}
    <div class="facts">
      <dl>
        <dt>State</dt>
        <dd>
          <strong>${state?.name ?? "none yet"}</strong>
          ${
            state?.since === undefined
              ? null
              : html` for ${formatLength(Math.max(0, now - Date.parse(state.since)))}`
          }
        </dd>
        ${state?.description === undefined ? null : html`<dd class="quiet">${state.description}</dd>`}
        ${
          state?.last === undefined
            ? null
            : html`<dt>Why</dt>
                <dd>${state.last.cause} <span class="quiet">(${state.last.event})</span></dd>`
        }
        ${
          target === undefined
            ? null
            : html`<dt>Target</dt>
                <dd>
                  ${target.state}${target.request === undefined ? "" : ` for “${target.request}”`}
                  <span class="quiet">
                    ${target.reached ? "✓ reached" : (row.outcome ?? "not reached yet")}${
                      target.deletion ? ", because the resource is being deleted" : ""
                    }
                  </span>
                </dd>`
        }
        ${
          plan.length === 0
            ? null
            : html`<dt>Plan</dt>
                <dd>${[state?.name ?? "", ...plan].join(" → ")}</dd>`
        }
        <dt>Health</dt>
        <dd><span class=${`health-mark ${row.health}`}>${row.health}</span> ${row.message}</dd>
        ${
          paused === undefined
            ? null
            : html`<dt>Paused</dt>
                <dd>since ${paused.at}${paused.by === undefined ? "" : ` by ${paused.by}`}</dd>`
        }
      </dl>
      <${EventButtons}
        address=${address}
        accepted=${isGone ? [] : accepted}
        mayAct=${detail.mayAct}
        recorded=${at !== undefined}
      />
    </div>
    <${Blockers} blockers=${explanation.blockers} />
    <section aria-labelledby="graph-title">
      <h2 id="graph-title">Lifecycle${entry === undefined ? "" : ` at ${clockTime(entry.at)}`}</h2>
      ${shown === undefined ? null : html`<${GraphView} kind=${row.kind} marks=${shown.marks} />`}
      <${Timeline} history=${history} moment=${moment} onMoment=${setMoment} />
    </section>
    <${Awaited} awaited=${explanation.awaited} />
    <${Tasks} tasks=${explanation.tasks} now=${now} />
    <${Timers} timers=${explanation.timers} now=${now} paused=${paused !== undefined} />
    <${RunList} runs=${runs} keepsRunsOf=${detail.keepsRunsOf} now=${now} />
    <${Conditions} conditions=${explanation.conditions} />
    <${Children} items=${explanation.children} />
    <${Events} events=${explanation.events} now=${now} />
    <details class="yaml">
      <summary>YAML</summary>
      <pre tabindex="0">${yaml}</pre>
    </details>
    ${
      explanation.unknown.length === 0
        ? null
        : html`<section class="quiet" aria-label="Unknown">
            <h2>Unknown</h2>
            <ul>
              ${explanation.unknown.map((each) => html`<li key=${each}>${each}</li>`)}
            </ul>
          </section>`
    }
  </main>`;
}

function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString();
}
