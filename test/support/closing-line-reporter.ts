// Says why tests were skipped, and ends a run with one plain line, "N passed, N failed[, N skipped]", the form that CI systems read.
// With SKIPS=expected, a skip that nobody expects fails the run; SKIPPED is a reason that holds on this machine.
import type { Reporter, TestModule } from "vitest/node";
import { unexpectedSkips } from "./expected-skips.ts";

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped = new Map<string, number>();
    for (const module of modules) {
      // A module that failed to load has no tests, and would otherwise count as nothing.
      if (module.state() === "failed" && module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") passed += 1;
        else if (result.state === "failed") failed += 1;
        else {
          const note = result.state === "skipped" ? result.note : undefined;
          const reason =
            /\(skipped: ([^)]*)\)/.exec(test.fullName)?.[1] ?? note ?? "not selected, or no reason given";
          skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
        }
      }
    }
    const { SKIPS: skips, SKIPPED: known } = process.env;
    const unexpected = skips === "expected" ? unexpectedSkips(skipped.keys(), known) : [];
    failed += unexpected.length;
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
