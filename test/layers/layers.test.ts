import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findCycles, findFolderCycles, findViolations, parseLayerTable, readImports } from "./layer-rules.ts";

const root = new URL("../../", import.meta.url).pathname;
const layers = parseLayerTable(readFileSync(`${root}ARCHITECTURE.md`, "utf8"));

describe("the layer table of ARCHITECTURE.md", () => {
  it("allows every import of the project", () => {
    const imports = readImports(root);
    expect(imports.length).toBeGreaterThan(20);
    expect(findViolations(layers, imports)).toEqual([]);
    expect(findCycles(imports)).toEqual([]);
    expect(findFolderCycles(imports)).toEqual([]);
  });

  it("finds a circle of files, and is content with a diamond", () => {
    const edge = (file: string, specifier: string) => ({
      file: `src/meta/${file}.ts`,
      specifier: `./${specifier}.ts`,
    });
    expect(findCycles([edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")])).toEqual([]);
    expect(findCycles([edge("a", "b"), edge("b", "c"), edge("c", "a")])).toEqual([
      "circle: src/meta/a.ts -> src/meta/b.ts -> src/meta/c.ts -> src/meta/a.ts",
    ]);
  });

  it("finds a circle of folders within a layer, also where no files are in one", () => {
    const imports = [
      { file: "src/controller/changes/note.ts", specifier: "../run/reader.ts" },
      { file: "src/controller/run/inner/pool.ts", specifier: "../../changes/sources.ts" },
      { file: "src/controller/run/pool.ts", specifier: "../key-share.ts" },
      { file: "src/controller/controller.ts", specifier: "./changes/note.ts" },
      { file: "src/controller/changes/note.ts", specifier: "../../meta/object.ts" },
    ];
    expect(findCycles(imports)).toEqual([]);
    expect(findFolderCycles(imports)).toEqual([
      "circle of folders: src/controller/changes -> src/controller/run -> src/controller/changes",
    ]);
    expect(findFolderCycles(imports.slice(1))).toEqual([]);
  });

  it.each([
    ["src/meta/object.ts", "../client/kube-client.ts", "src/meta must not import src/client"],
    ["src/meta/object.ts", "rxjs", "src/meta must not import the package rxjs"],
    ["src/queue/work-queue.ts", "node:fs", "src/queue must not import Node's node:fs"],
    ["src/cache/informer.ts", "../queue/work-queue.ts", "src/cache must not import src/queue"],
    ["src/index.ts", "./cli/main.ts", "src/index.ts must not import src/cli"],
    ["examples/database/operator.ts", "../../src/index.ts", "examples use the public entries only"],
    ["src/unheard-of/file.ts", "rxjs", "belongs to no layer"],
  ])("refuses %s importing %s", (file, specifier, message) => {
    const violations = findViolations(layers, [{ file, specifier }]);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(message);
  });

  it("allows types of a package whose code it forbids", () => {
    const file = "src/kinds/builtin/core.ts";
    const specifier = "@kubernetes/client-node/dist/gen/models/V1Pod.js";
    expect(findViolations(layers, [{ file, specifier, typesOnly: true }])).toEqual([]);
    expect(findViolations(layers, [{ file, specifier, typesOnly: false }])).toEqual([
      `${file}: src/kinds must not import the package @kubernetes/client-node`,
    ]);
  });

  it("knows an import of types alone", () => {
    const ofClientNode = readImports(root).filter(({ specifier }) => specifier.startsWith("@kubernetes/"));
    const loading = ofClientNode.filter(({ typesOnly }) => !typesOnly).map(({ file }) => file);
    expect([...new Set(loading)]).toEqual(["src/client/exec.ts", "src/client/plugin-credentials.ts"]);
    expect(ofClientNode.length).toBeGreaterThan(50);
  });
});
