// Numbers as they are written: Go reads neither 1.0 nor 1e3 into an integer, and names what is too large as it was sent.
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { additionalSchema, propertySchema } from "../../../schema/structural-schema.ts";
import { isFields } from "../api-object.ts";

/** A number that stands in the place of an integer and is written as none. */
export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may be a number that is read otherwise than it is written. */
const oddNumber = /[:,[]\s*-?(?=\d*[.eE]|\d{16})[\d.eE+-]+\s*[,}\]]/;

/** A JSON text whose value was read, with {@link WrittenNumber} in the place of integers of its type that are not written as such. */
export function withWrittenNumbers(text: string, value: unknown, schema: StructuralSchema): unknown {
  if (!oddNumber.test(text)) return value;
  const revive = (_key: string, read: unknown, context?: { readonly source?: string }): unknown =>
    typeof read === "number" && context?.source !== undefined && String(read) !== context.source
      ? new WrittenNumber(context.source)
      : read;
  return settled(JSON.parse(text, revive) as unknown, schema);
}

/** Only integers have to be written as such. Halves of characters are replaced, as by whoever has read the value before. */
function settled(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (value instanceof WrittenNumber) {
    return schema?.type === "integer" && !isHeld(value.text, schema.format) ? value : Number(value.text);
  }
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((each) => settled(each, schema?.items));
  if (!isFields(value)) return value;
  const inside = (name: string): StructuralSchema | undefined =>
    schema === undefined ? undefined : (propertySchema(schema, name) ?? additionalSchema(schema));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toWellFormed(), settled(each, inside(name))]),
  );
}

/** Whether a text is that of a whole number that its type holds. */
function isHeld(text: string, format: string | undefined): boolean {
  if (!/^-?\d+$/.test(text)) return false;
  const number = BigInt(text);
  return BigInt.asIntN(format === "int64" ? 64 : 32, number) === number;
}
