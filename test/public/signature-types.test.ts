// Whoever writes a function with a type of ours can name it: each type in a public signature is exported by an entry.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hiddenTypes } from "./signature-types.ts";

const root = new URL("../../", import.meta.url).pathname;

const { exports: entries } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly "xstate-operator-source": string }>>;
};
const sources = Object.values(entries).map((entry) => entry["xstate-operator-source"].replace("./", ""));

describe("the public entries", () => {
  it.each(sources)("%s: each type that a signature names is exported by an entry", (entry) => {
    const hidden = hiddenTypes(root, entry, sources);
    expect(hidden.map(({ name, file, of }) => `${name} (${file}), named by ${of}`)).toEqual([]);
  });
});

describe("a type that no entry exports", () => {
  const declarations = `
    interface Hidden { readonly a: string }
    interface Base { readonly inBase: Hidden }
    type Member = Open["part"];
    type Shape = { readonly a: string };
    type Result<T> = T extends string ? Hidden : never;
  `;
  /** The hidden types of an entry that exports this alone. */
  function hiddenIn(exported: string): readonly string[] {
    const folder = `${mkdtempSync(join(tmpdir(), "signatures-"))}/`;
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(
      `${folder}types.ts`,
      `${declarations}export interface Open { readonly part: { readonly a: string } }\n${exported}`,
    );
    writeFileSync(`${folder}index.ts`, 'export { Open, Subject } from "./types.ts";');
    return hiddenTypes(folder, "index.ts", ["index.ts"]).map(({ name }) => name);
  }

  it.each([
    ["a parameter of a function", "export function Subject(given: Hidden): void {}", ["Hidden"]],
    ["a parameter of a constant function", "export const Subject = (given: Hidden): void => {};", ["Hidden"]],
    ["a member", "export interface Subject { readonly of: Hidden }", ["Hidden"]],
    ["a method of a class", "export class Subject { get(): Hidden { throw 0; } }", ["Hidden"]],
    ["an alias with a shape of its own", "export type Subject = readonly Shape[];", ["Shape"]],
    ["what a base names", "export interface Subject extends Base {}", ["Hidden"]],
    ["an argument of a computed type", "export type Subject = Result<Hidden>;", ["Hidden"]],
  ])("is found: %s", (_, exported, expected) => {
    expect(hiddenIn(exported)).toEqual(expected);
  });

  it.each([
    ["an alias of a member", "export function Subject(given: Member): void {}"],
    ["a computed type", "export type Subject = Result<string>;"],
    [
      "the body of a function",
      "export function Subject(): void { const a: Hidden | undefined = undefined; }",
    ],
    ["a private member", "export class Subject { readonly #a: Hidden | undefined; }"],
    ["an internal member", "export interface Subject {\n  /** @internal */\n  readonly of: Hidden;\n}"],
  ])("does not count: %s", (_, exported) => {
    expect(hiddenIn(exported)).toEqual([]);
  });
});
