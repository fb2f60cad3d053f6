// Names in a machine's configuration that mean nothing, at every level: XState ignores them without a word, so that an edge
// has lost its guard or its target, and a task its end. A misspelt name is refused; a foreign one is reported.
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { meantBy } from "../../ports/misspelling.ts";
import type { Problem } from "../../ports/problem.ts";
import { readEntries, readField, readFields, type Fields } from "../values/untrusted.ts";
import { writtenStates } from "../graph/written-states.ts";

/** What XState knows of a state, and of the whole machine besides. */
const stateKeys = words(
  "id initial type history states invoke on entry exit onDone after always meta output order tags description target route parent",
);
const machineKeys = [...stateKeys, ...words("context version options schemas types")];
const edgeKeys = words("target guard actions reenter meta description");
const routeKeys = words("guard actions meta description");
const invokeKeys = words("id systemId src input onDone onError onSnapshot");

/** What states say to the operator in their meta, beside whatever authors and their tools note there. */
const metaKeys = words("refuses accepts grace");

/** One object of a configuration. */
interface Written {
  readonly code: "STATE_KEY_UNKNOWN" | "EDGE_KEY_UNKNOWN" | "INVOKE_KEY_UNKNOWN";
  /** Path of the state it is in; empty for the machine itself. */
  readonly state: string;
  /** The event of the edge, in the author's words. */
  readonly event?: string;
  /** What it is, as the end of "Running has this name …". */
  readonly what: string;
  readonly fields: Fields;
  readonly known: readonly string[];
}

/** The names in a machine's configuration that mean nothing. */
export function checkKeys(machine: LifecycleMachine): readonly Problem[] {
  return writtenStates(machine).flatMap(({ path, state }) => [
    ...partsOf(path, state).flatMap(unknownKeys),
    ...checkMeta(path, state),
  ]);
}

function unknownKeys({ code, state, event, what, fields, known }: Written): Problem[] {
  return Object.keys(fields)
    .filter((name) => !known.includes(name))
    .map((name): Problem => {
      const meant = meantBy(name, known);
      return {
        code,
        severity: meant === undefined ? "warning" : "error",
        ...(state === "" ? {} : { state }),
        ...(event === undefined ? {} : { event }),
        option: name,
        message: `${state === "" ? "the machine" : state} has "${name}"${what}, which is unknown and ignored`,
        remedy:
          meant === undefined ? "Leave it out; notes of your own go into meta." : `Did you mean "${meant}"?`,
      };
    });
}

/** A state, its invokes, and its edges. */
function partsOf(path: string, state: Fields): readonly Written[] {
  const edges = (event: string, value: unknown, known = edgeKeys): readonly Written[] =>
    objectsIn(value).map((fields) => ({
      code: "EDGE_KEY_UNKNOWN",
      state: path,
      event,
      what: ` in ${event === "initial" || event === "route" ? event : `its edge for ${event}`}`,
      fields,
      known,
    }));
  return [
    {
      code: "STATE_KEY_UNKNOWN",
      state: path,
      what: "",
      fields: state,
      known: path === "" ? machineKeys : stateKeys,
    },
    ...edges("initial", state["initial"]),
    ...edges("route", state["route"], routeKeys),
    ...readEntries(state["on"]).flatMap(([event, value]) => edges(event, value)),
    ...readEntries(state["after"]).flatMap(([delay, value]) => edges(`after.${delay}`, value)),
    ...edges("always", state["always"]),
    ...edges(`done.${path}`, state["onDone"]),
    ...objectsIn(state["invoke"]).flatMap((invoke): readonly Written[] => {
      const id = String(invoke["id"] ?? invoke["src"]);
      return [
        {
          code: "INVOKE_KEY_UNKNOWN",
          state: path,
          what: ` in its invoke of ${id}`,
          fields: invoke,
          known: invokeKeys,
        },
        ...edges(`done.${id}`, invoke["onDone"]),
        ...edges(`error.${id}`, invoke["onError"]),
        ...edges(`snapshot.${id}`, invoke["onSnapshot"]),
      ];
    }),
  ];
}

/** Only what looks like a word of ours: the other names are the author's own. */
function checkMeta(path: string, state: Fields): Problem[] {
  const names = readEntries(state["meta"]).map(([name]) => name);
  const foreign = names.filter((name) => ![...metaKeys, "message"].includes(name));
  const refuses = names.some((name) => meantBy(name, metaKeys) !== undefined);
  return foreign.flatMap((name): Problem[] => {
    // A message alone is anybody's.
    const meant = meantBy(name, refuses ? [...metaKeys, "message"] : metaKeys);
    if (meant === undefined) return [];
    return [
      {
        code: "META_KEY_UNKNOWN",
        severity: "warning",
        ...(path === "" ? {} : { state: path }),
        option: name,
        message: `${path === "" ? "the machine" : path} has "${name}" in its meta, which is unknown to the operator`,
        remedy: `Did you mean "${meant}"? If it is a note of your own, give it another name.`,
      },
    ];
  });
}

/** The object, or the objects in the list; the other forms have no names. */
function objectsIn(value: unknown): readonly Fields[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map(readFields).filter((each) => each !== undefined);
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** What a machine was given for its names that is neither a function nor, as XState also takes it, the name of another. */
export function checkImplementations({ implementations }: LifecycleMachine): readonly Problem[] {
  const given = implementations as unknown as Fields;
  return (["guards", "actions"] as const).flatMap((family) =>
    readEntries(given[family])
      .filter(([, value]) => !isImplementation(value))
      .map(([name]): Problem => ({
        code: "IMPLEMENTATION_INVALID",
        severity: "error",
        message: `the machine's ${family} have "${name}", which is not a function`,
        remedy: "Give it a function.",
      })),
  );
}

function isImplementation(value: unknown): boolean {
  if (typeof value === "function" || typeof value === "string") return true;
  return typeof readField(readFields(value) ?? {}, "type") === "string";
}
