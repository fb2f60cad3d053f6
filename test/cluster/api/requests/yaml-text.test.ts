import { assert, boolean, object, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { readYaml } from "../../../../src/cluster/api/requests/yaml-text.ts";

const bomb = (levels: number, width: number): string =>
  [
    `a0: &a0 [${Array(width).fill("x").join(",")}]`,
    ...Array.from(
      { length: levels },
      (_, level) => `a${level + 1}: &a${level + 1} [${Array(width).fill(`*a${level}`).join(",")}]`,
    ),
  ].join("\n");

describe("YAML text", () => {
  // As kube-apiserver 1.36 reads them.
  it.each([
    ["1e3", 1000],
    ["1.5e3", 1500],
    [".5", 0.5],
    ["5.", 5],
    ["+1", 1],
    ["0x1f", 31],
    ["0X1F", 31],
    ["0o17", 15],
    ["017", 15],
    ["08", 8],
    ["0b11", 3],
    ["1_000", 1000],
    ["1_0.5", 10.5],
    ["-01", -1],
    ["0x_1", 1],
    ["1e400", "1e400"],
    ["y", true],
    ["YES", true],
    ["off", false],
    ["N", false],
    ["tRue", "tRue"],
    ["~", null],
    ["", null],
    ["12:30", "12:30"],
    ["2020-01-01", "2020-01-01"],
    ["=", "="],
    ["0x", "0x"],
    ["1.2.3", "1.2.3"],
    ["1,000", "1,000"],
    ["_1", "_1"],
    ["Infinity", "Infinity"],
    ["!!str 1", "1"],
    ['!!int "3"', 3],
    ["!!binary aGk=", "hi"],
    ["!foo 1", "1"],
    ["!!set {a, b}", { a: null, b: null }],
    ["!!omap [a: 1]", [{ a: 1 }]],
    ["{a: 1, b}", { a: 1, b: null }],
    ["[a: 1]", [{ a: 1 }]],
    ["a #c", "a"],
  ])("reads the value %j as %j", (text, value) => {
    expect(readYaml(`v: ${text}\n`)).toEqual({ v: value });
  });

  it("reads keys as text, the last of two that are the same", () => {
    expect(readYaml("y: 1\n017: 2\n2020-01-01: 3\n-0: 4\na: 5\na: 6\n")).toEqual({
      true: 1,
      15: 2,
      "2020-01-01": 3,
      0: 4,
      a: 6,
    });
  });

  it("reads names that objects inherit as names", () => {
    const read = readYaml("{__proto__: {x: 1}, constructor: 2, valueOf: 3}") as object;
    expect(JSON.stringify(read)).toBe('{"__proto__":{"x":1},"constructor":2,"valueOf":3}');
  });

  it.each([
    ['y: "1"\n---\nb: 2\n', { true: "1" }],
    ["a: 1\n...\nfoo\n", { a: 1 }],
    ["a: 1\n---\n{{{\n", { a: 1 }],
    ["# c\n---\na: 1\n", { a: 1 }],
    ["", null],
    ["# nothing\n", null],
  ])("reads the first document of %j", (text, value) => {
    expect(readYaml(text)).toEqual(value);
  });

  it("repeats what aliases name, and merges", () => {
    expect(readYaml("a: &x {b: 1, d: 9}\nc: *x\ne: {<<: *x, d: 2}\n")).toEqual({
      a: { b: 1, d: 9 },
      c: { b: 1, d: 9 },
      e: { b: 1, d: 2 },
    });
    expect(readYaml(bomb(3, 3))).toHaveProperty("a3");
  });

  it.each([
    ["a document of aliases of aliases", bomb(9, 10), "yaml: document contains excessive aliasing"],
    ["a smaller one", bomb(4, 10), "yaml: document contains excessive aliasing"],
    ["a value within itself", "a: &s {b: *s}\n", "yaml:"],
    ["an unknown anchor", "a: *nope\n", "yaml:"],
    ["deep lists", `a: ${"[".repeat(5_000)}${"]".repeat(5_000)}\n`, "yaml:"],
    [
      "depth by aliases",
      Array.from({ length: 1_200 }, (_, i) => `a${i}: &a${i} ${i === 0 ? "x" : `[*a${i - 1}]`}`).join("\n"),
      "yaml:",
    ],
    ["infinity", "a: .inf\n", "json: unsupported value: +Inf"],
    ["no number", "a: .NaN\n", "json: unsupported value: NaN"],
    ["a null key", "{~: 1}\n", "unsupported map key"],
    ["a map as key", "{{a: b}: c}\n", "yaml: invalid map key"],
    ["a control character", 'a: "\u0001"\n', "yaml:"],
    ["an open string", 'a: "x\n', "yaml:"],
    ["bad indentation", "a:\n  b: 1\n c: 2\n", "yaml:"],
    ["a tab", "a:\n\tb: 1\n", "yaml:"],
  ])("refuses %s", (_name, text, message) => {
    expect(() => readYaml(text)).toThrow(message);
  });

  it("reads a large document in time that grows with its size", () => {
    const text = Array.from(
      { length: 12_000 },
      (_, i) => `key${i}: {name: "value ${i}", list: [1, 2, 3]}`,
    ).join("\n");
    expect(Object.keys(readYaml(text) as object)).toHaveLength(12_000);
  });

  it.each(["\n", "# note\n", "  \n", "\r\n"])("reads what stands after very many lines of %j", (line) => {
    const begun = process.cpuUsage().user;
    expect(readYaml(`${line.repeat(300_000)}a: b`)).toEqual({ a: "b" });
    // Over half a minute if each line were looked at for each before it.
    expect(process.cpuUsage().user - begun).toBeLessThan(5_000_000);
  });

  it("reads JSON as it reads the same behind a comment, which is not read as JSON", () => {
    const texts = [
      '{"a":1,"b":[1,2,{"c":null}],"d":"y","e":"","f":true}',
      '{"a": 1.5, "b": 1e3, "c": -0, "d": 12345678901234567890, "e": -1}',
      '{"<<": {"a": 1}, "b": 2}',
      '{"a": "\\ud83d\\ude00 \\u00e9 \\/ \\n", "b": "\u2028x", "c": "😀"}',
      '{"a": 1, "a": 2}',
      '{\n\t"a": 1}',
      `{"${"k".repeat(1_100)}": 1}`,
      '{"a": "x: y, z # no", "b": "--- \\n..."}',
      "{",
    ];
    const read = (text: string): unknown => {
      try {
        return readYaml(text);
      } catch (error) {
        return String(error).replace(/\(\d+:\d+\)/, "");
      }
    };
    for (const text of texts) expect([text, read(text)]).toEqual([text, read(`# JSON\n${text}`)]);
    assert(
      property(object({ maxDepth: 3 }), boolean(), (value, isPretty) => {
        const text = JSON.stringify(value, undefined, isPretty ? 2 : 0);
        expect(read(text)).toEqual(read(`# JSON\n${text}`));
      }),
    );
  });
});
