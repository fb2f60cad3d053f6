// Code of values and schemas: literals as people write them, and zod for a schema in OpenAPI.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { StructuralSchema } from "../../kinds/builtin/json-of.ts";
import { structuralSchemaOf } from "../../kinds/structural-schema.ts";
import { zodOf } from "../written/written-schema.ts";

const widest = 100;

/** A value as a literal; of several lines, all but the first begin with `indent` spaces or more. */
export function literal(value: unknown, indent = 0): string {
  const short = inOneLine(value);
  if (short.length + indent <= widest || typeof value !== "object" || value === null || value instanceof Code)
    return short;
  const space = " ".repeat(indent + 2);
  const end = " ".repeat(indent);
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => `${space}${literal(each, indent + 2)},\n`).join("")}${end}]`;
  }
  const fields = Object.entries(value).map(
    ([name, each]) => `${space}${keyOf(name)}: ${literal(each, indent + 2)},\n`,
  );
  return `{\n${fields.join("")}${end}}`;
}

function inOneLine(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${keyOf(name)}: ${inOneLine(each)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** A part of a literal that is code already. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A schema in zod. */
interface Written {
  readonly code: string;
  readonly type: z.ZodType;
}

/**
 * The code of an object's schema: zod for what zod says in the same words, `openApiField` for other fields, and `openApi` where the
 * object itself says more.
 */
export function schemaCode(schema: StructuralSchema, indent = 0): string {
  const { type: _type, properties = {}, required = [], ...more } = schema;
  if (Object.keys(more).length > 0) return `openApi(${literal(schema, indent)})`;
  const space = " ".repeat(indent + 2);
  const fields = Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name);
    return `${space}${keyOf(name)}: ${fieldCode(name, field, isRequired, indent + 2)},\n`;
  });
  return fields.length === 0 ? "z.object({})" : `z.object({\n${fields.join("")}${" ".repeat(indent)}})`;
}

function fieldCode(name: string, field: StructuralSchema, isRequired: boolean, indent: number): string {
  const written = writtenIn(field, isRequired);
  const object = {
    type: "object",
    properties: { [name]: field },
    ...(isRequired ? { required: [name] } : {}),
  };
  const expected = structuralSchemaOf(zodOf(object as StructuralSchema), "spec");
  if (written !== undefined && isSame(written.type, name, expected)) return written.code;
  return `openApiField(${literal(field, indent)})${isRequired || field.default !== undefined ? "" : ".optional()"}`;
}

function isSame(type: z.ZodType, name: string, expected: StructuralSchema): boolean {
  try {
    return isDeepStrictEqual(structuralSchemaOf(z.object({ [name]: type }), "spec"), expected);
  } catch {
    // What zod cannot say at all is taken as it is written.
    return false;
  }
}

/** A field in zod, with what it is when it is not there; undefined for what has no plain words in zod. */
function writtenIn(field: StructuralSchema, isRequired: boolean): Written | undefined {
  const plain = plainIn(field);
  if (plain === undefined) return undefined;
  const { default: fallback, description } = field;
  const described =
    description === undefined
      ? plain
      : {
          code: `${plain.code}.describe(${JSON.stringify(description)})`,
          type: plain.type.describe(description),
        };
  if (fallback !== undefined) {
    return {
      code: `${described.code}.default(${inOneLine(fallback)})`,
      type: described.type.default(fallback),
    };
  }
  return isRequired ? described : { code: `${described.code}.optional()`, type: described.type.optional() };
}

function plainIn({
  default: _default,
  description: _description,
  ...field
}: StructuralSchema): Written | undefined {
  const { type, ...rules } = field;
  switch (type) {
    case "string": {
      if (Array.isArray(rules.enum) && rules.enum.every((each) => typeof each === "string")) {
        const words = rules.enum;
        return { code: `z.enum(${inOneLine(words)})`, type: z.enum(words) };
      }
      const { minLength, maxLength, pattern } = rules;
      return steps({ code: "z.string()", type: z.string() }, [
        minLength === undefined
          ? undefined
          : [`.min(${minLength})`, (it) => (it as z.ZodString).min(minLength)],
        maxLength === undefined
          ? undefined
          : [`.max(${maxLength})`, (it) => (it as z.ZodString).max(maxLength)],
        pattern === undefined
          ? undefined
          : [
              `.regex(new RegExp(${JSON.stringify(pattern)}))`,
              (it) => (it as z.ZodString).regex(new RegExp(pattern)),
            ],
      ]);
    }
    case "integer":
    case "number": {
      const { minimum, maximum } = rules;
      const start =
        type === "integer" ? { code: "z.int()", type: z.int() } : { code: "z.number()", type: z.number() };
      return steps(start, [
        minimum === undefined ? undefined : [`.min(${minimum})`, (it) => (it as z.ZodNumber).min(minimum)],
        maximum === undefined ? undefined : [`.max(${maximum})`, (it) => (it as z.ZodNumber).max(maximum)],
      ]);
    }
    case "boolean":
      return { code: "z.boolean()", type: z.boolean() };
    case "array": {
      const items = rules.items === undefined ? undefined : writtenIn(rules.items, true);
      return items === undefined ? undefined : { code: `z.array(${items.code})`, type: z.array(items.type) };
    }
    case "object": {
      const { properties, required = [], additionalProperties } = rules;
      if (typeof additionalProperties === "object" && properties === undefined) {
        const each = writtenIn(additionalProperties, true);
        if (each === undefined) return undefined;
        return { code: `z.record(z.string(), ${each.code})`, type: z.record(z.string(), each.type) };
      }
      const fields = Object.entries(properties ?? {}).map(
        ([name, each]) => [name, writtenIn(each, required.includes(name))] as const,
      );
      if (fields.length === 0 || fields.some(([, each]) => each === undefined)) return undefined;
      const code = fields.map(([name, each]) => `${keyOf(name)}: ${each?.code ?? ""}`).join(", ");
      const shape = Object.fromEntries(fields.map(([name, each]) => [name, each?.type ?? z.unknown()]));
      return { code: `z.object({ ${code} })`, type: z.object(shape) };
    }
    case undefined:
    default:
      return undefined;
  }
}

type Step = readonly [code: string, apply: (type: z.ZodType) => z.ZodType] | undefined;

function steps(start: Written, more: readonly Step[]): Written {
  return more.reduce<Written>(
    (written, step) =>
      step === undefined ? written : { code: written.code + step[0], type: step[1](written.type) },
    start,
  );
}
