// Which stimuli are worth a try where an application is: one for each edge that leads out, with every sample that a guard
// may ask for. The same place always gives the same list.
import { planToTarget } from "../../lifecycle/targets/path-to-target.ts";
import type { Json } from "../../meta/object.ts";
import { edgesOf, lineageOf, type Leaves } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import type { LifecycleModel } from "./lifecycle-model.ts";
import type { Stimulus } from "./stimulus.ts";
import type { Subject } from "./subject.ts";

/** A stimulus, and the edge that it is meant for; without one it only changes what is desired or waited for. */
export interface Attempt {
  readonly stimulus: Stimulus;
  readonly edge?: GraphEdge;
}

/** The stimuli that create the resource. */
export function firstAttempts(subject: Subject): readonly Attempt[] {
  const { lifecycle, facts, specs } = subject;
  const isGuarded = hasGuards(subject);
  const stays = lineageOf(lifecycle.initial).filter((path) => lifecycle.desirable.includes(path));
  const targets = [undefined, ...stays];
  return targets.flatMap((target) =>
    range(isGuarded ? facts.length : 1).flatMap((fact) =>
      range(isGuarded ? specs.length : 1).map((spec) => ({
        stimulus: {
          what: { kind: "create" as const },
          facts: fact,
          ...(spec === 0 ? {} : { spec }),
          ...(target === undefined ? {} : { target }),
        },
      })),
    ),
  );
}

/** The stimuli to be tried where the model is. */
export function nextAttempts(subject: Subject, model: LifecycleModel): readonly Attempt[] {
  const { lifecycle, specs } = subject;
  const { leaves } = model;
  const isGuarded = hasGuards(subject);
  const edges = edgesOf(lifecycle.index, leaves);
  const attempts = edges.flatMap((edge) => attemptsFor(subject, model, edge, isGuarded));
  // What is held here keeps the operator from leading on.
  const stays = [...new Set(leaves.flatMap(lineageOf))].filter(
    (path) => lifecycle.desirable.includes(path) && model.status?.target.state !== path,
  );
  attempts.push(
    ...stays.map((target) => ({ stimulus: { what: { kind: "look" as const }, facts: 0, target } })),
  );
  const { target, tasks = {} } = model.status ?? {};
  if (target?.notBefore !== undefined) {
    attempts.push(waitFor(target.notBefore, `the next try of ${target.state}`));
  }
  for (const [id, task] of Object.entries(tasks)) {
    if (task.nextAttempt !== undefined) attempts.push(waitFor(task.nextAttempt, `the next attempt of ${id}`));
  }
  const { intervention } = lifecycle;
  const isDrawn = lifecycle.index.graph.edges.some(({ targets }) => targets.includes(intervention ?? ""));
  if (intervention !== undefined && !isDrawn) {
    attempts.push({ stimulus: { what: { kind: "damage" }, facts: 0 } });
  }
  if (isGuarded && specs.length > 1) {
    const spec = (model.spec + 1) % specs.length;
    attempts.push({ stimulus: { what: { kind: "look" }, facts: 0, spec } });
  }
  return attempts;
}

function attemptsFor(
  subject: Subject,
  model: LifecycleModel,
  edge: GraphEdge,
  isGuarded: boolean,
): Attempt[] {
  const { facts, outputs, specs } = subject;
  const samples = range(isGuarded ? facts.length : 1);
  const each = (stimulus: Omit<Stimulus, "facts">): Attempt[] =>
    samples.map((fact) => ({ stimulus: { ...stimulus, facts: fact }, edge }));
  const task = /^xstate\.(?:done|error)\.actor\.(.*)$/.exec(edge.eventType)?.[1];
  switch (edge.kind) {
    case "always":
      return each({ what: { kind: "look" } });
    case "after": {
      const timer = model.status?.timers[edge.eventType];
      if (timer === undefined) return [];
      const { what } = waitFor(timer.due, edge.event).stimulus;
      return each({ what });
    }
    case "error":
      return task === undefined ? [] : each({ what: { kind: "failed", task } });
    case "done": {
      if (task === undefined) return [];
      const src = model.status?.tasks[task]?.src ?? "";
      const known: readonly (Json | undefined)[] = outputs[src] ?? [undefined];
      return known.flatMap((output) =>
        each({ what: { kind: "done", task, ...(output === undefined ? {} : { output }) } }),
      );
    }
    case "event":
      break;
  }
  const [family, ...rest] = edge.event.split(".");
  const name = rest.join(".");
  if (family === "observed") return each({ what: { kind: "look" }, observed: name });
  if (family === "human") return each({ what: { kind: "human", event: name } });
  if (family === "desired") {
    const target = targetFor(subject, model.leaves, edge);
    return target === undefined ? [] : each({ what: { kind: "look" }, target });
  }
  if (edge.event !== "config.changed" || specs.length < 2) return [];
  return range(specs.length)
    .filter((spec) => spec !== model.spec)
    .flatMap((spec) => each({ what: { kind: "look" }, spec }));
}

/** A target whose way begins with this edge; what the edge is named for and what it enters come first. */
export function targetFor({ lifecycle }: Subject, leaves: Leaves, edge: GraphEdge): string | undefined {
  const likely = [edge.event.slice("desired.".length), ...edge.targets.flatMap(lineageOf)];
  const all = new Set([...likely, ...lifecycle.desirable]);
  for (const state of all) {
    if (!lifecycle.desirable.includes(state)) continue;
    const target = { state, generation: 0, reached: false };
    if (planToTarget(lifecycle, target, leaves)?.[0]?.edge === edge) return state;
  }
  return undefined;
}

/** Whether samples matter at all. */
function hasGuards({ lifecycle }: Subject): boolean {
  return lifecycle.index.graph.edges.some((edge) => edge.guard !== undefined);
}

function waitFor(instant: string, what: string): Attempt {
  return { stimulus: { what: { kind: "wait", until: Date.parse(instant), what }, facts: 0 } };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
