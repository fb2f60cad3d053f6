// How a watched object is shown: as a page that stays in its place, as lines of what happened, or as JSON.
import { Ansis } from "ansis";
import type { Explanation } from "../../explain/explanation.ts";
import { explanationParts, type ExplanationPart } from "../explain/format-explanation.ts";
import type { Screen, Terminal } from "../terminal.ts";
import { visible } from "../visible-text.ts";
import { wrapLine } from "../wrap-line.ts";
import { fitParts } from "./fit-parts.ts";
import { happeningsBetween } from "./happenings.ts";
import { redrawnPage } from "./redrawn-page.ts";

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
    terminal.out(`${time}  ${word}  ${visible(text.replace(/\s+/g, " "))}\n`);
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

function watchedParts(parts: readonly ExplanationPart[]): readonly ExplanationPart[] {
  const rank = ({ title }: ExplanationPart): number => {
    const place = firstParts.findIndex((first) => first === title);
    return place < 0 ? firstParts.length : place;
  };
  return parts.toSorted((one, other) => rank(one) - rank(other));
}

/** What a person who watches looks for first; the other parts follow as `explain` has them. */
const firstParts = ["", "Blocked by", "Waits for", "Conditions", "Tasks"] as const;
/** Those of them that are on every screen. */
const vitalParts: ReadonlySet<string> = new Set(firstParts.slice(0, 4));

/** A page that is drawn again in its place. On a small screen lines are broken, and what matters less is left out. */
export function pageView(terminal: Terminal, screen: () => Screen | undefined): WatchView {
  const paint = new Ansis(terminal.outColor ? 1 : 0);
  const page = redrawnPage(terminal);
  return {
    show(explanation, lost, now) {
      const { rows, columns } = screen() ?? { rows: 24, columns: 80 };
      const format = { color: terminal.outColor, now, columns };
      const parts = watchedParts(explanationParts({ ...explanation, unknown: [] }, format));
      const vital = parts.filter(({ title }) => vitalParts.has(title)).length;
      const notes = lost === undefined ? [] : wrapLine(`connection lost: ${visible(lost)}`, columns, 2);
      // The line after the last one is that of the cursor.
      const room = rows - notes.length - 2;
      page.draw([
        ...fitParts(parts, room, { vital, reset: terminal.outColor ? "\u001B[0m" : "" }),
        ...notes.map((note) => paint.yellow(note)),
        paint.dim("press Ctrl-C to exit"),
      ]);
    },
    end: () => page.end(),
  };
}
