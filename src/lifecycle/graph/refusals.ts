// What a state says about changes of the spec: `meta: { refuses: ["port"], message: "…" }` for fields that cannot be changed
// in it, or `meta: { accepts: ["replicas"] }` for the only ones that can. Read by kinds, which make the API server refuse.
import type { Json } from "../../meta/object.ts";
import type { GraphIndex } from "../../statechart/configuration.ts";
import type { Problem } from "../../ports/problem.ts";
import { readField, readFields, readText, readTexts } from "../values/untrusted.ts";

/** What one state, and with it every state inside it, says about changes of the spec. */
export interface StateRefusal {
  /** Path of the state; empty for the whole machine. */
  readonly state: string;
  /** Dotted paths of the spec that cannot be changed. */
  readonly refuses: readonly string[];
  /** The only dotted paths that can be changed; absent: all others can. */
  readonly accepts?: readonly string[];
  /** What is to be done instead, for people. */
  readonly message?: string;
}

/** The refusals of a machine, outer states first; a state that is not as described is left out. */
export function refusalsOf(index: GraphIndex): readonly StateRefusal[] {
  return declared(index).flatMap(({ state, meta }) => readRefusal(state, meta) ?? []);
}

/** What is wrong with the refusals of a machine. */
export function checkRefusals(index: GraphIndex): readonly Problem[] {
  return declared(index)
    .filter(({ state, meta }) => readRefusal(state, meta) === undefined)
    .map(({ state }) => ({
      code: "REFUSAL_INVALID",
      severity: "error",
      ...(state === "" ? {} : { state }),
      message: `${state === "" ? "the machine" : state} has a meta.refuses, meta.accepts or meta.message of the wrong shape`,
      remedy: 'Write meta: { refuses: ["field"], message: "what to do instead" } with paths of the spec.',
    }));
}

interface Declared {
  readonly state: string;
  readonly meta: Json;
}

function declared({ graph }: GraphIndex): readonly Declared[] {
  const states = [{ path: "", meta: graph.meta }, ...graph.nodes];
  return states.flatMap(({ path, meta }) => {
    const fields = readFields(meta);
    const says = fields !== undefined && ["refuses", "accepts"].some((name) => Object.hasOwn(fields, name));
    return says && meta !== undefined ? [{ state: path, meta }] : [];
  });
}

function readRefusal(state: string, meta: Json): StateRefusal | undefined {
  const fields = readFields(meta) ?? {};
  const has = (name: string): boolean => readField(fields, name) !== undefined;
  const refuses = has("refuses") ? readTexts(readField(fields, "refuses")) : [];
  const accepts = readTexts(readField(fields, "accepts"));
  const message = readText(readField(fields, "message"));
  if (refuses === undefined || (has("accepts") && accepts === undefined)) return undefined;
  if (has("message") && (message === undefined || /[\r\n]/.test(message))) return undefined;
  return {
    state,
    refuses,
    ...(accepts === undefined ? {} : { accepts }),
    ...(message === undefined ? {} : { message }),
  };
}
