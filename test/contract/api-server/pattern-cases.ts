// What every API server makes of patterns: RE2's syntax and meaning, in schemas and in CEL, in a time that does not explode.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Body, RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const texts = "/apis/patterns.example.com/v1/namespaces/default/texts";

/** A pattern, a text that it is found in, and one that it is not found in. */
const patterns: readonly (readonly [pattern: string, found: string, other: string])[] = [
  ["(?i)^abc$", "ABC", "ABD"],
  ["^(?i:a)b$", "Ab", "AB"],
  ["^[[:alpha:]]+$", "abc", "a1"],
  ["^[[:^digit:]]+$", "abc", "a1"],
  ["^\\pL+$", "é", "1"],
  ["^\\p{Greek}+$", "αβγ", "abc"],
  ["^(?P<first>a)b$", "ab", "b"],
  ["\\Aab\\z", "ab", "xab"],
  ["^a$", "a", "a\n"],
  ["(?m)^b$", "a\nb", "a\nbc"],
  ["^(?s:.)$", "\n", ""],
  ["^.$", "😀", "ab"],
  ["^\\x{1F600}$", "😀", "x"],
  ["^\\Qa.b\\E$", "a.b", "axb"],
  ["^a{2,3}$", "aaa", "a"],
  ["^(a+)+$", "aaa", `${"a".repeat(4_000)}b`],
  ["^(a|a|aa)*c$", "aac", "a".repeat(4_000)],
];

const notPatterns = [
  "(?=a)",
  "(?!a)",
  "(?<=a)b",
  "(?<!a)b",
  "(a)\\1",
  "a**",
  "[z-a]",
  "(a",
  "a)",
  "a{1001}",
  "[[:nope:]]",
  "\\p{Nope}",
];

function definitionOf(plural: string, properties: Body): Body {
  const kind = plural.replace(/^./, (first) => first.toUpperCase());
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.patterns.example.com` },
    spec: {
      group: "patterns.example.com",
      scope: "Namespaced",
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

/** Declares the cases. */
export function declarePatternCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const statusOf = async (spec: Body): Promise<number> => {
    const body = { apiVersion: "patterns.example.com/v1", kind: "Texts", metadata: { name: "t" }, spec };
    return (await send("POST", `${texts}?dryRun=All`, body)).status;
  };

  beforeAll(async () => {
    const fields = patterns.flatMap(([pattern], index) => [
      [`p${index}`, { type: "string", pattern }],
      [
        `c${index}`,
        {
          type: "string",
          maxLength: 5_000,
          "x-kubernetes-validations": [{ rule: `self.matches(${JSON.stringify(pattern)})` }],
        },
      ],
    ]);
    const created = await send(
      "POST",
      definitions,
      definitionOf("texts", Object.fromEntries(fields) as Body),
    );
    expect(created.body).toMatchObject({ kind: "CustomResourceDefinition" });
    await eventually(async () => expect((await send("GET", texts)).status).toBe(200));
  });
  afterAll(async () => {
    await send("DELETE", `${definitions}/texts.patterns.example.com`);
  });

  it.each(patterns.map((each, index) => [...each, index] as const))(
    "finds %j where RE2 does, in a schema and in CEL",
    async (_, found, other, index) => {
      expect(await statusOf({ [`p${index}`]: found, [`c${index}`]: found })).toBe(201);
      expect(await statusOf({ [`p${index}`]: other })).toBe(422);
      expect(await statusOf({ [`c${index}`]: other })).toBe(422);
    },
  );

  it.each(notPatterns)("refuses %j as a pattern", async (pattern) => {
    const definition = definitionOf("refuseds", { text: { type: "string", pattern } });
    const { body } = await send("POST", `${definitions}?dryRun=All`, definition);
    expect(body).toMatchObject({ code: 422, reason: "Invalid" });
    expect(String(body["message"])).toContain(
      "must be a valid regular expression, but isn't: error parsing regexp: ",
    );
  });
}
