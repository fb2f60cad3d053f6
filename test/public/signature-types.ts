// Which types of ours the signatures of an entry's exports name, and which of those no public entry exports.
// Signatures are those of the package's types: without the members that are `@internal`.
import { join, relative } from "node:path";
import { nameOf, readModules, type Node, type Place } from "./modules.ts";

/** A type that a signature names and no entry exports. */
export interface HiddenType {
  readonly name: string;
  /** The file that declares it. */
  readonly file: string;
  /** The exported name whose signature names it. */
  readonly of: string;
}

/** The types that the exports of an entry name and that are missing among those of all `entries`. */
export function hiddenTypes(root: string, entry: string, entries: readonly string[]): readonly HiddenType[] {
  const { read, resolve, exportsOf } = readModules();
  const open = new Set(
    entries.flatMap((each) => exportsOf(join(root, each))).map(({ at }) => `${at?.file} ${at?.name}`),
  );
  const hidden = new Map<string, HiddenType>();
  const seen = new Set<string>();
  /** Looks at what the declarations of a name say: of an exported name, or of one that is seen through. */
  const look = (at: Place, of: string): void => {
    const key = `${at.file} ${at.name}`;
    if (seen.has(key)) return;
    seen.add(key);
    const { declarations, docOf } = read(at.file);
    const isInternal: IsInternal = (member) => /@internal\b/.test(docOf(member) ?? "");
    for (const { name, isBase } of namesIn(declarations.get(at.name) ?? [], isInternal)) {
      const found = resolve(at.file, name);
      if (found === undefined || open.has(`${found.file} ${found.name}`)) continue;
      const declared = read(found.file).declarations.get(found.name) ?? [];
      if (declared.every(isComputed)) continue;
      // The members of a base are those of what extends it; and what another name says can be said without it.
      if (declared.every((node) => (isBase && node.type === "TSInterfaceDeclaration") || isOtherName(node)))
        look(found, of);
      else
        hidden.set(`${found.file} ${found.name}`, {
          name: found.name,
          file: relative(root, found.file),
          of,
        });
    }
  };
  for (const { name: of, at } of exportsOf(join(root, entry))) if (at !== undefined) look(at, of);
  return [...hidden.values()];
}

/** A type that a signature names. */
interface NamedType {
  readonly name: string;
  /** It is what an interface or a class is made from. */
  readonly isBase: boolean;
}

/** Whether a member is left out of the package's types. */
type IsInternal = (member: Node) => boolean;

/** What is no part of a signature. */
const inside = new Set(["body", "value", "typeParameters"]);

/** The types in a signature: not those in the body of a function, or in private members of a class. */
function namesIn(
  node: unknown,
  isInternal: IsInternal,
  skipped: ReadonlySet<string> = new Set(),
): readonly NamedType[] {
  if (Array.isArray(node)) return node.flatMap((each) => namesIn(each, isInternal, skipped));
  if (typeof node !== "object" || node === null) return [];
  const { type, ...fields } = node as Node;
  const own = new Set([...skipped, ...namesOfParameters(fields["typeParameters"])]);
  const within = (value: unknown): readonly NamedType[] => namesIn(value, isInternal, own);
  if (/^(PropertyDefinition|MethodDefinition|TSPropertySignature|TSMethodSignature)$/.test(type)) {
    const { type: key } = fields["key"] as Node;
    if (key === "PrivateIdentifier" || fields["accessibility"] === "private") return [];
    if (isInternal(node as Node)) return [];
    if (type === "MethodDefinition") return within(fields["value"]);
  }
  if (type === "TSTypeReference" || type === "TSInterfaceHeritage" || type === "TSClassImplements") {
    const name = nameOf(fields["typeName"] ?? fields["expression"]);
    const more = within(fields["typeArguments"]);
    return own.has(name) || name === "" ? more : [{ name, isBase: type !== "TSTypeReference" }, ...more];
  }
  if (type === "VariableDeclarator") {
    const { type: made } = (fields["init"] ?? {}) as Partial<Node>;
    return within([fields["id"], made === "ArrowFunctionExpression" ? fields["init"] : undefined]);
  }
  const isCode = /Function|PropertyDefinition/.test(type) && !type.startsWith("TS");
  return Object.entries(fields)
    .filter(([field]) => !(isCode && inside.has(field)) && field !== "typeParameters")
    .flatMap(([, value]) => within(value));
}

/** What gives a type a shape of its own. */
const shapes = /^TS(TypeLiteral|FunctionType|ConstructorType|ConditionalType|MappedType|TypeQuery)$/;

/** Whether a declaration is an alias that only refers to other types, as `ApiError["details"]` does. */
function isOtherName(node: Node): boolean {
  return node.type === "TSTypeAliasDeclaration" && !hasShape(node["typeAnnotation"]);
}

/** Whether a declaration is a function of types, which the compiler carries out on what it infers, and nobody by hand. */
function isComputed(node: Node): boolean {
  const { type } = (node["typeAnnotation"] ?? {}) as Partial<Node>;
  return namesOfParameters(node["typeParameters"]).length > 0 && type === "TSConditionalType";
}

function hasShape(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasShape);
  if (typeof node !== "object" || node === null) return false;
  return shapes.test((node as Node).type) || Object.values(node).some(hasShape);
}

function namesOfParameters(node: unknown): readonly string[] {
  const { params = [] } = (node ?? {}) as { readonly params?: readonly Node[] };
  return params.map(({ name }) => nameOf(name));
}
