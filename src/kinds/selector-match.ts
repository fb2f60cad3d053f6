// Whether labels fulfil a label selector, as workloads write it.
import type { LabelSelector } from "./builtin/parts.ts";

/** Whether all requirements hold. An empty selector selects everything. */
export function isSelectedBy(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([name, value]) => fieldOf(labels, name) === value) &&
    (selector.matchExpressions ?? []).every(
      ({ key, operator, values = [] }) =>
        fieldOf(operators, operator)?.(fieldOf(labels, key), values) ?? false,
    )
  );
}

/** Own property: a label may be called as what every object inherits. */
function fieldOf<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** By name; an unknown operator selects nothing. */
const operators: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> =
  {
    In: (value, values) => value !== undefined && values.includes(value),
    NotIn: (value, values) => value === undefined || !values.includes(value),
    Exists: (value) => value !== undefined,
    DoesNotExist: (value) => value === undefined,
  };
