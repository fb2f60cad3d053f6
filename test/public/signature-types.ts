// Which types of ours the signatures of an entry's exports name, and which of those no public entry exports.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";

/** A type that a signature names and no entry exports. */
export interface HiddenType {
  readonly name: string;
  /** The file that declares it. */
  readonly file: string;
  /** The exported name whose signature names it. */
  readonly of: string;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Module {
  /** By local name: the file and the name there. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  /** By exported name, where it is re-exported from. */
  readonly reexports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly declarations: ReadonlyMap<string, readonly Node[]>;
}

/** The types that the exports of an entry name and that are missing among those of all `entries`. */
export function hiddenTypes(root: string, entry: string, entries: readonly string[]): readonly HiddenType[] {
  const modules = new Map<string, Module>();
  const moduleOf = (file: string): Module => {
    const known = modules.get(file) ?? readModule(file);
    modules.set(file, known);
    return known;
  };
  /** Where a name of a module is declared. */
  const resolve = (
    file: string,
    name: string,
  ): { readonly file: string; readonly name: string } | undefined => {
    const { imports, reexports, declarations } = moduleOf(file);
    if (declarations.has(name)) return { file, name };
    const next = imports.get(name) ?? reexports.get(name);
    return next === undefined ? undefined : resolve(next.file, next.name);
  };
  const exportsOf = (file: string) =>
    [...moduleOf(join(root, file)).reexports].map(([name]) => ({
      name,
      at: resolve(join(root, file), name),
    }));
  const open = new Set(entries.flatMap(exportsOf).map(({ at }) => `${at?.file} ${at?.name}`));
  const hidden = new Map<string, HiddenType>();
  for (const { name: of, at } of exportsOf(entry)) {
    if (at === undefined) continue;
    for (const declaration of moduleOf(at.file).declarations.get(at.name) ?? []) {
      for (const name of typesIn(declaration)) {
        const found = resolve(at.file, name);
        if (found === undefined || open.has(`${found.file} ${found.name}`)) continue;
        hidden.set(`${found.file} ${found.name}`, { name: found.name, file: relative(root, found.file), of });
      }
    }
  }
  return [...hidden.values()];
}

function readModule(file: string): Module {
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  const imports = new Map<string, { file: string; name: string }>();
  const reexports = new Map<string, { file: string; name: string }>();
  const declarations = new Map<string, Node[]>();
  const declare = (name: string, node: Node): void =>
    void declarations.set(name, [...(declarations.get(name) ?? []), node]);
  for (const statement of program.body as unknown as readonly Node[]) {
    const source = (statement["source"] as { readonly value?: string } | null)?.value;
    const target = source?.startsWith(".") === true ? join(dirname(file), source) : undefined;
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
  return { imports, reexports, declarations };
}

/** What is no part of a signature. */
const inside = new Set(["body", "init", "value", "typeParameters"]);

/** The names of types in a signature: not those in the body of a function, or in private members of a class. */
function typesIn(node: unknown, skipped: ReadonlySet<string> = new Set()): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((each) => typesIn(each, skipped));
  if (typeof node !== "object" || node === null) return [];
  const { type, ...fields } = node as Node;
  const own = new Set([...skipped, ...namesOfParameters(fields["typeParameters"])]);
  if (type === "PropertyDefinition" || type === "MethodDefinition") {
    if ((fields["key"] as Node).type === "PrivateIdentifier" || fields["accessibility"] === "private")
      return [];
    if (type === "MethodDefinition") return typesIn(fields["value"], own);
  }
  if (type === "TSTypeReference" || type === "TSInterfaceHeritage" || type === "TSClassImplements") {
    const name = nameOf(fields["typeName"] ?? fields["expression"]);
    const more = typesIn(fields["typeArguments"], own);
    return own.has(name) || name === "" ? more : [name, ...more];
  }
  const isCode = /Function|VariableDeclarator|PropertyDefinition/.test(type) && !type.startsWith("TS");
  return Object.entries(fields)
    .filter(([field]) => !(isCode && inside.has(field)) && field !== "typeParameters")
    .flatMap(([, value]) => typesIn(value, own));
}

function namesOfParameters(node: unknown): readonly string[] {
  const { params = [] } = (node ?? {}) as { readonly params?: readonly Node[] };
  return params.map(({ name }) => nameOf(name));
}

function nameOf(node: unknown): string {
  if (typeof node === "string") return node;
  const { name, value } = (node ?? {}) as { readonly name?: unknown; readonly value?: unknown };
  const text = name ?? value;
  return typeof text === "string" ? text : "";
}
