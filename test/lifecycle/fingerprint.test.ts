// The hash that tells whether another client has changed what a lifecycle decides on: it is stored, so it stays what it was.
import { anything, assert, constantFrom, dictionary, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprint, fingerprintOfJson } from "../../src/lifecycle/values/fingerprint.ts";
import "../support/property-seed.ts";

/** As it was first written: a copy in order, without what is empty, as JSON. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, ordered(inner)] as const);
  const filled = fields.filter(
    ([, inner]) =>
      inner !== null && inner !== undefined && (typeof inner !== "object" || Object.keys(inner).length > 0),
  );
  return Object.fromEntries(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const names = oneof(constantFrom("a", "b", "10", "9", "007", "__proto__", "é", ""), string({ maxLength: 3 }));
const values = anything({ key: names, maxDepth: 3, withNullPrototype: false }).filter(
  (value) => !JSON.stringify([value]).includes("null") || value === null,
);

describe("the hash of a JSON value", () => {
  it("is that of its fields in order, without what is empty", () => {
    assert(
      property(dictionary(names, values), (given) => {
        const value: unknown = JSON.parse(JSON.stringify(given));
        expect(fingerprintOfJson(value)).toBe(fingerprint(JSON.stringify(ordered(value))));
      }),
    );
  });

  it("does not change from one version of the operator to the next", () => {
    const value = { b: [1, "x", { d: null }], a: { 10: true, 9: false, z: {} }, c: "é\n", e: [] };
    expect(fingerprintOfJson(value)).toBe(
      fingerprint('{"a":{"9":false,"10":true},"b":[1,"x",{}],"c":"é\\n"}'),
    );
  });
});
