// The guide lists every Kubernetes Event that a lifecycle publishes.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it("names every Event of a lifecycle in its guide", () => {
  const reasons = [
    "src/lifecycle/reporting/pending-events.ts",
    "src/lifecycle/blocked-plan.ts",
    "src/controller/application/application-hooks.ts",
  ]
    .flatMap((path) => read(path).split("\n"))
    .filter((line) => line.includes("reason"))
    .flatMap((line) => [...line.matchAll(/"([A-Z][a-z]+[A-Z]\w+)"/g)].map(([, name = ""]) => name));
  expect(reasons).toEqual(expect.arrayContaining(["HumanEventRefused", "LifecycleBlocked", "ActionFailed"]));
  const guide = read("docs/guides/lifecycle.md");
  expect([...new Set(reasons)].filter((reason) => !guide.includes(`\`${reason}\``))).toEqual([]);
});
