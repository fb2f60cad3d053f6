// The results of a run as programs read them: JUnit's XML, and the same as JSON. Pure.
import type { CaseResult, StepResult } from "../running/run-case.ts";
import { describeFinding } from "./describe-result.ts";

/** What has a test of its own: the steps of each case, or the cases. */
export type ReportGranularity = "step" | "test";

interface ReportedTest {
  readonly classname: string;
  readonly name: string;
  /** Seconds. */
  readonly time: number;
  readonly failure?: { readonly message: string; readonly text: string };
}

interface ReportedSuite {
  readonly name: string;
  readonly tests: number;
  readonly failures: number;
  readonly time: number;
  readonly testcase: readonly ReportedTest[];
  /** The log of a case that failed. */
  readonly "system-out"?: string;
}

/** A report. */
export interface Report {
  readonly name: string;
  readonly tests: number;
  readonly failures: number;
  readonly time: number;
  readonly testsuite: readonly ReportedSuite[];
}

/** The report of a run. */
export function reportOf(
  name: string,
  results: readonly CaseResult[],
  granularity: ReportGranularity,
): Report {
  const suites = results.map((result) => suiteOf(name, result, granularity));
  const sum = (pick: (suite: ReportedSuite) => number): number =>
    suites.reduce((all, suite) => all + pick(suite), 0);
  return {
    name,
    tests: sum(({ tests }) => tests),
    failures: sum(({ failures }) => failures),
    time: rounded(sum(({ time }) => time)),
    testsuite: suites,
  };
}

function suiteOf(root: string, result: CaseResult, granularity: ReportGranularity): ReportedSuite {
  const { testCase, steps, milliseconds, outcome, log } = result;
  const classname = `${root}.${testCase.name}`;
  const findingsOf = ({ title, findings }: StepResult): string =>
    findings.map((finding) => [`step ${title}`, ...describeFinding(finding)].join("\n")).join("\n");
  const failureOf = (failed: readonly StepResult[]): Pick<ReportedTest, "failure"> => {
    const [first] = failed;
    if (first === undefined) return {};
    const message = `step ${first.title}: ${first.findings[0]?.title ?? "failed"}`;
    return { failure: { message, text: failed.map(findingsOf).join("\n") } };
  };
  const hasFailed = ({ findings }: StepResult): boolean => findings.length > 0;
  const interrupted: readonly ReportedTest[] =
    outcome === "interrupted"
      ? [
          {
            classname,
            name: "interrupted",
            time: 0,
            failure: { message: "interrupted", text: "ended before it was done" },
          },
        ]
      : [];
  const whole = {
    classname,
    name: testCase.name,
    time: seconds(milliseconds),
    ...failureOf(steps.filter(hasFailed)),
  };
  const each = steps.map((step) => ({
    classname,
    name: `step ${step.title}`,
    time: seconds(step.milliseconds),
    ...failureOf(hasFailed(step) ? [step] : []),
  }));
  const testcase = [...(granularity === "test" ? [whole] : each), ...interrupted];
  const failures = testcase.filter(({ failure }) => failure !== undefined).length;
  return {
    name: classname,
    tests: testcase.length,
    failures,
    time: seconds(milliseconds),
    testcase,
    ...(failures === 0 ? {} : { "system-out": log.join("\n") }),
  };
}

function seconds(milliseconds: number): number {
  return rounded(milliseconds / 1_000);
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** The report in the format that JUnit has and CI systems read. */
export function formatJunit(report: Report): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: report.name, tests: report.tests, failures: report.failures, time: report.time })}>`,
  ];
  for (const { name, tests, failures, time, testcase, "system-out": log } of report.testsuite) {
    lines.push(`  <testsuite${attributes({ name, tests, failures, time })}>`);
    for (const { failure, ...test } of testcase) {
      if (failure === undefined) {
        lines.push(`    <testcase${attributes(test)}/>`);
        continue;
      }
      lines.push(
        `    <testcase${attributes(test)}>`,
        `      <failure${attributes({ message: failure.message, type: "failure" })}>${escaped(failure.text)}</failure>`,
        "    </testcase>",
      );
    }
    if (log !== undefined) lines.push(`    <system-out>${escaped(log)}</system-out>`);
    lines.push("  </testsuite>");
  }
  return `${[...lines, "</testsuites>"].join("\n")}\n`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

/** XML has no place for most control characters, not even escaped ones. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
