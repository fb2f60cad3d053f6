// What a command says while it works: one line that changes on a terminal, plain lines otherwise.
import { Ansis } from "ansis";
import type { Terminal } from "./terminal.ts";

/** Steps of a command that takes its time. */
export interface Progress {
  /** Something begins; the line is replaced by what comes next. */
  begin(step: string): void;
  /** It is done; the line stays. */
  done(result: string): void;
  /** It is not; the line that was begun stays as it is. */
  abandon(): void;
}

/** Progress on the terminal's side stream, so that what was asked for can be piped. */
export function createProgress(terminal: Terminal): Progress {
  const paint = new Ansis(terminal.color ? 1 : 0);
  const clear = "\r\u001B[2K";
  let open = false;
  return {
    begin(step) {
      if (!terminal.interactive) return terminal.err(`${step} …\n`);
      terminal.err(`${open ? clear : ""}${paint.dim(`${step} …`)}`);
      open = true;
    },
    done(result) {
      terminal.err(
        terminal.interactive ? `${open ? clear : ""}${paint.green("✓")} ${result}\n` : `${result}\n`,
      );
      open = false;
    },
    abandon() {
      if (open) terminal.err("\n");
      open = false;
    },
  };
}
