// Values with `${ … }` in them: compiled once against the variables of their place, rendered for each run.
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { meantBy } from "../../ports/misspelling.ts";
import type { CelExpression, CelScope } from "../../schema/cel/cel-scope.ts";
import { keyPath } from "../../machine-file/place-of-problem.ts";
import { isJsonArray, isJsonObject, setField } from "../../schema/json-value.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { FileReader, Path } from "../file/file-reader.ts";
import { textPartsOf } from "./template-text.ts";

/** What variables stand for. */
export type Values = Readonly<Record<string, unknown>>;

/** Makes a value of the variables. **Errors**: `EXPRESSION_FAILED`. */
export type Render<T = unknown> = (values: Values) => T;

/** Where something that may have expressions is, and which variables they may use. */
export interface TemplatePlace {
  readonly reader: FileReader;
  readonly path: Path;
  readonly scope: CelScope;
  /** What the objects that are written there belong to; absent where that is not known. */
  readonly owner?: ResourceType;
}

/**
 * Compiles a value. A text that is one expression becomes what that says, of whatever type; expressions inside a text become part
 * of it. A field, or an item, whose expression says nothing (an optional that is not there) is left out. `$${` is the text `${`.
 */
export function compileTemplate(value: unknown, place: TemplatePlace): Render {
  if (typeof value === "string") return compileText(value, place);
  if (isJsonArray(value)) {
    const items = value.map((each, index) => compileTemplate(each, inside(place, String(index))));
    return (values) => items.map((render) => render(values)).filter((each) => each !== undefined);
  }
  if (!isJsonObject(value)) return () => value;
  const fields = Object.entries(value).map(([name, each]) => ({
    name: compileName(name, inside(place, name)),
    render: compileTemplate(each, inside(place, name)),
  }));
  return (values) => {
    const object: Record<string, unknown> = {};
    for (const { name, render } of fields) {
      const field = render(values);
      if (field !== undefined) setField(object, name(values), field);
    }
    return object;
  };
}

/** The place of a part. */
export function inside(place: TemplatePlace, ...names: readonly string[]): TemplatePlace {
  return { ...place, path: [...place.path, ...names] };
}

/** A text with expressions, always a text. */
export function compileName(text: string, place: TemplatePlace): Render<string> {
  const parts = partsOf(text, place);
  if (parts.every((part) => typeof part === "string")) return () => parts.join("");
  return joined(parts, place);
}

/** One expression, and nothing else, of a type; undefined when something is wrong. */
export function compileExpression(
  text: string,
  place: TemplatePlace,
  expected: { readonly types: readonly string[]; readonly what: string; readonly example: string },
): Render | undefined {
  const { reader, path } = place;
  const parts = partsOf(text, place);
  const [only] = parts;
  if (parts.length !== 1 || typeof only !== "object") {
    if (parts.includes(unreadable)) return undefined;
    reader.report({
      code: "EXPRESSION_MISSING",
      path,
      message: `"${text}" is a text, but ${expected.what} is an expression`,
      remedy: `Write '\${ ${expected.example} }'.`,
    });
    return undefined;
  }
  const { expression } = only;
  if (expression.type !== "dyn" && !expected.types.includes(expression.type.replace(/<.*/, ""))) {
    reader.report({
      code: "EXPRESSION_TYPE",
      path,
      message: `\${ ${shortened(expression.text)} } is of type ${typeName(expression.type)}, but ${expected.what} is of type ${expected.types.map(typeName).join(" or ")}`,
      remedy: `Write for instance '\${ ${expected.example} }'.`,
      inside: { text: expression.text, at: 0 },
    });
    return undefined;
  }
  return evaluated(expression, place);
}

/** CEL's name of a type as people say it. */
function typeName(type: string): string {
  const short = type.replace(/^google\.protobuf\./, "").replace(/<.*/, "");
  return /\.type\b/.test(type) ? "object" : short.toLowerCase();
}

/** A condition. */
export function compileCondition(text: string, place: TemplatePlace): Render<boolean> | undefined {
  const render = compileExpression(text, place, {
    types: ["bool"],
    what: "a condition",
    example: "spec.replicas > 1",
  });
  if (render === undefined) return undefined;
  return (values) => {
    const said = render(values);
    if (typeof said === "boolean") return said;
    throw failed(text, place, `it says ${JSON.stringify(said)}, but must say true or false`);
  };
}

/** An expression between two texts; or one that is wrong, which has been reported. */
type Part = string | { readonly expression: CelExpression } | typeof unreadable;

const unreadable = Symbol("wrong expression");

function compileText(text: string, place: TemplatePlace): Render {
  const parts = partsOf(text, place);
  const [only] = parts;
  if (parts.length === 1 && typeof only === "object") {
    place.reader.expressionTypes.set(keyPath(...place.path), only.expression.type);
    return evaluated(only.expression, place);
  }
  if (parts.every((part) => typeof part === "string")) {
    const whole = parts.join("");
    return () => whole;
  }
  return joined(parts, place);
}

function joined(parts: readonly Part[], place: TemplatePlace): Render<string> {
  for (const part of parts) {
    if (typeof part !== "object") continue;
    const { text, type } = part.expression;
    if (!/^(list|map)\b|\.type\b|\.type$/.test(type)) continue;
    place.reader.report({
      code: "EXPRESSION_TYPE",
      path: place.path,
      message: `\${ ${shortened(text)} } is of type ${typeName(type)}, which cannot be part of a text`,
      remedy: "Let the expression be the whole value, or name one of its fields.",
      inside: { text, at: 0 },
    });
  }
  const renders = parts.map((part): Render => {
    if (typeof part === "symbol") return () => "";
    return typeof part === "string" ? () => part : evaluated(part.expression, place);
  });
  return (values) =>
    renders
      .map((render, index) => {
        const said = render(values);
        if (["string", "number", "boolean"].includes(typeof said)) return String(said);
        const part = parts[index];
        const text = typeof part === "object" ? part.expression.text : "";
        const what = said === undefined || said === null ? "nothing" : JSON.stringify(said);
        throw failed(text, place, `it says ${what}, which cannot be part of a text`);
      })
      .join("");
}

function evaluated(expression: CelExpression, place: TemplatePlace): Render {
  return (values) => {
    try {
      return expression.evaluate(values);
    } catch (error: unknown) {
      const [first = ""] = messageOf(error).split("\n");
      throw failed(expression.text, place, first, error);
    }
  };
}

/** The error of an expression, with its place in the message: conditions and Events say nothing else of it. */
function failed(text: string, { reader, path }: TemplatePlace, why: string, cause?: unknown): OperatorError {
  const { range } = (cause ?? {}) as { readonly range?: { readonly start?: unknown } };
  const at = typeof range?.start === "number" ? range.start : text.length - text.trimStart().length;
  const where = reader.placeOf(path, { text, at });
  const part = path.length === 0 ? "" : `${path.join(".")}: `;
  return new OperatorError(
    "EXPRESSION_FAILED",
    `${where}: ${part}\${ ${shortened(text)} } cannot be evaluated: ${why}`,
    {
      ...(cause === undefined ? {} : { cause }),
      fields: { where },
      remedy: remedyForMissing(text, why),
    },
  );
}

/** What to write for a field that may be missing: the expression's own where it is known which, else an example. */
function remedyForMissing(text: string, why: string): string {
  const name = /^No such key: (\w+)/.exec(why)?.[1];
  const before = name === undefined ? undefined : new RegExp(`([\\w.?]*\\w)\\.${name}\\b`).exec(text)?.[1];
  return before === undefined
    ? "For what may be missing write has(a.b), or a.?b.orValue(…)."
    : `If it may be missing, write ${before}.?${name}.orValue(…), with the value that counts then, or ask has(${before}.${name}) before.`;
}

/** Texts and expressions of a text, in order. */
function partsOf(text: string, place: TemplatePlace): readonly Part[] {
  const parts = textPartsOf(text).map((part): Part => {
    if ("literal" in part) return part.literal;
    if ("expression" in part) return compiled(part.expression, place);
    place.reader.report({
      code: "EXPRESSION_INVALID",
      path: place.path,
      message: "an expression begins with ${ and has no } at its end",
      remedy: "Close it; a text ${ of its own is written $${.",
      inside: { text: part.unclosed, at: 0 },
    });
    return unreadable;
  });
  return parts.length === 0 ? [""] : parts;
}

/** Characters of an expression that are shown. */
const longest = 160;

/** An expression as it is shown: not all of a long one. */
function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= longest ? trimmed : `${trimmed.slice(0, longest)}…`;
}

function compiled(text: string, { reader, path, scope }: TemplatePlace): Part {
  const expression = scope.compile(text);
  if (!("fault" in expression)) return { expression };
  const { text: said, at } = expression.fault;
  reader.report({
    code: "EXPRESSION_INVALID",
    path,
    message: `\${ ${shortened(text)} }: ${said.replace(" (in container '')", "")}`,
    remedy: remedyOf(said, text.slice(0, at), scope),
    inside: { text, at },
  });
  return unreadable;
}

/** What to write instead of an expression that does not compile; `before` is what stands before the fault in it. */
export function remedyOf(
  said: string,
  before: string,
  scope: Pick<CelScope, "fieldsOf" | "names" | "functions">,
): string {
  const [, what = "", name = ""] = /^(undeclared reference to|undefined field) '([^']*)'/.exec(said) ?? [];
  if (what === "") {
    if (said.startsWith("found no matching overload"))
      return "Compare and join values of one type: string(…), int(…) and double(…) convert them.";
    if (said.includes("Unexpected character: =")) return "Compare by ==.";
    if (said.endsWith("Unexpected token: DOT") && before.trim() === "")
      return "Write it without the dot at its beginning: spec.size.";
    return said.startsWith("the expression is too deep")
      ? 'Write it shorter: join lists by .join(""), or give parts of it names, as facts.'
      : "Correct the expression here.";
  }
  const path = /[\w.?]*$/.exec(before)?.[0] ?? "";
  const fields = what === "undefined field" ? scope.fieldsOf(path) : undefined;
  const known = fields ?? scope.names;
  const meant = meantBy(name, [...known, ...(fields === undefined ? scope.functions : [])]);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  if (fields === undefined) {
    const self = name === "self" ? "self is known in validations alone. " : "";
    return `${self}Variables are here: ${known.join(", ")}.`;
  }
  const others = known.length === 0 ? "It has no fields." : `Its fields are: ${known.join(", ")}.`;
  const where = Object.entries(declaredAt).find(([variable]) => path.endsWith(variable))?.[1];
  return where === undefined ? others : `${others} ${where.replaceAll("<name>", name)}`;
}

/** How the fields of a variable are declared in the file. */
const declaredAt: Readonly<Record<string, string>> = {
  facts: "Let the observer find it: observe: { facts: { <name>: '${ … }' } }.",
  context: "Let the machine remember it: lifecycle: { context: { <name>: null } }, or by an action.",
};
