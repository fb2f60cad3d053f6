// What an API server would refuse of the objects of an operator that is a file, whatever the expressions in them say: the embedded
// API server is asked, by what it knows of Kubernetes' types and of the file's own kinds, and nothing is created.
import { objectChecks, type ObjectChecks, type ObjectFault } from "../../cluster/api/check-object.ts";
import type { OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import { crdOf } from "../../kinds/crd.ts";
import type { Fault, Path, WrittenObject } from "../../operator-file/file/file-reader.ts";
import {
  expressionPaths,
  isTypedExpression,
  sampleObject,
  samples,
} from "../../operator-file/checks/sample-object.ts";
import { meantBy } from "../../ports/misspelling.ts";

/** Reports what is wrong with the objects; each once, at its place. */
export function checkLiterals(operator: OperatorDefinition, objects: readonly WrittenObject[]): void {
  if (objects.length === 0) return;
  const checks = objectChecks(operator.controllers.map(({ kind }) => crdOf(kind)));
  for (const object of objects) {
    for (const fault of faultsOf(object, checks)) object.reader.report(fault);
  }
}

function faultsOf(object: WrittenObject, checks: ObjectChecks): readonly Fault[] {
  const { value } = object;
  const schema = checks.schemaOf(value);
  if (schema === undefined) return [];
  const found = samples.map((sample) => checks.check(sampleObject(object, schema, sample)));
  const [small = [], ...others] = found;
  const expressions = expressionPaths(value);
  const isIn = (fault: ObjectFault, faults: readonly ObjectFault[]): boolean =>
    faults.some(({ field, message }) => field === fault.field && message === fault.message);
  const faults = small.flatMap((fault): Fault[] => {
    const place = placeIn(value, fault.field);
    const { path, isWhole } = place;
    const above = expressions.some((each) => isBelow(path, each));
    if (fault.kind === "type") {
      // Of an expression the type may be known as well, and is another one.
      const isCertain = above ? isTypedExpression(object, path) && isOfType(fault) : true;
      return isCertain ? [wrongType(fault, object, path)] : [];
    }
    const below = isWhole && fault.kind === "value" && expressions.some((each) => isBelow(each, path));
    const isLinked =
      fault.kind === "reference" &&
      expressions.some((each) => each.some((name) => name.startsWith("volume")));
    if (above || below || isLinked || !others.every((other) => isIn(fault, other))) return [];
    return [fault.kind === "unknown" ? unknownField(fault, object, path) : refusedValue(fault, object, path)];
  });
  return faults.filter(
    ({ path, message }, index) =>
      faults.findIndex((each) => each.message === message && each.path.join() === path.join()) === index,
  );
}

/** Whether a path is another one, or leads into it. */
function isBelow(path: Path, other: Path): boolean {
  return other.length <= path.length && other.every((name, index) => name === path[index]);
}

function isOfType({ message }: ObjectFault): boolean {
  return message.startsWith("json: cannot unmarshal");
}

const goTypes: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  bool: "true or false",
  array: "a list",
  object: "an object",
  int32: "a whole number",
  int64: "a whole number",
  float64: "a number",
  "intstr.IntOrString": "a number or a text",
  "v1.Time": "a time",
  "v1.MicroTime": "a time",
};

/** A type of Go for people: lists begin with brackets, and what has a package is a struct. */
function inWords(type: string): string {
  const known = goTypes[type];
  if (known !== undefined) return known;
  if (type.startsWith("[]")) return "a list";
  return /^map\[|^\w+\./.test(type) ? "an object" : type;
}

function wrongType({ message, field }: ObjectFault, { path, value }: WrittenObject, at: Path): Fault {
  const [, given = "", wanted = ""] =
    /^json: cannot unmarshal (\S+) into Go struct field \S+ of type (.*)$/.exec(message) ?? [];
  const kind = String(value["kind"]);
  if (wanted === "") {
    return {
      code: "OBJECT_INVALID",
      path: [...path, ...at],
      message: `the API server would refuse ${field} of the ${kind}: ${message}`,
      remedy: /quantit/.test(message) ? "Write a number with a unit: 500m, 128Mi, 2Gi." : "Correct it here.",
    };
  }
  const isText = wanted === "string";
  const written = at.reduce<unknown>(
    (part, name) => (part as Readonly<Record<string, unknown>>)[name],
    value,
  );
  const isForeign = typeof written === "string" && /\{\{|\$\(/.test(written);
  return {
    code: "OBJECT_INVALID",
    path: [...path, ...at],
    message: `${field} of the ${kind} is ${inWords(given)}, but must be ${inWords(wanted)}`,
    remedy: isForeign
      ? "Write the expression in ${ … }."
      : isText
        ? "Write it in quotes; an expression as '${ string(…) }'."
        : given === "string"
          ? "Write it without quotes; an expression as '${ int(…) }', alone in its text."
          : `Write ${inWords(wanted)}.`,
  };
}

function unknownField({ field, known = [] }: ObjectFault, { path, value }: WrittenObject, at: Path): Fault {
  const name = at.at(-1) ?? field;
  const meant = meantBy(name, known);
  return {
    code: "OBJECT_FIELD_UNKNOWN",
    path: [...path, ...at],
    message: `${/^[AEIOU]/.test(String(value["kind"])) ? "an" : "a"} ${String(value["kind"])} has no field ${field}`,
    remedy:
      meant !== undefined
        ? `Did you mean "${meant}"?`
        : known.length === 0
          ? "Leave it out, or indent it to where it belongs."
          : `Fields are there: ${known.filter((each) => each !== "status").join(", ")}.`,
  };
}

function refusedValue({ field, message }: ObjectFault, { path, value }: WrittenObject, at: Path): Fault {
  const [said = ""] = message.split(/,? \((?:e\.g\.|regex)/);
  const where = field === "" || field === "<nil>" ? "" : ` ${field} of`;
  return {
    code: "OBJECT_INVALID",
    path: [...path, ...at],
    message: `the API server would refuse${where} the ${String(value["kind"])}: ${said}`,
    // What is required where something stands is another value.
    remedy: /^Required value(?!: valid values)/.test(message) ? "Add it." : "Correct it here.",
  };
}

/** The path of a field in an object, as far as it is written there. */
function placeIn(root: unknown, field: string): { readonly path: Path; readonly isWhole: boolean } {
  const path: string[] = [];
  let node: unknown = root;
  let rest = field === "<nil>" ? "" : field;
  while (rest !== "" && typeof node === "object" && node !== null) {
    const fields = node as Readonly<Record<string, unknown>>;
    const step = Object.keys(fields)
      .toSorted((a, b) => b.length - a.length)
      .map((name) => ({ name, text: stepTo(name, rest) }))
      .find(({ text }) => text !== undefined);
    if (step === undefined) return { path, isWhole: false };
    path.push(step.name);
    node = fields[step.name];
    rest = rest.slice(step.text?.length);
  }
  return { path, isWhole: rest === "" };
}

/** The text that leads to a name or a position at the beginning of a path. */
function stepTo(name: string, rest: string): string | undefined {
  const texts = [`.${name}`, `[${name}]`, name];
  return texts.find(
    (text) => rest.startsWith(text) && (text.endsWith("]") || /^(?:$|[.[])/.test(rest.slice(text.length))),
  );
}
