// The structural schema of `spec.lifecycle` and `status.lifecycle`, for the CRD. Every field that snapshot.ts writes is
// declared: what is not would be pruned by the API server without a word.
import type { Json } from "../../meta/object.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { taskHooks, taskPhases } from "../tasks/task-record.ts";

/** A structural schema: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema */
export type StructuralSchema = { readonly [keyword: string]: Json };

const text = { type: "string" };
const instant = { type: "string", format: "date-time" };
const flag = { type: "boolean" };
const count = { type: "integer", format: "int64", minimum: 0 };
const anything = { "x-kubernetes-preserve-unknown-fields": true, nullable: true };
const texts = { type: "array", items: text };

function object(properties: StructuralSchema, required: readonly string[] = []): StructuralSchema {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

function mapOf(schema: StructuralSchema): StructuralSchema {
  return { type: "object", additionalProperties: schema };
}

const asked = { state: text, asked: text, request: text, generation: count };

function targetSchema(progress: StructuralSchema): StructuralSchema {
  return object({
    ...asked,
    ...progress,
    outcome: { type: "string", enum: ["failed", "aborted", "lost"] },
    cause: text,
    failures: count,
    notBefore: instant,
    deletion: flag,
    forced: flag,
    waiting: { type: "array", items: object(asked) },
  });
}

function deprecated(successor: string): string {
  return `Deprecated: the former name of ${successor}, read from objects of an earlier version and no longer written.`;
}

function former(successor: string): StructuralSchema {
  return { ...flag, description: deprecated(successor) };
}

/** `spec.lifecycle`: the states that may be desired, and the default. */
export function lifecycleSpecSchema(lifecycle: Lifecycle): StructuralSchema {
  const maintained = lifecycle.desirable.filter((state) => !lifecycle.transient.has(state));
  const once = lifecycle.desirable.filter((state) => lifecycle.transient.has(state));
  const maintainedText = maintained.length === 0 ? "" : ` Maintained: ${maintained.join(", ")}.`;
  const onceText = once.length === 0 ? "" : ` Done once: ${once.join(", ")}.`;
  const former = Object.entries(lifecycle.aliases).map(([name, path]) => `${name} (now ${path})`);
  const formerText = former.length === 0 ? "" : ` Former names: ${former.join(", ")}.`;
  return {
    type: "object",
    description: "The desired state of the application.",
    default: {},
    properties: {
      desiredState: {
        type: "string",
        enum: [...lifecycle.desirable, ...Object.keys(lifecycle.aliases)],
        default: lifecycle.defaultDesiredState,
        description: `The state the application should be in.${maintainedText}${onceText}${formerText}`,
      },
      request: {
        type: "string",
        maxLength: 253,
        description: "Any text; a changed one asks for a state that is done once again.",
      },
    },
  };
}

/** `status.lifecycle`. */
export function lifecycleStatusSchema(): StructuralSchema {
  return {
    ...object({
      // The longest that a condition's reason may be; rules that take it apart need a limit.
      state: { ...text, maxLength: 1_024, description: "The active states." },
      since: { ...instant, description: "When the state was entered." },
      target: {
        ...targetSchema({ reached: flag, entered: flag }),
        description: "The state that the operator leads to, and how far it is.",
      },
      plan: { ...texts, description: "The states that remain until the desired one." },
      graph: { ...text, description: "Id and version of the machine." },
      snapshot: object({
        graph: text,
        value: text,
        context: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        history: mapOf(texts),
        entry: count,
      }),
      tasks: mapOf(
        object({
          src: text,
          key: text,
          id: text,
          entry: count,
          attempt: count,
          phase: { type: "string", enum: [...taskPhases] },
          handle: anything,
          startedAt: instant,
          deadline: instant,
          nextAttempt: instant,
          progress: { type: "number", minimum: 0, maximum: 1 },
          message: text,
          output: anything,
          hanging: object({ hook: { type: "string", enum: [...taskHooks] }, since: instant }),
          delivered: flag,
          told: former("delivered"),
          cancels: count,
          compensations: count,
          failure: text,
          earlier: texts,
          lost: flag,
        }),
      ),
      timers: mapOf(
        object({ state: text, delay: text, due: instant, delivered: flag, told: former("delivered") }),
      ),
      config: object({
        generation: count,
        hash: text,
        fields: mapOf(text),
        edits: { type: "array", items: object({ hash: text, changed: texts }) },
      }),
      human: object({ event: text, id: text, by: text, accepted: flag, message: text, removed: flag }),
      paused: {
        ...object({ at: instant, by: text }),
        description: "Since when, and by whom, nothing is done with the application.",
      },
      last: object({ from: text, event: text, cause: text }),
      output: { ...anything, description: "What the lifecycle has come to, while it is at its end." },
      digest: text,
      // Pruned before it was read otherwise: see former-words.ts.
      wish: {
        ...targetSchema({ fulfilled: flag, reached: flag }),
        description: deprecated("target"),
      },
    }),
    description: "Where the application is in its lifecycle; written by the operator alone.",
  };
}
