import * as fc from "fast-check";
import objectHash from "object-hash";
import { describe, expect, it } from "vitest";
import {
  intentHash,
  intentHashAnnotation,
  storedHash,
  withMark,
} from "../../src/reconcile/comparison/intent-hash.ts";
import type { ListRules } from "../../src/reconcile/comparison/list-types.ts";

const rules: ListRules = { builtin: true, kind: "Deployment" };
const hash = (value: unknown): string => intentHash(value, rules);

describe("intent hash", () => {
  it("is equal for equal content and different for any nested change", () => {
    const make = (deep: unknown): unknown => ({ a: [{ b: { c: deep } }], n: 1 });
    expect(hash(make("x"))).toBe(hash(make("x")));
    expect(hash(make("x"))).not.toBe(hash(make("y")));
    expect(hash(make(1))).not.toBe(hash(make("1")));
    expect(hash([1, 2])).not.toBe(hash([2, 1]));
  }); // OKT 71

  it("does not depend on the order of a map, nor on fields that are absent", () => {
    expect(hash({ a: 1, b: { c: 2, d: 3 } })).toBe(hash({ b: { d: 3, c: 2 }, a: 1 }));
    expect(hash({ a: 1, b: undefined, c: null })).toBe(hash({ a: 1 }));
  }); // OKT 71

  it("is what the package object-hash makes of the same text, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const expected = objectHash(JSON.stringify(text), { algorithm: "sha256" }).slice(0, 40);
        expect(hash(text)).toBe(expected);
      }),
    );
  });

  it("is stable for nothing", () => {
    expect(hash(undefined)).toBe(hash(null));
    expect(hash(undefined)).toMatch(/^[0-9a-f]{40}$/);
  }); // OKT 71

  it("does not depend on key order, for any JSON", () => {
    const shuffled = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shuffled)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([name, field]) => [name, shuffled(field)]),
            )
          : value;
    fc.assert(fc.property(fc.jsonValue(), (value) => hash(value) === hash(shuffled(value))));
  });

  it("depends on the order of variables only where one uses another", () => {
    const podOf = (env: readonly object[]): unknown => ({ spec: { containers: [{ name: "web", env }] } });
    const [first, second] = [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
    ];
    const using = { name: "B", value: "$(A)/b" };
    expect(hash(podOf([first, second]))).toBe(hash(podOf([second, first])));
    expect(hash(podOf([first, using]))).not.toBe(hash(podOf([using, first])));
  });

  it("is set as one annotation next to the others", () => {
    const object = { metadata: { annotations: { note: "x" }, name: "a" } };
    const marked = withMark(object, { hash: "abc", byApply: true, operator: "ours" });
    expect(marked.metadata).toEqual({
      name: "a",
      annotations: { note: "x", [intentHashAnnotation]: "abc@ours" },
    });
    expect(object.metadata.annotations).toEqual({ note: "x" });
    expect(storedHash(marked)).toBe("abc");
  }); // OKT 72

  it("is unknown on a new object, the same when unchanged, and another after an edit", () => {
    const intent = { metadata: { name: "a", annotations: {} }, data: { x: "1" } };
    expect(storedHash({ metadata: {} })).toBeUndefined();
    const marked = withMark(intent, { hash: hash(intent), byApply: true, operator: "ours" });
    expect(storedHash(marked)).toBe(hash({ ...intent }));
    expect(storedHash(marked)).not.toBe(hash({ ...intent, data: { x: "2" } }));
  }); // OKT 73
});
