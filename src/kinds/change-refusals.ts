// Which fields of a kind's spec cannot be changed in which states: what the machine's states say, field by field, with the
// sentence that names the way that is open. From here follow the CRD's rules and `validateChange`.
import { isWithin, type GraphIndex } from "../statechart/configuration.ts";
import { refusalsOf, type StateRefusal } from "../lifecycle/graph/refusals.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { StructuralSchema } from "./builtin/json-of.ts";

/** One field that cannot be changed in some states. */
export interface ChangeRefusal {
  /** The names that lead to the field from the spec. */
  readonly field: readonly string[];
  /** Paths of the innermost states in which it cannot. */
  readonly states: readonly string[];
  /** What is refused, where it is possible, and what the author says. */
  readonly message: string;
  /** A rule in CEL can see the field; else only `validateChange` can. */
  readonly isSayable: boolean;
}

/**
 * The refusals of a machine for a spec, in document order of their states.
 *
 * **Errors**: `KIND_INVALID` for a path that the spec does not have.
 */
export function changeRefusalsOf(
  kind: string,
  index: GraphIndex,
  specSchema: () => StructuralSchema,
): readonly ChangeRefusal[] {
  const declared = refusalsOf(index);
  if (declared.length === 0) return [];
  const schema = specSchema();
  const innermost = index.graph.nodes
    .filter(({ path, type }) => type !== "history" && !index.children.has(path))
    .map(({ path }) => path);
  const each = declared.flatMap((refusal) =>
    pathsOf(kind, schema, refusal).map((path) => ({
      path,
      message: refusal.message,
      states: innermost.filter((state) => isWithin(state, refusal.state)),
    })),
  );
  const statesByPath = new Map<string, Set<string>>();
  for (const { path, states } of each) {
    const all = statesByPath.get(path) ?? new Set();
    for (const state of states) all.add(state);
    statesByPath.set(path, all);
  }
  const groups = Map.groupBy(each, ({ path, message }) => `${path}\n${message ?? ""}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { path, message } = first;
    const refusing = group.flatMap(({ states }) => states);
    const states = innermost.filter((state) => refusing.includes(state));
    const open = innermost.filter((state) => statesByPath.get(path)?.has(state) !== true);
    const field = path.split(".");
    return [
      { field, states, message: sentence(path, states, open, message), isSayable: canSay(schema, field) },
    ];
  });
}

function sentence(
  path: string,
  states: readonly string[],
  open: readonly string[],
  message: string | undefined,
): string {
  const where = open.length === 0 ? "" : ` in ${states.join(", ")}, only in ${open.join(", ")}`;
  return `spec.${path} cannot be changed${where}${message === undefined ? "" : `: ${message}`}`;
}

/** The paths that a state refuses; where it says what it accepts, all that is not on the way to one of those. */
function pathsOf(kind: string, schema: StructuralSchema, refusal: StateRefusal): readonly string[] {
  const { accepts, refuses, state } = refusal;
  for (const path of [...refuses, ...(accepts ?? [])]) assertPath(kind, schema, state, path);
  return [...new Set([...refuses, ...(accepts === undefined ? [] : othersOf(schema, accepts))])];
}

function othersOf(schema: StructuralSchema, accepted: readonly string[], outer = ""): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${outer}${name}`;
    if (accepted.includes(path)) return [];
    const isOnTheWay = accepted.some((each) => each.startsWith(`${path}.`));
    return isOnTheWay ? othersOf(property, accepted, `${path}.`) : [path];
  });
}

function assertPath(kind: string, schema: StructuralSchema, state: string, path: string): void {
  if (schemasOn(schema, path.split(".")) !== undefined) return;
  const at = state === "" ? "the machine" : `the state ${state}`;
  throw new OperatorError(
    "KIND_INVALID",
    `${at} of ${kind} refuses or accepts "${path}", which is not a field of its spec`,
    {
      fields: { state, path },
      remedy: `Name one of ${Object.keys(schema.properties ?? {}).join(", ")}, or a field inside: "outer.inner".`,
    },
  );
}

/** The schemas from the spec down to a field; undefined when there is no such field. */
function schemasOn(
  spec: StructuralSchema,
  field: readonly string[],
): readonly StructuralSchema[] | undefined {
  const schemas = [spec];
  for (const name of field) {
    const properties = schemas.at(-1)?.properties ?? {};
    const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (next === undefined) return undefined;
    schemas.push(next);
  }
  return schemas;
}

/**
 * Whether a rule can see a field of a spec. What is kept without being known cannot be seen by rules, and neither can anything
 * that holds it.
 */
export function canSay(spec: StructuralSchema, field: readonly string[]): boolean {
  const schemas = schemasOn(spec, field) ?? [];
  const leaf = schemas.at(-1);
  return leaf !== undefined && !holdsUnknown(leaf);
}

function holdsUnknown(schema: StructuralSchema): boolean {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return true;
  if (schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true) return true;
  const { properties = {}, items, additionalProperties } = schema;
  const inner = [
    ...Object.values(properties),
    items,
    typeof additionalProperties === "object" ? additionalProperties : undefined,
  ];
  return inner.some((each) => each !== undefined && holdsUnknown(each));
}
