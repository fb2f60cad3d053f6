import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkLiterals } from "../../src/cli/check/check-literals.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { readPlacedText } from "../../src/machine-file/placed-text.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import type { Problem } from "../../src/ports/problem.ts";
import { everything } from "./everything.ts";
import { wrongMeanings, wrongObjects } from "./wrong-meanings.ts";

const right = readFileSync("examples/redis/operator.yaml", "utf8");
const files = [
  "examples/redis/operator.yaml",
  "examples/memcached/operator.yaml",
  "examples/kudo-style/operator.yaml",
  "test/fixtures/message-queue/operator.yaml",
];

function edited({ words, others }: { readonly words: string; readonly others: string }): string {
  const at = right.indexOf(words);
  expect(at).toBeGreaterThanOrEqual(0);
  return right.slice(0, at) + others + right.slice(at + words.length);
}

function checked(text: string, file: string): readonly Problem[] {
  const { operator, objects, problems } = readOperatorText(text, file);
  if (operator !== undefined) checkLiterals(operator, objects);
  return problems;
}

function shown(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ where = "", code, message, remedy }) => {
    expect(remedy).not.toBe("");
    return `${where.replace("f.yaml:", "")} ${code} ${message}`;
  });
}

/** What nobody should read who writes YAML. */
const words =
  /\b(?:define(?:Kind|Controller|Operator)|setupLifecycle|createMachine|z\.\w+\(|application\.\w|undefined(?! field)|\[object |Cannot read prop|is not a function|Maximum call stack)|=>/;

describe("a file whose form is right", () => {
  it.each(wrongMeanings)("is refused for $about", (edit) => {
    const { operator, problems } = readOperatorText(edited(edit), "f.yaml");
    expect(shown(problems)).toEqual([edit.finding]);
    expect(operator).toBeUndefined();
  });

  it.each(wrongObjects)("is refused by check for $about, which the API server would refuse", (edit) => {
    expect(shown(readOperatorText(edited(edit), "f.yaml").problems)).toEqual([]);
    expect(shown(checked(edited(edit), "f.yaml"))).toEqual([edit.finding]);
  });

  it.each(files)("has nothing wrong with it in %s", (file) => {
    expect(checked(readFileSync(file, "utf8"), file)).toEqual([]);
  });

  it("may have two children of one name in states that are never active together, or under different conditions", () => {
    const child = (more: string): string =>
      `      - { ${more}, manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: a } } }\n`;
    for (const pair of [
      child("in: Running") + child("in: [Stopped, Saving]"),
      child('when: "${ spec.replicas > 1 }"') + child('when: "${ spec.replicas == 1 }"'),
    ]) {
      expect(checked(right.replace("    children:\n", `    children:\n${pair}`), "f.yaml")).toEqual([]);
    }
  });

  it("has its rules beside those that are written into the schema", () => {
    const text = right
      .replace("    lifecycle:\n", '    validations: [{ rule: "self.replicas < 9" }]\n    lifecycle:\n')
      .replace("    spec:\n", '    spec:\n      x-kubernetes-validations: [{ rule: "self.replicas > 0" }]\n');
    const { operator, problems } = readOperatorText(text, "f.yaml");
    expect(problems).toEqual([]);
    const [controller] = operator?.controllers ?? [];
    const definition = controller === undefined ? undefined : crdOf(controller.kind);
    const schema = definition?.spec.versions[0]?.schema?.openAPIV3Schema;
    expect(schema?.properties?.["spec"]?.["x-kubernetes-validations"]).toEqual([
      { rule: "self.replicas < 9" },
      { rule: "self.replicas > 0" },
    ]);
  });

  it("may leave objects in other namespaces that it does not own, and those of a resource in none must say where", () => {
    const child =
      "      - { ownerReference: false, manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: b } } }\n";
    expect(checked(right.replace("    children:\n", `    children:\n${child}`), "f.yaml")).toEqual([]);
    const inNone = readOperatorText(right.replace("    shortNames: [rd]", "    scope: Cluster"), "f.yaml");
    expect(inNone.problems.map(({ code, where }) => `${code} ${where ?? ""}`)).toEqual([
      "NAMESPACE_MISSING f.yaml:44:11",
      "NAMESPACE_MISSING f.yaml:53:11",
      "NAMESPACE_MISSING f.yaml:60:11",
      "NAMESPACE_MISSING f.yaml:72:20",
    ]);
  });
});

describe("a text that is no file of an operator", () => {
  it.each([
    ["nothing", "", "1:1 OPTION_MISSING the file is empty, but must be an object with fields"],
    ["comments alone", "# soon\n", "1:1 OPTION_MISSING the file is empty, but must be an object with fields"],
    ["a list", "- a\n", "1:1 OPTION_MISSING the file is a list, but must be an object with fields"],
    [
      "UTF-16",
      Buffer.from(`\uFEFF${right}`, "utf16le").toString("utf8"),
      "1:1 TEXT_INVALID this is no text in UTF-8: it seems to be UTF-16",
    ],
    [
      "Latin-1",
      Buffer.from("operator: für\n", "latin1").toString("utf8"),
      "1:12 TEXT_INVALID a character here is not written in UTF-8",
    ],
    [
      "an anchor inside of itself",
      right.replace("properties:\n        replicas", "properties: &p\n        a: *p\n        replicas"),
      "11:12 TEXT_INVALID *p stands inside of what it stands for, so that there would be no end of it",
    ],
    [
      "an alias of nothing",
      right.replace("shortNames: [rd]", "shortNames: *names"),
      "8:17 TEXT_INVALID *names stands for nothing before it",
    ],
    [
      "a merge of a text",
      right.replace("shortNames: [rd]", "<<: rd"),
      "8:5 TEXT_INVALID only an object can be merged by <<, or a list of them",
    ],
  ])("is named as %s", (_, text, finding) => {
    expect(shown(readOperatorText(text, "f.yaml").problems)).toEqual([finding]);
  });

  it("may begin with a mark of its encoding", () => {
    expect(readOperatorText(`\uFEFF${right}`, "f.yaml").problems).toEqual([]);
  });

  it("is wrong where an anchor is, if what is merged is", () => {
    const text = right
      .replace(
        "    shortNames: [rd]\n",
        "    shortNames: [rd]\n    read: &names { no: { get: { kindd: Pod } } }\n",
      )
      .replace("    observe:\n", "    observe:\n      read: *names\n")
      .replace(/ {6}read:\n {8}servers.*\n/, "");
    const places = readOperatorText(text, "f.yaml").problems.map(({ where }) => where);
    expect(new Set(places)).toEqual(new Set(["f.yaml:9:26", "f.yaml:9:33"]));
  });
});

describe("any value in place of another", () => {
  const values = [
    "null",
    "[]",
    "{}",
    "3",
    "true",
    '""',
    '"${ x }"',
    '"${ spec }"',
    '"${ 1 + }"',
    "[null]",
    "{ a: { b: c } }",
    '"A.b/c"',
    "*a",
    '"$${"',
    "1e400",
    "2020-01-01",
    '"__proto__"',
    "!!binary aGk=",
    "? a",
    "'${ event }'",
  ];
  it.each([...files, "everything"])(
    "of %s leads to findings with their places, and to nothing else",
    (file) => {
      const text = file === "everything" ? (everything["operator.yaml"] ?? "") : readFileSync(file, "utf8");
      const ranges = [...readPlacedText(text, "f.yaml").ranges.values()];
      fc.assert(
        fc.property(fc.nat(ranges.length - 1), fc.constantFrom(...values), (index, value) => {
          const [start, end] = ranges[index] ?? [0, 0];
          const other = text.slice(0, start) + value + text.slice(end);
          const lines = other.split("\n");
          for (const { where = "", message, remedy } of checked(other, "f.yaml")) {
            const [, name, line = "", column = ""] = /^(.*?):(\d+):(\d+)$/.exec(where) ?? [];
            expect(name, message).toMatch(/(?:f|second|manifests|lifecycle)\.yaml$/);
            if (name !== "f.yaml") continue;
            expect(Number(line)).toBeLessThanOrEqual(lines.length);
            expect(Number(column)).toBeLessThanOrEqual((lines[Number(line) - 1] ?? "").length + 1);
            expect(`${message} ${remedy}`).not.toMatch(words);
          }
        }),
        { numRuns: 40 },
      );
    },
  );
});
