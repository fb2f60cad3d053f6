// Tests of the conversion between the versions of a kind: one for each pair, in both directions. Nothing is run before a test is.
import type { Kind } from "../kinds/define-kind.ts";
import { refuseWrongOptions } from "../options/option-problems.ts";
import { anyObject, listOf, optionsOf, recordOf, whole } from "../options/option-schemas.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { tripProblem, tripsOf } from "../round-trips/round-trips.ts";

/** Options of {@link conversionTests}. */
export interface ConversionTestOptions {
  /** Specs that are tried before those that are made up, by version: for what a schema does not say of real ones; default none. */
  readonly samples?: Readonly<Record<string, readonly object[]>>;
  /** Objects that are made up for each test; default 200. */
  readonly runs?: number;
  /** Which objects are made up: the same number makes the same ones; default 1. */
  readonly seed?: number;
}

const testOptions = optionsOf<ConversionTestOptions>()({
  samples: recordOf(listOf(anyObject("Write a spec: { … }."))).optional(),
  runs: whole(1).optional(),
  seed: whole(0).optional(),
});

/** One test, for any runner. */
export interface ConversionTest {
  /** Which versions it is about. */
  readonly name: string;
  /** Tries the conversion; rejects with what is wrong. */
  run(): Promise<void>;
}

/**
 * Tests of a kind's conversion functions, one for each pair of versions and direction: every object that one version accepts is
 * converted to one that the other accepts, the same each time; after the way back it is what it was; and it does not change
 * any further when it is converted again. Objects are made up from the schemas; a failed test names the smallest one that shows
 * the fault.
 *
 * **Guarantees**: deterministic; no socket, no file, no waiting.
 * **Errors**: `TEST_OPTIONS_INVALID` for options that are unknown or have a wrong form. A test rejects with the code of what it
 * has found.
 *
 * @example
 * for (const { name, run } of conversionTests(Database)) it(name, run);
 */
export function conversionTests(
  kind: Kind<never> | Kind,
  options: ConversionTestOptions = {},
): readonly ConversionTest[] {
  refuseWrongOptions(testOptions, options, "conversionTests", "TEST_OPTIONS_INVALID");
  const { samples = {}, runs = 200, seed = 1 } = options;
  return tripsOf(kind).map((trip) => ({
    name: `every ${trip.from.name} can be converted to ${trip.to.name} and back`,
    run: async () => {
      const problem = tripProblem(kind, trip, { runs, seed, samples });
      if (problem === undefined) return;
      const { code, message, remedy } = problem;
      throw new OperatorError(code, `${kind.kind}: ${message}`, { remedy });
    },
  }));
}
