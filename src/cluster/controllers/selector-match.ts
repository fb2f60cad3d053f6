// Whether labels fulfil a label selector, as workloads write it.
import type { LabelSelector } from "../../kinds/builtin/label-selector.ts";

/** Whether all requirements hold. An empty selector selects everything. */
export function isSelectedBy(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const equal = Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
  if (!equal) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
    }
  });
}
