// What may happen to an application and its resource from outside, as data: the steps of a walk.
import type { TaskObservation } from "../../lifecycle/tasks/task-definition.ts";
import type { Json } from "../../meta/object.ts";

/** One thing that happens; together with it, a look shows what is said here, and nothing of before. */
export interface Stimulus {
  readonly what:
    /** The resource is created. */
    | { readonly kind: "create" }
    /** Nothing but the look. */
    | { readonly kind: "look" }
    | { readonly kind: "human"; readonly event: string }
    /** The task of this invoke succeeds. */
    | { readonly kind: "done"; readonly task: string; readonly output?: Json }
    | { readonly kind: "failed"; readonly task: string }
    /** The persisted status is overwritten with an empty one. */
    | { readonly kind: "damage" }
    /** Time passes until this instant, in milliseconds since the epoch. */
    | { readonly kind: "wait"; readonly until: number; readonly what: string };
  /** A new target; every target has a request of its own. */
  readonly target?: string;
  /** The word that the look shows. */
  readonly observed?: string;
  /** Which sample of facts the look shows. */
  readonly facts: number;
  /** Which sample the spec is, from now on. */
  readonly spec?: number;
}

/** A `status.lifecycle` that no graph can read. */
export const damagedStatus = { graph: "nothing@0" };

/** What a look at a task shows once it has ended so. */
export function outcomeOf(what: Stimulus["what"] & { readonly kind: "done" | "failed" }): TaskObservation {
  if (what.kind === "failed") return { phase: "Failed", message: "it was made to fail", retry: false };
  return { phase: "Succeeded", ...(what.output === undefined ? {} : { output: what.output }) };
}

/** The stimulus in words. */
export function describeStimulus({ what, target, observed, facts, spec }: Stimulus): string {
  const words = [
    ...(what.kind === "create" ? ["create"] : []),
    ...(target === undefined ? [] : [`desire ${target}`]),
    ...(what.kind === "human" ? [`send ${what.event}`] : []),
    ...(what.kind === "done" ? [`${what.task} succeeds`] : []),
    ...(what.kind === "damage" ? ["overwrite the status"] : []),
    ...(what.kind === "failed" ? [`${what.task} fails`] : []),
    ...(what.kind === "wait" ? [`wait for ${what.what}`] : []),
    ...(spec === undefined || what.kind === "create" ? [] : [`change the spec to sample ${spec}`]),
    ...(observed === undefined ? [] : [`see ${observed}`]),
    ...(facts === 0 ? [] : [`see facts ${facts}`]),
  ];
  return words.length === 0 ? "look" : words.join(", ");
}
