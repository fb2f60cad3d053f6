// The merge patch (RFC 7396) that leads from one JSON value to another.
import { isEqualJson } from "../../meta/changed-paths.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of `after` that differ from `before`, with null for those that are gone; undefined when none does. */
export function mergePatchOf(before: Fields, after: Fields): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[name], after[name]];
    if (next === undefined || next === null) {
      if (old !== undefined && old !== null) patch[name] = null;
    } else if (isFields(old) && isFields(next)) {
      const inner = mergePatchOf(old, next);
      if (inner !== undefined) patch[name] = inner;
    } else if (!isEqualJson(old, next)) {
      patch[name] = next;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
