// In what the embedded cluster knowingly differs from a real one where operators and controllers leave something, and why.
import type { Difference } from "./left-behind.ts";

const known: readonly {
  readonly object: RegExp;
  readonly path: RegExp;
  /** In JSON, what is there on the real one alone. */
  readonly real?: RegExp;
  readonly reason: string;
}[] = [];

/** Why it may differ; undefined if it may not. */
export function knownDifference({ object, path, embedded, real }: Difference): string | undefined {
  return known.find(
    (each) =>
      each.object.test(object) &&
      each.path.test(path) &&
      (each.real === undefined || (embedded === undefined && each.real.test(JSON.stringify(real)))),
  )?.reason;
}
