// Fields that are declared for the creation of an object only, and belong to others from then on: an autoscaler's replicas. They
// are let go of without a change of their value, which would fall back to its default if apply just left them out.

type Fields = Readonly<Record<string, unknown>>;

/** A manifest without the fields at these dotted paths, which lead through maps only. */
export function withoutFields<T extends object>(manifest: T, paths: readonly string[]): T {
  return paths.reduce<T>((rest, path) => without(rest as Fields, path.split(".")) as T, manifest);
}

/** A set of managedFields without those at these dotted paths. */
export function withoutOwned(set: Fields, paths: readonly string[]): Fields {
  return paths.reduce<Fields>(
    (rest, path) =>
      without(
        rest,
        path.split(".").map((name) => `f:${name}`),
        true,
      ),
    set,
  );
}

/** A copy without one field; `emptied` parents go too, as a set that is empty stands for the whole value. */
function without(fields: Fields, [name = "", ...rest]: readonly string[], emptied = false): Fields {
  const { [name]: inner, ...others } = fields;
  if (inner === undefined) return fields;
  if (rest.length === 0) return others;
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return fields;
  const left = without(inner as Fields, rest, emptied);
  if (left === inner) return fields;
  return emptied && Object.keys(left).every((key) => key === ".") ? others : { ...fields, [name]: left };
}
