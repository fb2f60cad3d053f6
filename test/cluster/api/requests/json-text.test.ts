import { describe, expect, it } from "vitest";
import { assert, json, oneof, property, string } from "fast-check";
import { readJson, UnreadableText } from "../../../../src/cluster/api/requests/json-text.ts";
import { maxNesting } from "../../../../src/schema/json-value.ts";

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

describe("JSON text", () => {
  it("finds fields that occur twice, at any depth", () => {
    const text =
      '{"metadata":{"name":"x","name":"y"},"list":[{"a":1},{"b":"}{\\"","b":2}],"data":{"a":"1","a":"2","c":{}}}';
    expect(readJson(text).duplicateFields).toEqual(["metadata.name", "list[1].b", "data.a"]);
    expect(readJson(' { "a" : [ ] , "b" : { } , "c" : -1.5e3 } ').duplicateFields).toEqual([]);
    expect(readJson('{"\\u0061":1,"a":2}').duplicateFields).toEqual(["a"]);
    expect(readJson('{"toString":1,"__proto__":2}').duplicateFields).toEqual([]);
  });

  it("takes values as deep as allowed and none that are deeper", () => {
    expect(() => readJson(nested(maxNesting))).not.toThrow();
    expect(() => readJson(nested(maxNesting + 1))).toThrow("invalid character '{' exceeded max depth");
    expect(() => readJson("[".repeat(200_000))).toThrow("invalid character '[' exceeded max depth");
    expect(() => readJson(JSON.stringify("[".repeat(200_000)))).not.toThrow();
  });

  it("puts a sign in place of half a character, and keeps whole ones", () => {
    const text = '{"a\\ud800":["\\udc00b","\\ud83d\\ude00",{"__proto__":"\\uDBFF"}]}';
    const { value } = readJson(text);
    expect(JSON.stringify(value)).toBe('{"a\ufffd":["\ufffdb","😀",{"__proto__":"\ufffd"}]}');
  });

  it("refuses a number that no double holds, which would come back as null", () => {
    expect(() => readJson('{"a":1e400}')).toThrow(
      "json: cannot unmarshal number 1e400 into Go value of type float64",
    );
  });

  it("reads what JSON.parse reads, and refuses the rest", () => {
    assert(
      property(oneof(json(), string()), (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(() => readJson(text)).toThrow(UnreadableText);
          return;
        }
        expect(readJson(text)).toEqual({ value: expected, duplicateFields: [] });
      }),
    );
  });
});
