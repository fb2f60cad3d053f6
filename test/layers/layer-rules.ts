// Reads the layer table and the imports of all modules, and says which imports the table does not allow.
import { globSync, readFileSync } from "node:fs";
import { builtinModules, stripTypeScriptTypes } from "node:module";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";

/** One row of the table. */
export interface Layer {
  readonly name: string;
  readonly layers: readonly string[] | "all";
  readonly packages: readonly string[] | "any";
  /** Packages of which only types are imported: nothing of them is loaded. */
  readonly typesOf: readonly string[];
}

/** One import of one module. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Only types are imported, so that nothing is loaded. */
  readonly typesOnly?: boolean;
}

/** Layers that stay free of Node's own modules, so that they are pure. */
const withoutNode = [
  "src/meta",
  "src/ports",
  "machines",
  "src/statechart",
  "src/queue",
  "src/lifecycle",
  "src/diagram",
];
const notForIndex = ["src/cli", "src/cluster", "src/testing"];

/** The rows of the table below the heading "Layers". Throws when there is none. */
export function parseLayerTable(markdown: string): Layer[] {
  const section = markdown.split(/^## Layers$/m)[1]?.split(/^## /m)[0] ?? "";
  const layers: Layer[] = [];
  for (const line of section.split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    const name = /^`(.+)`$/.exec(cells[1] ?? "")?.[1];
    if (name === undefined) continue;
    const namesIn = (cell: string): string[] =>
      [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
    const [packages = "", typesOf = ""] = (cells[3] ?? "").split("types of");
    const open = name === "src/index.ts" || name === "examples";
    layers.push({
      name,
      layers: open ? "all" : namesIn(cells[2] ?? ""),
      packages: packages === "any" || open ? "any" : namesIn(packages),
      typesOf: namesIn(typesOf),
    });
  }
  if (layers.length === 0) throw new Error("ARCHITECTURE.md has no layer table");
  return layers;
}

/** All imports of the modules that belong to a layer: static, dynamic, re-exports and types. */
export function readImports(root: string): Import[] {
  const files = globSync(["src/**/*.ts", "machines/**/*.ts", "examples/**/*.ts"], { cwd: root });
  return files.flatMap((file) => {
    const code = readFileSync(join(root, file), "utf8");
    const { module, errors } = parseSync(file, code);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
    assertLoadable(file, code);
    return [
      ...module.staticImports.map(({ moduleRequest, entries }) => ({
        specifier: moduleRequest.value,
        typesOnly: entries.length > 0 && entries.every(({ isType }) => isType),
      })),
      ...module.staticExports.flatMap((each) =>
        each.entries.flatMap(({ moduleRequest, isType }) =>
          moduleRequest === null ? [] : [{ specifier: moduleRequest.value, typesOnly: isType }],
        ),
      ),
      ...module.dynamicImports.flatMap((each) => {
        const text = code.slice(each.moduleRequest.start, each.moduleRequest.end);
        return /^["'`][^$]*["'`]$/.test(text) ? [{ specifier: text.slice(1, -1), typesOnly: false }] : [];
      }),
    ].map((each) => ({ file, ...each }));
  });
}

/** Node runs the sources as they are, and cannot strip the types of all that TypeScript reads: `for (const of of names)` ends it. */
function assertLoadable(file: string, code: string): void {
  try {
    stripTypeScriptTypes(code);
  } catch (error) {
    throw new Error(`Node cannot load ${file}: ${String(error)}`, { cause: error });
  }
}

/** One line for each import that the table does not allow. */
export function findViolations(layers: readonly Layer[], imports: readonly Import[]): string[] {
  const layerOf = (path: string): Layer | undefined =>
    layers.find((layer) => path === layer.name || path.startsWith(`${layer.name}/`));
  return imports.flatMap(({ file, specifier, typesOnly }) => {
    const layer = layerOf(file);
    if (layer === undefined) return [`${file}: belongs to no layer of ARCHITECTURE.md`];
    if (specifier.startsWith(".")) {
      const target = normalize(join(dirname(file), specifier));
      const other = layerOf(target);
      if (other === layer) return [];
      if (layer.name === "examples")
        return [`${file}: imports ${specifier}; examples use the public entries only`];
      if (other === undefined) return [`${file}: imports ${specifier}, which is in no layer`];
      if (
        layer.name === "src/index.ts" ? !notForIndex.includes(other.name) : layer.layers.includes(other.name)
      )
        return [];
      return [`${file}: ${layer.name} must not import ${other.name} (${specifier})`];
    }
    const bare = specifier.replace(/^node:/, "");
    if (specifier.startsWith("node:") || builtinModules.includes(bare)) {
      return withoutNode.includes(layer.name)
        ? [`${file}: ${layer.name} must not import Node's ${specifier}`]
        : [];
    }
    const name = specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
    if (layer.packages === "any" || layer.packages.includes(name)) return [];
    if (typesOnly === true && layer.typesOf.includes(name)) return [];
    return [`${file}: ${layer.name} must not import the package ${name}`];
  });
}

/** One line for each circle of files that import each other, types included. */
export function findCycles(imports: readonly Import[]): string[] {
  const edges = imports.flatMap(({ file, specifier }) =>
    specifier.startsWith(".") ? [{ file, target: normalize(join(dirname(file), specifier)) }] : [],
  );
  return circlesOf(edges).map((circle) => `circle: ${circle.join(" -> ")}`);
}

/**
 * One line for each circle of folders: folders that lie beside each other within a layer must not need each other, types
 * included. Files right in the layer's folder belong to none of them.
 */
export function findFolderCycles(imports: readonly Import[]): string[] {
  const edges = imports.flatMap(({ file, specifier }) => {
    if (!file.startsWith("src/") || !specifier.startsWith(".")) return [];
    const [from, to] = [dirname(file).split("/"), dirname(join(dirname(file), specifier)).split("/")];
    const apart = from.findIndex((name, depth) => name !== to[depth]);
    // Beside each other below a layer, which is the first folder in src.
    if (apart < 2 || to[apart] === undefined) return [];
    return [{ file: from.slice(0, apart + 1).join("/"), target: to.slice(0, apart + 1).join("/") }];
  });
  return circlesOf(edges).map((circle) => `circle of folders: ${circle.join(" -> ")}`);
}

/** The circles in a graph, each from and to the same node. */
function circlesOf(
  edges: readonly { readonly file: string; readonly target: string }[],
): readonly (readonly string[])[] {
  const targets = new Map<string, Set<string>>();
  for (const { file, target } of edges) targets.set(file, (targets.get(file) ?? new Set()).add(target));
  const done = new Set<string>();
  const circles: (readonly string[])[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    const start = path.indexOf(node);
    if (start >= 0) {
      circles.push([...path.slice(start), node]);
      return;
    }
    if (done.has(node)) return;
    for (const target of targets.get(node) ?? []) visit(target, [...path, node]);
    done.add(node);
  };
  for (const node of targets.keys()) visit(node, []);
  return circles;
}
