// Checks of what a machine is made of: its top, its names, what it remembers, and what cannot be persisted.
import { humanIntervention, type LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { knownTags } from "../../../machines/lifecycle-tags.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { messageOf } from "../../ports/operator-error.ts";
import { largestInput } from "../../statechart/author-functions.ts";
import { isWithin, lineageOf, type GraphIndex } from "../../statechart/configuration.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import type { Problem } from "../../ports/problem.ts";
import { checkGrace } from "../graph/grace.ts";
import { checkRefusals } from "../graph/refusals.ts";
import { sizeOf } from "../values/json-size.ts";

/** Reasons of conditions accept letters, digits, `_`, `,` and `:`; the last two are ours. */
export const stateName = /^[A-Za-z][A-Za-z0-9_]*$/;

/** What YAML takes for a boolean or for nothing, in one of its versions. */
const yamlWord = /^(y|n|yes|no|on|off|true|false|null)$/i;

function yamlValueOf(word: string): string {
  if (/^null$/i.test(word)) return "nothing";
  return /^(y|yes|on|true)$/i.test(word) ? "true" : "false";
}

/** The problems of a machine's shape. */
export function checkShape(machine: LifecycleMachine, lifecycle: Lifecycle): readonly Problem[] {
  const { graph } = lifecycle.index;
  const problems: Problem[] = [];
  if (graph.parallel) {
    problems.push({
      code: "LIFECYCLE_PARALLEL_ROOT",
      severity: "error",
      message: `all top states of "${graph.id}" are active at once, so that HumanIntervention and an end have no place`,
      remedy: "Put the regions into one state, beside the others.",
    });
  }
  const namesake = lifecycle.index.nodes.get(humanIntervention);
  if (namesake !== undefined && lifecycle.intervention === undefined) {
    problems.push({
      code: "INTERVENTION_UNTAGGED",
      severity: "error",
      state: namesake.path,
      message: `no state of "${graph.id}" has the tag "intervention", and the state that would be added for it cannot be: its name ${humanIntervention} is taken`,
      remedy: `Write tags: "intervention" in ${humanIntervention} if it waits for a person; otherwise give it another name.`,
    });
  }
  if (graph.version === undefined) {
    problems.push({
      code: "LIFECYCLE_WITHOUT_VERSION",
      severity: "warning",
      message: `"${graph.id}" has no version, so that a changed graph is not noticed in what is stored`,
      remedy: 'Add version: "1", and count it up when states or context change.',
    });
  }
  for (const { path, name } of graph.nodes) {
    if (yamlWord.test(path)) {
      problems.push({
        code: "STATE_NAME_YAML",
        severity: "warning",
        state: path,
        message: `YAML reads the state name ${path} as ${yamlValueOf(path)} unless it is quoted: "desiredState: ${path}" is refused`,
        remedy: `Give the state another name, or always write "${path}" in quotes.`,
      });
    }
    if (stateName.test(name)) continue;
    problems.push({
      code: "STATE_NAME_INVALID",
      severity: "error",
      state: path,
      message: `the state name "${name}" cannot be part of a condition's reason`,
      remedy: "Use letters, digits and underscores, a letter first.",
    });
  }
  problems.push(
    ...checkInvokes(lifecycle),
    ...checkInvokeIds(lifecycle),
    ...checkInputs(machine.root),
    ...checkContext(machine),
    ...checkRefusals(lifecycle.index),
    ...checkGrace(lifecycle.index),
    ...checkTags(lifecycle.index),
  );
  return problems;
}

/** A tag that is nearly one that means something: tags are free words, so that nothing else notices it. */
function checkTags({ graph }: GraphIndex): Problem[] {
  const known: readonly string[] = knownTags;
  return graph.nodes.flatMap(({ path, tags }) =>
    tags.flatMap((tag): Problem[] => {
      const several = tag.split(/[,\s]+/).filter((word) => known.includes(word));
      if (several.length > 1) {
        return [
          {
            code: "TAG_MISSPELT",
            severity: "warning",
            state: path,
            message: `"${tag}" is one tag of ${path}, and decides nothing`,
            remedy: `Write a list of tags: [${several.join(", ")}].`,
          },
        ];
      }
      const meant = known.includes(tag) ? undefined : meantTag(tag);
      if (meant === undefined) return [];
      return [
        {
          code: "TAG_MISSPELT",
          severity: "warning",
          state: path,
          message: `the tag "${tag}" of ${path} decides nothing: did you mean "${meant}"?`,
          remedy: `Write "${meant}", or choose a word that differs more from it. Tags that decide: ${known.join(", ")}.`,
        },
      ];
    }),
  );
}

/** Of short words only the case may differ: `read` and `send` are words of their own. */
function meantTag(tag: string): string | undefined {
  const long = knownTags.filter(({ length }) => length > 5);
  return knownTags.find((each) => each.toLowerCase() === tag.toLowerCase()) ?? meantBy(tag, long);
}

function checkInvokes({ index, intervention, initial }: Lifecycle): Problem[] {
  const problems: Problem[] = [];
  for (const { path, invokes } of index.graph.nodes) {
    const edges = index.edges.get(path) ?? [];
    for (const { id, src } of invokes) {
      if (src === "inline") {
        problems.push({
          code: "ACTOR_INLINE",
          severity: "error",
          state: path,
          message: `${path} invokes logic written into the machine, which cannot be persisted`,
          remedy: 'Name a task: invoke: { id, src: "name" }.',
        });
      } else if (/^\d+\./.test(id)) {
        problems.push({
          code: "INVOKE_WITHOUT_ID",
          severity: "warning",
          state: path,
          message: `${path} invokes "${src}" without an id, so that its records depend on its position`,
          remedy: `Add an id: invoke: { id: "${src}", src: "${src}" }.`,
        });
      }
      const awaited = edges.some((edge) => edge.eventType === `xstate.done.actor.${id}`);
      const handled = edges.some((edge) => edge.eventType === `xstate.error.actor.${id}`);
      if (awaited && !handled) {
        problems.push({
          code: "INVOKE_WITHOUT_ERROR_EDGE",
          severity: "warning",
          state: path,
          message: `${path} has no edge for a failure of "${id}": it would go to ${intervention ?? initial}`,
          remedy: "Add onError to the invoke.",
        });
      }
    }
  }
  return problems;
}

/** Tasks are recorded under the ids of their invokes: two that run at the same time need two. */
function checkInvokeIds({ index }: Lifecycle): Problem[] {
  const invokes = index.graph.nodes.flatMap(({ path, invokes: own }) => own.map(({ id }) => ({ path, id })));
  return invokes.flatMap(({ path, id }, position) => {
    const other = invokes
      .slice(0, position)
      .find((each) => each.id === id && mayBeActiveTogether(index, each.path, path));
    if (other === undefined) return [];
    return [
      {
        code: "INVOKE_ID_REPEATED",
        severity: "error" as const,
        state: path,
        message: `${path} and ${other.path} may be active at the same time, and both invoke a task under the id "${id}"`,
        remedy: "Give each invoke an id of its own: a task is known by it.",
      },
    ];
  });
}

/** One state is inside the other, or they are in different regions of a parallel one. */
function mayBeActiveTogether(index: GraphIndex, a: string, b: string): boolean {
  if (isWithin(a, b) || isWithin(b, a)) return true;
  const shared = lineageOf(a).find((path) => isWithin(b, path)) ?? "";
  return shared === "" ? index.graph.parallel : index.nodes.get(shared)?.type === "parallel";
}

function checkContext(machine: LifecycleMachine): Problem[] {
  const { context } = machine.config as { context?: unknown };
  let value: unknown = context ?? {};
  if (typeof context === "function") {
    try {
      value = (context as (given: unknown) => unknown)({ input: { spec: {}, facts: {} } });
    } catch (error: unknown) {
      return [
        {
          code: "CONTEXT_UNKNOWN",
          severity: "warning",
          message: `the initial context of "${machine.id}" cannot be determined: ${messageOf(error)}`,
          remedy: "Let the context function accept an input without any fields; XState calls it so.",
        },
      ];
    }
  }
  return findNoJson(value, "context").map((where) => ({
    code: "CONTEXT_NOT_JSON",
    severity: "error",
    message: `${where} of "${machine.id}" is not JSON, so that it is lost or changed when it is stored`,
    remedy: "Keep text, numbers, booleans, lists and plain objects.",
  }));
}

/** What is written as the input of a task; what a function returns is checked when it does. */
function checkInputs(node: LifecycleMachine["root"]): Problem[] {
  const own = node.invoke.flatMap(({ id, input }): Problem[] => {
    if (input === undefined || typeof input === "function") return [];
    const path = node.path.join(":");
    const wrong = wrongInput(input);
    return wrong === undefined
      ? []
      : [
          {
            code: "INPUT_INVALID",
            severity: "error",
            ...(path === "" ? {} : { state: path }),
            message: `${path === "" ? "the machine" : path} gives "${id}" an input ${wrong}`,
            remedy: "Give it small, plain JSON, for instance the name of an object that holds the rest.",
          },
        ];
  });
  return [...own, ...Object.values(node.states).flatMap(checkInputs)];
}

function wrongInput(input: unknown): string | undefined {
  const [where] = findNoJson(input, "input");
  if (where !== undefined) return `that is not JSON: ${where}`;
  const size = sizeOf(input);
  return size > largestInput ? `of ${size} bytes, and the status has room for ${largestInput}` : undefined;
}

function findNoJson(value: unknown, where: string, depth = 32): string[] {
  if (value === null || typeof value === "string" || typeof value === "boolean") return [];
  if (typeof value === "number") return Number.isFinite(value) ? [] : [where];
  if (typeof value !== "object" || depth === 0) return [where];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => findNoJson(item, `${where}[${index}]`, depth - 1));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return [where];
  return Object.entries(value).flatMap(([name, inner]) => findNoJson(inner, `${where}.${name}`, depth - 1));
}
