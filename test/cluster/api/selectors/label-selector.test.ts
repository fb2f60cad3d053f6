import { describe, expect, it } from "vitest";
import {
  formatLabelSelector,
  fromLabelSelector,
  matchesLabels,
} from "../../../../src/cluster/api/selectors/label-selector.ts";
import { parseLabelSelector } from "../../../../src/cluster/api/selectors/parse-label-selector.ts";
import { refusalOf } from "../support/test-api.ts";

const matches = (text: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(text), labels);

describe("label selector", () => {
  it.each([
    ["a=1", { a: "1" }, true],
    ["a==1", { a: "2" }, false],
    ["a=", { a: "" }, true],
    ["a!=1", {}, true],
    ["a!=1", { a: "1" }, false],
    ["a", { a: "x" }, true],
    ["a", {}, false],
    ["!a", {}, true],
    ["!a", { a: "x" }, false],
    ["a in (1,2)", { a: "2" }, true],
    ["a in (1, 2)", { a: "3" }, false],
    ["a notin (1)", {}, true],
    ["a notin (1)", { a: "1" }, false],
    ["example.com/a=1,b", { "example.com/a": "1", b: "" }, true],
    ["example.com/a=1,b", { "example.com/a": "1" }, false],
    ["a>3", { a: "4" }, true],
    ["a<3", { a: "4" }, false],
    ["", { a: "1" }, true],
    ["a in (,x)", { a: "" }, true],
    ["a in (x,)", { a: "" }, true],
    ["toString", {}, false],
    ["!constructor", {}, true],
    ["valueOf=1", { valueOf: "1" }, true],
  ])("%j against %j is %s", (text, labels, expected) => {
    expect(matches(text, labels as Record<string, string>)).toBe(expected);
  });

  it.each([
    ["==", "found '==', expected: !, identifier, or 'end of string'"],
    ["a=1 b", "found 'b', expected: ',' or 'end of string'"],
    ["a in 1", "unable to parse requirement: found '1' expected: '('"],
    ["a===b", "unable to parse requirement: found '=', expected: identifier"],
    ["a,,b", "found ',', expected: identifier after ','"],
    ["!!", "unable to parse requirement: found '!', expected: identifier"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a,", "found '', expected: identifier after ','"],
  ])("refuses %j with 400", (text, message) => {
    expect(refusalOf(() => parseLabelSelector(text))).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message,
    });
  });

  it.each([
    ["a>x", "values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"],
    ["a=_-", 'values[0][a]: Invalid value: "_-": a valid label must be'],
    ["-a", '<nil>: Invalid value: "-a": name part must consist of'],
  ])("refuses %j, which no label can meet", (text, message) => {
    expect(refusalOf(() => parseLabelSelector(text)).message).toContain(message);
  });

  it("reads the structured form and prints it as text", () => {
    const selector = {
      matchLabels: { a: "1" },
      matchExpressions: [
        { key: "b", operator: "In", values: ["x", "y"] },
        { key: "c", operator: "DoesNotExist" },
        { key: "d", operator: "Exists" },
      ],
    };
    expect(formatLabelSelector(selector)).toBe("a=1,b in (x,y),!c,d");
    expect(matchesLabels(fromLabelSelector(selector), { a: "1", b: "y", d: "" })).toBe(true);
    expect(matchesLabels(fromLabelSelector(selector), { a: "1", b: "y", d: "", c: "" })).toBe(false);
  });
});
