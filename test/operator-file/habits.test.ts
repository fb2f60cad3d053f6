import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkDataFile } from "../../src/cli/check/check-data-file.ts";
import { checkLiterals } from "../../src/cli/check/check-literals.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import type { Problem } from "../../src/ports/problem.ts";
import { habits } from "./habits.ts";

function checked(text: string): readonly Problem[] {
  const { operator, objects, problems } = readOperatorText(text, "f.yaml");
  if (operator !== undefined) checkLiterals(operator, objects);
  return problems;
}

const textOf = (name: string): string => readFileSync(`test/fixtures/written/${name}.yaml`, "utf8");

describe("an operator of about a hundred lines", () => {
  it.each(["valkey", "static-site", "broker"])("is %s, with nothing wrong in it", (name) => {
    expect(textOf(name).split("\n").length).toBeLessThan(130);
    expect(checked(textOf(name))).toEqual([]);
  });

  it.each(habits)("%s is wrong with %s → %s: %s", (name, words, others, finding, remedy) => {
    const right = textOf(name);
    const at = right.indexOf(words);
    expect(at).toBeGreaterThanOrEqual(0);
    const [first] = checked(right.slice(0, at) + others + right.slice(at + words.length));
    expect(`${first?.where?.replace("f.yaml:", "") ?? ""} ${first?.code ?? ""}`).toBe(finding);
    expect(first?.remedy.replace(/ Known are: .*/, "")).toBe(remedy);
  });
});

describe("a file that declares nothing", () => {
  it.each([
    ["", "is empty"],
    ["- a\n", "has no fields"],
    ["apiVersion: v1\nkind: Pod\n", "is an object of Kubernetes (v1, Pod)"],
  ])("is said to be so: %j", (text, what) => {
    const [problem] = checkDataFile(text, "f.yaml").problems;
    expect(problem?.message).toContain(what);
    expect(problem?.where).toBe("f.yaml:1:1");
    expect(problem?.remedy).toContain("operator: <name>");
  });
});
