// Checks of the options of setupLifecycle as a compiler would make them, for authors who have none: XState would take a
// guard that is no function for one that is false, and ignore an option under another name.
import { toMilliseconds, type Duration } from "../src/ports/duration.ts";
import { meantBy } from "../src/ports/misspelling.ts";
import { isOperatorError, OperatorError } from "../src/ports/operator-error.ts";
import { shown } from "../src/ports/shown.ts";

/** One finding, in the form in which `xstate-operator check` reads them. */
interface Found {
  readonly code: string;
  readonly severity: "error";
  readonly option?: string;
  readonly message: string;
  readonly remedy: string;
}

/** What is wrong with the value of an option. */
export type SetupCheck = (value: unknown, option: string) => readonly Found[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (value: unknown, option: string, expected: string, remedy: string): Found => ({
  code: "OPTION_INVALID",
  severity: "error",
  option,
  message: `${option} is ${shown(value)}, which is no ${expected}`,
  remedy,
});

/** A function. */
export const callable: SetupCheck = (value, option) =>
  typeof value === "function" ? [] : [invalid(value, option, "function", "Give it a function.")];

/** A text that is not empty. */
export const text: SetupCheck = (value, option) =>
  typeof value === "string" && value !== "" ? [] : [invalid(value, option, "text", "Give it a text.")];

/** A duration, or a function that returns one. */
export const delay: SetupCheck = (value, option) => {
  if (typeof value === "function") return [];
  try {
    toMilliseconds(value as Duration);
    return [];
  } catch (error: unknown) {
    if (!isOperatorError(error, "DURATION_INVALID")) throw error;
    const remedy = 'Write milliseconds, a duration such as "90s" or "10m", or a function that returns one.';
    return [{ ...invalid(value, option, "duration", remedy), code: "DURATION_INVALID" }];
  }
};

/** An object whose names are the author's own. */
export const namesOf =
  (check: SetupCheck): SetupCheck =>
  (value, option) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => check(each, `${option}.${name}`))
      : [invalid(value, option, "object", "Write an object: { name: value }.")];

/** A list. */
export const listOf =
  (check: SetupCheck): SetupCheck =>
  (value, option) =>
    Array.isArray(value)
      ? value.flatMap((each: unknown, index) => check(each, `${option}[${index}]`))
      : [invalid(value, option, "list", "Write a list: […].")];

/** Throws `LIFECYCLE_INVALID` with a line for each option that is unknown or has a wrong form. */
export function refuseSetupOptions(options: unknown, checks: Readonly<Record<string, SetupCheck>>): void {
  const problems = isObject(options) ? problemsOf(options, checks) : [noOptions(options)];
  if (problems.length === 0) return;
  const lines = problems.map(({ message, remedy }) => `- ${message} (${remedy})`);
  throw new OperatorError(
    "LIFECYCLE_INVALID",
    `what setupLifecycle was given has errors:\n${lines.join("\n")}`,
    {
      fields: { by: "setupLifecycle", errors: problems.length, problems },
      remedy: "Correct each line.",
    },
  );
}

function problemsOf(
  options: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, SetupCheck>>,
): readonly Found[] {
  const known = Object.keys(checks);
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  return [
    ...unknown.map((name): Found => {
      const meant = meantBy(name, known);
      return {
        code: "OPTION_UNKNOWN",
        severity: "error",
        option: name,
        message: `setupLifecycle has no option "${name}", so that it would be ignored`,
        remedy: `${meant === undefined ? "Leave it out." : `Did you mean "${meant}"?`} Known are: ${known.join(", ")}.`,
      };
    }),
    ...Object.entries(checks).flatMap(([name, check]) =>
      options[name] === undefined ? [] : check(options[name], name),
    ),
  ];
}

function noOptions(options: unknown): Found {
  return {
    code: "OPTION_INVALID",
    severity: "error",
    message: `its options are ${shown(options)}, which is no object`,
    remedy: "Write setupLifecycle({ guards: { … } }), or setupLifecycle() without any.",
  };
}
