// Where an object is not as it is expected: what is expected must be there, and what is there besides does not matter. Maps are
// compared by the fields that are expected; lists item by item, and must have as many. Pure.
import { equal, isJsonArray, isJsonObject } from "../../schema/json-value.ts";

/** One place. */
export interface Mismatch {
  /** Names and positions from the top. */
  readonly path: readonly (string | number)[];
  readonly expected: unknown;
  /** Undefined when there is nothing. */
  readonly actual: unknown;
}

/** All places at which an object is not as expected; none when it is. */
export function mismatchesOf(
  expected: unknown,
  actual: unknown,
  path: Mismatch["path"] = [],
): readonly Mismatch[] {
  if (isJsonObject(expected) && isJsonObject(actual)) {
    return Object.entries(expected).flatMap(([name, value]) => {
      const here = [...path, name];
      if (!Object.hasOwn(actual, name)) return [{ path: here, expected: value, actual: undefined }];
      return mismatchesOf(value, actual[name], here);
    });
  }
  if (isJsonArray(expected) && isJsonArray(actual) && expected.length === actual.length) {
    return expected.flatMap((value, index) => mismatchesOf(value, actual[index], [...path, index]));
  }
  return equal(expected, actual) ? [] : [{ path, expected, actual }];
}
