import { describe, expect, it } from "vitest";
import { formatJunit, reportOf } from "../../src/kuttl/report/junit.ts";
import type { CaseResult } from "../../src/kuttl/running/run-case.ts";

const testCase = (name: string): CaseResult["testCase"] => ({
  name,
  folder: `/${name}`,
  namespace: "ns",
  steps: [],
  warnings: [],
});
const finding = {
  title: 'ConfigMap a<b is "not"',
  where: "00-assert.yaml:1",
  details: ["- x: 1", "+ x: \u0007"],
};
const results: readonly CaseResult[] = [
  {
    testCase: testCase("good"),
    milliseconds: 1_500,
    outcome: "passed",
    log: ["quiet"],
    steps: [{ title: "0-install", milliseconds: 1_200, findings: [] }],
  },
  {
    testCase: testCase("bad"),
    milliseconds: 30,
    outcome: "failed",
    log: ["said & done"],
    steps: [
      { title: "0-install", milliseconds: 10, findings: [] },
      { title: "1-scale", milliseconds: 20, findings: [finding] },
    ],
  },
];

describe("a report", () => {
  it("has a test for each step, with what failed and the log of the case", () => {
    expect(formatJunit(reportOf("kuttl-test", results, "step"))).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kuttl-test" tests="3" failures="1" time="1.53">
  <testsuite name="kuttl-test.good" tests="1" failures="0" time="1.5">
    <testcase classname="kuttl-test.good" name="step 0-install" time="1.2"/>
  </testsuite>
  <testsuite name="kuttl-test.bad" tests="2" failures="1" time="0.03">
    <testcase classname="kuttl-test.bad" name="step 0-install" time="0.01"/>
    <testcase classname="kuttl-test.bad" name="step 1-scale" time="0.02">
      <failure message="step 1-scale: ConfigMap a&lt;b is &quot;not&quot;" type="failure">step 1-scale
ConfigMap a&lt;b is &quot;not&quot;
  at 00-assert.yaml:1
  - x: 1
  + x: \uFFFD</failure>
    </testcase>
    <system-out>said &amp; done</system-out>
  </testsuite>
</testsuites>
`);
  });

  it("has a test for each case where that is asked for", () => {
    const { tests, failures, testsuite } = reportOf("all", results, "test");
    expect({ tests, failures }).toEqual({ tests: 2, failures: 1 });
    expect(testsuite.map(({ testcase }) => testcase.map(({ name }) => name))).toEqual([["good"], ["bad"]]);
  });

  it("counts a case that was interrupted as one that failed", () => {
    const [good] = results;
    const report = reportOf("all", [{ ...good!, outcome: "interrupted", steps: [] }], "step");
    expect(report).toMatchObject({ tests: 1, failures: 1 });
  });
});
