// How a watched object is shown: as a page that stays in its place, as lines of what happened, or as JSON.
import { Ansis } from "ansis";
import type { Explanation } from "../../explain/explanation.ts";
import { formatExplanation } from "../explain/format-explanation.ts";
import type { Screen, Terminal } from "../terminal.ts";
import { happeningsBetween } from "./happenings.ts";

/** Shows an object as it changes. */
export interface WatchView {
  /** A version of it, or the same one a second later. */
  show(explanation: Explanation, lost: string | undefined, now: number): void;
  /** Leaves the screen as it should stay. */
  end(): void;
}

/** One line of JSON for each version. */
export function jsonView(terminal: Terminal): WatchView {
  let last = "";
  return {
    show(explanation) {
      const { tasks, timers, state, paused, object, ...rest } = explanation;
      // What only counts on is no change.
      const still = JSON.stringify([
        rest,
        object.deletingSince,
        state?.name,
        paused?.at,
        tasks.map(({ remaining: _remaining, ...task }) => task),
        timers.map(({ due }) => due),
      ]);
      if (still !== last) terminal.out(`${JSON.stringify(explanation)}\n`);
      last = still;
    },
    end: () => undefined,
  };
}

/** A line for each thing that happens, with the time of day (UTC). */
export function linesView(terminal: Terminal): WatchView {
  const paint = new Ansis(terminal.outColor ? 1 : 0);
  let before: Explanation | undefined;
  let lostBefore: string | undefined;
  const line = (now: number, about: string, text: string, warning: boolean): void => {
    const time = paint.dim(new Date(now).toISOString().slice(11, 19));
    const word = warning ? paint.yellow(about.padEnd(9)) : paint.cyan(about.padEnd(9));
    terminal.out(`${time}  ${word}  ${text.replace(/\s+/g, " ")}\n`);
  };
  return {
    show(explanation, lost, now) {
      for (const { about, text, warning } of happeningsBetween(before, explanation))
        line(now, about, text, warning);
      if (lost !== undefined && lost !== lostBefore) line(now, "lost", lost, true);
      before = explanation;
      lostBefore = lost;
    },
    end: () => undefined,
  };
}

const csi = "\u001B[";

/** A page that is drawn again in its place; what does not fit on the screen is left out at its end. */
export function pageView(terminal: Terminal, screen: () => Screen | undefined): WatchView {
  const paint = new Ansis(terminal.outColor ? 1 : 0);
  let [drawn, last] = [0, ""];
  return {
    show(explanation, lost, now) {
      const { rows } = screen() ?? { rows: 24 };
      const text = formatExplanation({ ...explanation, unknown: [] }, { color: terminal.outColor, now });
      const notes = lost === undefined ? [] : [paint.yellow(`not heard of any more: ${lost}`)];
      const lines = [...text.trimEnd().split("\n"), ...notes, paint.dim("Ctrl-C ends")];
      const fitting = lines.length < rows ? lines : [...lines.slice(0, rows - 2), paint.dim("…")];
      const page = fitting.map((each) => `${each}${csi}K\n`).join("");
      if (page === last) return;
      // Lines are not wrapped, so that as many are left as were drawn.
      const back = drawn === 0 ? `${csi}?7l` : `${csi}${drawn}A\r`;
      terminal.out(`${back}${page}${csi}J`);
      [drawn, last] = [fitting.length, page];
    },
    end() {
      if (drawn > 0) terminal.out(`${csi}?7h`);
    },
  };
}
