// What XState says about a configuration that it refuses, as an error that names the state, the edge and what to do: read by
// authors, and by `xstate-operator check`, which finds the line.
import { messageOf, OperatorError } from "../src/ports/operator-error.ts";
import { meantBy } from "../src/ports/misspelling.ts";
import { shown } from "../src/ports/shown.ts";

/** Throws `LIFECYCLE_INVALID` for what is no configuration at all. */
export function refuseNoConfig(config: unknown): void {
  if (typeof config === "object" && config !== null && !Array.isArray(config)) return;
  throw new OperatorError(
    "LIFECYCLE_INVALID",
    `createMachine was given ${shown(config)}, which is not a configuration of a machine`,
    { remedy: "Write createMachine({ id, version, initial, states: { … } })." },
  );
}

/** Throws `LIFECYCLE_INVALID` for a state that invokes a task which is not listed, if any are. */
export function refuseUnknownTasks(config: object, tasks: readonly string[]): void {
  refuseUnknown(config, tasks, "src", (place, name) => ({
    code: "TASK_UNKNOWN",
    message: `${place} invokes the task "${name}", which the setup does not list`,
    known: `The tasks of the setup are ${tasks.join(", ")}.`,
  }));
}

/** Throws `LIFECYCLE_INVALID` for a task whose input is not registered, if any are: then a text is a name, and no value. */
export function refuseUnknownInputs(config: object, inputs: readonly string[]): void {
  refuseUnknown(config, inputs, "input", (place, name) => ({
    code: "INPUT_UNKNOWN",
    message: `${place} gives its task the input "${name}", which the setup does not register`,
    known: `The inputs of the setup are ${inputs.join(", ")}; a text that is a value needs a function, () => "${name}".`,
  }));
}

function refuseUnknown(
  config: object,
  known: readonly string[],
  field: "src" | "input",
  say: (place: string, name: string) => Record<"code" | "message" | "known", string>,
): void {
  if (known.length === 0) return;
  const [first] = statesOf(config as Config, []).flatMap(({ names, state }) =>
    invokesOf(state).flatMap((invoke) => {
      const name = invoke[field];
      return typeof name === "string" && !known.includes(name) ? [{ names, name }] : [];
    }),
  );
  if (first === undefined) return;
  const { names, name } = first;
  const { id = "(machine)" } = config as { readonly id?: unknown };
  const meant = meantBy(name, known);
  const said = say(names.join(":") || "the machine", name);
  const remedy = `${meant === undefined ? "" : `Did you mean ${meant}? `}${said.known}`;
  const { code, message } = said;
  throw new OperatorError("LIFECYCLE_INVALID", `the lifecycle "${String(id)}" cannot be made: ${message}`, {
    fields: {
      machine: id,
      problems: [{ code, severity: "error", ...pathOf(names), message, remedy }],
    },
    remedy,
  });
}

/** The machine and all its states, with their names from the top. */
function statesOf(
  state: Config,
  names: readonly string[],
): readonly { readonly names: readonly string[]; readonly state: Config }[] {
  const inner = Object.entries((state as Config | null)?.states ?? {});
  return [{ names, state }, ...inner.flatMap(([name, each]) => statesOf(each, [...names, name]))];
}

function invokesOf(state: Config): readonly Config[] {
  const { invoke } = (state ?? {}) as { readonly invoke?: Config | readonly Config[] | null };
  return [invoke ?? []].flat();
}

interface Config {
  readonly id?: unknown;
  readonly states?: Readonly<Record<string, Config>>;
  readonly [name: string]: unknown;
}

/** The error for a configuration that XState has refused. */
export function refusedConfig(given: object, error: unknown): OperatorError {
  const config = given as Config;
  const id = typeof config.id === "string" ? config.id : "(machine)";
  const problem = problemOf(id, config, messageOf(error).replaceAll(/\s*\n\s*/g, " "));
  const { message, remedy } = problem;
  return new OperatorError("LIFECYCLE_INVALID", `the lifecycle "${id}" cannot be made: ${message}`, {
    cause: error,
    fields: { machine: id, problems: [{ severity: "error", ...problem }] },
    remedy,
  });
}

interface Found {
  readonly code: string;
  readonly state?: string;
  readonly event?: string;
  readonly message: string;
  readonly remedy: string;
}

function problemOf(id: string, config: Config, reason: string): Found {
  const [, from, missing] =
    /^Invalid transition definition for state node '(.*?)': .*'([^']*)' does not exist on/.exec(reason) ?? [];
  if (from !== undefined && missing !== undefined) {
    const names = namesOf(id, from);
    const known = Object.keys(config.states ?? {});
    const meant = meantBy(missing, known);
    const event = edgeTo(stateAt(config, names), missing);
    return {
      code: "STATE_UNKNOWN",
      ...pathOf(names),
      ...(event === undefined ? {} : { event }),
      message: `${names.join(":") || "the machine"} leads to "${missing}"${event === undefined ? "" : ` by "${event}"`}, and there is no state with that name`,
      remedy: `${meant === undefined ? "" : `Did you mean ${meant}? `}The states at the top are ${known.join(", ")}; name a state inside another by "#id" or ".child".`,
    };
  }
  const [, node] = /^No initial state specified for compound state node "#(.*?)"/.exec(reason) ?? [];
  if (node === undefined)
    return { code: "LIFECYCLE_INVALID", message: reason, remedy: "Correct the machine." };
  const names = namesOf(id, node);
  return {
    code: "INITIAL_MISSING",
    ...pathOf(names),
    message: `${names.join(":") || `"${id}"`} does not say in which of its states it begins`,
    remedy: `Write initial: one of ${Object.keys(stateAt(config, names).states ?? {}).join(", ")}.`,
  };
}

/** The names from the top of what XState calls `machine.Outer.Inner`. */
function namesOf(id: string, node: string): readonly string[] {
  return node.startsWith(`${id}.`) ? node.slice(id.length + 1).split(".") : [];
}

function pathOf(names: readonly string[]): { readonly state?: string } {
  return names.length === 0 ? {} : { state: names.join(":") };
}

function stateAt(config: Config, names: readonly string[]): Config {
  return names.reduce<Config>((state, name) => state.states?.[name] ?? {}, config);
}

/** The edge of a state that leads to a name, in the author's words. */
function edgeTo(state: Config, name: string): string | undefined {
  const edges: readonly (readonly [event: string, edge: unknown])[] = [
    ...Object.entries(state["on"] ?? {}),
    ...Object.entries(state["after"] ?? {}).map(([delay, edge]) => [`after.${delay}`, edge] as const),
    ["always", state["always"]],
    ...invokesOf(state).flatMap(({ src, id = src, onDone, onError }) => [
      [`done.${String(id)}`, onDone] as const,
      [`error.${String(id)}`, onError] as const,
    ]),
  ];
  return edges.find(([, edge]) => targetsOf(edge).some((target) => target.split(/[.#]/).includes(name)))?.[0];
}

function targetsOf(edge: unknown): readonly string[] {
  if (typeof edge === "string") return [edge];
  if (Array.isArray(edge)) return edge.flatMap(targetsOf);
  return typeof edge === "object" && edge !== null ? targetsOf((edge as Config)["target"]) : [];
}
