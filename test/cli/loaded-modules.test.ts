// What a start loads: not the readers of operators that are data, half a megabyte of code, when the operator is a module.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** The modules of ours that are loaded with one, itself included. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, clause = "", path = ""] of text.matchAll(
    /^(?:import|export) ([^"]*?) from "(\.[^"]+)";$/gm,
  )) {
    if (!clause.startsWith("type ")) loadedWith(join(dirname(file), path), seen);
  }
  return seen;
}

it.each([
  "src/cli/main.ts",
  "src/cli/command-line.ts",
  "src/cli/commands/run.ts",
  "src/cli/built-operator.ts",
])("%s loads nothing that reads operators that are data, or is a cluster", (file) => {
  const loaded = [...loadedWith(join(root, file))].map((each) => relative(root, each));
  const folders = new Set(loaded.map((each) => each.split("/").slice(0, 2).join("/")));
  expect(folders).toContain("src/cli");
  for (const folder of ["operator-file", "charts", "schema", "cluster", "testing"]) {
    expect(folders).not.toContain(`src/${folder}`);
  }
});
