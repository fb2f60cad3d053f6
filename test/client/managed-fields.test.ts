import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutManagedFields } from "../../src/client/managed-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Keys and texts that look like what is looked for. */
const text = fc.oneof(
  fc.constantFrom("managedFields", '"managedFields":', ',"managedFields":[', "metadata", "object", "\\", '"'),
  fc.string({ unit: "grapheme" }),
);
/** V8 13.6 takes the key `"` for `\\` where an object of that shape has had the latter: JSON.parse('{"a":1,"\\\\":2}'), then '{"a":1,"\\"":2}'. */
const key = text.filter((each) => !each.endsWith("\\"));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(true, false, null, 0, -1.5e-7, 12345678901),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));
const object = fc.dictionary(key, value, { maxKeys: 5 });

/** The members of an object in another order. */
const inOrder = (members: Fields, order: readonly number[]): Fields =>
  Object.fromEntries(
    Object.entries(members)
      .map((member, index) => ({ member, at: order[index] ?? 0 }))
      .sort((one, other) => one.at - other.at)
      .map(({ member }) => member),
  );

/** What parsing first, and dropping the field then, comes to. */
function parsedThenDropped(event: string): unknown {
  const parsed = JSON.parse(event) as {
    object?: { metadata?: { managedFields?: unknown } | null } | null;
  } | null;
  const metadata = parsed?.object?.metadata;
  if (typeof metadata === "object") delete metadata?.managedFields;
  return parsed;
}

describe("an event without its managedFields", () => {
  it("is what parsing it and dropping them comes to, whatever else has that name", () => {
    const order = fc.array(fc.nat(), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(
        object,
        object,
        fc.array(value, { maxLength: 3 }),
        order,
        order,
        (rest, meta, fields, one, two) => {
          const metadata = inOrder({ ...meta, managedFields: fields }, one);
          const event = { type: "ADDED", object: inOrder({ ...rest, metadata }, two) };
          const line = JSON.stringify(event);
          const cut = withoutManagedFields(Buffer.from(line));
          expect(JSON.parse(cut)).toEqual(parsedThenDropped(line));
          expect(cut.length).toBeLessThan(line.length);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("is the event itself where it has none, or is no object at all", () => {
    fc.assert(
      fc.property(fc.oneof(value, object, fc.record({ object: fc.record({ metadata: value }) })), (event) => {
        const line = JSON.stringify(event);
        expect(JSON.parse(withoutManagedFields(Buffer.from(line)))).toEqual(parsedThenDropped(line));
      }),
    );
  });

  it("stays as wrong as it was when it is cut off", () => {
    const metadata = { managedFields: [{ fieldsV1: { 'k:{"type":"Ready"}': {} } }], name: "a" };
    const line = JSON.stringify({ type: "ADDED", object: { metadata, spec: { text: "ä" } } });
    for (let length = 0; length < line.length; length += 1) {
      const cut = withoutManagedFields(Buffer.from(line.slice(0, length)));
      expect(() => JSON.parse(cut)).toThrow(SyntaxError);
    }
  });

  it("keeps what is not written as API servers write it", () => {
    const line = '{"object": {"metadata": {"managedFields": [], "name": "a"}}}';
    expect(withoutManagedFields(Buffer.from(line))).toBe(line);
    const escaped = String.raw`{"object":{"metadata":{"managed\u0046ields":[]}}}`;
    expect(withoutManagedFields(Buffer.from(escaped))).toBe(escaped);
  });
});
