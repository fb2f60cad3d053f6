// The vocabulary in which the rules of the built-in types are written down: tables of fields, each with what it must be.
// The rules lie beside this file, a table a kind; the texts are those of kube-apiserver.
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsOf, listOf, type Fields } from "../../api-object.ts";

/** Says what is wrong with the value at a path; `parent` is the object that holds it. */
export type Rule = (value: unknown, at: string, parent: Fields) => readonly StatusCause[];

/** Says what is wrong with a change of an object, or of the part that a subresource writes. */
export type ChangeRule = (object: Fields, previous: Fields, subresource?: string) => readonly StatusCause[];

/** What is wrong with a text: one thing or several, or undefined. */
export type Fault = (text: string) => string | readonly string[] | undefined;

/** Several rules for one value. */
export function all(...rules: readonly Rule[]): Rule {
  return (value, at, parent) => rules.flatMap((rule) => rule(value, at, parent));
}

/** The rules of an object's fields, absent ones included. */
export function fields(table: Readonly<Record<string, Rule>>): Rule {
  const rules = Object.entries(table);
  return (value, at) => {
    const parent = fieldsOf(value);
    return rules.flatMap(([name, rule]) => rule(parent[name], below(at, name), parent));
  };
}

/** The rule holds for what is there only. */
export function optional(...rules: readonly Rule[]): Rule {
  const rule = all(...rules);
  return (value, at, parent) => (value === undefined || value === null ? [] : rule(value, at, parent));
}

/** The rule holds for each item of a list. */
export function each(...rules: readonly Rule[]): Rule {
  const rule = all(...rules);
  return (value, at) => listOf(value).flatMap((item, index) => rule(item, `${at}[${index}]`, fieldsOf(item)));
}

/** The rule holds while the object around the value is such a one. */
export function when(condition: (parent: Fields) => boolean, ...rules: readonly Rule[]): Rule {
  const rule = all(...rules);
  return (value, at, parent) => (condition(parent) ? rule(value, at, parent) : []);
}

/** The rule holds for what is not empty only. */
export function filled(rule: Rule): Rule {
  return (value, at, parent) => (isEmpty(value) ? [] : rule(value, at, parent));
}

/** It must be there, and not be empty. */
export function required(detail = ""): Rule {
  return (value, at) => (isEmpty(value) ? [requiredValue(at, detail)] : []);
}

/** It must not be there. */
export function forbidden(detail: string): Rule {
  return (value, at) => (isEmpty(value) ? [] : [forbiddenValue(at, detail)]);
}

/** One of these texts; an absent one counts as empty. */
export function oneOf(...supported: readonly string[]): Rule {
  return (value, at) =>
    supported.includes(String(value)) ? [] : [unsupportedValue(at, value ?? "", supported)];
}

/** A number that is not below another. */
export function atLeast(least: number): Rule {
  return optional((value, at) =>
    Number(value) >= least ? [] : [invalidValue(at, value, `must be greater than or equal to ${least}`)],
  );
}

/** A number in a range. */
export function between(least: number, most: number): Rule {
  return (value, at) =>
    typeof value === "number" && value >= least && value <= most
      ? []
      : [invalidValue(at, value ?? 0, `must be between ${least} and ${most}, inclusive`)];
}

/** The number of a port. */
export const portNumber: Rule = between(1, 65_535);

/** A protocol that pods, Services and policies may name. */
export const protocol: Rule = oneOf("SCTP", "TCP", "UDP");

/** A text without a fault. */
export function text(fault: Fault): Rule {
  return optional((value, at) => faultsIn(fault, String(value)).map((each) => invalidValue(at, value, each)));
}

/** The names of a map without a fault; the entry is named with its key. */
export function keys(fault: Fault): Rule {
  return (value, at) =>
    Object.keys(fieldsOf(value)).flatMap((key) =>
      faultsIn(fault, key).map((each) => invalidValue(`${at}[${key}]`, key, each)),
    );
}

function faultsIn(fault: Fault, given: string): readonly string[] {
  return [fault(given) ?? []].flat();
}

/** A fault of a name that nothing has. */
export function notFound(at: string, name: unknown, detail = ""): StatusCause {
  const message = `Not found: ${JSON.stringify(name)}${detail === "" ? "" : `: ${detail}`}`;
  return { reason: "FieldValueNotFound", message, field: at };
}

/** A fault of a value that is shown as a struct of Go: with the struct's names, in their order. */
export function invalidStruct(at: string, struct: Fields | readonly Fields[], detail: string): StatusCause {
  const shown = `Invalid value: ${JSON.stringify(struct)}`;
  const message = detail === "" ? shown : `${shown}: ${detail}`;
  return { reason: "FieldValueInvalid", message, field: at };
}

/** The same of a value that is there twice. */
export function duplicateStruct(at: string, struct: Fields): StatusCause {
  const message = `Duplicate value: ${JSON.stringify(struct)}`;
  return { reason: "FieldValueDuplicate", message, field: at };
}

/** The same of a value that is not one of several. */
export function unsupportedStruct(at: string, struct: Fields, supported: readonly string[]): StatusCause {
  const list = supported.map((each_) => JSON.stringify(each_)).join(", ");
  const message = `Unsupported value: ${JSON.stringify(struct)}: supported values: ${list}`;
  return { reason: "FieldValueNotSupported", message, field: at };
}

/** Whether a field is as good as absent. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return false;
}

function below(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}
