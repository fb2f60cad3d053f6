// The modules of the package as text: what each imports, exports and declares, read from its syntax tree.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/** A node of a syntax tree. */
export interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Where a name is declared. */
export interface Place {
  readonly file: string;
  readonly name: string;
}

/** A module, by the names in it. */
export interface Module {
  /** By local name: the file and the name there. */
  readonly imports: ReadonlyMap<string, Place>;
  /** By exported name, where it is re-exported from. */
  readonly reexports: ReadonlyMap<string, Place>;
  readonly declarations: ReadonlyMap<string, readonly Node[]>;
  /** The docstring of a declaration or of a member, without stars. */
  readonly docOf: (node: Node) => string | undefined;
  /** Whether a node begins and ends on one line. */
  readonly isOneLine: (node: Node) => boolean;
}

/** Reads modules, each once. */
export interface Modules {
  readonly read: (file: string) => Module;
  /** Where a name of a module is declared; undefined for one of a package. */
  readonly resolve: (file: string, name: string) => Place | undefined;
  /** What a module re-exports: each name, and where it is declared. */
  readonly exportsOf: (file: string) => readonly { readonly name: string; readonly at: Place | undefined }[];
}

/** The modules that can be reached from an entry. */
export function readModules(): Modules {
  const known = new Map<string, Module>();
  const read = (file: string): Module => {
    const module = known.get(file) ?? readModule(file);
    known.set(file, module);
    return module;
  };
  const resolve = (file: string, name: string): Place | undefined => {
    const { imports, reexports, declarations } = read(file);
    if (declarations.has(name)) return { file, name };
    const next = imports.get(name) ?? reexports.get(name);
    return next === undefined ? undefined : resolve(next.file, next.name);
  };
  return {
    read,
    resolve,
    exportsOf: (file) => [...read(file).reexports].map(([name]) => ({ name, at: resolve(file, name) })),
  };
}

function readModule(file: string): Module {
  const source = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, source);
  const imports = new Map<string, Place>();
  const reexports = new Map<string, Place>();
  const declarations = new Map<string, Node[]>();
  const declare = (name: string, node: Node): void =>
    void declarations.set(name, [...(declarations.get(name) ?? []), node]);
  for (const statement of program.body as unknown as readonly Node[]) {
    const from = (statement["source"] as { readonly value?: string } | null)?.value;
    const target = from?.startsWith(".") === true ? join(dirname(file), from) : undefined;
    for (const specifier of (statement["specifiers"] ?? []) as readonly Node[]) {
      const outer = nameOf(specifier["imported"] ?? specifier["local"]);
      if (target === undefined) continue;
      if (statement.type === "ImportDeclaration")
        imports.set(nameOf(specifier["local"]), { file: target, name: outer });
      else reexports.set(nameOf(specifier["exported"]), { file: target, name: nameOf(specifier["local"]) });
    }
    const declaration = (statement["declaration"] ?? statement) as Node;
    for (const each of (declaration["declarations"] ?? [declaration]) as readonly Node[]) {
      const name = nameOf(each["id"]);
      if (name !== "") declare(name, each);
    }
  }
  const docs = comments.filter(({ value }) => value.startsWith("*"));
  const docOf = (node: Node): string | undefined => {
    const start = node["start"] as number;
    const doc = docs.findLast(({ end }) => end <= start);
    const between = source.slice(doc?.end ?? 0, start).trim();
    if (doc === undefined || !/^(?:(?:export|default|declare|const)\s*)*$/.test(between)) return undefined;
    return doc.value.replaceAll(/^\s*\* ?/gm, "").trim();
  };
  const isOneLine = (node: Node): boolean =>
    !source.slice(node["start"] as number, node["end"] as number).includes("\n");
  return { imports, reexports, declarations, docOf, isOneLine };
}

/** The name that a node stands for, else "". */
export function nameOf(node: unknown): string {
  if (typeof node === "string") return node;
  const { name, value } = (node ?? {}) as { readonly name?: unknown; readonly value?: unknown };
  const text = name ?? value;
  return typeof text === "string" ? text : "";
}
