// The subset of JSONPath that CRDs use: fields, quoted fields, indexes, wildcards, filters by equality, recursion-free.
// Read by printer columns, scale paths and selectable fields.
import { fieldOf, isJsonObject, setField } from "./json-value.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | {
      readonly kind: "filter";
      readonly path: readonly Step[];
      readonly operator: string;
      readonly value: unknown;
    };

/** A compiled path. */
export type JsonPath = readonly Step[];

const stepPattern =
  /^(?:\.?\[\?\(@(?<filterPath>[^=!<>)]*?)\s*(?:(?<operator>==|!=)\s*(?<filterValue>"[^"]*"|'[^']*'|[^)]*?))?\s*\)\]|\[(?<index>-?\d+)\]|\.?\[(?:'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)")\]|(?<all>\.?\[\*\]|\.\*)|\.?(?<name>(?:[^.[\\]|\\.)+))/;

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
    else if (groups["all"] !== undefined) steps.push({ kind: "all" });
    else if (name !== undefined) steps.push({ kind: "field", name: name.replaceAll(/\\(.)/g, "$1") });
    rest = rest.slice(match[0].length);
  }
  return steps;
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
    case "all":
      return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    case "filter":
    default:
      return (Array.isArray(value) ? value : []).filter((each: unknown) => {
        const found = valuesAt(each, step.path)[0];
        if (step.operator === "exists") return found !== undefined;
        return step.operator === "==" ? found === step.value : found !== step.value;
      });
  }
}

function toLiteral(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const quoted = /^(["'])(.*)\1$/.exec(text);
  if (quoted !== null) return quoted[2];
  if (text === "true" || text === "false") return text === "true";
  return Number.isNaN(Number(text)) ? text : Number(text);
}
