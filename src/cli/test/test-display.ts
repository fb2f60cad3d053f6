// What a run of tests looks like: on a terminal one line that changes with what is under way, and a line for each case that has ended;
// below one that has failed, why.
import { Ansis } from "ansis";
import type { TestCase } from "../../kuttl/files/read-case.ts";
import { describeFinding } from "../../kuttl/report/describe-result.ts";
import type { CaseResult } from "../../kuttl/running/run-case.ts";
import type { Terminal } from "../terminal.ts";
import { columnsOf, wrapLine } from "../wrap-line.ts";

/** Shows a run. */
export interface TestDisplay {
  readonly warn: (text: string) => void;
  readonly begin: (testCase: TestCase) => void;
  readonly step: (testCase: TestCase, step: string) => void;
  /** A line of a case's log. */
  readonly log: (testCase: TestCase, line: string) => void;
  /** A line of the suite's log. */
  readonly say: (line: string) => void;
  readonly end: (result: CaseResult) => void;
  /** Takes the changing line away. */
  readonly clear: () => void;
  /** What came of all; the operator's last warnings, where a case has failed. */
  readonly summary: (results: readonly CaseResult[], operator: readonly string[]) => void;
}

/** Lines of a failed case's log that are shown, the last ones. */
const mostLines = 40;

/** Makes one. */
export function createTestDisplay(
  terminal: Terminal,
  { cases, verbose }: { readonly cases: number; readonly verbose: boolean },
): TestDisplay {
  const paint = new Ansis(terminal.outColor ? 1 : 0);
  const faint = new Ansis(terminal.color ? 1 : 0);
  const underWay = new Map<TestCase, string>();
  let [ended, failed] = [0, 0];
  let isShown = false;
  const clear = (): void => {
    if (isShown) terminal.err("\r\u001B[2K");
    isShown = false;
  };
  const show = (): void => {
    const screen = terminal.screen();
    if (!terminal.interactive || screen === undefined || underWay.size === 0) return;
    const counts = `${ended}/${cases}${failed === 0 ? "" : `, ${failed} failed`}`;
    const what = [...underWay].map(([{ name }, step]) => `${name}: ${step}`).join(", ");
    terminal.err(`\r\u001B[2K${faint.dim(fitted(`${counts} · ${what}`, screen.columns - 1))}`);
    isShown = true;
  };
  const print = (line: string, indent = 4): void => {
    const columns = terminal.screen()?.columns;
    const lines = columns === undefined ? [line] : wrapLine(line, columns, indent);
    for (const each of lines) terminal.out(`${each}\n`);
  };
  /** A line that is printed while the changing one is there. */
  const between = (text: string): void => {
    clear();
    print(text);
    show();
  };
  const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
  const explain = ({ steps, log }: CaseResult): void => {
    for (const { title, findings } of steps) {
      if (findings.length === 0) continue;
      print(`  ${title}`);
      for (const finding of findings) {
        const [what = "", ...more] = describeFinding(finding);
        print(`    ${paint.red(what)}`, 6);
        for (const line of more) print(`    ${painted(line)}`, 8);
      }
    }
    if (verbose) return;
    const last = log.slice(-mostLines);
    if (last.length > 0)
      print(paint.dim(last.length < log.length ? `  log (its last ${mostLines} lines):` : "  log:"));
    for (const line of last) print(paint.dim(`    ${line}`), 6);
  };
  const painted = (line: string): string => {
    if (line.startsWith("  - ")) return paint.green(line);
    return line.startsWith("  + ") ? paint.yellow(line) : line;
  };
  return {
    warn: (text) => terminal.err(`warning: ${text}\n`),
    begin(testCase) {
      underWay.set(testCase, "begins");
      show();
    },
    step(testCase, step) {
      underWay.set(testCase, step);
      show();
    },
    log({ name }, line) {
      if (verbose) between(paint.dim(`${name} | ${line}`));
    },
    say(line) {
      if (verbose) between(paint.dim(`suite | ${line}`));
    },
    end(result) {
      const { testCase, milliseconds, outcome } = result;
      underWay.delete(testCase);
      ended += 1;
      clear();
      const time = paint.dim(`(${seconds(milliseconds)})`);
      if (outcome === "passed") print(`${paint.green("✓")} ${testCase.name} ${time}`);
      else if (outcome === "interrupted") print(`${paint.yellow("-")} ${testCase.name} interrupted ${time}`);
      else {
        failed += 1;
        print(`${paint.red("✗")} ${paint.bold(testCase.name)} ${time}`);
        explain(result);
      }
      show();
    },
    clear,
    summary(results, operator) {
      const count = (outcome: CaseResult["outcome"]): number =>
        results.filter((each) => each.outcome === outcome).length;
      if (count("failed") > 0 && operator.length > 0) {
        print(paint.dim("the operator's last warnings and errors:"));
        for (const line of operator) print(paint.dim(`  ${line}`));
      }
      const parts = [`${count("passed")} passed`, `${count("failed")} failed`];
      const left = cases - count("passed") - count("failed");
      if (left > 0) parts.push(`${left} not ended`);
      print(`${cases} test ${cases === 1 ? "case" : "cases"}: ${parts.join(", ")}`);
    },
  };
}

/** The text, cut to so many columns. */
function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let cut = text.slice(0, columns);
  while (columnsOf(cut) > columns - 1) cut = cut.slice(0, -1);
  return `${cut}…`;
}
