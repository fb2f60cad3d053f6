// What an editor and the API reference say of the exports of an entry: their docstrings, and those of their members.
import { join, relative } from "node:path";
import { nameOf, readModules, type Modules, type Node, type Place } from "./modules.ts";

/** An export, or a member of one, as `RunOptions.workers`. */
export interface Documented {
  readonly name: string;
  /** The file that declares it, and where in it. */
  readonly file: string;
  readonly start: number;
  /** Undefined when there is none. */
  readonly doc: string | undefined;
  /** It may be left out. */
  readonly isOptional: boolean;
  /** Its type as it is written, for a member. */
  readonly isNumber: boolean;
}

const isMember = /^(PropertyDefinition|MethodDefinition|TSPropertySignature|TSMethodSignature)$/;

/**
 * Every export of an entry and every member of it, but for what is `@internal`, and the members of a type that fits on the line of what
 * has it.
 */
export function documentedOf(root: string, entry: string): readonly Documented[] {
  const modules = readModules();
  return modules.exportsOf(join(root, entry)).flatMap(({ name, at }) => {
    if (at === undefined) return [];
    const { declarations, docOf } = modules.read(at.file);
    const nodes = declarations.get(at.name) ?? [];
    // A constant and a type of one name are documented together, and so are the overloads of a function.
    const doc = nodes.map(docOf).find((each) => each !== undefined);
    const file = relative(root, at.file);
    return [
      { name, file, start: (nodes[0]?.["start"] ?? 0) as number, doc, isOptional: false, isNumber: false },
      ...nodes.flatMap((node) => membersOf(modules, root, at, node, name)),
    ];
  });
}

function membersOf(
  modules: Modules,
  root: string,
  at: Place,
  node: unknown,
  of: string,
): readonly Documented[] {
  if (Array.isArray(node)) return node.flatMap((each) => membersOf(modules, root, at, each, of));
  if (typeof node !== "object" || node === null) return [];
  const { type, ...fields } = node as Node;
  if (type === "TSTypeLiteral" || type === "TSInterfaceBody" || type === "ClassBody") {
    const { docOf, isOneLine } = modules.read(at.file);
    // What is so short is described by the docstring of what has it.
    if (type === "TSTypeLiteral" && isOneLine(node as Node)) return [];
    return ((fields["members"] ?? fields["body"]) as readonly Node[]).flatMap((member) => {
      const { type: key } = (member["key"] ?? {}) as Partial<Node>;
      const name = nameOf(member["key"]);
      const doc = docOf(member);
      if (!isMember.test(member.type) || name === "" || member["computed"] === true) return [];
      if (
        key === "PrivateIdentifier" ||
        member["accessibility"] === "private" ||
        /@internal\b/.test(doc ?? "")
      )
        return [];
      if (name === "constructor") return [];
      const { typeAnnotation } = (member["typeAnnotation"] ?? {}) as { readonly typeAnnotation?: Node };
      const own: Documented = {
        name: `${of}.${name}`,
        file: relative(root, at.file),
        start: member["start"] as number,
        doc,
        isOptional: member["optional"] === true,
        isNumber: typeAnnotation?.type === "TSNumberKeyword",
      };
      return [own, ...membersOf(modules, root, at, typeAnnotation, own.name)];
    });
  }
  if (type === "TSInterfaceDeclaration") {
    const bases = (fields["extends"] ?? []) as readonly Node[];
    return [
      ...bases.flatMap((base) => {
        const found = modules.resolve(at.file, nameOf(base["expression"]));
        const nodes =
          found === undefined ? [] : (modules.read(found.file).declarations.get(found.name) ?? []);
        return found === undefined ? [] : membersOf(modules, root, found, nodes, of);
      }),
      ...membersOf(modules, root, at, fields["body"], of),
    ];
  }
  if (type === "ClassDeclaration") return membersOf(modules, root, at, fields["body"], of);
  if (type === "TSTypeAliasDeclaration") return membersOf(modules, root, at, fields["typeAnnotation"], of);
  if (/^TS(UnionType|IntersectionType|ArrayType|TypeOperator|ParenthesizedType)$/.test(type))
    return membersOf(
      modules,
      root,
      at,
      fields["types"] ?? fields["typeAnnotation"] ?? fields["elementType"],
      of,
    );
  if (type === "TSTypeReference") {
    const { params = [] } = (fields["typeArguments"] ?? {}) as { readonly params?: readonly Node[] };
    return membersOf(modules, root, at, params, of);
  }
  return [];
}
