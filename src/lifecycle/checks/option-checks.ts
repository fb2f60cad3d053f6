// Checks of an author's options as a compiler would make them, for authors who have none: what is unknown, what is missing,
// what has the wrong form. A table of checks has one for every option of its type, which the compiler holds it to.
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { shown } from "../../ports/shown.ts";
import type { Problem } from "../../ports/problem.ts";

/** What is wrong with the value of an option; a value that is undefined counts as left out. */
export type OptionCheck = (value: unknown, option: string) => readonly Problem[];

/** One check for each option of a type. */
export type OptionChecks<TOptions> = { readonly [TName in keyof Required<TOptions>]: OptionCheck };

/** No value is wrong. */
export const anything: OptionCheck = () => [];

/** A check by a predicate; `expected` completes "it is no …", `example` says what to write. */
export function valueCheck(
  accepts: (value: unknown) => boolean,
  expected: string,
  example: string,
): OptionCheck {
  return (value, option) => {
    if (value === undefined || accepts(value)) return [];
    const message = `${option} is ${shown(value)}, which is no ${expected}`;
    return [{ code: "OPTION_INVALID", severity: "error", option, message, remedy: example }];
  };
}

/** A function. */
export const callable = valueCheck((value) => typeof value === "function", "function", "Give it a function.");

/** A text that is not empty. */
export const text = valueCheck(
  (value) => typeof value === "string" && value !== "",
  "text",
  "Give it a text.",
);

/** True or false. */
export const flag = valueCheck(
  (value) => typeof value === "boolean",
  "boolean",
  "Write true or false, without quotes.",
);

/** A whole number within limits, both included. */
export function whole(from: number, to = Number.MAX_SAFE_INTEGER, unit = ""): OptionCheck {
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  return valueCheck(
    (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= from && value <= to,
    `whole number${unit === "" ? "" : ` of ${unit}`} ${range}`,
    `Write a number ${range}, without quotes.`,
  );
}

/** One of some words. */
export function oneOf(...words: readonly string[]): OptionCheck {
  return (value, option) => {
    if (value === undefined || (typeof value === "string" && words.includes(value))) return [];
    const meant = typeof value === "string" ? meantBy(value, words) : undefined;
    const message = `${option} is ${shown(value)}, which is none of ${words.join(", ")}`;
    const remedy = meant === undefined ? "Write one of them." : `Write "${meant}".`;
    return [{ code: "OPTION_INVALID", severity: "error", option, message, remedy }];
  };
}

/** A duration above zero. */
export const duration: OptionCheck = (value, option) => {
  if (value === undefined) return [];
  const length = lengthOf(value);
  if (length !== undefined && length > 0) return [];
  return [noDuration(value, option, length === undefined ? "is no duration" : "is no time at all")];
};

/** A duration, which may be no time at all. */
export const durationFromZero: OptionCheck = (value, option) =>
  value === undefined || lengthOf(value) !== undefined ? [] : [noDuration(value, option, "is no duration")];

/** Not left out; `remedy` says what to write. */
export function required(check: OptionCheck, remedy: string): OptionCheck {
  return (value, option) =>
    value === undefined
      ? [{ code: "OPTION_MISSING", severity: "error", option, message: `${option} is missing`, remedy }]
      : check(value, option);
}

/** `false`, or what the check accepts. */
export function falseOr(check: OptionCheck): OptionCheck {
  return (value, option) => (value === false ? [] : check(value, option));
}

/** A list, each item of which the check accepts. */
export function listOf(check: OptionCheck): OptionCheck {
  const list = valueCheck(Array.isArray, "list", "Write a list: […].");
  return (value, option) =>
    Array.isArray(value)
      ? value.flatMap((item: unknown, index) =>
          required(check, "Leave the item out.")(item, `${option}[${index}]`),
        )
      : list(value, option);
}

/** An object whose names are the author's own; the check accepts each value. */
export function recordOf(check: OptionCheck): OptionCheck {
  return (value, option) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, each]) =>
          required(check, "Leave the name out, or give it a value.")(each, joined(option, name)),
        )
      : object(value, option);
}

/** An object with these names and no others. Of the option "" the names are options themselves. */
export function fields<TOptions>(checks: OptionChecks<TOptions>, owner = ""): OptionCheck {
  const known = Object.keys(checks);
  return (value, option) => {
    if (value === undefined) return [];
    if (!isObject(value)) return object(value, option === "" ? `the options of ${owner}` : option);
    const unknown = Object.keys(value).filter((name) => !known.includes(name));
    return [
      ...unknown.map((name) => unknownOption(name, known, option, owner)),
      ...Object.entries<OptionCheck>(checks).flatMap(([name, check]) =>
        check((value as Readonly<Record<string, unknown>>)[name], joined(option, name)),
      ),
    ];
  };
}

function noDuration(value: unknown, option: string, what: string): Problem {
  return {
    code: "DURATION_INVALID",
    severity: "error",
    option,
    message: `${option} is ${shown(value)}, which ${what}`,
    remedy: 'Write a number of milliseconds, or a number with a unit, for instance "90s", "10m" or "1h30m".',
  };
}

function unknownOption(name: string, known: readonly string[], option: string, owner: string): Problem {
  const meant = meantBy(name, known);
  return {
    code: "OPTION_UNKNOWN",
    severity: "error",
    option: joined(option, name),
    message: `${option === "" ? owner : option} has no option "${name}", so that it would be ignored`,
    remedy: `${meant === undefined ? "Leave it out." : `Did you mean "${meant}"?`} Known are: ${known.join(", ")}.`,
  };
}

const object = valueCheck(isObject, "object", "Write an object: { name: value }.");

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function joined(option: string, name: string): string {
  return option === "" ? name : `${option}.${name}`;
}

function lengthOf(value: unknown): number | undefined {
  try {
    return toMilliseconds(value as Duration);
  } catch (error: unknown) {
    if (isOperatorError(error, "DURATION_INVALID")) return undefined;
    throw error;
  }
}
