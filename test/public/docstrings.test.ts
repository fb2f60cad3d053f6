// What an author reads in an editor, and what the API reference is made of: each export says what it is.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { documentedOf, type Documented } from "./docstrings.ts";

const root = new URL("../../", import.meta.url).pathname;
const { exports: entries } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly "xstate-operator-source": string }>>;
};
const sources = Object.values(entries).map((entry) => entry["xstate-operator-source"].replace("./", ""));

/** Says what holds when an option is left out. */
const tellsDefault = /default|without|otherwise|omitted|absent|none|unless|required/i;

describe("the docstrings of the public entries", () => {
  const documented = sources.flatMap((entry) => documentedOf(root, entry));
  const named = ({ file, name }: Documented): string => `${name} (${file})`;

  it("are there for each export and each member of it", () => {
    expect(documented.length).toBeGreaterThan(1000);
    expect(documented.filter(({ doc }) => doc === undefined).map(named)).toEqual([]);
  });

  it("are made into pages of the reference, for every entry", () => {
    const { entryPoints } = JSON.parse(readFileSync(`${root}build/typedoc.json`, "utf8")) as {
      readonly entryPoints: readonly string[];
    };
    expect(entryPoints.toSorted()).toEqual(sources.map((source) => `../${source}`).toSorted());
  });

  it("say of each option what holds without it", () => {
    const options = documented.filter(({ name, isOptional }) => isOptional && /^\w*Options\./.test(name));
    expect(options.length).toBeGreaterThan(100);
    expect(options.filter(({ doc }) => !tellsDefault.test(doc ?? "")).map(named)).toEqual([]);
  });

  it("say which rights the calls of a client need", () => {
    const verbs = ["get", "list", "watch", "follow", "create", "update", "patch", "apply", "delete"];
    const calls = documented.filter(({ name }) => verbs.some((verb) => name === `KubeClient.${verb}`));
    expect(calls.filter(({ doc }) => !(doc ?? "").includes("**RBAC**")).map(named)).toEqual([]);
    expect(new Set(calls.map(({ name }) => name)).size).toBe(verbs.length);
  });
});

describe("an export", () => {
  /** The names without a docstring, of an entry that exports this as `Subject`. */
  function bareIn(exported: string): readonly string[] {
    const folder = `${mkdtempSync(join(tmpdir(), "docstrings-"))}/`;
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(`${folder}types.ts`, exported);
    writeFileSync(`${folder}index.ts`, 'export { Subject } from "./types.ts";');
    return documentedOf(folder, "index.ts")
      .filter(({ doc }) => doc === undefined)
      .map(({ name }) => name);
  }

  it.each([
    ["a function", "export function Subject(): void {}", ["Subject"]],
    ["a comment that is no docstring", "// What it does.\nexport const Subject = 1;", ["Subject"]],
    ["a member", "/** A. */\nexport interface Subject {\n  readonly b: string;\n}", ["Subject.b"]],
    ["a method of a class", "/** A. */\nexport class Subject {\n  b(): void {}\n}", ["Subject.b"]],
    [
      "a member of a member",
      "/** A. */\nexport interface Subject {\n  /** B. */\n  readonly b?: {\n    readonly c: string;\n  };\n}",
      ["Subject.b.c"],
    ],
    [
      "a member of a base that is not exported",
      "interface Base {\n  readonly b: string;\n}\n/** A. */\nexport interface Subject extends Base {}",
      ["Subject.b"],
    ],
    [
      "a member of one of several forms",
      "/** A. */\nexport type Subject =\n  | {\n      readonly b: 1;\n    }\n  | undefined;",
      ["Subject.b"],
    ],
  ])("needs a docstring: %s", (_, exported, expected) => {
    expect(bareIn(exported)).toEqual(expected);
  });

  it.each([
    ["a type of one name with a constant", "/** A. */\nexport const Subject = 1;\nexport type Subject = 1;"],
    [
      "what fits on one line",
      '/** A. */\nexport type Subject = { readonly type: "a" } | { readonly type: "b" };',
    ],
    [
      "what is internal",
      "/** A. */\nexport interface Subject {\n  /** @internal */\n  readonly b: string;\n}",
    ],
    ["what is private", "/** A. */\nexport class Subject {\n  #b = 1;\n  private c = 2;\n}"],
  ])("needs none: %s", (_, exported) => {
    expect(bareIn(exported)).toEqual([]);
  });
});
