// Model-based tests from a lifecycle: one per edge of its graph, the shortest walk that takes it, and one per state in which
// its resource is deleted, on the operator's real runtime. Nothing is run before a test is.
import { z } from "zod";
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { lifecycleOptions } from "../../lifecycle/checks/check-options.ts";
import { taskPolicyShape } from "../../lifecycle/tasks/task-definition.ts";
import type { Json, KubeObject } from "../../meta/object.ts";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import { callable, listOf, optionsOf, recordOf, text } from "../../options/option-schemas.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { TaskPolicyOptions } from "../simulation/simulated-application.ts";
import { createVirtualClock } from "../virtual-clock.ts";
import { findWalks } from "./find-walks.ts";
import { runDeletion, walksToStates } from "./run-deletion.ts";
import { runWalk, type WalkedTo } from "./run-walk.ts";
import { describeStimulus } from "./stimulus.ts";
import { subjectOf, type LifecycleSamples } from "./subject.ts";
import { nameEdge } from "./why-not.ts";

/** Options of {@link lifecycleTests}. */
export interface LifecycleTestOptions extends LifecycleSamples {
  /** Edges that cannot be walked, as the last test names them: `Running --human.x--> Start`. Any other one fails it. Default none. */
  readonly unwalkable?: readonly string[];
  /** Checks of your own at the end of each walk; what it throws fails the test. Default none. */
  readonly check?: (to: WalkedTo) => unknown;
}

const json = z.custom<Json>();

const testOptions = optionsOf<LifecycleTestOptions>()({
  facts: listOf(recordOf(json)).optional(),
  specs: listOf(recordOf(json)).optional(),
  outputs: recordOf(listOf(json)).optional(),
  tasks: recordOf(
    optionsOf<TaskPolicyOptions>()({ ...taskPolicyShape, compensate: callable.optional() }),
  ).optional(),
  lifecycleOptions: lifecycleOptions.optional(),
  unwalkable: listOf(text).optional(),
  check: callable.optional(),
});

/** One test, for any runner. */
export interface LifecycleTest {
  /** What it is about, as a sentence. */
  readonly name: string;
  /** Carries it out; rejects when it fails. */
  run(): Promise<void>;
}

/** Tests of a lifecycle, and what no test could be made of. */
export interface LifecycleTests extends Iterable<LifecycleTest> {
  /** In the order of the graph's edges, then a deletion for each state; the last one says that every edge has a walk. */
  readonly tests: readonly LifecycleTest[];
  /** Edges over which no walk was found, and why. */
  readonly unwalked: readonly { readonly edge: string; readonly reason: string }[];
}

/**
 * Tests that walk every edge of a lifecycle: targets, looks, human events, ends and failures of tasks, timers, edges that
 * the graph takes by itself, changes of the spec; nested, parallel and with history. The application is simulated, time
 * is virtual, and server, cache, queue, pipeline and lifecycle are the real ones.
 *
 * After each step: state, conditions, target, plan, tasks and timers are those that the lifecycle says, the snapshot is
 * within its budget, no task was started twice. Before and after the last step the operator is killed and started again:
 * nothing changes and nothing is written. In a second walk it is killed right after the last step was persisted.
 *
 * And one test for each state in which such a walk ends: the resource is deleted there, tasks succeed, what the way to the
 * end waits for is seen. It must be gone, with no task left running, also when the operator is killed meanwhile.
 *
 * **Guarantees**: deterministic; the walks are the shortest; no socket, no file, no waiting.
 * **Caveats**: guards are asked with the samples of the options, so an edge whose guard is true for none of them has no
 * walk; the operator's own hooks and resources take no part.
 * **Errors**: at once those of a lifecycle that cannot be used (`LIFECYCLE_INVALID`), and `TEST_OPTIONS_INVALID` for options
 * that are unknown or have a wrong form; a test rejects with what is wrong.
 *
 * @example
 * for (const { name, run } of lifecycleTests(Database, { facts: [{}, { connections: 3 }] })) it(name, run);
 */
export function lifecycleTests(
  lifecycle: LifecycleMachine | Kind<never> | Kind<KubeObject> | Kind,
  options: LifecycleTestOptions = {},
): LifecycleTests {
  refuseWrongOptions(testOptions, options, "lifecycleTests", "TEST_OPTIONS_INVALID");
  const subject = subjectOf(lifecycle as LifecycleMachine | Kind<KubeObject>, options);
  const start = createVirtualClock().now();
  const found = findWalks(subject, start);
  const walks = found.walks.map((walk) => ({
    name: `${nameEdge(walk.edge)}: ${walk.steps.map(describeStimulus).join("; ")}`,
    run: () => runWalk(subject, walk, options.check ?? (() => undefined)),
  }));
  const deletions = walksToStates(found.walks).map((to) => ({
    name: `${to.state} is deleted: ${[...to.walk.steps.map(describeStimulus), "delete"].join("; ")}`,
    run: () => runDeletion(subject, to),
  }));
  const unwalked = found.unwalked.map(({ edge, reason }) => ({ edge: nameEdge(edge), reason }));
  const expected = new Set(options.unwalkable ?? []);
  const missing = unwalked.filter(({ edge }) => !expected.has(edge));
  const walked = [...expected].filter((edge) => !unwalked.some((each) => each.edge === edge));
  const whole: LifecycleTest = {
    name: `every edge of ${subject.lifecycle.graphId} can be walked`,
    run: async () => {
      if (missing.length === 0 && walked.length === 0) return;
      const lines = [
        ...missing.map(({ edge, reason }) => `- ${edge} was not walked: ${reason}`),
        ...walked.map((edge) => `- ${edge} is called unwalkable, and is walked or is not an edge`),
      ];
      throw new OperatorError("WALK_MISSING", `${subject.lifecycle.graphId}:\n${lines.join("\n")}`, {
        remedy:
          "Give samples for which the guards are true, remove the edge, or name it in the option unwalkable.",
      });
    },
  };
  const tests = [...walks, ...deletions, whole];
  return { tests, unwalked, [Symbol.iterator]: () => tests[Symbol.iterator]() };
}
