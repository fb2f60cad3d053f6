// Tests from a scenario: the life as it should go, and the same life for each write at which the operator can be killed.
import { isDeepStrictEqual, inspect } from "node:util";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import { optionsOf, whole } from "../../options/option-schemas.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { LifecycleTest } from "../lifecycle/lifecycle-tests.ts";
import type { DeathMoment } from "../simulation/mortal-client.ts";
import { runScenario, type ScenarioRun } from "./run-scenario.ts";
import { assertScenario, type Scenario } from "./scenario.ts";

/** Options of {@link scenarioTests}. */
export interface ScenarioTestOptions {
  /** So many writes, spread evenly over the life, at which the operator is killed; default all. */
  readonly kills?: number;
}

const testOptions = optionsOf<ScenarioTestOptions>()({ kills: whole(1).optional() });

/**
 * Two tests of a whole life, with the operator as it is, its resources and its tasks: one as it should go, one in which it is
 * lived again for each write of the operator, which is killed there, before the API server has the write and after it was
 * stored but before it is answered. Every step must lead to the same state, and the outcome must be the same.
 *
 * API server, built-in controllers and simulated pods run in this process on a virtual clock; requests to anything but
 * the world that the scenario makes are not simulated.
 *
 * **Guarantees**: deterministic; no socket, no waiting. A killed process neither reaches the world nor hears from it.
 * **Caveats**: the time of the second test grows with the square of the writes; some 0.1 s for each write. Give your runner time,
 * or limit them by `kills`.
 * **Errors**: at once `TEST_OPTIONS_INVALID` for a scenario of a wrong form; a test rejects with `SCENARIO_FAILED`, which names the
 * write, the step and what is different.
 *
 * @example
 * for (const { name, run } of scenarioTests({ kind: Shop, operator: () => shopOperator, steps })) it(name, run, 300_000);
 */
export function scenarioTests<TWorld extends object = object>(
  scenario: Scenario<TWorld>,
  options: ScenarioTestOptions = {},
): readonly LifecycleTest[] {
  assertScenario(scenario);
  refuseWrongOptions(testOptions, options, "scenarioTests", "TEST_OPTIONS_INVALID");
  const { kills = Infinity } = options;
  let whole: Promise<ScenarioRun> | undefined;
  const live = (): Promise<ScenarioRun> => (whole ??= runScenario(scenario, () => false));
  return [
    {
      name: scenario.steps.map(({ what, until }) => `${what}: ${until}`).join("; "),
      run: async () => {
        await live();
      },
    },
    {
      name: "comes to the same wherever the operator is killed",
      run: async () => {
        const expected = await live();
        const step = Math.max(1, expected.writes.length / kills);
        for (let at = 1; at <= expected.writes.length; at += step) {
          for (const moment of ["before", "after"] as const) {
            await killAt(scenario, Math.floor(at), moment, expected);
          }
        }
      },
    },
  ];
}

async function killAt<TWorld extends object>(
  scenario: Scenario<TWorld>,
  at: number,
  moment: DeathMoment,
  expected: ScenarioRun,
): Promise<void> {
  const write = expected.writes[at - 1];
  const where = `killed ${moment} write ${at} (${write?.what}, during "${write?.step}")`;
  try {
    const run = await runScenario(scenario, (count, when) => count === at && when === moment);
    if (isDeepStrictEqual(run.outcome, expected.outcome)) return;
    throw new OperatorError(
      "SCENARIO_FAILED",
      `the outcome is ${inspect(run.outcome, { depth: 6 })}, and without a kill ${inspect(expected.outcome, { depth: 6 })}`,
    );
  } catch (error) {
    throw new OperatorError(
      "SCENARIO_FAILED",
      `${where}: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        remedy: "See what the operator had done by then, and what it finds when it starts again.",
      },
    );
  }
}
