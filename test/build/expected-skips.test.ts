import { expect, it } from "vitest";
import { unexpectedSkips } from "../support/expected-skips.ts";

it("a skip fails the run unless it is one of those that are expected, or of this machine", () => {
  const expected = [
    "set SOAK_MINUTES",
    "set CRASH_POINTS=all, it takes ten minutes",
    "only the embedded API server can be told to refuse",
    "KUBEBUILDER_ASSETS is not set",
  ];
  expect(unexpectedSkips(expected)).toEqual([]);
  const browser = "/usr/bin/chromium is not installed";
  const others = ["KUBEBUILDER_ASSETS has no etcd", "not selected, or no reason given", browser];
  expect(unexpectedSkips([...expected, ...others])).toEqual(others);
  expect(unexpectedSkips(others, browser)).toEqual(others.slice(0, 2));
});
