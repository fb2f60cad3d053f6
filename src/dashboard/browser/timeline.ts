// The past of a resource as a bar that can be scrubbed back: a part for each state, as long as it lasted.
import { html } from "htm/preact";
import { formatLength } from "../../explain/length.ts";
import type { ResourceDetail } from "../resource-detail.ts";
import { Slider } from "./slider.ts";

interface TimelineProps {
  readonly history: ResourceDetail["history"];
  /** Undefined: the present. */
  readonly moment: number | undefined;
  readonly onMoment: (at: number | undefined) => void;
}

export function Timeline({ history, moment, onMoment }: TimelineProps) {
  const last = history.length - 1;
  if (last < 1) return null;
  const found = history.findIndex(({ at }) => at === moment);
  const index = found < 0 ? last : found;
  const entry = history[index];
  const go = (to: number): void => onMoment(to >= last ? undefined : history[to]?.at);
  return html`<div class="timeline">
    <${Slider}
      label="History"
      steps=${last}
      step=${index}
      text=${entry === undefined ? "" : `${entry.state}, ${new Date(entry.at).toLocaleTimeString()}`}
      onStep=${go}
    />
    <p class="moment">
      ${
        entry === undefined
          ? null
          : html`<time>${new Date(entry.at).toLocaleTimeString()}</time>
              <strong>${entry.state || "no state"}</strong> ${lasting(history, index)}
              <span class="quiet">${entry.message}</span>`
      }
      ${
        index === last
          ? null
          : html` <button type="button" onClick=${() => onMoment(undefined)}>back to now</button>`
      }
    </p>
  </div>`;
}

function lasting(history: ResourceDetail["history"], index: number): string {
  const [here, next] = [history[index], history[index + 1]];
  return here === undefined || next === undefined ? "" : `for ${formatLength(next.at - here.at)}`;
}
