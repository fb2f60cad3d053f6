// Whether an object is one that a selector asks for: needed for own writes, which no server has filtered. Pure.
// Grammar: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
import type { KubeObject } from "../meta/object.ts";

/** Whether all labels are there with their values. */
export function matchesLabels(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels?.[name] === value);
}

/** Whether an object is selected by a label selector in its text form; an empty one selects everything. */
export function matchesLabelSelector(selector: string, object: KubeObject): boolean {
  if (selector === "") return true;
  const labels = object.metadata.labels ?? {};
  // Commas separate requirements, but not within the parentheses of a set.
  return selector
    .split(/,(?![^(]*\))/)
    .every((requirement) => matchesRequirement(requirement.trim(), labels));
}

/** Whether an object is selected by a field selector: `path=value` and `path!=value`, all of them; an empty one selects everything. */
export function matchesFieldSelector(selector: string, object: KubeObject): boolean {
  if (selector === "") return true;
  return selector.split(",").every((requirement) => {
    const [, path = "", operator = "", value = ""] = /^([^=!]+)(!=|==?)(.*)$/.exec(requirement.trim()) ?? [];
    if (path === "") return true;
    return (textAt(object, path) === value) !== (operator === "!=");
  });
}

function matchesRequirement(requirement: string, labels: Readonly<Record<string, string>>): boolean {
  if (requirement === "") return true;
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(requirement);
  if (set !== null) {
    const [, name = "", operator, list = ""] = set;
    const isIn = list.split(",").some((value) => value.trim() === labels[name]);
    return isIn === (operator === "in");
  }
  const equality = /^([^\s=!]+)\s*(!=|==?)\s*(.*)$/.exec(requirement);
  if (equality !== null) {
    const [, name = "", operator, value = ""] = equality;
    return (labels[name] === value.trim()) !== (operator === "!=");
  }
  return requirement.startsWith("!")
    ? !Object.hasOwn(labels, requirement.slice(1).trim())
    : Object.hasOwn(labels, requirement);
}

/** The scalar at a dotted path, as text; empty when there is none, as the server has it. */
function textAt(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const part of path.trim().split(".")) {
    value =
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}
