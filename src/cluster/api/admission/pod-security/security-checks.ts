// What a level of the Pod Security Standards forbids of a pod, in which version of it. Pure.
// https://kubernetes.io/docs/concepts/security/pod-security-standards/
import { baselineChecks } from "./baseline-checks.ts";
import type { Check, CheckedPod, Violation } from "./pod-checks.ts";
import { restrictedChecks } from "./restricted-checks.ts";

/** What a level forbids of a pod, in the version of a minor of Kubernetes; undefined: the latest one. */
export function violationsOf(
  level: "baseline" | "restricted",
  minor: number | undefined,
  pod: CheckedPod,
): readonly Violation[] {
  const version = minor ?? Infinity;
  const formOf = ({ forms }: Check) => forms.findLast(({ from }) => from <= version);
  const restricted =
    level === "baseline" ? [] : restrictedChecks.filter((each) => formOf(each) !== undefined);
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  return [...baselineChecks.filter(({ id }) => !overridden.has(id)), ...restricted].flatMap(
    (each) => formOf(each)?.check(pod) ?? [],
  );
}
