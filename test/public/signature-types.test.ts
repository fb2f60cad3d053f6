// Whoever writes a function with a type of ours can name it: each type in a public signature is exported by an entry.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
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
