// The last reconciliations: why each took place, its stages with their share of the time, and what it wrote.
import { html } from "htm/preact";
import { formatLength } from "../../explain/length.ts";
import { causeText, type JournalRun } from "../../ports/run-journal.ts";

interface RunListProps {
  readonly runs: readonly JournalRun[];
  readonly keepsRunsOf: number | undefined;
  readonly now: number;
}

export function RunList({ runs, keepsRunsOf, now }: RunListProps) {
  return html`<section aria-labelledby="runs-title">
    <h2 id="runs-title">Last reconciliations</h2>
    ${
      runs.length === 0
        ? html`<p>${noRuns(keepsRunsOf)}</p>`
        : html`<ol class="runs">
            ${runs.map((run) => html`<${Run} key=${run.id} run=${run} now=${now} />`)}
          </ol>`
    }
  </section>`;
}

/** Why there is no run to be shown. */
function noRuns(keepsRunsOf: number | undefined): string {
  return keepsRunsOf === undefined
    ? "None since this operator started."
    : `None, or no longer stored: runs are kept for the ${keepsRunsOf} most recently reconciled resources.`;
}

function Run({ run, now }: { readonly run: JournalRun; readonly now: number }) {
  const { id, startedAt, took, causes, stages, writes, operations, error, failure, requeueAfter } = run;
  return html`<li class=${error === undefined ? "run" : "run failed"}>
    <p>
      <time title=${new Date(startedAt).toISOString()}
        >${formatLength(Math.max(0, now - startedAt))} ago</time
      >
      <strong> ${took} ms</strong>, ${writes === 1 ? "1 write" : `${writes} writes`}
      ${requeueAfter === undefined ? null : html`, again in ${formatLength(requeueAfter)}`}
      <span class="quiet"> ${id}</span>
    </p>
    <p class="causes">cause: ${causes.length === 0 ? "none recorded" : causes.map(causeText).join("; ")}</p>
    <p class="stages">
      ${stages.map(({ stage, at }, index) => {
        const end = stages[index + 1]?.at ?? startedAt + took;
        return html`<span key=${stage} class=${`stage ${stage}`}
          >${stage} <small>${Math.max(0, end - at)} ms</small></span
        >`;
      })}
    </p>
    ${
      operations.length === 0
        ? null
        : html`<p class="operations">
            ${operations.map(({ code, resource }) => `${code}${resource === undefined ? "" : ` ${resource}`}`).join(", ")}
          </p>`
    }
    ${error === undefined ? null : html`<p class="error">${inStage(failure)}${error}</p>`}
    ${failure?.remedy === undefined ? null : html`<p class="quiet">${failure.remedy}</p>`}
    ${failure?.stack === undefined ? null : html`<pre class="stack">${failure.stack}</pre>`}
  </li>`;
}

function inStage(failure: JournalRun["failure"]): string {
  return failure?.stage === undefined ? "" : `in ${failure.stage}: `;
}
