// What holds for every command alike, found in the help of each: whoever knows one knows the others.
import { beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./run-in-process.ts";

/** The help of every command, by its words. */
const helps = new Map<string, string>();

beforeAll(async () => {
  const read = async (path: readonly string[]): Promise<void> => {
    const { code, out, err } = await runCommand([...path, "--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    helps.set(path.join(" "), out);
    const [, commands = ""] = /\nCommands:\n([\s\S]*?)(?:\n\n|$)/.exec(out) ?? [];
    for (const [, name = ""] of commands.matchAll(/^ {2}([\w-]+)/gm)) await read([...path, name]);
  };
  await read([]);
}, 60_000);

/** The options of a help: their flags and what is said of them, in one line. */
function optionsOf(help: string): readonly (readonly [flags: string, text: string])[] {
  const [, options = ""] = /\nOptions:\n([\s\S]*?)(?:\n\n|$)/.exec(help) ?? [];
  return options
    .replaceAll(/\n {6,}/g, " ")
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/))
    .map(([flags = "", ...text]) => [flags, text.join(" ")] as const);
}

describe("every command", () => {
  it("has a help with an example, and `help` before it prints the same", async () => {
    expect(helps.size).toBeGreaterThan(25);
    for (const [path, help] of helps) {
      expect(help, path).toMatch(/^Usage: xstate-operator /);
      expect(help, path).toMatch(/Examples:\n {2}\$ xstate-operator /);
      expect((await runCommand(["help", ...path.split(" ").filter(Boolean)])).out, path).toBe(help);
    }
  }, 60_000);

  it("takes a format with -o, and nothing else", () => {
    const flags = [...helps].flatMap(([path, help]) =>
      optionsOf(help).flatMap(([name]) => (name.startsWith("-o,") ? [`${path}: ${name}`] : [])),
    );
    expect(flags.length).toBeGreaterThan(10);
    expect(flags.filter((name) => !name.endsWith(": -o, --output <format>"))).toEqual([]);
  });

  it("says how a length of time and a size are written, with the unit of their default", () => {
    const options = [...helps.values()].flatMap(optionsOf);
    const lengths = options.filter(([flags]) => flags.includes("<duration>"));
    expect(lengths.length).toBeGreaterThan(6);
    for (const [flags, text] of lengths) expect(`${flags} ${text}`).toContain("such as 90s, 10m or 1h");
    for (const [flags, text] of options.filter(([name]) => name.includes("<size>")))
      expect(`${flags} ${text}`).toContain("such as 100Mi or 1Gi");
    // What is neither counted nor a number of its own, such as a port, has a unit.
    const others = options.filter(([flags]) => !/<(?:count|number|port)>/.test(flags));
    for (const [flags, text] of others) expect(`${flags} ${text}`).not.toMatch(/\(default: \d{3,}\)/);
  });

  it("takes the same options for the same thing", () => {
    const meanings = new Map<string, Set<string>>();
    for (const help of helps.values()) {
      for (const [flags] of optionsOf(help)) {
        const [, short = "", long = ""] = /^(?:-(\w), )?--([\w-]+)/.exec(flags) ?? [];
        if (short !== "") meanings.set(short, (meanings.get(short) ?? new Set()).add(long));
      }
    }
    expect(Object.fromEntries([...meanings].map(([short, long]) => [short, [...long]]))).toEqual({
      A: ["all-namespaces"],
      o: ["output"],
      n: ["namespace"],
      h: ["help"],
      V: ["version"],
      y: ["yes"],
    });
  });
});
