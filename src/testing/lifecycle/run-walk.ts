// Carries a walk out on the real runtime, and compares it after each step with what the lifecycle says must be.
import { deepStrictEqual } from "node:assert/strict";
import type { CustomResource, LifecycleStatusField } from "../../kinds/custom-resource.ts";
import { findCondition } from "../../meta/condition.ts";
import type { KubeObject } from "../../meta/object.ts";
import { sizeOf } from "../../lifecycle/values/json-size.ts";
import type { LifecycleStatus } from "../../lifecycle/stored/snapshot.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { Walk } from "./find-walks.ts";
import { LifecycleModel } from "./lifecycle-model.ts";
import { describeStimulus, type Stimulus } from "./stimulus.ts";
import type { Subject } from "./subject.ts";
import { WalkedRuntime } from "./walked-runtime.ts";
import { isLeft } from "../../lifecycle/tasks/unsuccessful-end.ts";
import { nameEdge } from "./why-not.ts";

/** Where a walk has ended, for an author's own checks. */
export interface WalkedTo {
  /** The edge that the walk is about, as `Running --observed.Down--> Start`. */
  readonly edge: string;
  /** The steps in words. */
  readonly steps: readonly string[];
  /** Where it has ended. Nested states are joined by colons. */
  readonly state: string;
  /** The resource as it is stored then. */
  readonly resource: KubeObject & Pick<CustomResource<unknown, LifecycleStatusField>, "status">;
  /** Names of the effects that were carried out on the way. */
  readonly effects: readonly string[];
  /** Names of the tasks that were started on the way. */
  readonly tasks: readonly string[];
}

/**
 * Walks twice: once with a restart before the last step and after it, once killed right after the last step was persisted
 * and before any of it was done.
 */
export async function runWalk(subject: Subject, walk: Walk, check: (to: WalkedTo) => unknown): Promise<void> {
  const runtime = await WalkedRuntime.start(subject);
  try {
    const model = new LifecycleModel(subject, runtime.now);
    const states: string[] = [];
    for (const [at, step] of walk.steps.entries()) {
      const isLast = at === walk.steps.length - 1;
      const where = `after step ${at + 1}, "${describeStimulus(step)}"`;
      if (isLast && at > 0) await restart(runtime, model, subject, `restarted before step ${at + 1}`);
      const consequence = model.apply(step);
      await runtime.apply(step);
      const [problem] = consequence.problems;
      if (problem !== undefined) fail(walk, where, problem.message);
      if (isLast && !consequence.edges.includes(walk.edge)) fail(walk, where, "the edge was not taken");
      states.push(...consequence.states);
      await compare(runtime, model, subject, where);
    }
    deepStrictEqual(runtime.states, withoutRepeats(states), "the states that were entered, in order");
    await restart(runtime, model, subject, "restarted at the end");
    const resource = await runtime.resource();
    await check({
      edge: nameEdge(walk.edge),
      steps: walk.steps.map(describeStimulus),
      state: resource.status?.lifecycle?.state ?? "",
      resource,
      effects: runtime.application.effects,
      tasks: runtime.application.starts.map(({ src }) => src),
    });
  } finally {
    runtime.stop();
  }
  await runKilled(subject, walk);
}

async function runKilled(subject: Subject, { steps }: Walk): Promise<void> {
  const runtime = await WalkedRuntime.start(subject);
  try {
    const model = new LifecycleModel(subject, runtime.now);
    for (const [at, step] of steps.entries()) {
      runtime.killAfterStatus = at === steps.length - 1;
      model.apply(step);
      await runtime.apply(step);
    }
    await compare(runtime, model, subject, `killed once "${lastOf(steps)}" was persisted`);
  } finally {
    runtime.stop();
  }
}

/** Whatever a process knew is gone; what is stored must say it all, and nothing is written. */
async function restart(
  runtime: WalkedRuntime,
  model: LifecycleModel,
  subject: Subject,
  where: string,
): Promise<void> {
  const before = runtime.writes.length;
  await runtime.restart();
  await runtime.look();
  await compare(runtime, model, subject, where);
  deepStrictEqual(runtime.writes.slice(before), [], `${where}: the operator writes although nothing changed`);
}

async function compare(
  runtime: WalkedRuntime,
  model: LifecycleModel,
  { lifecycle }: Subject,
  where: string,
): Promise<void> {
  const { status, metadata } = await runtime.resource();
  const conditions = (status?.conditions ?? []).filter(({ type }) => type.startsWith("Lifecycle"));
  deepStrictEqual(
    { ...viewOf(status?.lifecycle), conditions: conditions.map(shorten) },
    { ...viewOf(model.status), conditions: model.conditions.map(shorten) },
    `${where}: what the operator persisted (actual) is not what the lifecycle says (expected)`,
  );
  const condition = findCondition(conditions, "Lifecycle");
  deepStrictEqual(
    { reason: condition?.reason, observedGeneration: condition?.observedGeneration },
    { reason: status?.lifecycle?.state, observedGeneration: metadata.generation },
    `${where}: the condition speaks of another state or generation`,
  );
  deepStrictEqual(runtime.application.startedTwice(), [], `${where}: a task was started twice`);
  const size = sizeOf(status?.lifecycle);
  if (size > lifecycle.options.snapshotBudget) {
    throw walkError(`${where}: the snapshot takes ${size} bytes of ${lifecycle.options.snapshotBudget}`);
  }
}

/** What must be the same, whatever keys and instants are made of. */
function viewOf(status: LifecycleStatus | undefined): object {
  if (status === undefined) return {};
  const { state, since, target, plan, last, timers, snapshot } = status;
  const tasks = Object.entries(status.tasks).map(([id, task]) => {
    const { src, phase, attempt, delivered, output, message, failure } = task;
    return [isLeft(id, task) ? src : id, { src, phase, attempt, delivered, output, message, failure }];
  });
  const { value, context, history } = snapshot;
  return { state, since, target, plan, last, timers, tasks, value, context, history };
}

function shorten({
  type,
  status,
  reason,
  message,
}: {
  type: string;
  status: string;
  reason: string;
  message: string;
}) {
  return { type, status, reason, message };
}

function withoutRepeats(states: readonly string[]): readonly string[] {
  return states.filter((state, at) => state !== states[at - 1]);
}

function lastOf(steps: readonly Stimulus[]): string {
  const last = steps.at(-1);
  return last === undefined ? "" : describeStimulus(last);
}

function fail(walk: Walk, where: string, why: string): never {
  throw walkError(`${nameEdge(walk.edge)}: ${where}: ${why}`);
}

function walkError(message: string): OperatorError {
  return new OperatorError("WALK_FAILED", message, {
    remedy: "Correct the lifecycle; the steps before are those of the test's name.",
  });
}
