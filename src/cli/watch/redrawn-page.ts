// A page that is drawn again in its place, as long as a person watches it.
import type { Terminal } from "../terminal.ts";

const csi = "\u001B[";

/** A page in its place. */
export interface RedrawnPage {
  /** Draws these lines, if they are others than before. */
  draw(lines: readonly string[]): void;
  /** Leaves the screen as it should stay. */
  end(): void;
}

/** A page on the screen of `out`; no line may be wider than it. */
export function redrawnPage(terminal: Terminal): RedrawnPage {
  let [drawn, last] = [0, ""];
  return {
    draw(lines) {
      const page = lines.map((each) => `${each}${csi}K\n`).join("");
      if (page === last) return;
      // The terminal breaks no line, so that as many are left as were drawn.
      const back = drawn === 0 ? `${csi}?7l` : `${csi}${drawn}A\r`;
      terminal.out(`${back}${page}${csi}J`);
      [drawn, last] = [lines.length, page];
    },
    end() {
      if (drawn > 0) terminal.out(`${csi}?7h`);
    },
  };
}
