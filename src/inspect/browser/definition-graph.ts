// The graph in a machine's definition, as the protocol sends it: XState's configuration as JSON, from an application of
// whomever. Whatever is no part of a machine is left out. Pure.
import type { GraphEdge, GraphInvoke, GraphNode, MachineGraph } from "../../statechart/graph.ts";

type Fields = Readonly<Record<string, unknown>>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** States that are read, and how deep. */
const mostStates = 2_000;
const deepest = 30;

interface Found {
  readonly path: readonly string[];
  readonly config: Fields;
  readonly id: string;
}

/** The graph; undefined when there are no states, or too many. Never throws, whatever was sent. */
export function graphOfDefinition(definition: unknown): MachineGraph | undefined {
  const root = fieldsOf(definition);
  const id = text(root["id"]) ?? "machine";
  const states: Found[] = [];
  const collect = (path: readonly string[], config: Fields): boolean => {
    states.push({ path, config, id: text(config["id"]) ?? [id, ...path].join(".") });
    if (states.length > mostStates || path.length > deepest) return false;
    return Object.entries(fieldsOf(config["states"])).every(([name, inner]) =>
      collect([...path, name], fieldsOf(inner)),
    );
  };
  if (!collect([], root) || states.length < 2) return undefined;
  const known: Known = {
    paths: new Set(states.map(({ path }) => path.join(":"))),
    byId: new Map(states.map((state) => [state.id, state.path.join(":")])),
  };
  return {
    id,
    ...described(root),
    initial: initialOf(states[0], known) ?? "",
    parallel: root["type"] === "parallel",
    nodes: states.slice(1).map((state) => nodeOf(state, known)),
    edges: states.flatMap((state) => edgesOf(state, known)),
  };
}

interface Known {
  readonly paths: ReadonlySet<string>;
  readonly byId: ReadonlyMap<string, string>;
}

function nodeOf(state: Found, known: Known): GraphNode {
  const { path, config } = state;
  const parent = path.slice(0, -1).join(":");
  const { type, history } = config;
  const hasStates = Object.keys(fieldsOf(config["states"])).length > 0;
  const isHistory = type === "history";
  const initial = isHistory ? targetOf(text(config["target"]), state, known) : initialOf(state, known);
  const node: Writable<GraphNode> = {
    path: path.join(":"),
    name: path.at(-1) ?? "",
    type: type === "parallel" || type === "final" || isHistory ? type : hasStates ? "compound" : "atomic",
    tags: texts(config["tags"]),
    invokes: invokesOf(state),
    entry: namesOf(config["entry"]),
    exit: namesOf(config["exit"]),
    ...described(config),
  };
  if (parent !== "") node.parent = parent;
  if (initial !== undefined) node.initial = initial;
  if (isHistory) node.history = history === "deep" ? "deep" : "shallow";
  return node;
}

function initialOf(state: Found | undefined, { paths }: Known): string | undefined {
  const written = state?.config["initial"];
  const name = text(written) ?? text(fieldsOf(written)["target"]);
  if (state === undefined || name === undefined) return undefined;
  const path = [...state.path, name.replace(/^\./, "")].join(":");
  return paths.has(path) ? path : undefined;
}

function invokesOf({ config, id }: Found): readonly GraphInvoke[] {
  return listOf(config["invoke"]).map((each, index) => {
    const invoke = fieldsOf(each);
    const src = text(invoke["src"]) ?? text(fieldsOf(invoke["src"])["type"]) ?? "inline";
    return { id: text(invoke["id"]) ?? `${index}.${id}`, src };
  });
}

/** In the order in which XState itself looks for them. */
function edgesOf(state: Found, known: Known): readonly GraphEdge[] {
  const { config, id, path } = state;
  const all: GraphEdge[] = [];
  const add = (named: Pick<GraphEdge, "event" | "kind" | "eventType" | "delay">, written: unknown): void => {
    for (const each of listOf(written)) all.push({ ...edgeOf(each, state, known), ...named });
  };
  for (const [event, to] of Object.entries(fieldsOf(config["on"]))) {
    add({ event, kind: "event", eventType: event }, to);
  }
  add(
    { event: `done.${path.join(":")}`, kind: "done", eventType: `xstate.done.state.${id}` },
    config["onDone"],
  );
  for (const [index, each] of listOf(config["invoke"]).entries()) {
    const { onDone, onError } = fieldsOf(each);
    const name = invokesOf(state)[index]?.id ?? "";
    add({ event: `done.${name}`, kind: "done", eventType: `xstate.done.actor.${name}` }, onDone);
    add({ event: `error.${name}`, kind: "error", eventType: `xstate.error.actor.${name}` }, onError);
  }
  for (const [delay, to] of Object.entries(fieldsOf(config["after"]))) {
    add({ event: `after.${delay}`, kind: "after", eventType: `xstate.after.${delay}.${id}`, delay }, to);
  }
  add({ event: "always", kind: "always", eventType: "" }, config["always"]);
  return all;
}

function edgeOf(
  written: unknown,
  state: Found,
  known: Known,
): Pick<GraphEdge, "source" | "targets" | "guard" | "actions" | "reenter" | "description"> {
  const fields = typeof written === "string" ? { target: written } : fieldsOf(written);
  const guard = text(fields["guard"]) ?? text(fieldsOf(fields["guard"])["type"]);
  return {
    source: state.path.join(":"),
    targets: texts(fields["target"]).flatMap((target) => targetOf(target, state, known) ?? []),
    ...(guard === undefined ? {} : { guard }),
    actions: namesOf(fields["actions"]),
    reenter: fields["reenter"] === true,
    ...described(fields),
  };
}

/** The path that a target names from a state: `#id`, `.child`, or beside it. */
function targetOf(target: string | undefined, { path }: Found, { paths, byId }: Known): string | undefined {
  if (target === undefined) return undefined;
  if (target.startsWith("#")) {
    const name = target.slice(1);
    // The longest id, and states below it.
    const id = [...byId.keys()].filter((each) => name === each || name.startsWith(`${each}.`));
    const longest = id.toSorted((one, other) => other.length - one.length)[0];
    if (longest === undefined) return undefined;
    return existing([byId.get(longest) ?? "", ...name.slice(longest.length).split(".")], paths);
  }
  const from = target.startsWith(".") ? path : path.slice(0, -1);
  // A name may have dots itself.
  return (
    existing([...from, target.replace(/^\./, "")], paths) ?? existing([...from, ...target.split(".")], paths)
  );
}

function existing(names: readonly string[], paths: ReadonlySet<string>): string | undefined {
  const path = names.filter((name) => name !== "").join(":");
  return path !== "" && paths.has(path) ? path : undefined;
}

function described({ description }: Fields): { readonly description?: string } {
  return typeof description === "string" ? { description } : {};
}

function namesOf(value: unknown): readonly string[] {
  return listOf(value).map((each) => text(each) ?? text(fieldsOf(each)["type"]) ?? "inline");
}

function texts(value: unknown): readonly string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
