// The JSONPath of CRDs: fields, quoted fields, indexes, slices, unions of them, wildcards, filters by one comparison, descent.
// Read by printer columns, scale paths and selectable fields.
import { fieldOf, isJsonObject, setField } from "./json-value.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "slice"; readonly bounds: readonly (number | undefined)[] }
  | { readonly kind: "any"; readonly of: readonly Step[] }
  | { readonly kind: "all" }
  /** The value itself and everything inside of it. */
  | { readonly kind: "descent" }
  | {
      readonly kind: "filter";
      readonly path: readonly Step[];
      readonly operator: string;
      readonly value: unknown;
    };

/** A compiled path. */
export type JsonPath = readonly Step[];

const stepPattern =
  /^(?:\.?\[\?\(@(?<filterPath>[^=!<>)]*?)\s*(?:(?<operator>[=!<>]=|[<>])\s*(?<filterValue>"[^"]*"|'[^']*'|[^)]*?))?\s*\)\]|\[(?<index>-?\d+)\]|\[(?<slice>-?\d*(?::-?\d*){1,2})\]|\[(?<union>-?\d+(?:,-?\d+)+|'[^']*'(?:,'[^']*')+)\]|(?<descent>\.(?=\.[^.[]))|\.?\[(?:'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)")\]|(?<all>\.?\[\*\]|\.\*)|\.?(?<name>(?:[^.[\\]|\\.)+))/;

/** Compiles a path like `.status.conditions[?(@.type=="Ready")].status`; undefined when it is not one. */
export function compileJsonPath(text: string): JsonPath | undefined {
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/, "$1")
    .replace(/^\$/, "");
  const steps: Step[] = [];
  while (rest !== "" && rest !== ".") {
    const match = stepPattern.exec(rest);
    if (match === null) return undefined;
    const groups = match.groups ?? {};
    const name = groups["name"] ?? groups["single"] ?? groups["double"];
    if (groups["filterPath"] !== undefined) {
      const path = compileJsonPath(groups["filterPath"]);
      if (path === undefined) return undefined;
      const value = toLiteral(groups["filterValue"]);
      steps.push({ kind: "filter", path, operator: groups["operator"] ?? "exists", value });
    } else if (groups["index"] !== undefined) steps.push({ kind: "index", index: Number(groups["index"]) });
    else if (groups["slice"] !== undefined) steps.push(toSlice(groups["slice"]));
    else if (groups["union"] !== undefined) steps.push({ kind: "any", of: toUnion(groups["union"]) });
    else if (groups["descent"] !== undefined) steps.push({ kind: "descent" });
    else if (groups["all"] !== undefined) steps.push({ kind: "all" });
    else if (name !== undefined) steps.push({ kind: "field", name: name.replaceAll(/\\(.)/g, "$1") });
    rest = rest.slice(match[0].length);
  }
  return steps;
}

function toSlice(text: string): Step {
  return { kind: "slice", bounds: text.split(":").map((each) => (each === "" ? undefined : Number(each))) };
}

function toUnion(text: string): readonly Step[] {
  return text
    .split(",")
    .map((each) =>
      each.startsWith("'")
        ? { kind: "field", name: each.slice(1, -1) }
        : { kind: "index", index: Number(each) },
    );
}

/** All values at a path. */
export function valuesAt(root: unknown, path: JsonPath): unknown[] {
  let values: unknown[] = [root];
  for (const step of path) values = values.flatMap((value) => take(value, step));
  return values;
}

/** The first value at a path given as text. */
export function valueAt(root: unknown, path: string): unknown {
  const compiled = compileJsonPath(path);
  return compiled === undefined ? undefined : valuesAt(root, compiled)[0];
}

/** Sets the value at a path of plain fields, in place; fields in between are created. */
export function setAt(root: Record<string, unknown>, path: string, value: unknown): void {
  const names = (compileJsonPath(path) ?? []).flatMap((step) => (step.kind === "field" ? [step.name] : []));
  let fields = root;
  for (const name of names.slice(0, -1)) {
    const next = fieldOf(fields, name);
    const entered = isJsonObject(next) ? (next as Record<string, unknown>) : {};
    if (entered !== next) setField(fields, name, entered);
    fields = entered;
  }
  const last = names.at(-1);
  if (last !== undefined) setField(fields, last, value);
}

function take(value: unknown, step: Step): unknown[] {
  switch (step.kind) {
    case "field":
      return [isJsonObject(value) ? fieldOf(value, step.name) : undefined].filter(
        (each) => each !== undefined,
      );
    case "index": {
      const found: unknown = Array.isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case "slice":
      return Array.isArray(value) ? sliced(value, step.bounds) : [];
    case "any":
      return step.of.flatMap((each) => take(value, each));
    case "descent":
      return [value, ...take(value, { kind: "all" }).flatMap((each) => take(each, step))];
    case "all":
      return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    case "filter":
    default: {
      const { operator, value: wanted } = step;
      const found = (Array.isArray(value) ? value : []).map((item: unknown) => ({
        item,
        at: valuesAt(item, step.path)[0],
      }));
      // What cannot be compared leaves nothing.
      if (operator.startsWith("<") || operator.startsWith(">")) {
        if (found.some(({ at }) => kindOf(at) !== kindOf(wanted))) return [];
      }
      return found.filter(({ at }) => holds(at, operator, wanted)).map(({ item }) => item);
    }
  }
}

function sliced(list: readonly unknown[], [from, to, step = 1]: readonly (number | undefined)[]): unknown[] {
  return list.slice(from, to).filter((_, index) => index % Math.max(step, 1) === 0);
}

/** Whole numbers are not compared with others. */
function kindOf(value: unknown): string {
  return Number.isInteger(value) ? "integer" : typeof value;
}

function holds(found: unknown, operator: string, wanted: unknown): boolean {
  const [left, right] = [found as number, wanted as number];
  switch (operator) {
    case "exists":
      return found !== undefined;
    case "==":
      return found === wanted;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    default:
      return found !== wanted;
  }
}

function toLiteral(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const quoted = /^(["'])(.*)\1$/.exec(text);
  if (quoted !== null) return quoted[2];
  if (text === "true" || text === "false") return text === "true";
  return Number.isNaN(Number(text)) ? text : Number(text);
}
