// What kstatus makes of a custom resource, by its published rules: deletion, generation, Reconciling and Stalled in their
// order, Ready, and Current for what says nothing. Held against kstatus itself by test/foreign.
// https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
import type { Condition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";

/** The answers of kstatus. */
export type Kstatus = "Current" | "InProgress" | "Failed" | "Terminating";

/** A custom resource as kstatus reads it. */
export type Reported = KubeObject & {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
};

/** The answer for a custom resource. */
export function kstatusOf({ metadata, status = {} }: Reported): Kstatus {
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return "InProgress";
  for (const { type, status: value } of conditions) {
    if (value === "True" && type === "Reconciling") return "InProgress";
    if (value === "True" && type === "Stalled") return "Failed";
  }
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True" ? "Current" : "InProgress";
}
