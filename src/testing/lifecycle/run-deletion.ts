// Deletes the resource where a walk has ended, and supplies what its path to the final state waits for: from every state, the
// resource must disappear, and none of its tasks may run on.
import { deepStrictEqual } from "node:assert/strict";
import { findCondition } from "../../meta/condition.ts";
import { readInstant } from "../../lifecycle/values/untrusted.ts";
import { planToTarget } from "../../lifecycle/targets/path-to-target.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { parseLeaves } from "../../statechart/configuration.ts";
import type { GraphEdge } from "../../statechart/graph.ts";
import type { Walk } from "./find-walks.ts";
import { describeStimulus } from "./stimulus.ts";
import type { Subject } from "./subject.ts";
import { WalkedRuntime, type WalkedResource } from "./walked-runtime.ts";

/** The shortest walk to a state. */
export interface WalkTo {
  /** As the condition names it. */
  readonly state: string;
  readonly walk: Walk;
}

/** Rounds of observing, ending tasks and waiting after which a resource counts as stuck. */
const longestEnd = 80;

/** The shortest walk to each state in which one of these walks ends, in their order. */
export function walksToStates(walks: readonly Walk[]): readonly WalkTo[] {
  const shortest = new Map<string, Walk>();
  for (const walk of walks) {
    const { state } = walk;
    if (state === undefined) continue;
    const known = shortest.get(state);
    if (known === undefined || known.steps.length > walk.steps.length) shortest.set(state, walk);
  }
  return [...shortest].map(([state, walk]) => ({ state, walk }));
}

/** Walks there and deletes, twice: in one life, and killed right after the deletion was first persisted. */
export async function runDeletion(subject: Subject, { state, walk }: WalkTo): Promise<void> {
  for (const killed of [false, true]) {
    const runtime = await WalkedRuntime.start(subject);
    try {
      for (const step of walk.steps) await runtime.apply(step);
      runtime.killAfterStatus = killed;
      await runtime.delete();
      await cooperate(runtime, subject);
      const steps = walk.steps.map(describeStimulus).join("; ");
      const left = await runtime.find();
      if (left !== undefined) throw stuck(left, `deleted in ${state} (${steps})`);
      const open = [...runtime.application.running].filter(([, { phase }]) => phase === "Running");
      deepStrictEqual(open, [], `deleted in ${state} (${steps}): a task runs on without its resource`);
      deepStrictEqual(
        runtime.application.startedTwice(),
        [],
        `deleted in ${state}: a task was started twice`,
      );
    } finally {
      runtime.stop();
    }
  }
}

/** Tasks succeed, observations show what the plan waits for, and time passes where nothing else helps. */
async function cooperate(runtime: WalkedRuntime, { lifecycle, facts, outputs }: Subject): Promise<void> {
  for (let round = 0; round < longestEnd; round += 1) {
    const resource = await runtime.find();
    if (resource === undefined) return;
    const status = resource.status?.lifecycle;
    const leaves = parseLeaves(lifecycle.index, status?.state ?? "") ?? [];
    const [hop] = status === undefined ? [] : (planToTarget(lifecycle, status.target, leaves) ?? []);
    const seen = observedBy(hop?.edge);
    const sample = round % facts.length;
    for (const [id, task] of Object.entries(status?.tasks ?? {})) {
      if (task.phase !== "Running") continue;
      const known = outputs[task.src] ?? [];
      const output = known.length === 0 ? undefined : known[round % known.length];
      const what = { kind: "done" as const, task: id, ...(output === undefined ? {} : { output }) };
      await runtime.apply({ what, facts: sample });
    }
    if ((await runtime.find()) === undefined) return;
    await runtime.apply({
      what: { kind: "look" },
      facts: sample,
      ...(seen === undefined ? {} : { observed: seen }),
    });
    const left = await runtime.find();
    if (left?.status?.lifecycle === undefined || left.status.lifecycle.state !== status?.state) continue;
    const until = nextInstant(left, runtime.now);
    if (until !== undefined)
      await runtime.apply({ what: { kind: "wait", until, what: "time" }, facts: sample });
  }
}

function observedBy(edge: GraphEdge | undefined): string | undefined {
  return edge?.event.startsWith("observed.") === true ? edge.event.slice("observed.".length) : undefined;
}

/** The first instant that the status names as waited for. */
function nextInstant({ status }: WalkedResource, now: number): number | undefined {
  const { target, timers = {}, tasks = {} } = status?.lifecycle ?? {};
  const instants = [
    target?.notBefore,
    ...Object.values(timers).map(({ due, delivered }) => (delivered === true ? undefined : due)),
    ...Object.values(tasks).map(({ nextAttempt }) => nextAttempt),
  ].flatMap((text) => readInstant(text) ?? []);
  const later = instants.filter((instant) => instant > now);
  return later.length === 0 ? undefined : Math.min(...later);
}

function stuck({ status }: WalkedResource, where: string): OperatorError {
  const condition = findCondition(status?.conditions ?? [], "Lifecycle");
  const at = `${status?.lifecycle?.state ?? "no state"}: ${condition?.message ?? "it says nothing"}`;
  return new OperatorError("WALK_FAILED", `${where}: the resource is not removed; it stays in ${at}`, {
    remedy:
      "Draw a path from it to the final state: an edge on desired.End, or one that is taken without being asked for.",
  });
}
