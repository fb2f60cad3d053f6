// The order in which Kubernetes prefers the versions of a kind. Pure.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority

const form = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ["alpha", "beta", undefined];

/** Sorts the preferred version first: stable before beta before alpha, then the higher number; any other name comes last. */
export function comparePriority(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  if (left === undefined || right === undefined) {
    if (left !== right) return left === undefined ? 1 : -1;
    return one < other ? -1 : 1;
  }
  const differing = left.findIndex((part, index) => part !== right[index]);
  return differing < 0 ? 0 : (right[differing] ?? 0) - (left[differing] ?? 0);
}

function partsOf(name: string): readonly number[] | undefined {
  const [whole, major, stage, minor] = form.exec(name) ?? [];
  return whole === undefined ? undefined : [stages.indexOf(stage), Number(major), Number(minor ?? 0)];
}
