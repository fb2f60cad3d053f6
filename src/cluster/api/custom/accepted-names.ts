// Which names of a definition are accepted: each on its own, unless a definition of the group has been given it.
import { fieldsOf, listOf, textOf, type ApiObject, type Fields } from "../api-object.ts";

/** Why not all names of a definition are accepted: the last clash that is found, as on the real server. */
export interface NameClash {
  readonly reason: string;
  readonly message: string;
}

/** The names of a definition that are accepted among all definitions, and the clash of the others. */
export function acceptNames(
  definition: ApiObject,
  all: readonly ApiObject[],
): { readonly accepted: Fields; readonly clash: NameClash | undefined } {
  const spec = fieldsOf(definition["spec"]);
  const asked = fieldsOf(spec["names"]);
  const before = acceptedNames(definition);
  const given = all.filter((each) => fieldsOf(each["spec"])["group"] === spec["group"]).map(acceptedNames);
  const resources = new Set(
    given.flatMap((names) => [names["plural"], names["singular"], ...shortNamesOf(names)]),
  );
  const kinds = new Set(given.flatMap((names) => [names["kind"], names["listKind"]]));
  let clash: NameClash | undefined;
  const refuse = (field: string, names: readonly unknown[]): void => {
    const faults = names.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = faults.length > 1 ? `[${faults.join(", ")}]` : faults.join("");
    clash = { reason: `${field}Conflict`, message };
  };
  const accept = (field: string, title: string, taken: ReadonlySet<unknown>): unknown => {
    const name = asked[field];
    if (name === before[field] || !taken.has(name)) return name;
    refuse(title, [name]);
    return before[field];
  };
  const acceptShortNames = (): readonly unknown[] => {
    const own = shortNamesOf(before);
    const taken = shortNamesOf(asked).filter((name) => !own.includes(name) && resources.has(name));
    if (taken.length === 0) return shortNamesOf(asked);
    refuse("ShortNames", taken);
    return own;
  };
  const plural = accept("plural", "Plural", resources);
  const singular = accept("singular", "Singular", resources);
  const shortNames = acceptShortNames();
  const kind = accept("kind", "Kind", kinds);
  const listKind = accept("listKind", "ListKind", kinds);
  const categories = listOf(asked["categories"]);
  const accepted = {
    plural: textOf(plural),
    ...(textOf(singular) === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind: textOf(kind),
    ...(textOf(listKind) === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  return { accepted, clash };
}

function acceptedNames(definition: ApiObject): Fields {
  return fieldsOf(fieldsOf(definition["status"])["acceptedNames"]);
}

function shortNamesOf(names: Fields): readonly unknown[] {
  return listOf(names["shortNames"]);
}
