// The form of a machine that is data: what XState expects at each place of a configuration, and does not check. Pure.
import type { Problem } from "../ports/problem.ts";
import { stateName } from "../lifecycle/checks/check-shape.ts";
import { shown } from "../ports/shown.ts";

/** Names and positions from the top of a configuration. */
export type Path = readonly string[];

/** Something that has another form than it must have. */
export interface Misfit {
  readonly path: Path;
  readonly problem: Problem;
}

/** What is wrong with the form of a machine; names that mean nothing are left to the checks of every machine. */
export function checkForm(config: unknown): readonly Misfit[] {
  return machine(config, []);
}

/**
 * The configuration as XState takes it: in YAML, a state of which nothing is said (`Done:`) is one, and a field that nothing
 * follows (`on:`) is not there.
 */
export function withoutNothing(state: unknown): unknown {
  if (state === null) return {};
  if (!isObject(state)) return state;
  const fields = Object.entries(state).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) =>
      name === "states" && isObject(value)
        ? [
            name,
            Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutNothing(inner)])),
          ]
        : [name, value],
    ),
  );
}

type Check = (value: unknown, path: Path) => readonly Misfit[];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const must =
  (accepts: (value: unknown) => boolean, expected: string, remedy: string): Check =>
  (value, path) =>
    accepts(value) ? [] : [misfit(value, path, expected, remedy)];

const object =
  (fields: Readonly<Record<string, Check>>, expected: string, remedy: string): Check =>
  (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, field]) =>
          Object.hasOwn(fields, name) && field !== undefined
            ? (fields[name]?.(field, [...path, name]) ?? [])
            : [],
        )
      : [misfit(value, path, expected, remedy)];

const table =
  (entry: Check, expected: string, remedy: string): Check =>
  (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => entry(each, [...path, name]))
      : [misfit(value, path, expected, remedy)];

/** One, or a list of several. */
const some =
  (one: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => one(each, [...path, String(index)]))
      : one(value, path);

const quotes = "Write a text; in YAML in quotes, where it would be read as something else.";
const text = must((value) => typeof value === "string", "a text", quotes);
const flag = must(
  (value) => typeof value === "boolean",
  "true or false",
  "Write true or false, without quotes.",
);
const number = must((value) => typeof value === "number", "a number", "Write a number, without quotes.");
const anything: Check = () => [];
const notes = must(isObject, "an object", "Write names and values.");

const oneOf = (...words: readonly unknown[]): Check =>
  must((value) => words.includes(value), `one of ${words.join(", ")}`, "Write one of them.");

/** A field that may be left empty in YAML. */
const optional =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path);

const named = object({ type: text, params: anything }, "a name, or an object with a type and params", quotes);
const reference: Check = (value, path) => (typeof value === "string" ? [] : named(value, path));

/** What every object of JavaScript has by that name is not a state, and XState would take it for one. */
const stateReference = must(
  (value) => typeof value === "string" && !Object.hasOwn(Object.prototype, value),
  "the name of a state",
  "Write the name of the state that it leads to.",
);

const edgeFields = object(
  {
    target: some(stateReference),
    guard: reference,
    actions: some(reference),
    reenter: flag,
    description: text,
    meta: notes,
  },
  "a state, an edge { target, guard, actions }, or a list of them",
  "Write the name of the state that it leads to.",
);
const edges = some((value, path) =>
  typeof value === "string" ? stateReference(value, path) : edgeFields(value, path),
);
const events = table(edges, "events with the states they lead to", "Write <event>: <State>.");

const invokeFields = object(
  { id: text, systemId: text, src: text, input: anything, onDone: edges, onError: edges, onSnapshot: edges },
  "an object { src, onDone, onError }, or a list of them",
  "Write src: <task>, and the states that its end leads to.",
);

const invoke: Check = (value, path) =>
  isObject(value) && value["src"] === undefined
    ? [
        misfit(
          undefined,
          [...path, "src"],
          "the name of a task",
          "Write src: <task>, one of those below tasks.",
        ),
      ]
    : invokeFields(value, path);

const stateFields: Readonly<Record<string, Check>> = {
  id: text,
  initial: (value, path) =>
    typeof value === "string" ? stateReference(value, path) : edgeFields(value, path),
  type: oneOf("atomic", "compound", "parallel", "final", "history"),
  history: oneOf("shallow", "deep", true, false),
  target: some(text),
  description: text,
  tags: some(text),
  meta: notes,
  order: number,
  on: events,
  after: table(
    edges,
    "times with the states they lead to",
    "Write <time>: <State>, such as { 10m: Failed }.",
  ),
  always: edges,
  onDone: edges,
  invoke: some(invoke),
  entry: some(reference),
  exit: some(reference),
  states: (value, path) => states(value, path),
};

const whole = (fields: Readonly<Record<string, Check>>): Readonly<Record<string, Check>> =>
  Object.fromEntries(Object.entries(fields).map(([name, check]) => [name, optional(check)]));

const state = optional(object(whole(stateFields), "a state: an object", "Write what the state has, or {}."));
const namedState: Check = (value, path) => {
  const name = path.at(-1) ?? "";
  if (stateName.test(name)) return state(value, path);
  const problem = {
    code: "STATE_NAME_INVALID",
    severity: "error",
    message: `a state is called "${name}", and that cannot be part of a condition's reason`,
    remedy: "Use letters, digits and underscores, a letter first.",
  } as const;
  return [{ path, problem }];
};
const states = table(namedState, "states by their names", "Write <Name>: { on: { … } }.");
const machine = object(
  whole({ ...stateFields, version: text, context: notes }),
  "a machine: an object with id, initial and states",
  "Write id, version, initial and states.",
);

function misfit(value: unknown, path: Path, expected: string, remedy: string): Misfit {
  const { names, rest } = splitPath(path);
  const field = rest.map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name))).join(".");
  const owner = names.length === 0 ? "the machine" : names.join(":");
  const what = field === "" ? owner : `${names.length === 0 ? "" : `${owner}: `}${field}`;
  return {
    path,
    problem: {
      code: "FIELD_INVALID",
      severity: "error",
      ...(names.length === 0 ? {} : { state: names.join(":") }),
      message: `${what} is ${value === undefined ? "missing" : value === null ? "empty" : shown(value)}, but must be ${expected}`,
      remedy,
    },
  };
}

/** The states of a path from the top, and what is left of it inside the innermost. */
function splitPath(path: Path): { readonly names: readonly string[]; readonly rest: Path } {
  const [key, name, ...inner] = path;
  if (key !== "states" || name === undefined) return { names: [], rest: path };
  const { names, rest } = splitPath(inner);
  return { names: [name, ...names], rest };
}
