// The suite of an example's lifecycle: what `check` finds, the model-based tests, its life, and its life again for each write at
// which its operator can be killed.
import { describe, expect, it } from "vitest";
import {
  lifecycleTests,
  scenarioTests,
  type LifecycleTestOptions,
  type Scenario,
  type ScenarioStep,
} from "xstate-operator/testing";
import { runCommand } from "../../cli/run-in-process.ts";

/** A scenario of an example. */
export interface ExampleLife<TWorld extends object> extends Scenario<TWorld> {
  /** Below examples/lifecycles. */
  readonly folder: string;
  /** Its file; default `operator.ts`. */
  readonly file?: string;
  readonly samples: LifecycleTestOptions;
  readonly expected: unknown;
}

/** Declares the suite. */
export function describeLives<TWorld extends object>(name: string, life: ExampleLife<TWorld>): void {
  const { folder, file = "operator.ts", samples, expected, outcome, ...scenario } = life;
  describe(name, () => {
    it("is found without fault by check", async () => {
      const checked = await runCommand(["check", `examples/lifecycles/${folder}/${file}`]);
      expect(checked.err).toBe("");
      expect(checked.out).toMatch(/no problems/);
    });

    describe("walks every edge", () => {
      for (const test of lifecycleTests(scenario.kind as never, samples)) it(test.name, test.run);
    });

    describe("lives", () => {
      const seen: Scenario<TWorld> = {
        ...scenario,
        outcome: async (context) => {
          const found: unknown = await outcome?.(context);
          expect(found).toEqual(expected);
          return found;
        },
      };
      // All of them take minutes: CRASH_POINTS=all.
      const options = process.env["CRASH_POINTS"] === "all" ? {} : { kills: 16 };
      for (const test of scenarioTests(seen, options)) it(test.name, test.run, 600_000);
    });
  });
}

/** A state is desired, and reached. */
export function desire(desiredState: string, until = desiredState): ScenarioStep<object> {
  return {
    what: `${desiredState} is desired`,
    act: ({ edit }) => edit({ lifecycle: { desiredState } }),
    until,
  };
}
