// Says why tests were skipped, and ends a run with one plain line, "N passed, N failed[, N skipped]", the form that CI systems read.
// With SKIPS=expected, a skip that nobody expects fails the run; SKIPPED is a reason that holds on this machine.
// FAILED_FILES names a file that gets the paths of the test files that failed, one a line, when nothing else did.
import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { unexpectedSkips } from "./expected-skips.ts";

/** Of the tests in a file whose own preparation has failed; the file counts as a failure itself. */
const notBegun = "what its file prepares has failed";

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped = new Map<string, number>();
    const failedFiles: string[] = [];
    for (const module of modules) {
      if (module.state() === "failed") failedFiles.push(module.moduleId);
      // A module that failed to load has no tests, and would otherwise count as nothing.
      const stopped = module.state() === "failed" && module.errors().length > 0;
      if (stopped) failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") passed += 1;
        else if (result.state === "failed") failed += 1;
        else {
          const note = result.state === "skipped" ? result.note : undefined;
          const reason = stopped
            ? notBegun
            : (/\(skipped: ([^)]*)\)/.exec(test.fullName)?.[1] ?? note ?? "not selected, or no reason given");
          skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
        }
      }
    }
    const { SKIPS: skips, SKIPPED: known } = process.env;
    const reasons = [...skipped.keys()].filter((reason) => reason !== notBegun);
    const unexpected = skips === "expected" ? unexpectedSkips(reasons, known) : [];
    failed += unexpected.length;
    const { FAILED_FILES: list } = process.env;
    if (list !== undefined && unhandledErrors.length === 0 && unexpected.length === 0)
      writeFileSync(list, failedFiles.map((file) => `${file}\n`).join(""));
    // After every other reporter has printed, so that it is the last line.
    process.on("exit", () => {
      for (const [reason, count] of skipped) console.log(`${count} skipped: ${reason}`);
      for (const reason of unexpected) console.log(`not expected to be skipped: ${reason}`);
      if (unexpected.length > 0) process.exitCode = 1;
      const all = [...skipped.values()].reduce((sum, count) => sum + count, 0);
      console.log(`${passed} passed, ${failed} failed${all > 0 ? `, ${all} skipped` : ""}`);
    });
  }
}
