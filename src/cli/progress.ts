// What a command says while it works: one line that changes on a terminal; elsewhere a line for what came of each step, and one before
// it for a step that takes its time.
import { Ansis } from "ansis";
import type { Clock, TimerHandle } from "../ports/clock.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { Terminal } from "./terminal.ts";
import { cutTo } from "./wrap-line.ts";

/** Steps of a command that takes its time; whoever begins one ends it by `done` or `abandon`. */
export interface Progress {
  /** Something begins; the line is replaced by what comes next. */
  begin(step: string): void;
  /** It is done; the line stays. */
  done(result: string): void;
  /** It is not; the line that was begun stays as it is. */
  abandon(): void;
}

/** Milliseconds after which a step is announced where lines stay. */
const patience = 2_000;

/** Progress on the terminal's side stream, so that what was asked for can be piped. */
export function createProgress(terminal: Terminal, clock: Clock = systemClock): Progress {
  return terminal.interactive ? changingLine(terminal) : plainLines(terminal, clock);
}

function changingLine(terminal: Terminal): Progress {
  const paint = new Ansis(terminal.color ? 1 : 0);
  const clear = "\r\u001B[2K";
  let open = false;
  return {
    begin(step) {
      // What is wider stands on two lines, of which only the last would be replaced.
      const columns = terminal.screen()?.columns ?? Infinity;
      terminal.err(`${open ? clear : ""}${paint.dim(cutTo(`${step} …`, columns - 1))}`);
      open = true;
    },
    done(result) {
      terminal.err(`${open ? clear : ""}${paint.green("✓")} ${result}\n`);
      open = false;
    },
    abandon() {
      if (open) terminal.err("\n");
      open = false;
    },
  };
}

function plainLines({ err }: Terminal, clock: Clock): Progress {
  let begun: { readonly step: string; readonly timer: TimerHandle } | undefined;
  const announce = (): void => {
    if (begun !== undefined) err(`${begun.step} …\n`);
    begun = undefined;
  };
  const forget = (): void => {
    if (begun !== undefined) clock.clearTimeout(begun.timer);
    begun = undefined;
  };
  return {
    begin(step) {
      forget();
      begun = { step, timer: clock.setTimeout(announce, patience) };
    },
    done(result) {
      forget();
      err(`${result}\n`);
    },
    abandon() {
      const { timer } = begun ?? {};
      announce();
      if (timer !== undefined) clock.clearTimeout(timer);
    },
  };
}
