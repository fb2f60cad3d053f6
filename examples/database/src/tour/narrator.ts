// How the tour talks: steps, happenings and drawings as lines; coloured on a terminal, plain otherwise.
// The only module of the tour that writes.
import { Ansis } from "ansis";
import type { Happening } from "./happening.ts";
import { drawLifecycle, drawingWidth } from "./lifecycle-drawing.ts";

/** Where the tour's lines go; standard output satisfies it. */
export interface TourOutput {
  write(text: string): unknown;
}

/** Characters before a drawing, where there is room. */
const drawingMargin = 14;

/** Tells a tour. */
export interface Narrator {
  /** A new chapter. */
  step(title: string): void;
  /** What the tour does, or what it found. */
  say(text: string): void;
  /** What happened on the cluster. */
  tell(happening: Happening): void;
  /** The states reported so far, in order. */
  readonly path: readonly string[];
}

/** Creates a narrator; `now` gives milliseconds. */
export function createNarrator(options: {
  readonly output: TourOutput;
  readonly color: boolean;
  /** Characters in a line; default as many as a line needs. */
  readonly columns?: number | undefined;
  readonly now: () => number;
}): Narrator {
  const { output, columns = Infinity } = options;
  const margin = " ".repeat(Math.max(0, Math.min(drawingMargin, columns - drawingWidth)));
  const ansi = new Ansis(options.color ? 3 : 0);
  const paint = {
    lit: (text: string) => ansi.bold.black.bgGreen(text),
    visited: (text: string) => ansi.green(text),
    faint: (text: string) => ansi.dim(text),
  };
  const started = options.now();
  const path: string[] = [];
  let chapter = 0;

  const line = (text: string): void => {
    const seconds = ((options.now() - started) / 1_000).toFixed(1).padStart(6);
    output.write(`${ansi.dim(`${seconds} s`)}  ${text}\n`);
  };
  return {
    path,
    step(title) {
      chapter += 1;
      output.write(`\n${ansi.bold(`${chapter}. ${title}`)}\n`);
    },
    say: line,
    tell(happening) {
      switch (happening.kind) {
        case "moved": {
          path.push(happening.to);
          const from = happening.from ?? "(new)";
          const cause = happening.cause === "" ? "" : `, because ${happening.cause}`;
          line(`${ansi.bold.cyan("state")}      ${from} → ${ansi.bold(happening.to)}${cause}`);
          for (const row of drawLifecycle(happening.to, path, paint)) output.write(`${margin}${row}\n`);
          break;
        }
        case "progress":
          line(`${ansi.cyan("progress")}   ${bar(happening.fraction)} ${happening.message}`);
          break;
        case "condition": {
          const { type, status, reason, message } = happening.condition;
          const mark = status === "True" ? ansi.green("True") : ansi.yellow(status);
          line(`${ansi.cyan("condition")}  ${type} is ${mark}, ${reason}: ${message}`);
          break;
        }
        case "backup":
          line(`${ansi.cyan("backup")}     ${happening.file}, ${happening.size} bytes`);
          break;
        case "event": {
          // What is usual stays in the background: most of it is reported above.
          const paintEvent = happening.type === "Normal" ? ansi.dim : ansi.yellow;
          line(paintEvent(`event      ${happening.reason}: ${happening.note}`));
          break;
        }
      }
    },
  };
}

/** Ten characters that show how much is done. */
function bar(fraction: number | undefined): string {
  if (fraction === undefined) return "▕          ▏    ";
  const done = Math.round(fraction * 10);
  return `▕${"█".repeat(done)}${" ".repeat(10 - done)}▏${String(Math.round(fraction * 100)).padStart(3)}%`;
}
