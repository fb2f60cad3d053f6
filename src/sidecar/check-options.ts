// What is wrong with the options of a sidecar. By hand, as a sidecar is small and starts at once: no library of schemas in it.
import { toMilliseconds, type Duration } from "../ports/duration.ts";

type Check = (value: unknown) => string | undefined;
type Fields = Readonly<Record<string, Check>>;

const nonEmptyText: Check = (value) =>
  typeof value === "string" && value !== "" ? undefined : "a text that is not empty";
const command: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")
    ? undefined
    : 'a list of words, for instance ["pg_isready", "-q"]';
const duration: Check = (value) => {
  try {
    toMilliseconds(value as Duration);
    return undefined;
  } catch {
    return 'a number of milliseconds, or a duration such as "2h"';
  }
};
const whole =
  (from: number, to: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= from && (value as number) <= to
      ? undefined
      : `a whole number from ${from} to ${to}`;
const url: Check = (value) =>
  typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
    ? undefined
    : "an address, http://…";
const anything: Check = () => undefined;

const required: Readonly<Record<string, readonly string[]>> = {
  "": ["directory"],
  tls: ["certFile", "keyFile"],
};
const optionFields: Fields = {
  directory: nonEmptyText,
  port: whole(0, 65_535),
  host: nonEmptyText,
  tokenFile: nonEmptyText,
  tls: anything,
  state: anything,
  every: duration,
  tasks: anything,
  maxTasks: whole(1, 1_000),
  maxOutput: whole(1, 1_048_576),
  grace: duration,
  clock: anything,
  log: anything,
};
const exitCodes: Check = (value) =>
  isObject(value) &&
  Object.entries(value).every(([code, word]) => /^\d+$/.test(code) && typeof word === "string")
    ? undefined
    : "a state for each exit code: { 0: Running, 1: Down }";
const tlsFields: Fields = { certFile: nonEmptyText, keyFile: nonEmptyText, clientCaFile: nonEmptyText };
const probeFields: Fields = { command, exitCodes, url };
const taskFields: Fields = { command, timeout: duration, url };
const taskName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** A sentence for each thing that is wrong. */
export function sidecarProblems(options: unknown): readonly string[] {
  if (!isObject(options)) return ["the options must be an object"];
  const { tls, state, tasks } = options;
  const problems = checkFields("", options, optionFields);
  if (tls !== undefined)
    problems.push(...(isObject(tls) ? checkFields("tls", tls, tlsFields) : ["tls must be an object"]));
  if (state !== undefined) problems.push(...worker("state", state, probeFields));
  if (tasks === undefined) return problems;
  if (!isObject(tasks)) return [...problems, "tasks must be an object, with a task for each name"];
  for (const [name, task] of Object.entries(tasks)) {
    if (!taskName.test(name))
      problems.push(`tasks: "${name}" is no name for a task: letters, digits, dots, dashes`);
    problems.push(...worker(`tasks.${name}`, task, taskFields));
  }
  return problems;
}

/** What does something: a function, a command or an address. */
function worker(place: string, value: unknown, fields: Fields): string[] {
  if (typeof value === "function") return [];
  if (!isObject(value)) return [`${place} must be a function, or an object with command or url`];
  const ways = ["command", "url"].filter((each) => value[each] !== undefined);
  return [
    ...checkFields(place, value, fields),
    ...(ways.length === 1 ? [] : [`${place} must have either command or url`]),
  ];
}

function checkFields(place: string, value: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  const prefix = place === "" ? "" : `${place}.`;
  const problems = (required[place] ?? [])
    .filter((name) => value[name] === undefined)
    .map((name) => `${prefix}${name} is missing`);
  for (const [name, given] of Object.entries(value)) {
    if (given === undefined) continue;
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined)
      problems.push(`${prefix}${name} is unknown; there are ${Object.keys(fields).join(", ")}`);
    else {
      const expected = check(given);
      if (expected !== undefined) problems.push(`${prefix}${name} must be ${expected}`);
    }
  }
  return problems;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
