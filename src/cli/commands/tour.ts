// `tour`: starts the guided tour of the database example, which comes with the sources.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Command } from "commander";
import { examplesText } from "../examples-text.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { ExitCode } from "../exit-code.ts";
import { readPackage } from "../package-info.ts";
import type { Terminal } from "../terminal.ts";
import { wrapLine } from "../wrap-line.ts";

/** What the example's `main.ts` offers. */
interface TourModule {
  readonly runTour: (options: {
    readonly exit: boolean;
    readonly color: boolean;
    readonly columns?: number;
    readonly output: { write(text: string): void };
    readonly signal: AbortSignal;
  }) => Promise<number>;
}

/** The command `tour`; its exit code is the tour's. */
export function tourCommand(terminal: Terminal): Command {
  return new Command("tour")
    .description("Show an operator taking a real database through its whole lifecycle.")
    .option("--exit", "exit after the tour instead of keeping the cluster up")
    .addHelpText("after", examplesText("tour --exit"))
    .action(async ({ exit }: { exit?: boolean }) => {
      const { runTour } = await loadTour();
      const columns = terminal.screen()?.columns;
      const code = await runTour({
        exit: exit === true || !terminal.interactive,
        color: terminal.outColor,
        ...(columns === undefined ? {} : { columns }),
        output: {
          write: columns === undefined ? terminal.out : (text) => terminal.out(fitTour(text, columns)),
        },
        signal: terminal.stopSignal(),
      });
      if (code !== 0) throw new ExitCode(code);
    });
}

/** What the lines of the tour go on with: as far in as their text is. */
const indent = 10;

/** A command to be copied. */
const command = /^ {2}(?:export|kubectl) /;

/** Lines of the tour, broken where the terminal is narrower; but for commands, which the terminal breaks without a line break in them. */
export function fitTour(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((line) => (command.test(line) ? [line] : wrapLine(line, columns, indent)))
    .join("\n");
}

async function loadTour(): Promise<TourModule> {
  const main = join(readPackage().root, "examples", "database", "src", "tour", "main.ts");
  if (!existsSync(main)) {
    throw new OperatorError("TOUR_MISSING", `the tour is not part of this installation (no ${main})`, {
      remedy: "Clone the repository and run `npm ci && npm start` in it.",
    });
  }
  return (await import(pathToFileURL(main).href)) as TourModule;
}
