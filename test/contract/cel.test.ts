// The expressions of rules: which are refused, what they come to, and what they may cost, as each API server has it.
// api-server/cel.jsonl holds a rule a line with what becomes of it, api-server/cel-costs.jsonl a schema with the factors by which
// its rules are too expensive, api-server/cel-blame.jsonl one with what is found wrong with it, in order. "otherwise": the servers agree that it is refused or fails, and say so in other words.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, type Body, type RawAnswer, type RawClient } from "./api-server/raw-request.ts";

interface RuleCase {
  readonly rule: string;
  readonly holds?: true;
  readonly breaks?: true;
  readonly fails?: string;
  readonly refused?: string;
}
interface CostCase {
  readonly schema: Body;
  readonly factor: string;
}
interface BlameCase {
  readonly schema: Body;
  /** From the place of the schema. */
  readonly blamed: readonly string[];
}
const linesOf = (name: string): unknown[] =>
  readFileSync(new URL(`api-server/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
const ruleCases = linesOf("cel.jsonl") as RuleCase[];
const costCases = linesOf("cel-costs.jsonl") as CostCase[];
const blameCases = linesOf("cel-blame.jsonl") as BlameCase[];

const text = { type: "string", maxLength: 20 };
const integer = { type: "integer" };
const properties = {
  name: text,
  absent: text,
  size: integer,
  ratio: { type: "number" },
  on: { type: "boolean" },
  tags: { type: "array", maxItems: 5, items: text },
  sizes: { type: "array", maxItems: 5, items: integer },
  labels: { type: "object", maxProperties: 5, additionalProperties: text },
  parts: {
    type: "array",
    maxItems: 5,
    items: { type: "object", properties: { name: text, port: integer } },
  },
  date: { type: "string", format: "date-time" },
  wait: { type: "string", format: "duration" },
  raw: { type: "string", format: "byte", maxLength: 20 },
  port: { "x-kubernetes-int-or-string": true, maxLength: 20 },
  in: integer,
  type: integer,
  namespace: text,
  nested: { type: "object", properties: { a: text, b: integer } },
};
const spec = {
  name: "abc",
  size: 3,
  ratio: 1.5,
  on: true,
  tags: ["a", "b", "c"],
  sizes: [3, 1, 2],
  labels: { a: "1", b: "2" },
  parts: [{ name: "p", port: 80 }, { name: "q" }],
  date: "2024-01-02T03:04:05Z",
  wait: "90s",
  raw: "aGk=",
  port: "http",
  in: 1,
  type: 1,
  namespace: "n",
  nested: { a: "x" },
};
const ruled = (rules: readonly string[]): Body => ({
  type: "object",
  properties,
  "x-kubernetes-validations": rules.map((rule, index) => ({ rule, message: `#${index}` })),
});
const kindOf = (plural: string): string => `${plural[0]?.toUpperCase()}${plural.slice(1)}`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const definition = (plural: string, schema: Body): Body => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.cel.example.com` },
  spec: {
    group: "cel.example.com",
    scope: "Cluster",
    names: { plural, kind: kindOf(plural) },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
      },
    ],
  },
});

describeOnEachApiServer(
  "CEL",
  (server) => {
    let client: RawClient;
    beforeAll(() => {
      client = createRawClient(server());
    });
    afterAll(() => client.close());

    const ask = (schema: Body): Promise<RawAnswer> =>
      client.send("POST", `${definitions}?dryRun=All`, definition("rules", schema));

    it.each(ruleCases.filter(({ refused }) => refused !== undefined))("refuses $rule", async (each) => {
      const answer = await ask(ruled([each.rule]));
      expect(answer.status).toBe(422);
      if (each.refused !== "otherwise") expect(firstComplaint(answer)).toBe(each.refused);
    });

    it.each(chunks(ruleCases.filter(({ refused }) => refused === undefined)))(
      "evaluates rules, part %#",
      async (number, cases) => {
        const plural = `part${number}`;
        const made = await client.send(
          "POST",
          definitions,
          definition(plural, ruled(cases.map(({ rule }) => rule))),
        );
        expect([made.status, made.body["message"]]).toEqual([201, undefined]);
        const object = {
          apiVersion: "cel.example.com/v1",
          kind: kindOf(plural),
          metadata: { name: "a" },
          spec,
        };
        const answer = await eventually(async () => {
          const created = await client.send("POST", `/apis/cel.example.com/v1/${plural}`, object);
          expect(created.status).not.toBe(404);
          return created;
        });
        const outcomes = cases.map(({ rule, fails }, index) => outcomeOf(answer, { rule, fails, index }));
        expect(outcomes).toEqual(cases);
      },
    );

    it("gives up on a rule that becomes too expensive on a value", async () => {
      const plural = "squares";
      const rule = "self.numbers.all(x, self.numbers.all(y, x > y || x <= y))";
      const numbers = { type: "array", maxItems: 800, items: integer };
      const schema = {
        type: "object",
        properties: { numbers },
        "x-kubernetes-validations": [{ rule, message: "#0" }],
      };
      expect((await client.send("POST", definitions, definition(plural, schema))).status).toBe(201);
      const create = (name: string, count: number): Promise<RawAnswer> =>
        client.send("POST", `/apis/cel.example.com/v1/${plural}`, {
          apiVersion: "cel.example.com/v1",
          kind: kindOf(plural),
          metadata: { name },
          spec: { numbers: Array.from({ length: count }, (_, index) => index) },
        });
      await eventually(async () => expect((await create("small", 100)).status).toBe(201));
      const large = await create("large", 700);
      expect([large.status, ...causesOf(large.body)]).toEqual([
        422,
        `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: #0`,
      ]);
    });

    it.each(costCases)("reckons the cost of $schema", async ({ schema, factor }) => {
      const { status, body } = await ask(schema);
      const factors = causesOf(body).flatMap(
        (cause) => /factor of ((?:more than )?\S+)/.exec(cause)?.[1] ?? [],
      );
      expect(status === 201 ? "accepted" : factors.join(", ")).toBe(factor);
    });

    it.each(blameCases)("blames what is wrong in $schema", async ({ schema, blamed }) => {
      const { body } = await ask(schema);
      const { causes = [] } = (body["details"] ?? {}) as { causes?: readonly { readonly field: string }[] };
      const root = "spec.validation.openAPIV3Schema";
      const fields = causes.map(({ field }) =>
        field === root ? "schema" : field.replace(`${root}.properties[spec].`, ""),
      );
      expect(fields).toEqual(blamed);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" }, long: true },
);

/** The cases by twenties, each with its number. */
function chunks(cases: readonly RuleCase[]): (readonly [number, readonly RuleCase[]])[] {
  const count = Math.ceil(cases.length / 20);
  return Array.from(
    { length: count },
    (_, index) => [index, cases.slice(index * 20, index * 20 + 20)] as const,
  );
}

function causesOf(body: Body): readonly string[] {
  const { causes = [] } = (body["details"] ?? {}) as { causes?: readonly { readonly message: string }[] };
  return causes.map(({ message }) => message);
}

/** The first fault, without the rule and the pointer into it. */
function firstComplaint({ body }: RawAnswer): string {
  return (causesOf(body)[0] ?? String(body["message"]))
    .replace(/^Invalid value: \{.*?\}: /, "")
    .replace(/\n[^]*$/, "")
    .replace(/^compilation failed: ERROR: <input>:/, "")
    .replace(/^Forbidden: estimated rule cost.*$/, "too expensive");
}

function outcomeOf(
  { body }: RawAnswer,
  {
    rule,
    fails,
    index,
  }: { readonly rule: string; readonly fails: string | undefined; readonly index: number },
): RuleCase {
  const cause = causesOf(body).find((each) => each.endsWith(` #${index}`));
  if (cause === undefined) return { rule, holds: true };
  if (cause === `Invalid value: #${index}`) return { rule, breaks: true };
  const said = cause.replace(/^Invalid value: "object": /, "").replace(/ (?:evaluating|for) rule: #\d+$/, "");
  return { rule, fails: fails === "otherwise" ? "otherwise" : said };
}
