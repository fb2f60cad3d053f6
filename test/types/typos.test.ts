// A typo in a user's file is an error at the place of the typo, and what is right is not an error: in both compilers.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const compilers = {
  "TypeScript 7": "node_modules/typescript/bin/tsc",
  "TypeScript 5.9": "test/types/typescript-5.9/node_modules/typescript/bin/tsc",
};

interface Typo {
  readonly name: string;
  /** Of the mistake: the line after the comment. */
  readonly line: number;
  readonly answer: RegExp;
}

const typos = readFileSync(join(import.meta.dirname, "typos.ts"), "utf8")
  .split("\n")
  .flatMap((text, index): readonly Typo[] => {
    const [, name, answer] = /\/\/ typo (\d+, [^:]+): (.*)$/.exec(text) ?? [];
    return name === undefined || answer === undefined
      ? []
      : [{ name, line: index + 2, answer: new RegExp(answer) }];
  });

function errorsOf(compiler: string): ReadonlyMap<number, string> {
  if (!existsSync(join(root, compiler))) throw new Error(`${compiler} is not installed: run npm ci`);
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, compiler), "-p", "test/types/tsconfig.json", "--pretty", "false"],
    { cwd: root, encoding: "utf8" },
  );
  const errors = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): (error .*(?:\n {2}.*)*)/gm)];
  return new Map(
    errors.map(([, file, line, message = ""]) => [
      file === "test/types/typos.ts" ? Number(line) : 0,
      message,
    ]),
  );
}

describe.each(Object.entries(compilers))("a user's file in %s", (_, compiler) => {
  const errors = errorsOf(compiler);

  it.each(typos)("has an error for $name, at line $line", ({ line, answer }) => {
    expect(errors.get(line)).toMatch(answer);
  });

  it("has no other errors", () => {
    const lines = typos.map(({ line }) => line);
    expect([...errors].filter(([line]) => !lines.includes(line))).toEqual([]);
  });
});

it("covers the kinds of typos 1 to 15", () => {
  const numbers = new Set(typos.map(({ name }) => Number.parseInt(name, 10)));
  expect([...numbers].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
});
