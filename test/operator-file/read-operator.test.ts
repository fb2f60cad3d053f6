import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { operatorFileSchema } from "../../src/operator-file/form/json-schema.ts";
import { readOperator, readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { everything } from "./everything.ts";
import { wrongEdits } from "./wrong-files.ts";

const file = "examples/redis/operator.yaml";
const right = readFileSync(file, "utf8");

describe("a file that is wrong", () => {
  it.each(wrongEdits)("is refused for $about, once and at its place", ({ words, others, finding }) => {
    const at = right.indexOf(words);
    expect(at).toBeGreaterThanOrEqual(0);
    const text = right.slice(0, at) + others + right.slice(at + words.length);
    const { operator, problems } = readOperatorText(text, "f.yaml");
    expect(operator).toBeUndefined();
    expect(
      problems.map(({ where = "", code, message, remedy }) => {
        expect(remedy).not.toBe("");
        return `${where.replace("f.yaml:", "")} ${code} ${message.replaceAll(resolve("."), "<here>")}`;
      }),
    ).toEqual([finding]);
  });

  it("is refused with everything that is wrong with it", () => {
    const text = right
      .replace("spec.image", "spec.imege")
      .replace("observed.Up: Running", "observed.Up: Runing");
    const { problems } = readOperatorText(text, "f.yaml");
    expect(problems.map(({ code }) => code)).toEqual(["STATE_UNKNOWN"]);
    expect(() => readOperator("examples/redis/missing.yaml")).toThrow("cannot be read");
  });

  it("never makes the reader throw, wherever it is cut or a character is changed", () => {
    fc.assert(
      fc.property(
        fc.nat(right.length),
        fc.constantFrom("", "{", "}", "$", "'", ":", "\n", "- ", "null"),
        (at, other) => {
          const changed = readOperatorText(right.slice(0, at) + other + right.slice(at + 1), "f.yaml");
          const cut = readOperatorText(right.slice(0, at), "f.yaml");
          for (const { problems } of [changed, cut]) {
            for (const { where } of problems) expect(where).toMatch(/^f\.yaml:\d+:\d+$/);
          }
        },
      ),
      { numRuns: 60, examples: [[568, ""]] },
    );
  });

  it.each([
    ["replicas: {", "replicas: { properties: ~,"],
    ["replicas: {", "replicas: { properties: [a],"],
    ["replicas: {", "replicas: { allOf: ~,"],
    ["replicas: {", "replicas: { allOf: [~],"],
    ["replicas: {", "replicas: { enum: ~,"],
    ["replicas: {", "replicas: { not: ~,"],
    ["replicas: {", "replicas: { items: ~,"],
    ["replicas: {", "replicas: { additionalProperties: ~,"],
    ["replicas: {", "replicas: { required: ~,"],
    ["replicas: {", "replicas: { x-kubernetes-validations: ~,"],
    ["replicas: {", "replicas: { x-kubernetes-list-map-keys: a,"],
    ["type: integer", "type: ~"],
    ["type: integer", "type: [integer]"],
    ['pattern: "^[0-9]+(mb|gb)$"', "pattern: 3"],
    ["minimum: 1,", "minimum: ~,"],
  ])("has a schema in which %s is replaced by %s: that is named, and nothing throws", (words, others) => {
    const { problems } = readOperatorText(right.replace(words, others), "f.yaml");
    expect(problems.map(({ code }) => code)).toContain("SCHEMA_INVALID");
  });
});

describe("the JSON Schema of such files", () => {
  const schema = z.fromJSONSchema(operatorFileSchema() as Parameters<typeof z.fromJSONSchema>[0]);

  it.each([file, "examples/memcached/operator.yaml", "examples/kudo-style/operator.yaml"])(
    "accepts %s",
    (each) => {
      expect(schema.safeParse(parse(readFileSync(each, "utf8"), { merge: true })).error).toBeUndefined();
    },
  );

  it("accepts every construct", () => {
    expect(schema.safeParse(parse(everything["operator.yaml"] ?? "")).error).toBeUndefined();
  });

  it.each(wrongEdits.filter(({ finding }) => /OPTION_|DURATION_/.test(finding)))(
    "refuses $about, as the loader does",
    ({ words, others }) => {
      const at = right.indexOf(words);
      const text = right.slice(0, at) + others + right.slice(at + words.length);
      expect(schema.safeParse(parse(text)).success).toBe(false);
    },
  );

  it("accepts one that is right, and refuses fields that it does not have", async () => {
    const { code, out } = await runCommand(["generate", "schema", "--operator-file"]);
    expect(code).toBe(0);
    const schema = z.fromJSONSchema(JSON.parse(out) as Parameters<typeof z.fromJSONSchema>[0]);
    expect(schema.safeParse(parse(right)).success).toBe(true);
    for (const [words, others] of [
      ["kinds:", "kindes:"],
      ["children:", "childern:"],
      ["    tasks:", "    task:"],
    ] as const) {
      expect(schema.safeParse(parse(right.replace(words, others))).success).toBe(false);
    }
  });
});
