// What one version of an object cannot express, so that converting it there and back loses nothing: what is lost, as paths
// with values, and how it is put back into what came back. Pure.
import { isEqualJson } from "../../meta/changed-paths.ts";
import type { Json } from "../../meta/object.ts";

/** One field that was lost. */
export interface KeptField {
  readonly path: readonly string[];
  /** What comes back there by converting; absent: nothing. */
  readonly was?: Json;
  /** What was there; absent: nothing. */
  readonly is?: Json;
}

type Fields = Readonly<Record<string, Json>>;

/** Where what came back differs from what there was: maps field by field, everything else as a whole. */
export function lostFields(
  original: Fields,
  back: Fields,
  path: readonly string[] = [],
): readonly KeptField[] {
  const names = new Set([...Object.keys(original), ...Object.keys(back)]);
  return [...names].flatMap((name) => {
    const [is, was] = [own(original, name), own(back, name)];
    if (isEqualJson(is, was)) return [];
    if (isFields(is) && isFields(was)) return lostFields(is, was, [...path, name]);
    return [
      {
        path: [...path, name],
        ...(was === undefined ? {} : { was }),
        ...(is === undefined ? {} : { is }),
      },
    ];
  });
}

/** The object with each field put back that is still what conversion makes of it: what was changed meanwhile stays changed. */
export function restoreFields(object: Fields, kept: readonly KeptField[]): Fields {
  return kept.reduce((restored, { path, was, is }) => restore(restored, path, was, is), object);
}

function restore(
  object: Fields,
  [name = "", ...rest]: readonly string[],
  was: Json | undefined,
  is: Json | undefined,
): Fields {
  const now = own(object, name);
  if (rest.length === 0) {
    const next = restoredValue(now, was, is);
    return next === now ? object : withField(object, name, next);
  }
  // Where the field that holds it is gone, so is what was in it.
  return isFields(now) ? withField(object, name, restore(now, rest, was, is)) : object;
}

function restoredValue(now: Json | undefined, was: Json | undefined, is: Json | undefined): Json | undefined {
  if (isEqualJson(now, was)) return is;
  return Array.isArray(now) && Array.isArray(was) && Array.isArray(is) && was.length === is.length
    ? restoredItems(now, was, is)
    : now;
}

/** Of a list that was changed, the items that were not: wherever they are now. */
function restoredItems(now: readonly Json[], was: readonly Json[], is: readonly Json[]): readonly Json[] {
  const free = new Set(was.keys());
  return now.map((item) => {
    const index = [...free].find((each) => isEqualJson(was[each], item));
    if (index === undefined) return item;
    free.delete(index);
    return is[index] ?? item;
  });
}

function withField(object: Fields, name: string, value: Json | undefined): Fields {
  const others = Object.entries(object).filter(([each]) => each !== name);
  // Not by assignment: the name comes from an annotation, and `__proto__` is a name.
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

function own(object: Fields, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
