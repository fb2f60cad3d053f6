import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { findEncoded, readingsOf } from "../../src/collections/text-readings.ts";
import { placesOf } from "../../src/collections/text-spans.ts";

const readings = (text: string): readonly string[] => [...readingsOf(text)].map((reading) => reading.text);

describe("the readings of a text", () => {
  it.each([
    ["a%20b", "a b"],
    ["%2561", "a"],
    ["a+%2B", "a +"],
    [String.raw`\u0061\x62\143\u{64}\U00000065\"\n`, 'abcde"\n'],
    [String.raw`\\\"`, '"'],
    ["&lt;&#62;&#x26;&unknown;&quot", '<>&&unknown;"'],
    ["it''s", "it's"],
    [String.raw`it'\''s`, "it's"],
    ["[104, 101, 108, 108, 111, 33]", "[hello!]"],
    ["68:65:6C-6c 6F,0x21", "hello!"],
    ["aGVsbG8g\r\n  d29ybGQh", "hello world!"],
    ["h\0e\0l\0l\0o\0", "hello"],
  ])("include what it says decoded: %s", (text, expected) => {
    expect(readings(text)).toContain(expected);
  });

  it("are the text alone where nothing looks encoded", () => {
    expect(readings("3 of 5 pods are ready")).toEqual(["3 of 5 pods are ready"]);
    expect(readings("")).toEqual([""]);
  });

  it("leave malformed encodings as they are", () => {
    for (const text of ["%", "%zz", "\\", "\\u12", "&#;", "&#x110000;", "\\u{ffffffff}", "&", "0x", "\0"]) {
      expect(readings(text)[0]).toBe(text);
    }
  });

  it("know which part of the text they come from, exactly", () => {
    const found = (text: string, part: string): readonly string[] =>
      findEncoded(text, (reading) => placesOf(part, reading.text)).map(({ start, end }) =>
        text.slice(start, end),
      );
    expect(found("<%68%65llo>", "hello")).toEqual(["%68%65llo"]);
    expect(found("<%2568ello>", "hello")).toEqual(["%2568ello"]);
    expect(found("<68 65 6c 6c 6f 21>", "hello!")).toEqual(["68 65 6c 6c 6f 21"]);
    expect(found("x aGVsbG8h y", "hello!")).toEqual(["aGVsbG8h"]);
  });

  it("are few, and none is longer than the text, whatever somebody writes to keep a process busy", () => {
    const signs = [
      ..."%41|%2541|+|\\u0041|\\\\|\\|&amp;|&#65;|''|1,2,3,4,5,6,|aa:bb:cc:dd:ee:ff|YWFhYWFhYQ==|JTQx|a\0b\0c\0d|%".split(
        "|",
      ),
      "plain words ",
    ];
    assert(
      property(array(constantFrom(...signs), { minLength: 1, maxLength: 12 }), (parts) => {
        const text = parts.join("").repeat(20);
        const all = readings(text);
        expect(all.length).toBeLessThan(110);
        expect(Math.max(...all.map(({ length }) => length))).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
