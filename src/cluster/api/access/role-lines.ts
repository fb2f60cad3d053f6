// Rules of roles as lines: verbs, groups, resources and the names of objects, if only these are meant; or verbs and paths. The group without
// a name is `core`.
import type { Fields } from "../api-object.ts";

/** Roles by name, a line for each rule. */
export type RoleLines = Readonly<Record<string, readonly string[]>>;

/** The rules that lines stand for. */
export function rulesOf(lines: readonly string[]): readonly Fields[] {
  return lines.map((line) => {
    const [verbs = [], second = [], resources, resourceNames] = line
      .split(" ")
      .map((part) => part.split(","));
    if (resources === undefined) return { verbs, nonResourceURLs: second };
    return {
      verbs,
      apiGroups: second.map((group) => (group === "core" ? "" : group)),
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    };
  });
}
